package table

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/kgen-go/kgen/ir"
)

// A pattern says how a CSV file writes the dates or timestamps of a column, if not by ISO
// 8601. It is written as for strftime, and read by package time.
type pattern struct {
	text    string
	layouts []string // of package time; the first that fits a field reads it
}

// directive is what stands behind % in a pattern.
type directive struct {
	layout string // of package time
	parts  string // what it reads: a year, month, day, hour of 24 or of 12 (i), minute, second, half of a day (p), zone
}

var directives = map[byte]directive{
	'Y': {"2006", "y"}, 'y': {"06", "y"}, 'm': {"01", "m"}, 'd': {"02", "d"}, 'e': {"_2", "d"}, 'j': {"002", "md"},
	'B': {"January", "m"}, 'b': {"Jan", "m"}, 'A': {"Monday", ""}, 'a': {"Mon", ""},
	'H': {"15", "h"}, 'I': {"03", "i"}, 'M': {"04", "n"}, 'S': {"05", "s"}, 'p': {"PM", "p"},
	'F': {"2006-01-02", "ymd"}, 'T': {"15:04:05", "hns"}, 'R': {"15:04", "hn"}, '%': {"%", ""},
	'z': {"Z0700", "z"}, // or Z07:00, or Z07
}

// PatternHelp lists what patterns of dates and times have.
const PatternHelp = "%Y %y %m %d %e %j %B %b %A %a %H %I %M %S %p %z %F %T %R, %f behind %S., and %%"

// parsePattern reads a pattern.
func parsePattern(text string) (pattern, error) {
	var pieces []string // of the layout: text and directives in turn, the former perhaps ""
	parts, last := "", byte(0)
	for rest := text; ; {
		plain, behind, found := strings.Cut(rest, "%")
		pieces = append(pieces, plain)
		if !found {
			break
		}
		if behind == "" {
			return pattern{}, fmt.Errorf("the pattern ends in %%; a pattern has %s", PatternHelp)
		}
		letter := behind[0]
		d, known := directives[letter]
		if letter == 'f' && (last == 'S' || last == 'T') && (plain == "." || plain == ",") {
			pieces[len(pieces)-1], known = "", true // package time reads any fraction of seconds
		}
		_, size := utf8.DecodeRuneInString(behind)
		if !known {
			return pattern{}, fmt.Errorf("%%%s is not known; a pattern has %s", behind[:size], PatternHelp)
		}
		if strings.ContainsAny(parts, d.parts) {
			return pattern{}, fmt.Errorf("%%%c reads what a directive before it has read", letter)
		}
		pieces, rest, last, parts = append(pieces, d.layout), behind[1:], letter, parts+d.parts
	}
	has := func(list string) bool { return strings.ContainsAny(parts, list) }
	switch {
	case !has("y") || !has("m") || !has("d"):
		return pattern{}, fmt.Errorf("a year, a month and a day are needed; a pattern has %s", PatternHelp)
	case has("hi") && has("h") == has("i") || has("i") != has("p"):
		return pattern{}, errors.New("%I and %p go together, and %H stands alone")
	}
	for i := 1; i < len(pieces); i += 2 { // a digit less is read, too, where that is clear
		before, after := pieces[i-1], pieces[i+1]
		if part := pieces[i]; len(part) == 2 && part[0] == '0' && part != "06" && (before != "" || i == 1) && !strings.HasSuffix(before, "_") && (after != "" || i == len(pieces)-2) {
			pieces[i] = part[1:]
		}
	}
	if fault := checkPieces(pieces); fault != nil {
		return pattern{}, fault
	}
	layout := strings.Join(pieces, "")
	p := pattern{text: text, layouts: []string{layout}}
	for _, other := range [...]struct{ from, to string }{{"Z0700", "Z07:00"}, {"Z0700", "Z07"}, {"PM", "pm"}} {
		for _, l := range p.layouts {
			if l := strings.Replace(l, other.from, other.to, 1); !slices.Contains(p.layouts, l) {
				p.layouts = append(p.layouts, l)
			}
		}
	}
	return p, nil
}

// checkPieces makes sure that package time reads a layout by its pieces.
func checkPieces(pieces []string) error {
	for _, t := range []time.Time{time.Date(1987, 11, 27, 18, 39, 48, 123456789, time.UTC), time.Date(2029, 8, 5, 9, 7, 3, 987654321, time.UTC)} {
		written := ""
		for i, piece := range pieces {
			by := t.Format(piece)
			if i%2 == 0 && by != piece {
				return fmt.Errorf("the text %q would be read as a part of a date", piece)
			}
			written += by
		}
		if t.Format(strings.Join(pieces, "")) != written {
			return errors.New("text and directives cannot be told apart where they touch")
		}
	}
	return nil
}

// parse reads a field.
func (p pattern) parse(text string) (t time.Time, err error) {
	text = trim(text)
	for _, layout := range p.layouts {
		if t, err = time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	var fault *time.ParseError
	if errors.As(err, &fault) && strings.HasSuffix(fault.Message, "out of range") {
		return t, &patternError{p.text, fault.Message}
	}
	return t, &patternError{p.text, ""}
}

// patternError says that a field is not written by a pattern.
type patternError struct {
	text   string // the pattern
	reason string // what follows, with a colon; may be ""
}

func (e *patternError) Error() string { return e.reason }

// date reads a field as days since 1970.
func (p pattern) date(text string) (int32, error) {
	t, err := p.parse(text)
	if err != nil {
		return 0, err
	}
	day, ok := midnight(t.UnixMicro(), t.Nanosecond() == 0)
	if !ok {
		return 0, &patternError{p.text, ": it has a time of day"}
	}
	return day, nil
}

// timestamp reads a field as microseconds since 1970.
func (p pattern) timestamp(text string, r rounding) (int64, error) {
	t, err := p.parse(text)
	if err != nil {
		return 0, err
	}
	micros, ok := r.thousandth(int64(t.Nanosecond()))
	if !ok {
		return 0, errTooFine
	}
	return t.Unix()*ir.MicrosPerSecond + micros, nil // in the years that patterns have, this fits
}

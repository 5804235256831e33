package table

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/kgen-go/kgen/ir"
)

// A pattern says how a CSV file writes the dates or timestamps of a column, if not by ISO
// 8601. It is written as for strftime, and read by package time.
type pattern struct {
	text    string
	layouts []string // of package time; the first that fits a field reads it
}

// directives are the layouts of package time for the letters behind %.
var directives = map[byte]string{
	'Y': "2006", 'y': "06", 'm': "01", 'd': "02", 'e': "_2", 'j': "002",
	'B': "January", 'b': "Jan", 'A': "Monday", 'a': "Mon",
	'H': "15", 'I': "03", 'M': "04", 'S': "05", 'p': "PM",
	'F': "2006-01-02", 'T': "15:04:05", 'R': "15:04", '%': "%",
	'z': "Z0700", // or Z07:00
}

// PatternHelp lists what patterns of dates and times have.
const PatternHelp = "%Y %y %m %d %e %j %B %b %A %a %H %I %M %S %p %z %F %T %R, %f behind %S., and %%"

// parsePattern reads a pattern.
func parsePattern(text string) (pattern, error) {
	var pieces []string // of the layout: text and directives in turn, the former perhaps ""
	last := byte(0)
	for rest := text; ; {
		plain, directive, found := strings.Cut(rest, "%")
		pieces = append(pieces, plain)
		if !found {
			break
		}
		if directive == "" {
			return pattern{}, fmt.Errorf("the pattern ends in %%; it has %s", PatternHelp)
		}
		letter := directive[0]
		part, known := directives[letter]
		if letter == 'f' && (last == 'S' || last == 'T') && (plain == "." || plain == ",") {
			pieces[len(pieces)-1], known = "", true // package time reads any fraction of seconds
		}
		if !known {
			return pattern{}, fmt.Errorf("%%%s is not known; a pattern has %s", directive[:1], PatternHelp)
		}
		pieces, rest, last = append(pieces, part), directive[1:], letter
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
	if colon := strings.ReplaceAll(layout, "Z0700", "Z07:00"); colon != layout {
		p.layouts = append(p.layouts, colon)
	}
	return p, nil
}

// checkPieces makes sure that package time reads a layout by its pieces.
func checkPieces(pieces []string) error {
	varies := false
	for _, t := range []time.Time{time.Date(1987, 11, 27, 18, 39, 48, 0, time.UTC), time.Date(2029, 8, 5, 9, 7, 3, 0, time.UTC)} {
		written := ""
		for i, piece := range pieces {
			by := t.Format(piece)
			varies = varies || by != piece
			if i%2 == 0 && by != piece {
				return fmt.Errorf("%q between the directives would be read as a part of a date", piece)
			}
			written += by
		}
		if t.Format(strings.Join(pieces, "")) != written {
			return errors.New("text and directives cannot be told apart where they touch")
		}
	}
	if !varies {
		return fmt.Errorf("no part of a date or time is in it; a pattern has %s", PatternHelp)
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

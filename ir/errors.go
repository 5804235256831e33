package ir

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Error is a message about source text: what is wrong, and in Hint what would
// be right.
type Error struct {
	Pos   Pos
	Msg   string
	Hint  string
	Line  string // the source line, cut to 160 bytes around the column; "" if unknown
	Caret int    // byte offset of the caret within Line
}

// ErrorList lists the errors of a file in source order. If there are more than
// [MaxErrors], the last entry says so.
type ErrorList []Error

// MaxErrors is how many errors of one file are reported.
const MaxErrors = 20

// maxErrorLine is how many bytes of a source line a message shows.
const maxErrorLine = 160

// NewError returns an error at pos that shows the line of file it stands in.
// The file may be nil, as it is for pipelines that a Go program builds.
func NewError(file *File, pos Pos, msg, hint string) Error {
	e := Error{Pos: pos, Msg: msg, Hint: hint}
	if file == nil || !pos.IsValid() {
		return e
	}
	if line, ok := file.line(pos.Line); ok {
		e.Line, e.Caret = cutLine(line, pos.Column-1)
	}
	return e
}

// line returns the text of a line, counted from 1, without its end.
func (f *File) line(number int) ([]byte, bool) {
	if number > len(f.lines) {
		return nil, false
	}
	text := f.Source[f.lines[number-1]:]
	if end := bytes.IndexByte(text, '\n'); end >= 0 {
		text = text[:end]
	}
	return bytes.TrimSuffix(text, []byte("\r")), true
}

// cutLine returns at most maxErrorLine bytes of line that hold the byte at
// column, and where in them it is. Cut ends are marked with dots; bytes that
// a terminal cannot show are replaced.
func cutLine(line []byte, column int) (string, int) {
	column = min(max(column, 0), len(line))
	const dots = "..."
	from, to := 0, len(line)
	if len(line) > maxErrorLine {
		from = max(column-maxErrorLine/2, 0)
		to = min(from+maxErrorLine, len(line))
		from = to - maxErrorLine
		if from > 0 {
			from += len(dots)
		}
		if to < len(line) {
			to -= len(dots)
		}
		// Cut between characters; invalid UTF-8 may be cut anywhere.
		for i := 0; i < utf8.UTFMax-1 && from > 0 && from < column && !utf8.RuneStart(line[from]); i++ {
			from++
		}
		for i := 0; i < utf8.UTFMax-1 && to < len(line) && to > column && !utf8.RuneStart(line[to]); i++ {
			to--
		}
	}
	before, after := printable(line[from:column]), printable(line[column:to])
	if from > 0 {
		before = dots + before
	}
	if to < len(line) {
		after += dots
	}
	return before + after, len(before)
}

// printable returns text with control characters and invalid bytes replaced
// by a question mark each; tabs stay.
func printable(text []byte) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || r != '\t' && !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, string(text))
}

// Error renders e: position and message, the source line, a caret below the
// place, and what would be right. Parts that are unknown are left out.
func (e Error) Error() string {
	var b strings.Builder
	if where := e.position(); where != "" {
		b.WriteString(where)
		b.WriteString(": ")
	}
	b.WriteString(e.Msg)
	if e.Line != "" {
		b.WriteByte('\n')
		b.WriteString(e.Line)
		b.WriteByte('\n')
		for _, r := range e.Line[:e.Caret] {
			switch {
			case r == '\t': // as wide as the one above it
				b.WriteByte('\t')
			case !unicode.Is(unicode.Mn, r): // accents take no place of their own
				b.WriteByte(' ')
			}
		}
		b.WriteByte('^')
	}
	if e.Hint != "" {
		b.WriteString("\n  ")
		b.WriteString(e.Hint)
	}
	return b.String()
}

func (e Error) position() string {
	if !e.Pos.IsValid() {
		return e.Pos.File
	}
	return e.Pos.String()
}

// Error renders all errors, one after another.
func (l ErrorList) Error() string {
	texts := make([]string, len(l))
	for i, e := range l {
		texts[i] = e.Error()
	}
	return strings.Join(texts, "\n")
}

// Err returns l as an error: nil if it is empty.
func (l ErrorList) Err() error {
	if len(l) == 0 {
		return nil
	}
	return l
}

// limited returns l in source order and without repetitions, cut to MaxErrors
// with a note where more were found.
func (l ErrorList) limited() ErrorList {
	l = slices.Clone(l)
	slices.SortStableFunc(l, func(a, b Error) int {
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Column, b.Pos.Column))
	})
	l = slices.Compact(l)
	if len(l) <= MaxErrors {
		return l
	}
	note := Error{Pos: Pos{File: l[0].Pos.File}, Msg: fmt.Sprintf("too many errors; these are the first %d", MaxErrors)}
	return append(l[:MaxErrors], note)
}

package ir

import "fmt"

// Error is a message about source text: what is wrong, and in Hint what would
// be right.
type Error struct {
	Pos   Pos
	Msg   string
	Hint  string
	Line  string // the source line, cut to 160 bytes around the column; "" if unknown
	Caret int    // byte offset of the caret within Line
}

// ErrorList is all that is wrong with a file: at most MaxErrors, in source order.
type ErrorList []Error

// MaxErrors is how many errors of one file are reported.
const MaxErrors = 20

func (e Error) position() string {
	return fmt.Sprintf("%s:%d:%d", e.Pos.File, e.Pos.Line, e.Pos.Column)
}

package ir

import (
	"strings"
	"unicode/utf8"
)

// Pattern is a pattern of SQL's LIKE: % stands for any text, _ for one character, all else
// for itself. Nothing escapes the two.
type Pattern string

// Matches reports whether the pattern describes all of a text.
func (p Pattern) Matches(text string) bool {
	pattern := string(p)
	rest, again := "", "" // behind the last % of the pattern, and the text that it was tried on
	retry := false
	for {
		switch {
		case pattern == "" && text == "":
			return true
		case pattern != "" && pattern[0] == '%':
			if pattern = pattern[1:]; pattern == "" {
				return true
			}
			rest, again, retry = pattern, text, true
			continue
		case pattern != "" && text != "":
			if size, ok := step(pattern, text); ok {
				pattern, text = pattern[1:], text[size:]
				continue
			}
		}
		if !retry || again == "" {
			return false
		}
		_, size := utf8.DecodeRuneInString(again)
		again = again[size:]
		if literal := rest[0]; literal != '_' && literal != '%' { // where the rest may match next
			at := strings.IndexByte(again, literal)
			if at < 0 {
				return false
			}
			again = again[at:]
		}
		pattern, text = rest, again
	}
}

// step reports whether the first byte of a pattern, which is no %, describes the beginning
// of a text, and how many bytes of it.
func step(pattern, text string) (size int, ok bool) {
	if pattern[0] == '_' {
		_, size = utf8.DecodeRuneInString(text)
		return size, true
	}
	return 1, pattern[0] == text[0]
}

package ctext

import (
	"fmt"
	"strings"
)

// comment returns text as line comments. The text comes from users, so every
// character that could end a line comment or join it with the next line is
// spelled as its code point: control characters, all outside ASCII, backslashes,
// and the second of two question marks, which begin a trigraph.
func comment(text string) []string {
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		var b strings.Builder
		b.WriteString("//")
		last := rune(0)
		for i, r := range line {
			if i == 0 {
				b.WriteByte(' ')
			}
			switch {
			case r == '\t':
				b.WriteByte(' ')
			case r == '?' && last == '?', r == '\\', r < ' ', r == 0x7f:
				fmt.Fprintf(&b, "<%02x>", r)
			case r > 0x7f:
				fmt.Fprintf(&b, "<%04x>", r)
			default:
				b.WriteRune(r)
			}
			last = r
		}
		lines = append(lines, b.String())
	}
	return lines
}

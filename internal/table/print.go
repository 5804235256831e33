package table

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Long tables print their first and last edgeRows rows.
const (
	edgeRows = 10
	longRows = 2*edgeRows + 5
)

// Print writes tables for people: columns are aligned, numbers to the right,
// and the middle of long tables is omitted. Several tables get a title each.
func Print(out io.Writer, tables []Table) error {
	w := bufio.NewWriter(out)
	for i, t := range tables {
		if i > 0 {
			w.WriteByte('\n')
		}
		if len(tables) > 1 {
			fmt.Fprintf(w, "%s:\n", t.Name)
		}
		printTable(w, t)
	}
	return w.Flush() // bufio keeps the first error
}

func printTable(w *bufio.Writer, t Table) {
	n := t.Rows()
	var shown []int // -1 stands for the rows left out
	for row := 0; row < n; row++ {
		if n > longRows && row == edgeRows {
			shown = append(shown, -1)
			row = n - edgeRows
		}
		shown = append(shown, row)
	}
	cells := make([][]string, len(t.Columns)) // by column, the header first
	widths := make([]int, len(t.Columns))
	for i, c := range t.Columns {
		appendValue := valueAppender(c.Data)
		cells[i] = append(cells[i], c.Name)
		for _, row := range shown {
			text := "..."
			if row >= 0 {
				text = printable(string(appendValue(nil, row)))
			}
			cells[i] = append(cells[i], text)
		}
		for _, text := range cells[i] {
			widths[i] = max(widths[i], utf8.RuneCountInString(text))
		}
	}
	for line := range len(shown) + 1 {
		var b strings.Builder
		for i, c := range t.Columns {
			text := cells[i][line]
			blanks := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(text))
			if i > 0 {
				b.WriteString("  ")
			}
			if c.Data.Kind.IsNumeric() || c.Data.Kind.IsDecimal() {
				b.WriteString(blanks + text)
			} else {
				b.WriteString(text + blanks)
			}
		}
		w.WriteString(strings.TrimRight(b.String(), " ") + "\n")
	}
	if !t.Scalars {
		fmt.Fprintf(w, "%s\n", rowCount(n))
	}
}

func rowCount(n int) string {
	if n == 1 {
		return "1 row"
	}
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits + " rows"
}

// printable quotes text that would disturb the terminal or the alignment.
func printable(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }) {
		return strconv.Quote(text)
	}
	return text
}

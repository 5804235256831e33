package gocpu

import (
	"strings"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// withoutNumber is a name without the number that makes it unique in the plan.
// Emitted text numbers names in the scope in which they meet.
func withoutNumber(name string) string {
	if i := strings.LastIndexByte(name, '_'); i > 0 && i+1 < len(name) && strings.Trim(name[i+1:], "0123456789") == "" {
		return name[:i]
	}
	return name
}

// name is what to call the variable of v: as the user does, or, where the user
// has no name for it, by what it is.
func (k *kernel) name(v tile.ID) string {
	name := withoutNumber(k.Values[v].Name)
	switch name { // kinds of stages
	case "reduce", "aggregate":
		op := &k.Ops[k.Values[v].Op]
		for f, result := range op.Res {
			if result == v && op.Monoid != nil {
				return fieldName(op.Monoid.Fields[f].Name)
			}
		}
	case "", "map", "scalar", "finish":
		if k.Values[v].Kind == ir.Bool {
			return "cond"
		}
		return "x"
	}
	return name
}

// fieldName is what to call a state that is a field of a monoid.
func fieldName(field string) string {
	switch field {
	case "add":
		return "sum"
	case "mul":
		return "product"
	case "min":
		return "least"
	case "max":
		return "greatest"
	}
	return field
}

// remark adds a line to the comment of the function, once: what its statements
// do that their text does not say.
func (g *body) remark(text string) {
	for _, r := range g.remarks {
		if r == text {
			return
		}
	}
	g.remarks = append(g.remarks, text)
}

const (
	remarkMaskedSum = "sum&(bit-1) is 0 if bit is 1, as in the first row of a group, and sum if bit is 0."
	remarkMask      = "A row adds x&mask: all bits of mask are 1 in a selected row, and 0 in any other."
	remarkOverwrite = "Every row is stored, and the next row overwrites it unless it is selected."
	remarkSegments  = "Every row stores the results of its group so far, over those of the row before."
	remarkSelected  = "In each block, the rows that pass the tests of one column are listed first and summed afterwards."
	remarkListed    = "In each block, the selected rows are listed first, and then stored, some columns at a time."
	remarkVisited   = "Blocks of rows of both kinds list the selected ones first, and visit these: a branch on each would be guessed wrong."
	remarkColumns   = "In each block, columns are computed one after the other: a core stores faster to one than to several in turns."
	remarkLimit     = "A place past the end belongs to rows after hi, which store it themselves."
)

// note writes the source line that the operation stems from, where it is
// another one than before.
func (g *body) note(op *tile.Op) {
	if text := statementText(g.source(op.Pos)); text != "" && text != g.noted {
		g.noted = text
		g.b.Note(text)
	}
}

// statementText is a line of source text without its comment, and with dots
// where it goes on.
func statementText(line string) string {
	quoted := false
	for i := range line {
		if line[i] == '"' && (i == 0 || line[i-1] != '\\') {
			quoted = !quoted
		}
		if !quoted && strings.HasPrefix(line[i:], "//") {
			line = line[:i]
			break
		}
	}
	line = strings.TrimRight(line, " \t,")
	if line != "" && strings.ContainsRune("&|+-*/<>=(", rune(line[len(line)-1])) {
		line += " ..."
	}
	return line
}

// streamName is what to call a stream: parameters as the user does.
func streamName(s tile.Stream) string {
	if s.Write {
		return withoutNumber(s.Name)
	}
	return s.Name
}

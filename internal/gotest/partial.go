package gotest

import (
	"fmt"
	"strings"

	"github.com/kgen-go/kgen/ir"
)

// partial prints the type of partials that the shared tests drive, and what go
// test finds.
func (w *writer) partial() {
	subject, partial := w.typeName(), "kgenPartialOf"+exported(w.entry.Func)
	w.line("// %s is a %s of rows of a call.", partial, w.entry.Partial)
	w.line("type %s struct {\n*%s\ncall *%s\n}\n", partial, w.entry.Partial, subject)
	var scalars, columns, lengths []string
	number := map[*ir.Domain]int{}
	for _, v := range w.pipeline.Params {
		argument := "in." + w.names[v]
		d := v.Type.Domain
		if d == nil {
			scalars = append(scalars, "k."+argument)
			continue
		}
		if _, seen := number[d]; !seen {
			number[d] = len(lengths)
			lengths = append(lengths, "len(k."+argument+")")
		}
		columns = append(columns, fmt.Sprintf("p.call.%[1]s[rows[%[2]d].lo:rows[%[2]d].hi]", argument, number[d]))
	}
	w.line("func (k *%s) lengths() []int { return []int{%s} }\n", subject, strings.Join(lengths, ", "))
	w.line("func (k *%s) partial() kgenPartial { return &%s{%s(%s), k} }\n", subject, partial, w.entry.NewPartial, strings.Join(scalars, ", "))
	w.line("func (k *%s) blank() kgenPartial { return &%s{new(%s), k} }\n", subject, partial, w.entry.Partial)
	w.line("func (p *%s) add(rows []kgenRange, options ...Option) error {", partial)
	w.line("return p.Add(%s)\n}\n", strings.Join(append(columns, "options..."), ", "))
	w.line("func (p *%s) merge(later kgenPartial) error { return p.Merge(later.(*%[1]s).%s) }\n", partial, w.entry.Partial)
	w.line("func (p *%s) result(options ...Option) (err error) {\np.call.dst, err = p.Result(options...)\nreturn err\n}\n", partial)
	title := exported(w.entry.Partial)
	w.line("func TestKgen%s(t *testing.T) { kgenTestPartial(t, func() kgenSubject { return new(%s) }) }\n", title, subject)
	w.line("func FuzzKgen%s(f *testing.F) { kgenFuzzPartial(f, func() kgenSubject { return new(%s) }) }\n", title, subject)
}

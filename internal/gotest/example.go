package gotest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"github.com/kgen-go/kgen/internal/interp"
	"github.com/kgen-go/kgen/ir"
)

const (
	exampleRows  = 6
	exampleTries = 400
)

// example prints a call with few rows. Its arguments are the first, of some
// tried, for which the interpreter gives every result a row that says something.
func (w *writer) example() {
	var best, results []ir.Column
	var failed *ir.CheckError
	most := -1
	for seed := range uint64(exampleTries) {
		in := w.exampleArguments(rand.New(rand.NewPCG(seed, 1)))
		out, err := interp.Run(w.pipeline, in, interp.RowLimit(1<<16))
		var check *ir.CheckError
		if err != nil && (!errors.As(err, &check) || most >= 0) {
			continue
		}
		score := 0
		for _, c := range out {
			score += min(c.Len(), 1)
			if says(c) {
				score++
			}
		}
		if score > most && check == nil || best == nil {
			best, results, failed = in, out, check
			if check == nil {
				most = score
			}
		}
		if most == 2*len(w.pipeline.Results) {
			break
		}
	}
	if best == nil {
		return // nothing that the interpreter could run
	}
	w.exampleText(best, results, failed)
}

// says reports whether a column has a value that is not 0.
func says(c ir.Column) bool {
	for i := range c.Len() {
		if c.At(i).Bits != 0 {
			return true
		}
	}
	return false
}

// exampleArguments makes small arguments.
func (w *writer) exampleArguments(r *rand.Rand) []ir.Column {
	length := map[*ir.Domain]int{nil: 1}
	for _, v := range w.pipeline.Params {
		if d := v.Type.Domain; d != nil && length[d] == 0 {
			length[d] = exampleRows
			if len(length) > 2 && r.IntN(2) == 0 {
				length[d] = exampleRows - 2
			}
		}
	}
	columns := make([]ir.Column, len(w.pipeline.Params))
	for i, v := range w.pipeline.Params {
		columns[i] = ir.NewColumn(v.Type.Kind, length[v.Type.Domain])
		sorted := r.IntN(2) == 0
		bits := make([]ir.Scalar, columns[i].Len())
		for row := range bits {
			bits[row] = w.exampleValue(r, v, length)
		}
		if v.Type.IsScalar() && v.Const.Kind != ir.Invalid {
			bits[0] = v.Const
		}
		if sorted {
			slices.SortFunc(bits, func(a, b ir.Scalar) int {
				if a.Kind.IsFloat() {
					return int(math.Copysign(1, a.Float64()-b.Float64()))
				}
				return int(a.Int64() - b.Int64())
			})
		}
		for row, x := range bits {
			columns[i].Set(row, x)
		}
	}
	return columns
}

func (w *writer) exampleValue(r *rand.Rand, v *ir.Value, length map[*ir.Domain]int) ir.Scalar {
	kind := v.Type.Kind
	if l, ok := w.hints.of[v]; ok {
		most := 4
		switch {
		case l.domain != nil:
			most = length[l.domain]
		case l.fixed > 0:
			most = int(min(l.fixed, 4))
		}
		return ir.Int(kind, int64(r.IntN(most)))
	}
	if near := w.hints.near[v]; len(near) > 0 && r.IntN(2) == 0 {
		return near[r.IntN(len(near))]
	}
	few := int64(r.IntN(4))
	switch {
	case kind == ir.Bool:
		return ir.BoolScalar(few%2 == 1)
	case kind == ir.Char8:
		return ir.Char8Scalar(string(rune('A' + few)))
	case kind == ir.Date:
		return ir.Int(kind, 8766+few) // 1994
	case kind == ir.Text:
		return ir.Int(kind, few)
	case kind == ir.Timestamp:
		return ir.Int(kind, 8766*ir.MicrosPerDay+few*11*ir.MicrosPerHour)
	case w.hints.sizes[v]:
		return ir.Int(kind, 4)
	case kind.IsFloat():
		return ir.Float(kind, float64(10*few+10))
	case r.IntN(2) == 0:
		return ir.Int(kind, few+1)
	}
	return ir.Int(kind, 10*few+10)
}

// exampleText prints the example.
func (w *writer) exampleText(in, out []ir.Column, failed *ir.CheckError) {
	suffix := w.entry.Func + "_generated"
	if !unicode.IsUpper(rune(w.entry.Func[0])) {
		suffix = "_" + suffix // an example of the package
	}
	w.line("func Example%s() {", suffix)
	var arguments []string
	for i, v := range w.pipeline.Params {
		name := w.names[v]
		arguments = append(arguments, name)
		var elements []string
		for row := range in[i].Len() {
			elements = append(elements, w.literal(in[i].At(row), v.Type.IsScalar()))
		}
		if v.Type.IsScalar() {
			w.line("%s := %s", name, elements[0])
		} else {
			w.line("%s := %s{%s}", name, fieldType(v), strings.Join(elements, ", "))
		}
	}
	w.line("result, err := %s(%s)", w.entry.Func, strings.Join(arguments, ", "))
	w.line("if err != nil {\nfmt.Println(err)\nreturn\n}")
	var output []string
	for i, r := range w.pipeline.Results {
		format, field := "%v", w.entry.Results[i].Name
		switch kind := r.Value.Type.Kind; {
		case kind == ir.Char8:
			format = "%q"
		case kind.IsFloat() && w.pipeline.Inexact(r.Value):
			format = "%.6g"
		}
		w.line("fmt.Printf(%q, result.%s)", field+": "+format+"\n", field)
		if failed == nil {
			text := fmt.Sprintf(format, out[i].Slice)
			if r.Value.Type.IsScalar() {
				text = strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
			}
			output = append(output, field+": "+text)
		}
	}
	if failed != nil {
		at := *failed.Site
		at.Pos = at.Pos.Base()
		output = []string{(&ir.CheckError{Site: &at, Row: failed.Row}).Error()}
	}
	w.line("// Output:")
	for _, line := range output {
		w.line("// %s", line)
	}
	w.line("}")
}

// literal is an element as a reader would write it.
func (w *writer) literal(c ir.Scalar, typed bool) string {
	if c.Kind != ir.Char8 {
		if typed {
			return w.constant(c)
		}
		return w.bare(c)
	}
	var bytes []string
	b := c.Bytes()
	for _, x := range []byte(strings.TrimRight(string(b[:]), "\x00")) {
		bytes = append(bytes, fmt.Sprintf("%q", x))
	}
	text := "{" + strings.Join(bytes, ", ") + "}"
	if typed {
		return "[8]byte" + text
	}
	return text
}

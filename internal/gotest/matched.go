package gotest

import (
	"fmt"
	"math"
	"strings"

	"github.com/kgen-go/kgen/ir"
)

// repeat lists each row as often as its length says.
func (w *writer) repeat(v *ir.Value) {
	name := w.variable(v)
	w.line("%s := []int64{}", name)
	w.over("i", v.Args[0].Type.Domain)
	if site := w.site(v, int(ir.CheckRepeatLength)); site >= 0 {
		w.line("if %s < 0 {", w.operand(v.Args[0], "i", 4))
		w.fail(site, "int64(i)")
		w.line("}")
	}
	w.line("for range %s {\n%s = append(%s, int64(i))\n}\n}", w.at(v.Args[0], "i"), name, name)
	w.lengths[v.Type.Domain] = "len(" + name + ")"
}

// rowsByKey lists the rows of the right side of v by their keys.
func (w *writer) rowsByKey(v *ir.Value) (name string) {
	name = w.fresh.Fresh("rows_by_key")
	w.line("%s := map[[%d]any][]int64{}", name, v.Split)
	w.over("j", v.Args[v.Split].Type.Domain)
	w.line("key := %s\n%s[key] = append(%s[key], int64(j))\n}", w.keyOf(v.Args[v.Split:], "j"), name, name)
	return name
}

// keyOf is what rows with equal keys have equal.
func (w *writer) keyOf(keys []*ir.Value, row string) string {
	var parts []string
	for _, key := range keys {
		parts = append(parts, "kgenKey("+w.at(key, row)+")")
	}
	return fmt.Sprintf("[%d]any{%s}", len(keys), strings.Join(parts, ", "))
}

// find takes the first row of each key.
func (w *writer) find(v *ir.Value) {
	rows := w.rowsByKey(v)
	name := w.column(v)
	w.line("%s[i] = -1", name)
	w.line("if found := %s[%s]; len(found) > 0 {\n%s[i] = found[0]\n}\n}", rows, w.keyOf(v.Args[:v.Split], "i"), name)
}

// join is find of all rows. Its fields are the two columns of row numbers.
func (w *writer) join(v *ir.Value) {
	rows := w.rowsByKey(v)
	left, right := w.variable(v), w.fresh.Fresh(v.Name+"_right")
	w.rights[v] = right
	w.line("%s, %s := []int64{}, []int64{}", left, right)
	w.over("i", v.Args[0].Type.Domain)
	w.line("for _, j := range %s[%s] {\n%s, %s = append(%s, int64(i)), append(%s, j)\n}\n}", rows, w.keyOf(v.Args[:v.Split], "i"), left, right, left, right)
	w.lengths[v.Type.Domain] = "len(" + left + ")"
	w.line("_, _ = %s, %s", left, right) // perhaps one of them is used
}

// mostPairs and mostRepeated are the most rows that joins, or repeats alone, make of rows
// drawn at random.
const (
	mostPairs    = 30_000
	mostRepeated = 4_000_000
)

// fewRows prints that there are few rows to draw if the pipeline makes many of them: of
// rows with equal keys each one is in a pair with each other one, and a row may be
// repeated as often as there are rows.
func (w *writer) fewRows() {
	most, times := mostRepeated, 1
	for _, v := range w.pipeline.Values {
		switch v.Op {
		case ir.OpJoin:
			most, times = mostPairs, times+1
		case ir.OpRepeat:
			times++
		}
	}
	if times > 1 {
		w.line("d.rows = min(d.rows, %d)", int(math.Pow(float64(most), 1/float64(times))))
	}
}

// field is a column of a join.
func (w *writer) field(v *ir.Value) {
	w.names[v] = w.names[v.Args[0]]
	if v.Op == ir.OpRight {
		w.names[v] = w.rights[v.Args[0]]
	}
}

package gotest

import (
	"fmt"
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

// isMatch is the condition that rows i and j of two sides have equal keys.
func (w *writer) isMatch(v *ir.Value) string {
	var equal []string
	for i, key := range v.Args[:v.Split] {
		equal = append(equal, fmt.Sprintf("kgenCompareKeys(%s, %s) == 0", w.sortable(key, "i"), w.sortable(v.Args[v.Split+i], "j")))
	}
	return strings.Join(equal, " && ")
}

// find compares each row with all rows of the other side.
func (w *writer) find(v *ir.Value) {
	name := w.column(v)
	w.line("%s[i] = -1", name)
	w.over("j", v.Args[v.Split].Type.Domain)
	w.line("if %s {\n%s[i] = int64(j)\nbreak\n}\n}\n}", w.isMatch(v), name)
}

// join is find of all rows. Its fields are the two columns of row numbers.
func (w *writer) join(v *ir.Value) {
	left, right := w.variable(v), w.fresh.Fresh(v.Name+"_right")
	w.rights[v] = right
	w.line("%s, %s := []int64{}, []int64{}", left, right)
	w.over("i", v.Args[0].Type.Domain)
	w.over("j", v.Args[v.Split].Type.Domain)
	w.line("if %s {\n%s, %s = append(%s, int64(i)), append(%s, int64(j))\n}\n}\n}", w.isMatch(v), left, right, left, right)
	w.lengths[v.Type.Domain] = "len(" + left + ")"
	w.line("_, _ = %s, %s", left, right) // perhaps one of them is used
}

// field is a column of a join.
func (w *writer) field(v *ir.Value) {
	w.names[v] = w.names[v.Args[0]]
	if v.Op == ir.OpRight {
		w.names[v] = w.rights[v.Args[0]]
	}
}

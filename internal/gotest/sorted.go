package gotest

import (
	"fmt"
	"strings"

	"github.com/kgen-go/kgen/ir"
)

// sorted prints the numbers of the rows, in the order of keys.
func (w *writer) sorted(name string, d *ir.Domain, keys []*ir.Value, desc []bool) {
	w.line("%s := make([]int64, %s)", name, w.lengths[d])
	w.line("for i := range %s {\n%s[i] = int64(i)\n}", name, name)
	var orders []string
	for i, key := range keys {
		x, y := w.sortable(key, "i"), w.sortable(key, "j")
		if desc[i] {
			x, y = y, x
		}
		orders = append(orders, fmt.Sprintf("kgenCompareKeys(%s, %s)", x, y))
	}
	w.line("kgenSort(%s, func(i, j int64) int { return cmp.Or(%s) })", name, strings.Join(orders, ", "))
}

// sortable is a key of a row as a type that Go orders.
func (w *writer) sortable(key *ir.Value, row string) string {
	switch x := w.at(key, row); key.Type.Kind {
	case ir.Bool:
		return "kgenNumber[int8](" + x + ")"
	case ir.Char8:
		return "kgenText8(" + x + ")"
	default:
		return x
	}
}

func (w *writer) order(v *ir.Value) {
	if site := w.site(v, int(ir.CheckLimit)); site >= 0 {
		w.line("if %s < 0 {", w.operand(v.Limit, "", 4))
		w.fail(site, "0")
		w.line("}")
	}
	name := w.variable(v)
	w.sorted(name, v.Type.Target, v.Args, v.Desc)
	if v.Limit != nil {
		w.line("if uint64(len(%s)) > uint64(%s) {\n%s = %s[:%s]\n}", name, w.at(v.Limit, ""), name, name, w.at(v.Limit, ""))
	}
	w.lengths[v.Type.Domain] = "len(" + name + ")"
}

// groupsByKey is groups: a group for each distinct key, ascending.
func (w *writer) groupsByKey(v *ir.Value) {
	sorted, groups := w.fresh.Fresh(v.Name+"_sorted"), w.fresh.Fresh(v.Name+"_groups")
	w.sorted(sorted, v.Type.Domain, v.Args, make([]bool, len(v.Args)))
	var differ []string
	for _, key := range v.Args {
		differ = append(differ, fmt.Sprintf("kgenCompareKeys(%s, %s) != 0", w.sortable(key, "i"), w.sortable(key, sorted+"[at-1]")))
	}
	name := w.variable(v)
	w.line("%s := make([]int64, %s)\n%s := 0", name, w.lengths[v.Type.Domain], groups)
	w.line("for at, i := range %s {\nif at == 0 || %s {\n%s++\n}", sorted, strings.Join(differ, " || "), groups)
	w.line("%s[i] = int64(%s - 1)\n}", name, groups)
	w.lengths[v.Type.Target] = groups
}

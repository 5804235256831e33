package gotest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/ir"
)

// reference prints the statements that compute every value, in the order of the
// graph: so the first check that fails is the one to report, and its rows come
// in ascending order.
func (w *writer) reference() {
	p := w.pipeline
	for _, v := range p.Values {
		if v.Op == ir.OpParam || v.Op == ir.OpConst || w.isInline(v) {
			continue
		}
		if w.fault != nil {
			return
		}
		w.line("")
		if v.Name != "" {
			w.line("// %s = %s", v.Name, v.Expression())
		} else {
			w.line("// %s", v.Expression())
		}
		w.value(v)
	}
	w.line("")
	for i, r := range p.Results {
		field := w.entry.Results[i].Name
		if name, ok := w.names[r.Value]; ok {
			w.line("want.%s = %s", field, name)
		} else {
			w.line("want.%s = %s", field, w.at(r.Value, ""))
		}
	}
}

// longest is the length from where an expression gets a loop of its own.
const longest = 60

// isInline reports whether v is written where it is used: element-wise, used
// once, without a name, a check, or too much text.
func (w *writer) isInline(v *ir.Value) bool {
	return v.Op.IsElementwise() && v.Name == "" && w.uses[v] == 1 && w.site(v, -1) < 0 && len(w.at(v, "i")) < longest &&
		!slices.ContainsFunc(w.pipeline.Results, func(r ir.Result) bool { return r.Value == v })
}

// site returns the number of the check of v of a kind, or of any for -1; it is
// -1 where v needs none.
func (w *writer) site(v *ir.Value, kind int) int {
	for _, s := range w.pipeline.Sites {
		if s.Value == v && (kind < 0 || s.Kind == ir.CheckKind(kind)) {
			return s.Number
		}
	}
	return -1
}

// fail ends the reference with a failed check.
func (w *writer) fail(site int, row string) {
	w.line("return want, %s&CheckError{Site: %d, Row: %s}", w.scaleText(), site, row)
}

func (w *writer) scaleText() string {
	if w.scaled {
		return "scale, "
	}
	return ""
}

// over begins a loop over the rows of a domain.
func (w *writer) over(i string, d *ir.Domain) {
	length := w.lengths[d]
	if column, ok := strings.CutPrefix(length, "len("); ok {
		length = strings.TrimSuffix(column, ")")
	}
	w.line("for %s := range %s {", i, length)
}

// column declares v as a column, and a loop over its rows follows.
func (w *writer) column(v *ir.Value) string {
	length := w.lengths[v.Type.Domain]
	name := w.variable(v)
	w.line("%s := make([]%s, %s)", name, goTypeOf(v.Type.Kind), length)
	w.line("for i := range %s {", name)
	return name
}

// value prints the statements of one value.
func (w *writer) value(v *ir.Value) {
	switch {
	case v.Op.IsElementwise():
		w.rowByRow(v)
		return
	case v.Op.IsAggregate():
		w.aggregate(v)
		return
	}
	switch v.Op {
	case ir.OpCompact:
		name := w.variable(v)
		w.line("%s := []%s{}", name, goTypeOf(v.Type.Kind))
		w.over("i", v.Args[1].Type.Domain)
		w.line("if %s {", w.at(v.Args[1], "i"))
		w.line("%s = append(%s, %s)", name, name, w.at(v.Args[0], "i"))
		w.line("}\n}")
		if w.lengths[v.Type.Domain] == "" {
			w.lengths[v.Type.Domain] = "len(" + name + ")"
		}
	case ir.OpGather:
		w.gather(v)
	case ir.OpIndex:
		name := w.column(v)
		w.line("%s[i] = int64(i)\n}", name)
	case ir.OpLen:
		length := w.lengths[v.Args[0].Type.Domain]
		w.line("%s := int64(%s)", w.variable(v), length)
	case ir.OpPrev, ir.OpNext:
		w.neighbour(v)
	case ir.OpScan, ir.OpExscan:
		w.scan(v)
	case ir.OpRuns, ir.OpStarts:
		w.heads(v)
	case ir.OpBins:
		w.bins(v)
	case ir.OpOrder:
		w.order(v)
	case ir.OpGroups:
		w.groupsByKey(v)
	case ir.OpRepeat:
		w.repeat(v)
	case ir.OpFind:
		w.find(v)
	case ir.OpJoin:
		w.join(v)
	case ir.OpLeft, ir.OpRight:
		w.field(v)
	case ir.OpAlign:
		w.align(v)
	default:
		w.refuse(v)
	}
}

// rowByRow prints an element-wise operator as a loop, or once for scalars.
func (w *writer) rowByRow(v *ir.Value) {
	division := w.site(v, int(ir.CheckDivideByZero))
	check := func(row string) {
		if division >= 0 {
			w.line("if %s == 0 {", w.operand(v.Args[1], "i", 4))
			w.fail(division, row)
			w.line("}")
		}
	}
	if v.Type.IsScalar() {
		check("0")
		text, _ := w.elementwise(v, "")
		w.line("%s := %s", w.variable(v), text)
		return
	}
	text, _ := w.elementwise(v, "i")
	length := w.lengths[v.Type.Domain]
	name := w.variable(v)
	w.line("%s := make([]%s, %s)", name, goTypeOf(v.Type.Kind), length)
	w.line("for i := range %s {", name)
	check("int64(i)")
	w.line("%s[i] = %s\n}", name, text)
}

func (w *writer) gather(v *ir.Value) {
	x, index := v.Args[0], v.Args[1]
	take := func(row string) {
		w.line("at := int64(%s)", w.at(index, "i"))
		if site := w.site(v, int(ir.CheckIndexRange)); site >= 0 {
			w.line("if at < 0 || at >= int64(%s) {", w.lengths[x.Type.Domain])
			w.fail(site, row)
			w.line("}")
		}
	}
	if v.Type.IsScalar() {
		name := w.variable(v)
		w.line("var %s %s\n{", name, goTypeOf(v.Type.Kind))
		take("0")
		w.line("%s = %s\n}", name, w.at(x, "at"))
		return
	}
	name := w.column(v)
	take("int64(i)")
	w.line("%s[i] = %s\n}", name, w.at(x, "at"))
}

// neighbour is prev and next.
func (w *writer) neighbour(v *ir.Value) {
	name := w.column(v)
	w.line("%s[i] = %s", name, w.at(v.Args[1], "i"))
	if v.Op == ir.OpPrev {
		w.line("if at := int64(i) - %d; at >= 0 {", v.Shift)
	} else {
		w.line("if at := int64(i); at < int64(len(%s))-%d {", name, v.Shift)
		w.line("at += %d", v.Shift)
	}
	w.line("%s[i] = %s\n}\n}", name, w.at(v.Args[0], "at"))
}

func (w *writer) align(v *ir.Value) {
	x := v.Args[0]
	if site := w.site(v, int(ir.CheckAlignLength)); site >= 0 {
		w.line("if %s != %s {", w.lengths[x.Type.Domain], w.lengths[v.Type.Domain])
		w.fail(site, "0")
		w.line("}")
	}
	name := w.column(v)
	w.line("%s[i] = %s\n}", name, w.at(x, "i"))
}

// heads is runs and starts: a group begins where a key changes or a mask holds.
func (w *writer) heads(v *ir.Value) {
	begins := []string{"i == 0"}
	for _, key := range v.Args {
		switch k := key.Type.Kind; {
		case v.Op == ir.OpStarts:
			begins = append(begins, w.operand(key, "i", 2))
		case key.Type.IsScalar(): // never changes
		case k.IsFloat():
			begins = append(begins, fmt.Sprintf("!kgenSameKey(%s, %s)", w.at(key, "i"), w.at(key, "i-1")))
		default:
			begins = append(begins, fmt.Sprintf("%s != %s", w.operand(key, "i", 4), w.operand(key, "i-1", 4)))
		}
	}
	groups := w.fresh.Fresh(v.Name + "_groups")
	w.line("%s := 0", groups)
	name := w.column(v)
	w.line("if %s {\n%s++\n}", strings.Join(begins, " || "), groups)
	w.line("%s[i] = int64(%s - 1)\n}", name, groups)
	w.lengths[v.Type.Target] = groups
}

func (w *writer) bins(v *ir.Value) {
	size := v.Args[1]
	count := w.lengths[size.Type.Domain]
	if size.Type.IsScalar() {
		if site := w.site(v, int(ir.CheckBinSize)); site >= 0 {
			w.line("if %s < 0 {", w.operand(size, "", 4))
			w.fail(site, "0")
			w.line("}")
		}
		count = "int(" + w.at(size, "") + ")"
		if size.Op == ir.OpConst {
			count = w.bare(size.Const)
		}
		w.lengths[v.Type.Target] = count
	}
	name := w.column(v)
	w.line("at := int64(%s)", w.at(v.Args[0], "i"))
	if site := w.site(v, int(ir.CheckBinRange)); site >= 0 {
		w.line("if at < 0 || at >= int64(%s) {", count)
		w.fail(site, "int64(i)")
		w.line("}")
	}
	w.line("%s[i] = at\n}", name)
}

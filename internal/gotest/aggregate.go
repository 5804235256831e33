package gotest

import (
	"fmt"

	"github.com/kgen-go/kgen/ir"
)

// groups returns the index of the group of row i, and the number of groups, of an
// operator with by:.
func (w *writer) groups(v *ir.Value) (group, count string) {
	return w.at(v.By, "i"), w.lengths[v.By.Type.Target]
}

// rows begins the loop over the rows that v reads.
func (w *writer) rows(v *ir.Value) {
	switch {
	case v.By != nil:
		w.over("i", v.By.Type.Domain)
	case v.Args[0].Type.IsScalar():
		w.line("{")
	default:
		w.over("i", v.Args[0].Type.Domain)
	}
}

func (w *writer) aggregate(v *ir.Value) {
	switch a := v.Op.Aggregate(); a.Finish {
	case ir.FinishQuotient:
		w.average(v)
	case ir.FinishField:
		w.fieldResult(v)
	case ir.FinishRow:
		w.rowOfExtreme(v)
	default:
		panic(fmt.Sprintf("gotest: no finish %d of %v", a.Finish, v.Op))
	}
}

// fieldResult is an aggregate whose result is the field of its state.
func (w *writer) fieldResult(v *ir.Value) {
	switch a := v.Op.Aggregate(); {
	case a.NoRows != ir.NoRowsIdentity:
		w.chosen(v)
	case v.Op == ir.OpCount:
		w.count(v, w.variable(v))
	default:
		w.folded(v, w.variable(v))
	}
}

// table declares a variable of a value per group, and returns how the one of
// row i is written.
func (w *writer) table(v *ir.Value, name, goType string) (element string) {
	if v.By == nil {
		w.line("var %s %s", name, goType)
		return name
	}
	group, count := w.groups(v)
	w.line("%s := make([]%s, %s)", name, goType, count)
	return name + "[" + group + "]"
}

// folded is an aggregate whose result is its state; no rows give the identity.
func (w *writer) folded(v *ir.Value, name string) {
	x, fold, kind := v.Args[0], v.Op.Aggregate().State[0].Fold, v.Type.Kind
	element := w.table(v, name, goTypeOf(kind))
	if start := w.identity(fold, kind); fold == ir.ReduceAdd {
		// What Go begins with.
	} else if v.By == nil {
		w.line("%s = %s", name, start)
	} else {
		w.line("for g := range %s {\n%s[g] = %s\n}", name, name, start)
	}
	w.rows(v)
	switch {
	case x.Type.Kind != kind && fold == ir.ReduceAdd:
		w.line("%s += %s(%s)", element, goTypeOf(kind), w.at(x, "i"))
	case x.Type.Kind != kind:
		w.line("%s = %s", element, w.reduced(fold, kind, element, goTypeOf(kind)+"("+w.at(x, "i")+")"))
	case fold == ir.ReduceAdd:
		w.line("%s += %s", element, w.at(x, "i"))
	default:
		w.line("%s = %s", element, w.reduced(fold, kind, element, w.operand(x, "i", unary)))
	}
	if v.FloatFold() == ir.ReduceAdd {
		w.line("scale += kgenMagnitude(%s)", w.at(x, "i"))
	}
	w.line("}")
}

func (w *writer) count(v *ir.Value, name string) {
	element := w.table(v, name, "int64")
	w.rows(v)
	if len(v.Args) == 0 {
		w.line("%s++\n}", element)
		return
	}
	w.line("if %s {\n%s++\n}\n}", w.at(v.Args[0], "i"), element)
}

// average divides sums by counts.
func (w *writer) average(v *ir.Value) {
	x := v.Args[0]
	kind := v.Op.Aggregate().State[0].Kind(x.Type.Kind)
	sums, counts := w.fresh.Fresh(v.Name+"_sum"), w.fresh.Fresh(v.Name+"_count")
	sum, count := w.table(v, sums, goTypeOf(kind)), w.table(v, counts, "int64")
	w.rows(v)
	w.line("%s += %s(%s)", sum, goTypeOf(kind), w.at(x, "i"))
	w.line("%s++", count)
	if kind == ir.F64 {
		w.line("scale += kgenMagnitude(%s)", w.at(x, "i"))
	}
	w.line("}")
	name := w.variable(v)
	if v.By == nil {
		w.line("%s := float64(%s) / float64(%s)", name, sums, counts)
		w.empty(v, name, counts+" == 0", "0")
		return
	}
	w.line("%s := make([]float64, len(%s))", name, sums)
	w.line("for g := range %s {", name)
	w.line("%s[g] = float64(%s[g]) / float64(%s[g])", name, sums, counts)
	w.empty(v, name+"[g]", counts+"[g] == 0", "int64(g)")
	w.line("}")
}

// empty says what becomes of no rows: the value of else:, or a failed check,
// unless that cannot happen.
func (w *writer) empty(v *ir.Value, element, condition, row string) {
	site := w.site(v, int(ir.CheckEmpty))
	if v.Else == nil && site < 0 {
		return
	}
	w.line("if %s {", condition)
	if v.Else != nil {
		w.line("%s = %s", element, w.at(v.Else, ""))
	} else {
		w.fail(site, row)
	}
	w.line("}")
}

// chosen is min, max, first and last.
func (w *writer) chosen(v *ir.Value) {
	x, kind := w.at(v.Args[0], "i"), v.Type.Kind
	seen, name := w.fresh.Fresh(v.Name+"_seen"), w.variable(v)
	value, found := w.table(v, name, goTypeOf(kind)), w.table(v, seen, "bool")
	w.rows(v)
	switch fold := v.Op.Aggregate().State[0].Fold; fold {
	case ir.ReduceFirst:
		w.line("if !%s {\n%s = %s\n}", found, value, x)
	case ir.ReduceLast:
		w.line("%s = %s", value, x)
	default:
		better := w.reduced(fold, kind, value, x)
		w.line("if %s {\n%s = %s\n} else {\n%s = %s\n}", found, value, better, value, x)
	}
	w.line("%s = true\n}", found)
	w.emptyGroups(v, name, seen)
}

// emptyGroups says what becomes of groups without rows, which none was seen of.
func (w *writer) emptyGroups(v *ir.Value, name, seen string) {
	if v.By == nil {
		w.empty(v, name, "!"+seen, "0")
	} else if v.Else != nil || w.site(v, int(ir.CheckEmpty)) >= 0 {
		w.line("for g := range %s {", name)
		w.empty(v, name+"[g]", "!"+seen+"[g]", "int64(g)")
		w.line("}")
	}
}

// rowOfExtreme is argmin and argmax: the first row that no other beats.
func (w *writer) rowOfExtreme(v *ir.Value) {
	x, kind, fold := v.Args[0], v.Args[0].Type.Kind, v.Op.Aggregate().State[0].Fold
	seen, values, better, name := w.fresh.Fresh(v.Name+"_seen"), w.fresh.Fresh(v.Name+"_"+fold.String()), w.fresh.Fresh("better"), w.variable(v)
	row, value, found := w.table(v, name, "int64"), w.table(v, values, goTypeOf(kind)), w.table(v, seen, "bool")
	w.rows(v)
	w.line("%s := %s", better, w.reduced(fold, kind, value, w.at(x, "i")))
	differs := better + " != " + value
	if kind.IsFloat() { // -0.0 is less than 0.0, and all NaNs are one
		differs = fmt.Sprintf("(%[1]s == %[1]s || %[2]s == %[2]s) && math.Float64bits(float64(%[1]s)) != math.Float64bits(float64(%[2]s))", better, value)
	}
	w.line("if !%s || %s {\n%s, %s, %s = int64(i), %s, true\n}\n}", found, differs, row, value, found, w.at(x, "i"))
	w.emptyGroups(v, name, seen)
}

// identity is the text of what an operation of scan starts with.
func (w *writer) identity(op ir.ReduceOp, k ir.Kind) string {
	goType := goTypeOf(k)
	limit := func(greatest bool) string {
		switch {
		case k == ir.Char8 && greatest:
			return `kgenBytes8("\xff\xff\xff\xff\xff\xff\xff\xff")`
		case k == ir.Char8:
			return `kgenBytes8("")`
		case k.IsFloat() && greatest:
			return goType + "(math.Inf(1))"
		case k.IsFloat():
			return goType + "(math.Inf(-1))"
		}
		low, high := limits(k.Stored())
		if greatest {
			return goType + "(" + high + ")"
		}
		return goType + "(" + low + ")"
	}
	switch op {
	case ir.ReduceMul:
		return goType + "(1)"
	case ir.ReduceMin:
		return limit(true)
	case ir.ReduceMax:
		return limit(false)
	case ir.ReduceAnd:
		if k == ir.Bool {
			return "true"
		}
		return fmt.Sprintf("^%s(0)", goType)
	case ir.ReduceAdd, ir.ReduceOr, ir.ReduceXor:
		if k == ir.Bool {
			return "false"
		}
		return goType + "(0)"
	}
	panic(fmt.Sprintf("gotest: no identity of the fold %v", op))
}

// reduced combines an accumulator with one more element.
func (w *writer) reduced(op ir.ReduceOp, k ir.Kind, state, x string) string {
	switch op {
	case ir.ReduceAdd:
		return state + " + " + x
	case ir.ReduceMul:
		return state + " * " + x
	case ir.ReduceMin:
		return w.extreme("min", k, state, x)
	case ir.ReduceMax:
		return w.extreme("max", k, state, x)
	}
	tokens := map[ir.ReduceOp]string{ir.ReduceAnd: "&", ir.ReduceOr: "|", ir.ReduceXor: "^"}
	if k == ir.Bool {
		tokens = map[ir.ReduceOp]string{ir.ReduceAnd: "&&", ir.ReduceOr: "||", ir.ReduceXor: "!="}
	}
	token, ok := tokens[op]
	if !ok {
		panic(fmt.Sprintf("gotest: no text of the fold %v", op))
	}
	return state + " " + token + " " + x
}

// scan is scan and exscan; an accumulator per group starts at the identity.
func (w *writer) scan(v *ir.Value) {
	x, kind := v.Args[0], v.Type.Kind
	goType, start := goTypeOf(kind), w.identity(v.Reduce, kind)
	state := w.fresh.Fresh("state")
	element := state
	if v.By == nil {
		w.line("%s := %s", state, start)
	} else {
		group, count := w.groups(v)
		w.line("%s := make([]%s, %s)", state, goType, count)
		w.line("for g := range %s {\n%s[g] = %s\n}", state, state, start)
		element = state + "[" + group + "]"
	}
	name := w.column(v)
	if v.Op == ir.OpExscan {
		w.line("%s[i] = %s", name, element)
	}
	w.line("%s = %s", element, w.reduced(v.Reduce, kind, element, w.operand(x, "i", unary)))
	if kind.IsFloat() && v.Reduce == ir.ReduceAdd {
		w.line("scale += kgenMagnitude(%s)", w.at(x, "i"))
	}
	if v.Op == ir.OpScan {
		w.line("%s[i] = %s", name, element)
	}
	w.line("}")
}

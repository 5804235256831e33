package gocpu

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/kgen-go/kgen/internal/partial"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// A source is Go text. It is formatted when its file is rendered.
type source struct{ strings.Builder }

func (s *source) line(format string, args ...any) { fmt.Fprintf(s, format+"\n", args...) }

func typeText(k plan.Kind) string { return goTypeOf(k).GoString() }

// declaration returns the type of the partials and its methods.
func (w *partialWriter) declaration() jen.Code {
	s := &source{}
	w.typeAndNew(s)
	w.add(s)
	w.merge(s)
	if w.Halo != nil {
		w.join(s)
	}
	w.fold(s)
	w.result(s)
	w.marshal(s)
	w.unmarshal(s)
	return jen.Op(strings.TrimSuffix(s.String(), "\n"))
}

func (w *partialWriter) typeAndNew(s *source) {
	name := w.whole.program.Pipeline.Name
	s.line("// %s is the first line of an encoded %s.", w.header, w.name)
	s.line("const %s = \"kgen partial 1 %s %s\\n\"\n", w.header, name, w.ID())
	s.line("// %s is the state of %s after some of the rows. Partials of all shards,", w.name, w.whole.entry.Func)
	s.line("// computed anywhere, combine to the results of all rows. Calls on one partial must not")
	s.line("// be concurrent.")
	if len(w.scalars) == 0 {
		s.line("// The zero %s has no rows.", w.name)
	} else {
		s.line("// The zero %s has no rows, and parameters that are zero; see %s.", w.name, w.newName)
	}
	s.line("type %s struct {", w.name)
	if len(w.scalars) > 0 {
		s.line("scalars struct {")
		for _, f := range w.scalars {
			s.line("%s %s", f.field, typeText(f.kind))
		}
		s.line("}")
	}
	s.line("begun bool // a shard has been added")
	if w.sites > 0 {
		s.line("checks [%d]int64 // the first row that fails each check, or math.MaxInt64", w.sites)
	}
	s.line("state %s", w.shard.entry.Result)
	s.line("shard %s // scratch memory of Add", w.shard.entry.Result)
	if w.Halo != nil {
		s.line("n int64 // the number of rows")
		s.line("head, tail %s // the first and the last rows, which rows of other shards may read", w.rowsName)
	}
	s.line("}\n")

	w.whole.names.Push()
	defer w.whole.names.Pop()
	w.whole.names.Fresh("p")
	var names, params []string
	for i, f := range w.scalars {
		names = append(names, w.whole.names.Fresh(f.param.Name))
		param := names[i]
		if i+1 == len(w.scalars) || typeText(w.scalars[i+1].kind) != typeText(f.kind) {
			param += " " + typeText(f.kind)
		}
		params = append(params, param)
	}
	s.line("// %s returns the partial of no rows%s.", w.newName, map[bool]string{true: " for these parameters"}[len(params) > 0])
	s.line("func %s(%s) *%s {", w.newName, strings.Join(params, ", "), w.name)
	if len(names) == 0 {
		s.line("return &%s{}\n}\n", w.name)
		return
	}
	s.line("p := &%s{}", w.name)
	for i, f := range w.scalars {
		s.line("p.scalars.%s = %s", f.field, names[i])
	}
	s.line("return p\n}\n")
}

func (w *partialWriter) add(s *source) {
	s.line("// Add adds a shard: the rows that follow those of p. After an error p is unchanged.")
	s.line("// A check that fails is an error of Result, since later rows may fail a check that")
	s.line("// comes first in the source. The options are those of %s.", w.whole.entry.Func)
	var params []string
	for i, c := range w.columns {
		param := c.name
		if i+1 == len(w.columns) || typeText(w.columns[i+1].kind) != typeText(c.kind) { // else as in a, b []int64
			param += " []" + typeText(c.kind)
		}
		params = append(params, param)
	}
	s.line("func (p *%s) Add(%s, options ...Option) error {", w.name, strings.Join(params, ", "))
	if w.Halo != nil {
		w.addWithHalo(s)
	} else {
		var passed string
		if w.sites > 0 {
			s.line("checks := p.noChecks()")
		}
		if len(w.shard.checks) > 0 {
			passed = "&checks, "
		}
		s.line("if err := %s(&p.shard, %s%s, options...); err != nil {\nreturn err\n}", w.shard.entry.Into, passed, strings.Join(w.arguments, ", "))
		s.line("return p.follow(&p.shard%s)\n}\n", w.pass("&checks"))
	}
	if w.sites > 0 {
		s.line("// noChecks returns checks of which none has failed.")
		s.line("func (*%s) noChecks() (checks [%d]int64) {", w.name, w.sites)
		s.line("for i := range checks {\nchecks[i] = kgenNone\n}\nreturn checks\n}\n")
	}
}

// at returns a message after the position of the pipeline.
func (w *partialWriter) at(message string) string {
	return position(w.whole.program.Pipeline.Pos) + message
}

// pass returns text as one more argument or parameter, if there are checks.
func (w *partialWriter) pass(text string) string {
	if w.sites == 0 {
		return ""
	}
	return ", " + text
}

func (w *partialWriter) merge(s *source) {
	s.line("// Merge adds the rows of later, which follow those of p. It does not change later.")
	s.line("// After an error p is unchanged.")
	s.line("func (p *%s) Merge(later *%s) error {", w.name, w.name)
	s.line("switch {\ncase later == nil:\nreturn kgenError(%q)", w.at(w.name+".Merge: there is no partial to merge"))
	if len(w.scalars) > 0 {
		s.line("case string(p.putScalars(nil)) != string(later.putScalars(nil)):")
		s.line("return kgenError(%q)", w.at(w.name+".Merge: partials of different parameters"))
	}
	s.line("case !later.begun:\nreturn nil")
	s.line("case later == p:\ntwin := *p\ntwin.state = p.state.clone()\nlater = &twin\n}")
	if w.Halo != nil {
		s.line("return p.join(later)\n}\n")
	} else {
		s.line("return p.follow(&later.state%s)\n}\n", w.pass("&later.checks"))
	}
}

// columnOf returns a column of the state that has an element per group or bin.
func (w *partialWriter) columnOf(grouping int) int {
	for i, state := range w.States {
		if state.Grouping == grouping {
			return i
		}
	}
	panic("gocpu: a grouping without columns")
}

// fold writes the methods that combine states.
func (w *partialWriter) fold(s *source) {
	state := w.shard.entry.Result
	s.line("// clone returns a copy of the state with memory of its own.")
	s.line("func (s *%s) clone() %s {\nc := *s", state, state)
	for i, f := range w.state {
		if w.States[i].Grouping >= 0 {
			s.line("c.%[1]s = append([]%[2]s(nil), s.%[1]s...)", f.Name, typeText(f.Kind))
		}
	}
	s.line("return c\n}\n")

	s.line("// follow adds the state of later rows.")
	s.line("func (p *%s) follow(later *%s%s) error {", w.name, state, w.pass(fmt.Sprintf("checks *[%d]int64", w.sites)))
	s.line("if !p.begun {\np.begun, p.state = true, later.clone()")
	if w.sites > 0 {
		s.line("p.checks = *checks")
	}
	s.line("return nil\n}\ns := &p.state")
	w.sameBins(s, "s", "later")
	rows := map[int]int{} // by check of Whole: the state that counts the rows
	for _, check := range w.ShardChecks {
		if check.Whole >= 0 {
			rows[check.Whole] = check.Rows
		}
	}
	for whole := range w.sites {
		if i, ofRows := rows[whole]; ofRows && i >= 0 {
			s.line("p.checks[%[1]d] = kgenFailed(p.checks[%[1]d], checks[%[1]d], s.%[2]s)", whole, w.state[i].Name)
		} else if ofRows {
			s.line("p.checks[%[1]d] = kgenFailed(p.checks[%[1]d], checks[%[1]d], 0)", whole)
		}
	}
	together := map[int]string{} // by grouping: the variable that says which groups are one
	for g, grouping := range w.Groupings {
		switch grouping.Kind {
		case ir.DomainRuns, ir.DomainStarts:
			together[g] = w.continues(s, g, grouping)
		case ir.DomainGroups:
			together[g] = w.paired(s, g, grouping)
		}
	}
	for _, counts := range []bool{false, true} { // sums come last: the other folds read row counts
		for i, state := range w.States {
			if (state.Fold == ir.ReduceAdd) == counts {
				w.foldField(s, i, together[state.Grouping])
			}
		}
	}
	s.line("return nil\n}\n")
}

// sameBins writes the test that two states have equal numbers of bins.
func (w *partialWriter) sameBins(s *source, state, later string) {
	for g, grouping := range w.Groupings {
		if i := w.columnOf(g); grouping.Kind == ir.DomainBins {
			s.line("if len(%[1]s.%[3]s) != len(%[2]s.%[3]s) {", state, later, w.state[i].Name)
			s.line("return kgenError(%q)\n}", w.at(w.name+": partials of different numbers of bins"))
		}
	}
}

// continues declares a variable that is true if the last group continues in the
// later rows, and returns its name.
func (w *partialWriter) continues(s *source, g int, grouping partial.Grouping) string {
	name := fmt.Sprintf("continues%d", g+1)
	var conditions []string
	for _, key := range grouping.Keys {
		conditions = append(conditions, fmt.Sprintf("kgenContinues(s.%[1]s, later.%[1]s)", w.state[key].Name))
	}
	if grouping.Head >= 0 {
		column := w.state[w.columnOf(g)].Name
		conditions = append(conditions, fmt.Sprintf("len(s.%[1]s) > 0 && len(later.%[1]s) > 0 && !later.%[2]s", column, w.state[grouping.Head].Name))
	}
	s.line("%s := %s", name, strings.Join(conditions, " && "))
	return name
}

// paired declares a variable with the places of all groups of two states, ascending by
// key, and returns its name.
func (w *partialWriter) paired(s *source, g int, grouping partial.Grouping) string {
	name := fmt.Sprintf("pairs%d", g+1)
	column := w.state[w.columnOf(g)].Name
	s.line("%s := kgenPairGroups(len(s.%[2]s), len(later.%[2]s), func(i, j int) int {", name, column)
	for i, key := range grouping.Keys {
		compare := "kgenOrder"
		switch w.state[key].Kind {
		case plan.Bool:
			compare = "kgenOrderBools"
		case plan.Char8:
			compare = "kgenOrderBytes"
		}
		order := fmt.Sprintf("%s(s.%[2]s[i], later.%[2]s[j])", compare, w.state[key].Name)
		if i+1 < len(grouping.Keys) {
			s.line("if order := %s; order != 0 {\nreturn order\n}", order)
		} else {
			s.line("return %s", order)
		}
	}
	s.line("})")
	return name
}

// foldField writes the fold of field i. Together says which groups of the two states are
// one.
func (w *partialWriter) foldField(s *source, i int, together string) {
	state, name, fold := w.States[i], w.state[i].Name, w.foldName(i)
	rows := "nil, nil"
	if state.Rows >= 0 {
		rows = fmt.Sprintf("s.%[1]s, later.%[1]s", w.state[state.Rows].Name)
	}
	switch {
	case state.Grouping < 0 && state.Rows < 0 && state.Fold != ir.ReduceAdd:
		s.line("s.%[1]s = %[2]s(s.%[1]s, later.%[1]s)", name, fold)
	case state.Grouping < 0 && state.Rows < 0:
		s.line("s.%[1]s += later.%[1]s", name)
	case state.Grouping < 0:
		s.line("s.%[1]s = kgenFoldPresent(s.%[1]s, later.%[1]s, %[2]s, %[3]s)", name, rows, fold)
	case w.Groupings[state.Grouping].Kind == ir.DomainBins:
		s.line("kgenFoldBins(s.%[1]s, later.%[1]s, %[2]s, %[3]s)", name, rows, fold)
	case w.Groupings[state.Grouping].Kind == ir.DomainGroups:
		s.line("s.%[1]s = kgenFoldPairs(s.%[1]s, later.%[1]s, %[2]s, %[3]s, %[4]s)", name, together, rows, fold)
	default:
		s.line("s.%[1]s = kgenFoldGroups(s.%[1]s, later.%[1]s, %[2]s, %[3]s, %[4]s)", name, together, rows, fold)
	}
}

// foldName returns the function that combines elements of a field.
func (w *partialWriter) foldName(i int) string {
	fold := w.States[i].Fold
	name, ok := foldNames[fold]
	if !ok {
		panic(fmt.Sprintf("gocpu: no function folds states by %v", fold))
	}
	if w.state[i].Kind == plan.Char8 && (fold == ir.ReduceMin || fold == ir.ReduceMax) {
		return name + "Bytes"
	}
	return name + "[" + typeText(w.state[i].Kind) + "]"
}

// foldNames are the functions of the support file that fold states.
var foldNames = map[ir.ReduceOp]string{ir.ReduceAdd: "kgenFoldSum", ir.ReduceMul: "kgenFoldProduct",
	ir.ReduceOr: "kgenFoldAny", ir.ReduceAnd: "kgenFoldAll", ir.ReduceMin: "kgenFoldLeast", ir.ReduceMax: "kgenFoldGreatest",
	ir.ReduceFirst: "kgenFoldFirst", ir.ReduceLast: "kgenFoldLast"}

func (w *partialWriter) result(s *source) {
	result := w.whole.entry.Result
	s.line("// Result returns the results and errors of %s for all rows that have been added.", w.whole.entry.Func)
	s.line("// It does not change the partial, to which more rows may be added.")
	s.line("func (p *%s) Result(options ...Option) (%s, error) {", w.name, result)
	s.line("var result %s", result)
	s.line("if !p.begun { // as after one shard without rows")
	s.line("p = %s", w.noRows("&"))
	s.line("if err := p.Add(%soptions...); err != nil {\nreturn result, err\n}\n}", strings.Repeat("nil, ", len(w.columns)))
	if w.Halo != nil {
		w.resultWithHalo(s)
	}
	arguments := []string{"&result"}
	if w.sites > 0 {
		s.line("checks := p.checks")
	}
	if len(w.finish.checks) > 0 {
		arguments = append(arguments, "&checks")
	}
	for _, empty := range w.Empty {
		rows := "p.state." + w.state[empty.Rows].Name
		if w.States[empty.Rows].Grouping >= 0 {
			rows += "..."
		}
		s.line("checks[%d] = kgenFirstEmpty(%s)", empty.Whole, rows)
	}
	for _, input := range w.Inputs {
		if input.State >= 0 {
			arguments = append(arguments, "p.state."+w.state[input.State].Name)
		} else {
			arguments = append(arguments, "p.scalars."+w.fieldOf(input.Parameter.Name))
		}
	}
	s.line("if err := %s(%s, options...); err != nil {\nreturn %s{}, err\n}", w.finish.entry.Into, strings.Join(arguments, ", "), result)
	if w.sites > 0 {
		s.line("if err := %s(&checks); err != nil {\nreturn %s{}, err\n}", w.failure, result)
	}
	s.line("return result, nil\n}\n")
}

package simt

import (
	"slices"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// stateKey names a field of the state of a Scan, ChunkScan, Reduce or ScanTotals.
type stateKey struct{ op, field int }

// state is what some operations fold, as it travels between work-items and
// tiles. It is narrower than the fields of their monoids: counts of the rows of a
// launch fit 32 bits, and one flag or count can stand for several fields.
type state struct {
	kernel *kernel
	slots  []slot
	of     map[stateKey]source
}

// slot is a component of a state.
type slot struct {
	stateKey
	kind   ir.Kind // in which it is held
	counts bool    // rows: from 0 to below 2^31 in one launch, 2^62 in parts
	short  bool    // the sum of the rows of one launch of numbers from 0 to below 2^31: below 2^62
}

// shortBits are the bits of numbers of which so many as one launch has rows have a sum of soleBits.
const shortBits = 31

// single is a state of one slot.
func single(k *kernel, s slot) *state { return &state{kernel: k, slots: []slot{s}} }

// bytes returns the local memory that a state takes.
func (st *state) bytes() (sum int) {
	for _, s := range st.slots {
		sum += s.kind.Size()
	}
	return sum
}

// source is how a field is read from the slots.
type source struct {
	slot     int
	positive bool // the field is whether the slot is above zero
}

// flag is what the flag field of a scan says of a row. Scans of different sorts
// do not share a slot, because only some go on across tiles.
type flag struct {
	element tile.ID
	domain  int
	kind    tile.OpKind
}

// stateOf returns the state of some operations.
func (k *kernel) stateOf(ops []int) *state {
	st := &state{kernel: k, of: map[stateKey]source{}}
	add := func(key stateKey) int {
		s := slot{stateKey: key, kind: k.Ops[key.op].Monoid.Fields[key.field].Kind, counts: k.countsRows(key.op, key.field), short: k.addsShort(key.op, key.field)}
		if s.counts && !k.long {
			s.kind = ir.I32
		}
		st.of[key] = source{slot: len(st.slots)}
		st.slots = append(st.slots, s)
		return len(st.slots) - 1
	}
	known := map[flag]source{}
	for _, key := range k.fields(ops) {
		if k.isPlainFlag(key) {
			continue
		}
		j, op := add(key), &k.Ops[key.op]
		if op.Monoid.Kind == tile.Fold && st.slots[j].counts {
			if counted, ok := k.Indicator(op.Args[0]); ok {
				known[flag{counted, op.Domain, op.Kind}] = source{j, true}
			}
		}
		if op.IsPrefix() && isAny(op.Monoid, key.field) {
			known[flag{op.Args[key.field], op.Domain, op.Kind}] = source{slot: j}
		}
	}
	for _, key := range k.fields(ops) {
		if !k.isPlainFlag(key) {
			continue
		}
		op := &k.Ops[key.op]
		f := flag{op.Args[key.field], op.Domain, op.Kind}
		if from, ok := known[f]; ok {
			st.of[key] = from
			continue
		}
		known[f] = source{slot: add(key)}
	}
	return st
}

// fields lists the fields of some operations.
func (k *kernel) fields(ops []int) (list []stateKey) {
	for _, i := range ops {
		for f := range k.Ops[i].Monoid.Fields {
			list = append(list, stateKey{i, f})
		}
	}
	return list
}

// isPlainFlag reports whether a field of a scan is a flag that only its own scan
// reads, and only of the later of two states. Then another slot that says whether
// the flag is set for any row will do.
func (k *kernel) isPlainFlag(key stateKey) bool {
	op := &k.Ops[key.op]
	if !op.IsPrefix() || op.Monoid.Fields[key.field].Kind != ir.Bool || k.uses[op.Res[key.field]] > 0 {
		return false
	}
	if !isAny(op.Monoid, key.field) {
		return false
	}
	for f, other := range op.Monoid.Combine {
		if f != key.field && readsEarlier(other, key.field) {
			return false
		}
	}
	return true
}

// isAny reports whether field f is whether any row has a flag.
func isAny(m *tile.Monoid, f int) bool {
	combine := m.Combine[f]
	return combine.Operator == ir.OpLogicalOr && combine.Args[0].IsField(tile.A, f) && combine.Args[1].IsField(tile.B, f)
}

// readsEarlier reports whether e depends on a field of the earlier state.
func readsEarlier(e *tile.Expr, field int) bool {
	if e.IsField(tile.A, field) {
		return true
	}
	for _, arg := range e.Args {
		if readsEarlier(arg, field) {
			return true
		}
	}
	return false
}

// countsRows reports whether field f of operation i adds up nothing but 0 and 1,
// perhaps from the last head on.
func (k *kernel) countsRows(i, f int) bool {
	op := &k.Ops[i]
	if op.Monoid.Fields[f].Counts {
		return true
	}
	value := 0
	if op.Monoid.Kind == tile.Segmented {
		value = 1
	}
	if makesOffsets(op) || op.Monoid.Kind == tile.Ordered || f != value || op.Monoid.Fields[f].Kind != ir.I64 || !adds(op.Monoid.Combine[f]) {
		return false
	}
	_, isFlag := k.Indicator(op.Args[f])
	return isFlag || k.IsConst(op.Args[f], 0) || k.IsConst(op.Args[f], 1)
}

// addsShort reports whether field f of operation i adds up numbers from 0 to below 2^31 of fewer than 2^31 rows.
func (k *kernel) addsShort(i, f int) bool {
	op := &k.Ops[i]
	return !k.long && op.IsPrefix() && !makesOffsets(op) && op.Monoid.Kind == tile.Fold && op.Monoid.Fields[f].Kind == ir.I64 && adds(op.Monoid.Combine[f]) &&
		k.BitsOf(op.Args[f]) <= shortBits
}

// adds reports whether a combination is a sum, or one that starts anew at heads.
func adds(e *tile.Expr) bool {
	if e.Operator == ir.OpSelect {
		e = e.Args[2]
	}
	return e.Operator == ir.OpAdd
}

// isNarrow reports whether the values of v are counts of rows that fit 32 bits.
func (k *kernel) isNarrow(v tile.ID) bool { return !k.long && k.isRowCount(v) }

// isRowCount reports whether the values of v are counts of rows.
func (k *kernel) isRowCount(v tile.ID) bool {
	i := k.Values[v].Op
	op := &k.Ops[i]
	if !op.IsPrefix() {
		return false
	}
	for f, result := range op.Res {
		if result == v {
			return k.countsRows(i, f)
		}
	}
	return false
}

func (s slot) identity(k *kernel) *loop.Const {
	if s.counts {
		return loop.ConstOf(ir.Int(s.kind, 0))
	}
	return loop.ConstOf(k.Ops[s.op].Monoid.Identity[s.field])
}

// identities are the neutral element.
func (st *state) identities() (list []loop.Expr) {
	for _, s := range st.slots {
		list = append(list, s.identity(st.kernel))
	}
	return list
}

// name is what the variable of a slot is called.
func (st *state) name(j int) string {
	s := st.slots[j]
	return st.kernel.Ops[s.op].Monoid.Fields[s.field].Name
}

// field reads a field from the slots, in the kind of its slot.
func (st *state) field(values []loop.Expr, key stateKey) loop.Expr {
	from := st.of[key]
	x := values[from.slot]
	if from.positive {
		return loop.Gt(x, number(x.Type().Kind, 0))
	}
	return x
}

// result reads a field from the slots, in its own kind.
func (st *state) result(values []loop.Expr, key stateKey) loop.Expr {
	return widened(st.field(values, key), st.kernel.Ops[key.op].Monoid.Fields[key.field].Kind)
}

// widened returns what a slot holds as the kind of its field.
func widened(x loop.Expr, k ir.Kind) loop.Expr {
	if x.Type().Kind == k {
		return x
	}
	return loop.ToKind(k, x)
}

// part selects the values of st's slots. st is of some of the operations of whole.
func (st *state) part(whole *state, values []loop.Expr) (list []loop.Expr) {
	for _, s := range st.slots {
		list = append(list, values[whole.of[s.stateKey].slot])
	}
	return list
}

// spread puts the values of part, which is of some of the operations of st, beside
// identities.
func (st *state) spread(part *state, values []loop.Expr) []loop.Expr {
	list := st.identities()
	for j, s := range part.slots {
		list[st.of[s.stateKey].slot] = values[j]
	}
	return list
}

// combine combines two states, and names the result.
func (e *function) combine(st *state, earlier, later []loop.Expr) []loop.Expr {
	earlier, later = e.byRows(st, earlier, later)
	out, all := make([]loop.Expr, len(st.slots)), make([]int, len(st.slots))
	for j := range all {
		all[j] = j
	}
	e.combineSlots(st, all, out, func(key stateKey) loop.Expr { return st.field(earlier, key) }, func(key stateKey) loop.Expr { return st.field(later, key) })
	return out
}

// byRows returns two states in the order of the rows that they are of, where work-items have rows in any order.
func (e *function) byRows(st *state, earlier, later []loop.Expr) (first, second []loop.Expr) {
	if st.kernel.needsOrder() {
		return earlier, later
	}
	first, second = slices.Clone(earlier), slices.Clone(later)
	swapped := map[int]loop.Expr{} // per operation
	for j, s := range st.slots {
		op := &st.kernel.Ops[s.op]
		if !op.IsReduction() || op.Monoid.RowField() < 0 {
			continue
		}
		if swapped[s.op] == nil {
			row := st.of[stateKey{s.op, op.Monoid.RowField()}].slot
			swapped[s.op] = e.b.Let("swapped", loop.Lt(loop.ToKind(ir.U64, later[row]), loop.ToKind(ir.U64, earlier[row])))
		}
		first[j] = e.b.Let("state", loop.Choose(swapped[s.op], later[j], earlier[j]))
		second[j] = e.b.Let("state", loop.Choose(swapped[s.op], earlier[j], later[j]))
	}
	return first, second
}

// combineSlots writes some slots of a combined state to out, and names them.
func (e *function) combineSlots(st *state, slots []int, out []loop.Expr, earlier, later func(key stateKey) loop.Expr) {
	fields := map[int][]int{} // by operation
	for _, j := range slots {
		fields[st.slots[j].op] = append(fields[st.slots[j].op], st.slots[j].field)
	}
	combinations := map[int]*combination{}
	for _, j := range slots {
		s := st.slots[j]
		if combinations[s.op] == nil {
			combinations[s.op] = e.combining(st.kernel.Ops[s.op].Monoid, fields[s.op],
				func(f int) loop.Expr { return earlier(stateKey{s.op, f}) },
				func(f int) loop.Expr { return later(stateKey{s.op, f}) })
		}
		out[j] = combinations[s.op].field(s.field, s.kind)
	}
	for _, j := range slots {
		out[j] = e.b.Let(st.name(j), out[j])
	}
}

// combination combines fields of two states.
type combination struct {
	*function
	monoid         *tile.Monoid
	earlier, later func(f int) loop.Expr
	computed       map[*tile.Expr]loop.Expr // what several fields need
}

// combining returns the combination of some fields of a monoid. An expression of several fields has these in their
// own kinds.
func (e *function) combining(m *tile.Monoid, fields []int, earlier, later func(f int) loop.Expr) *combination {
	c := &combination{function: e, monoid: m, earlier: earlier, later: later, computed: map[*tile.Expr]loop.Expr{}}
	if hasCounts(m) {
		wide := func(of func(f int) loop.Expr) func(f int) loop.Expr {
			return func(f int) loop.Expr { return widened(of(f), m.Fields[f].Kind) }
		}
		c.earlier, c.later = wide(earlier), wide(later)
	}
	var list []*tile.Expr
	for _, f := range fields {
		list = append(list, m.Combine[f])
	}
	for _, shared := range tile.Shared(list) {
		c.computed[shared] = e.b.Let("both", c.expr(shared))
	}
	return c
}

// expr returns an expression over both states.
func (c *combination) expr(e *tile.Expr) loop.Expr {
	return backends.CombineWith(e, c.earlier, c.later, c.arguments.scalarOf, c.computed)
}

// field returns a field of the combined state, in the kind of its slot.
func (c *combination) field(f int, slot ir.Kind) loop.Expr {
	return widened(c.expr(c.monoid.Combine[f]), slot)
}

// hasCounts reports whether a monoid says of some fields that they count rows.
func hasCounts(m *tile.Monoid) bool {
	return slices.ContainsFunc(m.Fields, func(f tile.Field) bool { return f.Counts })
}

// declare declares a variable per slot.
func (e *function) declare(st *state, initial []loop.Expr) (list []*loop.Var) {
	for j := range st.slots {
		list = append(list, e.b.Decl(st.name(j), initial[j]))
	}
	return list
}

// advance combines a row's elements into the variables of an operation's slots.
// Fields that another slot stands for are not needed row by row.
func (e *function) advance(states map[stateKey]*loop.Var, i int, elements []loop.Expr) {
	m := e.Ops[i].Monoid
	next := make([]loop.Expr, len(m.Fields))
	later := func(f int) loop.Expr {
		if v := states[stateKey{i, f}]; v != nil {
			return loop.ToKind(v.T.Kind, elements[f])
		}
		return elements[f]
	}
	var fields []int
	for f := range next {
		if states[stateKey{i, f}] != nil {
			fields = append(fields, f)
		}
	}
	c := e.combining(m, fields, func(f int) loop.Expr { return states[stateKey{i, f}] }, later)
	for _, f := range fields {
		next[f] = c.field(f, states[stateKey{i, f}].T.Kind)
	}
	for f, x := range next {
		if x != nil {
			next[f] = e.b.Let(m.Fields[f].Name, x)
		}
	}
	for f, x := range next {
		if x != nil {
			e.b.Assign(states[stateKey{i, f}], x)
		}
	}
}

func exprsOf(vars []*loop.Var) (list []loop.Expr) {
	for _, v := range vars {
		list = append(list, v)
	}
	return list
}

// assignAll assigns values that have been named before.
func (e *function) assignAll(vars []*loop.Var, values []loop.Expr) {
	for i, v := range vars {
		e.b.Assign(v, values[i])
	}
}

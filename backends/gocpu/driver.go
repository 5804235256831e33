package gocpu

import (
	"fmt"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Rows below which a second worker does not pay, and rows a block of a chain:
// small enough that the second look at a block finds it in the cache.
const (
	parallelRows = 1 << 16
	blockRows    = 1 << 15
	rangeRows    = 1 << 12 // ranges that need no state are multiples of this
)

// environment is what the host function knows by the plan's names; lengths
// stand among the scalars under lengthKey.
type environment struct {
	buffers map[string]*loop.Var
	scalars map[string]loop.Expr
	workers *loop.Var
	final   bool // no launch follows the one at hand

	mayGrow map[string]bool      // buffers of the plan whose length a launch may decide
	grown   map[string]*loop.Var // those of which one does
}

// lengthKey is the key of the length of a domain among scalars.
func lengthKey(domain string) string { return "len " + domain }

// refKey is the key of what a Scalar or Length operation reads.
func refKey(op *tile.Op) string {
	if op.Kind == tile.Length {
		return lengthKey(op.Ref)
	}
	return op.Ref
}

// driver writes the statements that run one kernel.
type driver struct {
	*body
	env     environment
	rows    loop.Expr // to run over
	workers loop.Expr // at most
	f, s    *rangeFunc
	more    []*rangeFunc             // the summaries of further cuts
	heads   *rangeFunc               // finds the first head
	own     map[*ownMemory]*loop.Var // of the worker at hand
	carried []state
	grows   []growing

	blockEnd map[stateKey]loop.Expr // of a chain: counts at the end of the block at hand
}

// drive writes the launch of k into b, and returns the functions it calls. The
// scalars that the kernel stores become part of the environment.
func (k *kernel) drive(b *loop.Builder, env environment, rows loop.Expr) []*loop.Func {
	d := &driver{env: env, rows: rows, workers: env.workers, body: &body{kernel: k, b: b, values: map[tile.ID]loop.Expr{}, state: map[stateKey]*loop.Var{},
		scalars: env.scalars, whole: map[int]*loop.Var{}, view: map[int]*loop.Var{}, errors: env.buffers[errorsKey]}}
	for i, s := range k.Streams {
		d.whole[i] = env.buffers[s.Buffer]
	}
	d.needed = make([]bool, len(k.Ops))
	for i := range d.needed {
		d.needed[i] = true
	}
	for i := range k.Ops {
		if op := &k.Ops[i]; !op.Epilogue && op.Domain == tile.Uniform && (op.Does(tile.Reports) || op.Checked) {
			d.op(i, tile.Uniform)
		}
	}
	var functions []*loop.Func
	if d.hasRows(0) {
		functions = d.launch()
	}
	d.flush()
	d.keepGrown()
	d.epilogue()
	return functions
}

// launch runs the range functions over all rows, and returns them.
func (d *driver) launch() []*loop.Func {
	for _, s := range d.kernel.states() {
		if !d.Ops[s.op].IsChunkwise() && s.carried {
			d.state[s.stateKey] = d.b.Decl(s.name, loop.ConstOf(ir.Scalar{Kind: s.identity.Kind})) // all ways below assign it
			d.carried = append(d.carried, s)
		}
	}
	d.grows = d.findGrowing()
	d.limitWorkers()
	turns := d.turns()
	many := loop.Expr(loop.Gt(d.workers, loop.Int(int64(turns))))
	if d.splits() && !d.rowsHaveEffects() && !d.hasLate() { // only reductions
		d.s = d.rangeFunction(d.Name, summary)
		d.b.If(many, d.shared(d.chain), func() { d.call(loop.Int(0), d.rows, d.s, d.state) })
		return []*loop.Func{d.s.Func}
	}
	var functions []*loop.Func
	switch {
	case d.written != nil:
		d.f = d.written
	case d.hasWindows():
		d.f, functions = d.windowFunctions(d.Name)
	default:
		d.f = d.rangeFunction(d.Name, allRows)
		functions = []*loop.Func{d.f.Func}
		if d.Has((*tile.Op).Counts) {
			d.written = d.f
		}
	}
	serial := func() {
		d.counts = d.newCounts("digits")
		d.makeOwn(loop.Int(1), true)
		results := make([]*loop.Var, len(d.f.results))
		for i, s := range d.f.results {
			results[i] = d.state[s.stateKey]
		}
		if d.ordersRows() {
			d.summarize(&functions)
			d.call(loop.Int(0), d.rows, d.s, nil)
		}
		if len(d.grows) > 0 {
			d.inBlocksThatFit(results)
			return
		}
		d.callInto(results, loop.Int(0), d.rows, d.f, nil)
	}
	switch {
	case d.closing != 0:
		d.s, d.heads = d.rangeFunction(d.Name+"_summary", summary), d.headFunction(d.Name+"_head")
		functions = append(functions, d.s.Func, d.heads.Func)
		d.b.If(many, d.shared(d.chainOfClosing), serial)
	case turns > 1:
		d.s = d.rangeFunction(d.Name+"_summary", summary)
		functions = append(functions, d.s.Func)
		for cut := 1; cut < turns; cut++ {
			d.more = append(d.more, d.rangeOfCut(fmt.Sprint(d.Name, "_summary", cut+1), summary, cut))
			functions = append(functions, d.more[cut-1].Func)
		}
		d.b.If(many, d.shared(d.chain), serial)
	case !d.splits():
		serial()
	case len(d.carried) == 0 && !d.Has((*tile.Op).Counts):
		d.b.If(many, d.shared(func() {
			d.makeOwn(d.workers, true)
			inOrder := d.makeInOrder()
			ranges := d.b.Parallel(d.rows, d.workers, d.grain(), func(worker, lo, hi *loop.Var) {
				d.shareOwn(worker)
				own := d.makeTables(worker, inOrder)
				d.withStreams(own, func() { d.call(lo, hi, d.f, nil) })
				d.addTables(own, inOrder)
			})
			ranges.Fixed = len(d.chunkScans()) > 0
			d.combineInOrder(inOrder)
		}), serial)
	case d.relocates() && !d.hasLate():
		d.b.If(many, d.shared(d.chainOfCopies), serial)
	case d.relocatesSegments():
		d.b.If(many, d.shared(d.chainOfSegments), serial)
	default:
		d.summarize(&functions)
		d.b.If(many, d.shared(d.chain), serial)
	}
	return functions
}

// summarize writes the summary, unless an earlier launch of the kernel has.
func (d *driver) summarize(functions *[]*loop.Func) {
	if d.s = d.summarized; d.s == nil {
		d.s = d.rangeFunction(d.Name+"_summary", summary)
		*functions = append(*functions, d.s.Func)
	}
	if d.written != nil {
		d.summarized = d.s
	}
}

// shared writes the statements that goroutines run, on variables and errors of
// their own: shared variables escape to the heap, and the serial path must not
// allocate.
func (d *driver) shared(write func()) func() {
	return func() {
		outer, errors := d.state, d.errors
		d.state = map[stateKey]*loop.Var{}
		if len(d.carried) > 0 {
			d.b.Note("variables that goroutines share escape to the heap; those of a single worker stay on the stack")
		}
		for _, s := range d.carried {
			d.state[s.stateKey] = d.b.Decl(s.name, loop.ConstOf(s.identity))
		}
		checks := d.checksRows()
		if checks {
			d.errors = d.b.Make("failed", loop.ScalarOf(ir.I64), loop.LenOf(errors))
			d.b.Copy(d.errors, loop.Int(0), errors, loop.LenOf(errors))
		}
		d.withGrowing(write)
		for _, s := range d.carried {
			d.b.Assign(outer[s.stateKey], d.state[s.stateKey])
		}
		if checks {
			d.b.Copy(errors, loop.Int(0), d.errors, loop.LenOf(errors))
		}
		d.state, d.errors = outer, errors
	}
}

// grain is what ranges of rows must be multiples of: whole chunks. A row may be a part of many.
func (d *driver) grain() int64 {
	if d.Has((*tile.Op).ByParts) {
		return 1
	}
	if len(d.chunkScans()) > 0 {
		return d.Chunk
	}
	return rangeRows
}

// splits reports whether ranges of rows can run at the same time: there is at
// most one cut, reductions need no prefix, and each worker can have its own tables.
func (k *kernel) splits() bool {
	return len(k.Scans()) <= 1 && k.splitsRows()
}

// turns returns in how many turns, one for each cut, blocks of rows can run at the same time; 1 if
// there is one cut or none, or blocks would need more.
func (k *kernel) turns() int {
	cuts := len(k.Scans())
	if cuts < 2 || cuts > mostTurns || k.closing != 0 || k.Has((*tile.Op).Counts) || len(k.chunkScans()) > 0 || !k.splitsRows() {
		return 1
	}
	return cuts
}

// mostTurns is kgenTurns of the support file. With as many workers as turns, a second
// look at the rows for each cut takes longer than one worker does.
const mostTurns = 4

// splitsRows reports whether ranges of rows need nothing of others but prefixes.
func (k *kernel) splitsRows() bool {
	phase, _ := k.Phases(func(op *tile.Op) bool { return op.Cuts() || op.Counts() })
	for i := range k.Ops {
		op := &k.Ops[i]
		if op.Epilogue {
			continue
		}
		if k.hasParts(op) && k.keepsOrder() {
			return false
		}
		if op.Kind == tile.Order || op.Does(tile.Combines) && !k.sharesTables() || op.Does(tile.Claims) && !op.IsLimited() && !op.Nests() && !op.ByParts() || op.IsReduction() && phase[i] > 0 && !k.isLate(i) {
			return false
		}
	}
	return true
}

// isLate reports whether operation i is a reduction of what rows have behind the cut, whose order
// does not matter: each worker has one of its own.
func (k *kernel) isLate(i int) bool {
	op := &k.Ops[i]
	return op.IsReduction() && !op.Epilogue && k.analysis.Phase[i] > 0 && (op.Monoid.Kind == tile.Fold && op.Monoid.IsExact() || op.Monoid.IsRowOfExtreme())
}

// hasLate reports whether there are such reductions.
func (k *kernel) hasLate() bool {
	for i := range k.Ops {
		if k.isLate(i) {
			return true
		}
	}
	return false
}

// call runs f over rows lo to hi. With states, it starts from them and leaves
// its results there; without, they are new variables, which it returns.
func (d *driver) call(lo, hi loop.Expr, f *rangeFunc, states map[stateKey]*loop.Var) map[stateKey]*loop.Var {
	results := make([]*loop.Var, len(f.results))
	made := map[stateKey]*loop.Var{}
	for i, s := range f.results {
		if results[i] = states[s.stateKey]; results[i] == nil {
			results[i] = &loop.Var{Name: s.name, T: loop.ScalarOf(s.identity.Kind)}
		}
		made[s.stateKey] = results[i]
	}
	d.callInto(results, lo, hi, f, states)
	return made
}

// callInto runs f over rows lo to hi from states, or from the identity if there
// are none, and leaves its results in those of results that are not nil.
func (d *driver) callInto(results []*loop.Var, lo, hi loop.Expr, f *rangeFunc, states map[stateKey]*loop.Var) {
	d.b.Add(&loop.Do{Results: results, Call: d.callOf(lo, hi, f, states)})
}

// callOf returns the call of f over rows lo to hi from states, or from the identity.
func (d *driver) callOf(lo, hi loop.Expr, f *rangeFunc, states map[stateKey]*loop.Var) *loop.Call {
	args := []loop.Expr{lo, hi}
	for _, a := range f.args {
		switch {
		case a.stream >= 0:
			args = append(args, d.whole[a.stream])
		case a.state != nil && states == nil:
			args = append(args, loop.ConstOf(a.state.identity))
		case a.state != nil:
			args = append(args, states[a.state.stateKey])
		case a.own != nil:
			args = append(args, d.own[a.own])
		case a.counted != 0:
			args = append(args, d.counts[a.counted])
		case a.scalar == errorsKey:
			args = append(args, d.errors)
		default:
			args = append(args, d.scalars[a.scalar])
		}
	}
	return &loop.Call{Callee: f.Signature(), Args: args}
}

// chain runs blocks: their summaries, then in order the states before each, and
// their rows. Each further cut has a summary and a turn of its own.
func (d *driver) chain() {
	before, late := map[stateKey]*loop.Var{}, map[stateKey]*loop.Var{}
	counts := d.newCounts("counts")
	inOrder := d.makeInOrder()
	var own map[int]*loop.Var // tables of the worker
	d.blockEnd = map[stateKey]loop.Expr{}
	part := func(cut int) loop.ChainTurnParts {
		var summary map[stateKey]*loop.Var
		return loop.ChainTurnParts{
			Before: func(lo, hi *loop.Var) {
				if cut > 0 {
					summary = d.call(lo, hi, d.more[cut-1], before)
					return
				}
				d.counts = d.newCounts("digits")
				summary = d.call(lo, hi, d.s, nil)
			},
			Turn: func(lo, hi *loop.Var) {
				for _, s := range d.carried {
					switch {
					case late[s.stateKey] != nil:
						before[s.stateKey] = late[s.stateKey]
					case d.turnOf(s.op) == cut:
						before[s.stateKey] = d.b.Decl(s.name+"_before", d.state[s.stateKey])
					}
				}
				d.combine(before, summary)
				if cut == len(d.more) {
					d.growInTurn(lo, before, d.reached)
				}
				if cut == 0 {
					d.passCounts(counts, d.counts)
				}
				for _, s := range d.carried {
					if d.turnOf(s.op) == cut && s.identity.Kind == ir.I64 && d.Ops[s.op].Monoid.Kind == tile.Fold && d.Numbers(s.op) {
						d.blockEnd[s.stateKey] = d.b.Decl(s.name+"_end", d.state[s.stateKey])
					}
				}
			},
		}
	}
	first := part(0)
	var more []loop.ChainTurnParts
	for i := range d.more {
		more = append(more, part(i+1))
	}
	blocks := d.b.Chain(d.rows, d.workers, blockRows, loop.ChainParts{
		Dealt: len(inOrder) > 0,
		Setup: func(worker *loop.Var) {
			if d.f != nil {
				d.makeOwn(loop.Int(1), false)
			}
			own = d.makeTables(worker, inOrder)
			for _, s := range d.carried {
				if d.isLate(s.op) {
					late[s.stateKey] = d.b.Decl(s.name+"_worker", loop.ConstOf(s.identity))
				}
			}
		},
		Before: first.Before,
		Turn:   first.Turn,
		More:   more,
		After: func(lo, hi *loop.Var) {
			if d.rowsHaveEffects() || len(late) > 0 {
				results := make([]*loop.Var, len(d.f.results))
				for i, s := range d.f.results {
					results[i] = late[s.stateKey]
				}
				d.withStreams(d.ownParts(), func() {
					d.withStreams(own, func() { d.callInto(results, lo, hi, d.f, before) })
				})
			}
		},
		Finish: func() {
			d.addTables(own, inOrder)
			d.combineLate(late)
		},
	})
	blocks.Fixed = len(d.chunkScans()) > 0
	d.combineInOrder(inOrder)
}

// turnOf returns the turn in which a block adds to the state of operation i, which is not late.
func (d *driver) turnOf(i int) int {
	if d.Ops[i].Cuts() {
		return d.analysis.Phase[i]
	}
	return 0
}

// combineLate adds what a worker has reduced. Of rows of extremes, that of the lesser row is the earlier.
func (d *driver) combineLate(late map[stateKey]*loop.Var) {
	before := map[stateKey]*loop.Var{}
	for _, s := range d.carried {
		if late[s.stateKey] != nil {
			before[s.stateKey] = d.b.Decl(s.name+"_before", d.state[s.stateKey])
		}
	}
	others := map[stateKey]*loop.Var{}
	for _, s := range d.carried {
		switch {
		case late[s.stateKey] == nil || s.field > 0:
		case d.Ops[s.op].Monoid.IsRowOfExtreme():
			extreme, row := s.stateKey, stateKey{s.op, 1}
			of := func(states map[stateKey]*loop.Var) map[stateKey]*loop.Var {
				return map[stateKey]*loop.Var{extreme: states[extreme], row: states[row]}
			}
			d.b.If(loop.Lt(late[row], before[row]), func() {
				d.b.Assign(d.state[extreme], late[extreme])
				d.b.Assign(d.state[row], late[row])
				d.combine(late, of(before))
			}, func() { d.combine(before, of(late)) })
		default:
			others[s.stateKey] = late[s.stateKey]
		}
	}
	d.combine(before, others)
}

// combine adds the summary of a block to the states that it has, which are those before.
func (d *driver) combine(before, summary map[stateKey]*loop.Var) {
	chosen := map[int]map[int]bool{} // fields, by operation
	for _, s := range d.carried {
		if summary[s.stateKey] == nil {
			continue
		}
		now := func(field int) loop.Expr { return before[stateKey{s.op, field}] }
		block := func(field int) loop.Expr { return summary[stateKey{s.op, field}] }
		if _, done := chosen[s.op]; !done {
			chosen[s.op] = assignChoice(d.b, d.Ops[s.op].Monoid, func(field int) *loop.Var { return d.state[stateKey{s.op, field}] }, now, block)
		}
		if chosen[s.op][s.field] {
			continue
		}
		d.b.Assign(d.state[s.stateKey], backends.Combine(d.Ops[s.op].Monoid.Combine[s.field], now, block))
	}
}

// rowsHaveEffects reports whether the rows do more than their summary.
func (d *driver) rowsHaveEffects() bool {
	for i := range d.Ops {
		op := &d.Ops[i]
		if !op.Epilogue && op.HasEffect() && op.Domain != tile.Uniform {
			return true
		}
	}
	return false
}

// ownParts cuts the streams that are stored at places to the block's own places:
// a row that is not selected is stored at the next place until a selected one
// replaces it.
func (d *driver) ownParts() map[int]*loop.Var {
	streams := map[int]*loop.Var{}
	for i := range d.Ops {
		op := &d.Ops[i]
		if place, _ := op.Touches(); op.Epilogue || !op.Does(tile.Writes) || place == 0 {
			continue
		}
		domain := d.Domains[op.Domain]
		count := d.placeCount(op.Domain)
		if count == nil {
			continue
		}
		end := loop.ToCounter(count)
		if domain.Kind == tile.Close {
			end = loop.Greatest(loop.Sub(end, loop.Int(1)), loop.Int(0))
		}
		streams[op.Stream] = d.b.Slice(streamName(d.Streams[op.Stream])+"_part", d.whole[op.Stream], loop.Int(0), end)
	}
	return streams
}

// placeCount returns how many rows of a derived domain end with the block,
// where the kernel counts them.
func (d *driver) placeCount(domain int) loop.Expr {
	counter := d.Domains[domain].Counter
	if counter == 0 || d.blockEnd[stateKey{d.Values[counter].Op, 0}] == nil {
		return nil
	}
	return d.blockEnd[stateKey{d.Values[counter].Op, 0}]
}

// flush closes the segments that are open after the last row.
func (d *driver) flush() {
	for i := range d.With((*tile.Op).Cuts) {
		d.seeStates(i)
	}
	for domain := range d.Domains {
		if d.Domains[domain].Kind == tile.Close && d.hasRows(domain) {
			kept := d.values
			d.values, d.closes = d.copyValues(), domain
			d.b.If(d.expr(d.Domains[domain].Open), func() { d.block(domain) }, nil)
			d.values = kept
		}
	}
}

func (d *driver) copyValues() map[tile.ID]loop.Expr {
	values := map[tile.ID]loop.Expr{}
	for v, x := range d.values {
		values[v] = x
	}
	return values
}

// epilogue runs what follows the rows once.
func (d *driver) epilogue() {
	for i := range d.Ops {
		op := &d.Ops[i]
		if op.IsReduction() {
			d.seeStates(i)
		}
		if op.Epilogue {
			emitterOf(op.Kind).after(d, op)
		}
	}
}

// total returns what a scan or a reduction has reached.
func (d *driver) total(op *tile.Op) { d.values[op.Res[0]] = d.values[op.Args[0]] }

// storeScalar sets a scalar of the plan.
func (d *driver) storeScalar(op *tile.Op) {
	x := d.expr(op.Args[0])
	if _, ok := x.(*loop.Var); !ok || !d.env.final { // later goroutines must share no variable that has been assigned to
		x = d.b.Let(op.Ref, x)
	}
	d.scalars[op.Ref] = x
}

// nameMap names the value of an operator.
func (d *driver) nameMap(op *tile.Op) { d.values[op.Res[0]] = d.b.Let(d.name(op.Res[0]), d.pure(op)) }

// nameLoad reads an element.
func (d *driver) nameLoad(op *tile.Op) { d.values[op.Res[0]] = d.load(op) }

// scanTotals turns the totals of chunks into the fold before each.
func (d *driver) scanTotals(op *tile.Op) {
	state := make([]*loop.Var, len(op.Res))
	for f, identity := range op.Monoid.Identity {
		state[f] = d.b.Decl(op.Monoid.Fields[f].Name, loop.ConstOf(identity))
		d.values[op.Res[f]] = state[f]
	}
	d.b.For("c", loop.Int(0), loop.LenOf(d.whole[op.Totals[0]]), func(c *loop.Var) {
		total := make([]loop.Expr, len(state))
		for f := range state {
			d.b.Store(d.whole[op.Offsets[f]], c, state[f])
			total[f] = d.b.Let("total", loop.At(d.whole[op.Totals[f]], c))
		}
		now := func(field int) loop.Expr { return state[field] }
		chunk := func(field int) loop.Expr { return total[field] }
		for f := len(state) - 1; f >= 0; f-- {
			d.b.Assign(state[f], backends.Combine(op.Monoid.Combine[f], now, chunk))
		}
	})
}

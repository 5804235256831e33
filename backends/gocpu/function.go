package gocpu

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// argument is a parameter of a range function and what the driver passes.
type argument struct {
	stream  int    // or -1
	scalar  string // a scalar or length of the plan; errorsKey for the errors buffer
	state   *state
	counted tile.ID // a rank, whose counters it is
	own     *ownMemory
}

// rangeFunc is a kernel as a function over rows lo to hi: the rows themselves,
// or the summary of their state.
type rangeFunc struct {
	*loop.Func
	lo, hi  *loop.Var
	args    []argument // after lo and hi
	results []state
}

// errorsKey is the key of the errors buffer among buffers and arguments. As with
// lengthKey, no name of the plan has a space.
const errorsKey = "failed rows"

// form is what a range function does with the rows.
type form uint8

const (
	allRows    form = iota // everything
	summary                // only what the rows leave behind: the states of a cut, and with the first one of reductions
	windows                // everything, by calls of the next two
	denseRows              // rows of which many begin a segment
	sparseRows             // rows of which few begin a segment
	firstHead              // nothing but to find where the first segment begins
)

// newRange starts a range function: its parameters, and what is known before
// the rows; a summary is that of a cut. It returns the streams that need views.
func (k *kernel) newRange(name string, f form, cut int) (*body, *rangeFunc, []int) {
	g := &body{kernel: k, b: loop.NewBuilder(name), summary: f == summary, summed: cut, needed: k.neededOps(f, cut),
		values: map[tile.ID]loop.Expr{}, state: map[stateKey]*loop.Var{}, scalars: map[string]loop.Expr{},
		whole: map[int]*loop.Var{}, view: map[int]*loop.Var{}, last: map[neighbour]*loop.Var{}, failed: map[int]*loop.Var{}, counts: map[tile.ID]*loop.Var{},
		sources: map[tile.ID]sourceRows{}, nested: map[*tile.Op]*nested{}, taken: map[int]*loop.Var{}, bits: map[loop.Expr]loop.Expr{}}
	r := &rangeFunc{lo: g.b.Param("lo", loop.Counter), hi: g.b.Param("hi", loop.Counter)}
	views := g.parameters(r)
	g.states(r)
	g.ranks(r)
	g.enteredParameters(r)
	g.uniform()
	g.equalLengths()
	g.b.Doc(fmt.Sprintf(formDocs[f], strings.Join(k.Stages, ", ")))
	return g, r, views
}

// formDocs complete a sentence that begins with the function's name.
var formDocs = [...]string{
	allRows:    "runs rows lo to hi through the stages %s, from the state before them to the one after.",
	summary:    "returns what rows lo to hi add to the state, in the stages %s.",
	windows:    "runs rows lo to hi through the stages %s, window by window: in one form if many rows begin a group, in another if few do.",
	denseRows:  "runs rows lo to hi, of which many begin a group, through the stages %s.",
	sparseRows: "runs rows lo to hi, of which few begin a group, through the stages %s: blocks within one group are added at once.",
	firstHead:  "returns the first of rows lo to hi that begins a group, or hi, in the stages %s.",
}

// equalLengths cuts the outputs over each derived domain, and tables that rows update together, to one
// length, so that one comparison covers an index into all of them.
func (g *body) equalLengths() {
	outputs := map[int][]*tile.Op{}
	var domains []int
	for _, op := range g.rowOps() {
		if place, _ := op.Touches(); !op.Does(tile.Writes) || place == 0 {
			continue
		}
		if outputs[op.Domain] == nil {
			domains = append(domains, op.Domain)
		}
		outputs[op.Domain] = append(outputs[op.Domain], op)
	}
	for _, d := range domains {
		first, others := outputs[d][0], outputs[d][1:]
		length := loop.Expr(loop.LenOf(g.whole[first.Stream]))
		// memory that another way uses, too, may have more room than its neighbours
		if slices.ContainsFunc(others, func(op *tile.Op) bool { return !g.equallyLong(first, op) }) {
			for _, op := range others {
				length = loop.Least(length, loop.LenOf(g.whole[op.Stream]))
			}
			length = g.b.Let("room", length)
			g.b.Cut(g.whole[first.Stream], loop.Int(0), length)
		}
		for _, op := range others {
			g.b.Cut(g.whole[op.Stream], loop.Int(0), length)
		}
	}
	for i := range g.With(func(op *tile.Op) bool { return op.Kind == tile.Update && g.enteredOf(op) == nil }) {
		if together := g.updatesWith(i); g.needed[i] && together[0] != i {
			g.b.Cut(g.whole[g.Ops[i].Stream], loop.Int(0), loop.LenOf(g.whole[g.Ops[together[0]].Stream]))
		}
	}
}

// end returns the states from the function.
func (g *body) end(r *rangeFunc) {
	var results []loop.Expr
	for _, s := range r.results {
		if g.slot != nil && s.op == g.begunOp() {
			results = append(results, loop.ToKind(ir.I64, loop.Add(g.slot, loop.Int(1))))
			continue
		}
		results = append(results, g.state[s.stateKey])
	}
	r.Func = g.b.Func(results...)
	r.Doc = strings.Join(append([]string{r.Doc}, g.remarks...), "\n")
}

// rangeFunction writes the function of k's rows in one of its forms, but for
// windows.
func (k *kernel) rangeFunction(name string, f form) *rangeFunc { return k.rangeOfCut(name, f, 0) }

// rangeOfCut is rangeFunction, whose summary is that of a cut, given the states of earlier ones.
func (k *kernel) rangeOfCut(name string, f form, cut int) *rangeFunc {
	g, r, views := k.newRange(name, f, cut)
	g.begin(r.lo, r.hi)
	if f == denseRows || f == sparseRows {
		begun := g.state[stateKey{g.begunOp(), 0}]
		g.slot = g.b.Decl("slot", loop.Sub(loop.ToCounter(begun), loop.Int(1)))
	}
	if f == allRows && g.branchlessSegments != 0 {
		g.storeCarried()
	}
	chunks := slices.DeleteFunc(k.chunkScans(), func(i int) bool { return !g.needed[i] })
	switch {
	case len(chunks) > 0:
		g.b.ForStep("chunk", r.lo, r.hi, k.Chunk, func(chunk *loop.Var) {
			end := g.b.Let("end", loop.Least(loop.Add(chunk, loop.Int(k.Chunk)), r.hi))
			g.resetChunk(chunks)
			g.loop(views, chunk, end)
			g.storeTotals(chunks, chunk)
		})
	case f == sparseRows:
		g.cut(views, r.lo, r.hi)
		g.blocks(views)
		g.rest(views)
	case len(g.entered) > 0:
		g.enteredBlocks(views, r.lo, r.hi)
	case g.partitioned() != nil:
		g.loop(views, g.partBegin(r.lo), g.partBegin(r.hi))
	case k.simd && (f == allRows || f == summary):
		vectors, least := k.vectorFunction(name, f)
		k.vectors[name] = vectors
		g.loop(views, g.afterVectors(vectors, least, r), r.hi)
	default:
		g.loop(views, r.lo, r.hi)
	}
	g.end(r)
	return r
}

// storeCarried stores the segment that is open before the range, for the range
// may begin with the head of the next.
func (g *body) storeCarried() {
	g.b.If(g.expr(g.Domains[g.branchlessSegments].Open), func() {
		g.b.Note("the group that is open before lo, in case it ended there")
		g.storeSegments()
	}, nil)
	g.values = g.uniformValues()
}

// loop runs over the rows from lo to hi: where they depend on conditions that are known
// before and usually hold, in a loop that is written for what holds.
func (g *body) loop(views []int, lo, hi loop.Expr) {
	conditions := g.likelyConditions()
	if len(conditions) > mostConditions {
		holds := loop.Expr(loop.True)
		for _, v := range conditions {
			holds = loop.And(holds, g.expr(v))
		}
		g.b.If(holds, func() { g.assuming(conditions, loop.True, func() { g.rowsOf(views, lo, hi) }) }, func() { g.rowsOf(views, lo, hi) })
		return
	}
	g.loops(conditions, func() { g.rowsOf(views, lo, hi) })
}

// mostConditions is for how many conditions there is a loop for each way in which they hold;
// of more, there is one if all hold, and one for any.
const mostConditions = 2

// loops writes rows for each way in which some conditions hold.
func (g *body) loops(conditions []tile.ID, rows func()) {
	if len(conditions) == 0 {
		rows()
		return
	}
	first, others := conditions[:1], conditions[1:]
	g.b.If(g.expr(first[0]),
		func() { g.assuming(first, loop.True, func() { g.loops(others, rows) }) },
		func() { g.assuming(first, loop.False, func() { g.loops(others, rows) }) })
}

// assuming writes rows where conditions have a value.
func (g *body) assuming(conditions []tile.ID, value loop.Expr, rows func()) {
	outer := g.values
	g.values = maps.Clone(outer)
	for _, v := range conditions {
		g.values[v] = value
	}
	rows()
	g.values = outer
}

// likelyConditions returns the conditions that usually hold and are operands of rows.
func (g *body) likelyConditions() (list []tile.ID) {
	for i, op := range g.rowOps() {
		if !g.needed[i] || op.Domain == tile.Uniform {
			continue
		}
		for _, v := range op.Args {
			if g.Values[v].Likely && !slices.Contains(list, v) {
				list = append(list, v)
			}
		}
	}
	return list
}

// rowsOf runs over the rows from lo to hi in one loop, or by blocks.
func (g *body) rowsOf(views []int, lo, hi loop.Expr) {
	length := g.cut(views, lo, hi)
	groups := g.columnGroups()
	switch {
	case groups != nil:
		g.blocksOfColumns(views, groups)
	case g.lists(views):
		g.blocksOfListed(views)
	case g.unrolls(views):
		g.unrolled(views)
	case g.selects(views):
		g.blocksOfSelected(views)
	case g.sumsInFours(views):
		g.inFours(views)
	case g.visited(views) != 0:
		g.blocksOfVisited(views, g.visited(views))
	}
	g.run(length)
}

// cut makes views of the rows from lo to hi, of equal lengths, so that Go
// checks no index, and returns their length.
func (g *body) cut(views []int, lo, hi loop.Expr) loop.Expr {
	var length loop.Expr = loop.Sub(hi, lo)
	for _, s := range views {
		v := g.b.Slice(streamName(g.Streams[s])+"_rows", g.whole[s], lo, hi)
		if s != views[0] {
			g.b.Cut(v, loop.Int(0), length)
		} else {
			length = loop.LenOf(v)
		}
		g.view[s] = v
	}
	g.first = lo
	return length
}

// run handles length rows of the views, one after another.
func (g *body) run(length loop.Expr) {
	if g.closing != 0 && !g.summary {
		g.segments(length)
		return
	}
	kept := g.uniformValues()
	g.b.For("i", loop.Int(0), length, func(i *loop.Var) {
		g.index = i
		g.block(0)
	})
	g.values = kept
}

// chunkScans lists the operations that scan within chunks.
func (k *kernel) chunkScans() []int {
	var list []int
	for i := range k.With((*tile.Op).IsChunkwise) {
		list = append(list, i)
	}
	return list
}

// resetChunk starts the scans of a chunk.
func (g *body) resetChunk(scans []int) {
	for _, i := range scans {
		for f, identity := range g.Ops[i].Monoid.Identity {
			g.b.Assign(g.state[stateKey{i, f}], loop.ConstOf(identity))
		}
	}
}

// storeTotals stores what a chunk adds up to.
func (g *body) storeTotals(scans []int, chunk *loop.Var) {
	for _, i := range scans {
		for f, s := range g.Ops[i].Totals {
			g.b.Store(g.whole[s], loop.Div(chunk, loop.Int(g.Chunk)), g.state[stateKey{i, f}])
		}
	}
}

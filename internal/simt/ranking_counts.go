package simt

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// publishedCounts comes from launches before: one counts the rows of each tile by
// their digits, another turns the counts of a digit into those of all earlier tiles.
// Those of one digit lie together.
type publishedCounts struct {
	buffer string
	tiles  plan.Expr
}

func (p *publishedCounts) describe(v *plan.Variant) { v.Schedule.Scheme = SchemePublished }

func (p *publishedCounts) refuse(ranking) error { return nil }

func (p *publishedCounts) forward() plan.Forward { return plan.ForwardNone }

func (p *publishedCounts) eachTile(s ranking, e *tileBody, body func()) { s.flat.eachTile(e, body) }

func (p *publishedCounts) prepare(s ranking) {
	p.buffer, p.tiles = s.fresh(s.Name+"_counts"), plan.Max(s.tiles, plan.Const(1))
	s.addBuffer(plan.Buffer{Name: p.buffer, Kind: plan.Kind(s.rowKind().String()), Role: plan.Temporary,
		Length: plan.Mul(p.tiles, plan.Const(s.ranks.digits))})
	s.launchRows(p.count(s), s.grid(), plan.ForwardNone)
	s.addLaunch(p.scan(s), launch{workgroup: s.workgroup, grid: plan.Const(s.ranks.digits), describe: s.describe, step: func(kernel string, _ plan.Schedule) plan.Step {
		return plan.Step{Launch: &plan.Launch{Kernel: kernel, Rows: s.tiles}}
	}})
}

// place returns where the count of a digit in a tile lies.
func (p *publishedCounts) place(e *function, tile, digit loop.Expr) loop.Expr {
	tiles := loop.ToCounter(e.arguments.value("tiles", p.tiles))
	return e.counterAt(digit, tiles, tile)
}

// counterAt returns the place of a counter in memory: of a column in a row of so many.
// There are 2^31 and more if tiles have fewer rows than counters.
func (k *kernel) counterAt(row, columns, column loop.Expr) loop.Expr {
	t := loop.Counter
	if k.rows() < k.ranks.digits {
		t = loop.ScalarOf(ir.I64)
	}
	return loop.Add(loop.Mul(loop.To(t, row), loop.To(t, columns)), loop.To(t, column))
}

// count writes the launch that counts the rows of each tile.
func (p *publishedCounts) count(s ranking) *function {
	e := s.function(s.Name + "_count")
	e.begin()
	r := s.rankedTile(e)
	s.eachTile(e.tileBody, func() {
		r.tileRows()
		totals := r.totals
		r.eachPlace(loop.Int(r.ranks.digits), func(at loop.Expr) { e.b.Store(totals, at, number(ir.U32, 0)) })
		e.b.Barrier(loop.WorkgroupScope)
		r.eachItem(true, func() { e.b.Atomic(loop.AtomicAdd, totals, r.digit(), number(ir.U32, 1)) })
		e.b.Barrier(loop.WorkgroupScope)
		memory := e.arguments.buffer(p.buffer, s.rowKind(), plan.Writes)
		r.eachPlace(loop.Int(r.ranks.digits), func(at loop.Expr) {
			e.b.Store(memory, p.place(e.function, e.tile, at), loop.ToKind(s.rowKind(), loop.At(totals, at)))
		})
	})
	return e.function
}

// scan writes the launch that turns counts into those of all earlier tiles, a
// work-group per digit.
func (p *publishedCounts) scan(s ranking) *function {
	e := s.function(s.Name + "_scan")
	e.localID = e.b.Let("local_id", &loop.ID{Kind: loop.LocalID})
	st := single(s.kernel, slot{stateKey: stateKey{s.ranks.op, 0}, kind: s.rowKind(), counts: true})
	memory := func(int) *loop.Var { return e.arguments.buffer(p.buffer, s.rowKind(), plan.ReadsWrites) }
	start := e.b.Let("start", p.place(e.function, loop.Int(0), &loop.ID{Kind: loop.WorkgroupID}))
	e.scanTilesFrom(start, st, e.arguments.rows, memory, memory)
	return e.function
}

func (p *publishedCounts) publish(*tileBody, loop.Expr, loop.Expr) {}

func (p *publishedCounts) before(e *tileBody, digits []ownDigit) (earlier []loop.Expr) {
	memory := e.arguments.buffer(p.buffer, e.rowKind(), plan.Reads)
	for _, d := range digits {
		earlier = append(earlier, e.b.Let("earlier", loop.At(memory, p.place(e.function, e.tile, d.digit))))
	}
	return earlier
}

// polledCounts is look-back with a word per digit. It is 0 at first, then 1 more than
// the count of the tile, then firstPrefix more than the count of all tiles up to it.
type polledCounts struct {
	launches *lookback
	words    string
}

func (p *polledCounts) describe(v *plan.Variant) { p.launches.describe(v) }

func (p *polledCounts) refuse(ranking) error { return p.launches.refuse() }

func (p *polledCounts) forward() plan.Forward {
	if p.launches.isStatic() {
		return plan.ForwardStatic
	}
	return plan.ForwardTicket
}

func (p *polledCounts) eachTile(_ ranking, e *tileBody, body func()) { p.launches.eachTile(e, body) }

func (p *polledCounts) prepare(s ranking) {
	p.words = s.fresh(s.Name + "_status")
	s.addBuffer(plan.Buffer{Name: p.words, Kind: plan.Kind(s.countWord().String()), Role: plan.Status,
		Length: plan.Mul(plan.Max(s.tiles, plan.Const(1)), plan.Const(s.ranks.digits))})
	p.launches.addTickets()
	s.addAbort()
}

// countWord is the kind of words that are polled.
func (k *kernel) countWord() ir.Kind {
	if k.long {
		return ir.U64
	}
	return ir.U32
}

// firstPrefix is the least word that holds the count of all tiles up to one.
func (k *kernel) firstPrefix() loop.Expr { return number(k.countWord(), k.rows()+2) }

// place returns where the word of a digit in a tile lies.
func (p *polledCounts) place(e *tileBody, tile, digit loop.Expr) (memory *loop.Var, at loop.Expr) {
	return e.arguments.buffer(p.words, e.countWord(), plan.ReadsWrites), e.counterAt(tile, loop.Int(e.ranks.digits), digit)
}

// store publishes a count.
func (p *polledCounts) store(e *tileBody, digit, count, from loop.Expr) {
	memory, at := p.place(e, e.tile, digit)
	e.b.AtomicOld("former", loop.AtomicExchange, memory, at, loop.Add(loop.ToKind(e.countWord(), count), from))
}

func (p *polledCounts) publish(e *tileBody, digit, count loop.Expr) {
	p.store(e, digit, count, loop.Choose(loop.Eq(e.tile, loop.Int(0)), e.firstPrefix(), number(e.countWord(), 1)))
}

// before walks back over the earlier tiles until each digit has met one that knows the
// count of all up to it. The tile's own words of that kind follow.
func (p *polledCounts) before(e *tileBody, digits []ownDigit) (earlier []loop.Expr) {
	nothing := number(e.countWord(), 0)
	isBehind := e.b.Let("is_behind", loop.Gt(e.tile, loop.Int(0)))
	var sums, walks []*loop.Var // of each digit: what it has met, and whether it goes on
	goesOn := loop.Expr(loop.False)
	for _, d := range digits {
		walk := loop.Expr(isBehind)
		if d.exists != nil {
			walk = loop.And(d.exists, isBehind)
		}
		sums, walks = append(sums, e.b.Decl("earlier", nothing)), append(walks, e.b.Decl("walks", walk))
		goesOn = loop.Or(goesOn, walks[len(walks)-1])
	}
	polled := e.b.Decl("polled", loop.Sub(e.tile, loop.Int(1)))
	spins, waiting := e.b.Decl("spins", loop.Int(0)), e.b.Decl("waiting", loop.True)
	e.b.While(goesOn, func() {
		isThere := loop.Expr(loop.True)
		var words []loop.Expr
		for i, d := range digits {
			memory, at := p.place(e, polled, d.digit)
			words = append(words, e.b.Let("word", loop.VolatileAt(memory, at)))
			isThere = loop.And(isThere, loop.Or(loop.Not(walks[i]), loop.Ne(words[i], nothing)))
		}
		e.b.If(isThere, func() {
			for i, x := range words {
				isPrefix := e.b.Let("is_prefix", loop.Ge(x, e.firstPrefix()))
				count := loop.Sub(x, loop.Choose(isPrefix, e.firstPrefix(), number(e.countWord(), 1)))
				e.b.Assign(sums[i], loop.Add(sums[i], loop.Choose(walks[i], count, nothing)))
				e.b.Assign(walks[i], loop.And(walks[i], loop.Not(isPrefix)))
			}
			e.b.Assign(polled, loop.Sub(polled, loop.Int(1)))
		}, func() {
			p.launches.wait(e.function, spins, waiting)
			for _, walk := range walks {
				e.b.Assign(walk, loop.And(walk, waiting))
			}
		})
	})
	for i, d := range digits {
		d.If(e.b, func() {
			e.b.If(isBehind, func() {
				p.store(e, d.digit, loop.Add(sums[i], loop.ToKind(e.countWord(), d.count)), e.firstPrefix())
			}, nil)
		})
		earlier = append(earlier, e.b.Let("earlier", loop.ToKind(e.rowKind(), sums[i])))
	}
	return earlier
}

package main

// schemes are bugs in how folds reach other tiles, blocks and work-items.
var schemes = []Mutant{
	{Name: "no tail guard of rows", File: "backends/simt/emission.go", Device: "emulated",
		Old: "e.b.If(loop.Lt(at, e.count), func() { e.block(0) }, nil)",
		New: "e.b.If(loop.Le(at, e.count), func() { e.block(0) }, nil)"},
	{Name: "the last tile is whole", File: "backends/simt/launches.go", Device: "emulated",
		Old: "loop.Choose(loop.Lt(rest, loop.Int(size)), rest, loop.Int(size))",
		New: "loop.Choose(loop.Lt(rest, loop.Int(0)), rest, loop.Int(size))"},
	{Name: "the scan of tiles reads past the end", File: "backends/simt/launches.go", Device: "emulated",
		Old: `e.b.If(loop.Lt(at, tiles), func() {
			for j := range mine`,
		New: `e.b.If(loop.Le(at, tiles), func() {
			for j := range mine`},
	{Name: "no barrier behind the ticket", File: "backends/simt/lookback.go", Device: "emulated",
		Old: `e.b.Barrier(loop.GroupScope)
	return e.b.Let("tile"`,
		New: `return e.b.Let("tile"`},
	{Name: "look-back walks one window", File: "backends/simt/lookback.go", Device: "emulated",
		Old: "loop.Choose(loop.Lt(last, loop.Int(window)), loop.Int(-1), loop.Sub(before, loop.Int(window)))",
		New: "loop.Int(-1)"},
	{Name: "replay is inclusive", File: "backends/simt/rows.go", Device: "emulated",
		Old: `if !op.Exclusive {
		e.advance(e.running, i, leaves)`,
		New: `if true {
		e.advance(e.running, i, leaves)`},
	{Name: "the first neighbour is missing", File: "backends/simt/rows.go", Device: "emulated",
		Old: "at, exists := loop.Sub(e.row, loop.Int(distance)), loop.Ge(e.row, loop.Int(distance))",
		New: "at, exists := loop.Sub(e.row, loop.Int(distance)), loop.Gt(e.row, loop.Int(distance))"},
	{Name: "the last neighbour is missing", File: "backends/simt/rows.go", Device: "emulated",
		Old: "loop.Lt(e.row, loop.Sub(length, loop.Int(-distance)))",
		New: "loop.Lt(e.row, loop.Sub(length, loop.Int(1-distance)))"},
	{Name: "gathers reach one row too far", File: "backends/simt/rows.go", Device: "emulated",
		Old: "inside := loop.Lt(loop.ToKind(ir.U64, at), loop.ToKind(ir.U64, e.elementsOf(op.Stream)))",
		New: "inside := loop.Le(loop.ToKind(ir.U64, at), loop.ToKind(ir.U64, e.elementsOf(op.Stream)))"},
	{Name: "a failed check keeps the last row", File: "backends/simt/rows.go", Device: "emulated",
		Old: "e.b.Atomic(loop.AtomicMin, errors, loop.Int(int64(op.Site))",
		New: "e.b.Atomic(loop.AtomicMax, errors, loop.Int(int64(op.Site))"},
	{Name: "a check is recorded by a plain store", File: "backends/simt/rows.go", Device: "emulated",
		Old: "e.b.Atomic(loop.AtomicMin, errors, loop.Int(int64(op.Site)), loop.ToKind(ir.I64, e.expr(op.Args[1])))",
		New: "e.b.Store(errors, loop.Int(int64(op.Site)), loop.ToKind(ir.I64, e.expr(op.Args[1])))"},
	{Name: "a chain adds blocks in the wrong order", File: "backends/gocpu/driver.go", Device: "gocpu",
		Old: "backends.Combine(d.Ops[s.op].Monoid.Combine[s.field], now, block)",
		New: "backends.Combine(d.Ops[s.op].Monoid.Combine[s.field], block, now)"},
	{Name: "blocks lose their last row", File: "templates/gosupport/support.go", Device: "gocpu",
		Old: "b.hi = min(b.chain.rows-b.lo, b.chain.block) + b.lo",
		New: "b.hi = min(b.chain.rows-b.lo, b.chain.block) + b.lo - 1"},
	{Name: "blocks do not wait", File: "templates/gosupport/support.go", Device: "gocpu",
		Old: `for c.finished.Load() != b.number {
		c.turn.Wait()
	}`,
		New: `if c.finished.Load() < 0 {
		c.turn.Wait()
	}`},
	{Name: "two dependent prefixes in parallel", File: "backends/gocpu/driver.go", Device: "gocpu",
		Old: `if len(k.analysis.Cuts) > 1 {
		return false`,
		New: `if len(k.analysis.Cuts) > 2 {
		return false`},
	{Name: "tables are shared by workers", File: "backends/gocpu/driver.go", Device: "gocpu",
		Old: "if op.Kind == tile.Update || op.Kind == tile.Reduce",
		New: "if op.Kind == tile.Reduce"},
	{Name: "ranges lose their last row", File: "templates/gosupport/support.go", Device: "gocpu",
		Old: "body(worker, lo, min(rows-lo, size)+lo)",
		New: "body(worker, lo, min(rows-lo, size)+lo-1)"},
}

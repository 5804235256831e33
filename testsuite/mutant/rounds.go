package main

// Where groups walk in rounds, few rows fill several of them: groups of two
// subgroups that take rows, of which the emulation runs four at once.
const (
	fewRounds  = "scheme=round,workgroup=160,items=1,lookahead=2,ring=4"
	walkedRows = "1,tile+1,36tile+5" // up to 9 rounds
)

// rounds are bugs in how groups walk over the rows together.
var rounds = []Mutant{
	{Name: "a stage of the ring is refilled a round early", File: "backends/simt/round.go",
		Old: `loop.Ge(loop.Sub(at, groups), loop.Int(0)))
			e.b.If(loop.And(brings, mayBring), func() {
				s.bring(e, freed, e.b.Let("next", loop.Add(at, loop.Mul(groups, loop.Int(ring-1)))))`,
		New: `hasTile)
			e.b.If(loop.And(brings, mayBring), func() {
				s.bring(e, stage, e.b.Let("next", loop.Add(at, loop.Mul(groups, loop.Int(ring)))))`,
		Programs: "scan_by_runs"},
	{Name: "another stage of the ring is refilled", File: "backends/simt/round.go",
		Old:      `e.b.Decl("freed", loop.Int(ring-int64(r.lookahead)-1))`,
		New:      `e.b.Decl("freed", loop.Int(ring-int64(r.lookahead)))`,
		Programs: "prefix_scans"},
	{Name: "a copy brings the tile after the next", File: "backends/simt/round.go",
		Old:      `loop.Add(at, loop.Mul(groups, loop.Int(ring-1)))`,
		New:      `loop.Add(at, loop.Mul(groups, loop.Int(ring)))`,
		Programs: "prefix_scans"},
	{Name: "folds are overwritten in the round that needs them", File: "backends/simt/round.go",
		Old:      `slots, ring := int64(r.lookahead+2), int64(r.ring)`,
		New:      `slots, ring := int64(r.lookahead), int64(r.ring)`,
		Programs: "scan_by_runs"},
	{Name: "prefixes of all rounds share a place", File: "backends/simt/round.go",
		Old:      `e.b.Assign(turn, loop.Sub(loop.Int(1), turn))`,
		New:      `e.b.Assign(turn, turn)`,
		Programs: "prefix_scans"},
	{Name: "a tile is gone on with a round early", File: "backends/simt/round.go",
		Old:      `back := loop.Mul(groups, loop.Int(int64(r.lookahead)))`,
		New:      `back := loop.Mul(groups, loop.Int(int64(r.lookahead-1)))`,
		Programs: "prefix_scans"},
	{Name: "what a front left comes a round early", File: "backends/simt/round.go",
		Old:      `s.back(e, st, at, fold, turn, left[0])`,
		New:      `s.back(e, st, at, fold, turn, left[1])`,
		Programs: "prefix_scans"},
	{Name: "the parity of a stage stays", File: "backends/simt/round.go",
		Old:      `e.b.Assign(parity, loop.Sub(number(ir.U32, 1), parity))`,
		New:      `e.b.Assign(parity, parity)`,
		Programs: "prefix_scans"},
	{Name: "a copy is expected without the row before", File: "backends/simt/round.go",
		Old:      `bytes = loop.Add(bytes, sizeOf(i))`,
		New:      `bytes = loop.Add(bytes, number(ir.U32, rows*int64(s.Streams[i].Kind.Size())))`,
		Programs: "last_of_runs"},
	{Name: "the last tile is waited for as if it were whole", File: "backends/simt/roundtile.go",
		Old:      `e.window.copied = loop.Lt(turn, e.window.whole)`,
		New:      `e.window.copied = loop.Le(turn, e.window.whole)`,
		Programs: "prefix_scans"},
	{Name: "no barrier behind columns that a subgroup brings itself", File: "backends/simt/roundtile.go",
		Old:      "e.deal(i)\n\t\t\t}\n\t\t}\n\t\te.barrier()",
		New:      "e.deal(i)\n\t\t\t}\n\t\t}",
		Programs: "last_of_runs"},
	{Name: "the row before a tile is its first", File: "backends/simt/stage.go",
		Old:      `fromWord(kind, loop.At(pool, loop.Sub(own, loop.Int(1))))`,
		New:      `fromWord(kind, loop.At(pool, own))`,
		Programs: "last_of_runs"},
	{Name: "subgroups before have this one's fold, too", File: "backends/simt/roundtile.go",
		Old:      `before := e.choose(loop.Eq(e.lane, loop.Int(0)), st.identities(), e.shuffle(st, shuffleUp, folds, loop.Int(1)))`,
		New:      `before := folds`,
		Programs: "prefix_scans"},
	{Name: "a group tells the fold of its first subgroup", File: "backends/simt/roundtile.go",
		Old:      `e.b.If(loop.Eq(e.lane, loop.Int(teams-1)), func() {`,
		New:      `e.b.If(loop.Eq(e.lane, loop.Int(0)), func() {`,
		Programs: "prefix_scans"},
	{Name: "the round between comes before the earlier ones", File: "backends/simt/roundtile.go",
		Old:      `e.assignAll(carry, e.combine(st, exprsOf(carry), whole))`,
		New:      `e.assignAll(carry, e.combine(st, whole, exprsOf(carry)))`,
		Programs: "scan_by_runs"},
	{Name: "subgroups before come before earlier tiles", File: "backends/simt/roundtile.go",
		Old:      `e.combine(st, e.loadState(w.prefixes, side), e.loadState(w.offsets, place))`,
		New:      `e.combine(st, e.loadState(w.offsets, place), e.loadState(w.prefixes, side))`,
		Programs: "scan_by_runs"},
	{Name: "the round at hand is asked for", File: "backends/simt/roundtile.go",
		Old:      `first := e.b.Let("first", loop.Sub(turn, groups))`,
		New:      `first := e.b.Let("first", turn)`,
		Programs: "prefix_scans"},
	{Name: "no barrier between what was asked and its reader", File: "backends/simt/roundtile.go",
		Old:      "e.b.Barrier(loop.SubgroupScope)\n\tfold := e.declare(st, st.identities())",
		New:      "fold := e.declare(st, st.identities())",
		Programs: "prefix_scans"},
	{Name: "no barrier between numbers of picked rows and their reader", File: "backends/simt/roundtile.go",
		Old:      "e.barrier()\n\t\t\treturn earlier",
		New:      "return earlier",
		Programs: "picked_rows"},
	{Name: "rows behind the last one picked of a subgroup do not count", File: "backends/simt/roundtile.go",
		Old:      `loop.Add(since, loop.ToKind(slot.kind, behind))`,
		New:      `loop.Add(since, loop.ToKind(slot.kind, loop.Sub(behind, behind)))`,
		Programs: "run_length_encode"},
}

func init() {
	for i := range rounds {
		rounds[i].Device, rounds[i].Schedule = "cudaemu:check", fewRounds
	}
}

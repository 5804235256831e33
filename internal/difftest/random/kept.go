package random

import "github.com/kgen-go/kgen/ir"

// keptGroups makes groups of neighbours, of which a mask over their aggregates keeps some, and then
// groups of those that are kept, which another mask selects from: masks over groups of
// masks over groups.
func keptGroups(g *generator) {
	key := g.over(ir.I32, g.domains[0])
	if key == nil || key.isScalar() {
		return
	}
	for range 1 + g.r.IntN(3) {
		by := g.grouping(g.add(value{op: ir.OpRuns, kind: ir.I64, domain: key.domain, scans: true}, []string{"runs($1 >> 2)", "runs($1 & 3)", "runs($1)"}[g.r.IntN(3)], key), true)
		rows := g.add(value{op: ir.OpCount, kind: ir.I64, domain: by.target}, "count(by: $1)", by)
		total := g.add(value{op: ir.OpSum, kind: ir.I64, domain: by.target}, "sum(i64($1), by: $2)", key, by)
		begin := g.add(value{op: ir.OpFirst, kind: ir.I32, domain: by.target, target: key.target}, "first($1, by: $2)", key, by)
		isKept := g.named(g.add(value{op: ir.OpLogicalOr, kind: ir.Bool, domain: by.target}, []string{"$1 > 1 || $2 < -9", "$1 & 1 == 1 || $2 > 0", "$2 < 0 && $1 < 3"}[g.r.IntN(3)], rows, total))
		d := g.compacted(isKept)
		if g.r.IntN(2) == 0 {
			g.compaction(rows, isKept, d)
		}
		if g.r.IntN(2) == 0 {
			kept := g.compaction(total, isKept, d)
			g.add(value{op: ir.OpScan, kind: ir.I64, domain: d}, "scan(add, $1)", kept)
		}
		key = g.compaction(begin, isKept, d)
	}
}

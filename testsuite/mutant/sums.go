package main

// sums are bugs in reproducible float sums.
var sums = []Mutant{
	{Name: "a reproducible sum lacks the third slice", File: "fuse/expand_sum.go", Device: "emulated", Programs: "reproducible_sums",
		Old: "fold(column.integer[2]), scale, kind)",
		New: "s.choose(s.apply(ir.OpEq, column.width, s.number(0)), fold(column.integer[2]), s.number(0)), scale, kind)"},
	{Name: "slices of a row are cut at a wrong bit", File: "fuse/expand_sum.go", Device: "emulated", Programs: "reproducible_sums",
		Old: "math.Ldexp(1.5, mantissaBits+3-(i+1)*widest)",
		New: "math.Ldexp(1.5, mantissaBits+4-(i+1)*widest)"},
	{Name: "a reproducible f32 is rounded twice", File: "fuse/expand_sum.go", Tests: "./internal/difftest -run TestReproducibleSums",
		Old: "if k == ir.F32 {",
		New: "if k == ir.F32 && oddBit == 0 {"},
	{Name: "what reproducible sums drop is not sticky", File: "fuse/expand_sum.go", Tests: "./internal/difftest -run TestReproducibleSums",
		Old: "top = s.apply(ir.OpOr, top, unsigned(sticky))",
		New: "top = s.apply(ir.OpOr, top, s.apply(ir.OpAnd, unsigned(sticky), word(0)))"},
	{Name: "a negative reproducible sum has no borrow", File: "fuse/expand_sum.go", Device: "gocpu", Programs: "reproducible_sums",
		Old: "s.apply(ir.OpAdd, s.apply(ir.OpComplement, top), borrow)",
		New: "s.apply(ir.OpOr, s.apply(ir.OpComplement, top), s.apply(ir.OpAnd, borrow, word(0)))"},
	{Name: "infinities of a reproducible sum are dropped", File: "fuse/expand_sum.go", Tests: "./internal/difftest -run TestReproducibleSums",
		Old: "isFinite := s.apply(ir.OpEq, special, s.float(0))",
		New: "isFinite := s.apply(ir.OpEq, special, special)"},
	{Name: "reproducible sums are plain ones", File: "fuse/expand_sum.go", Device: "gocpu", Programs: "reproducible_sums",
		Old: "if !slices.ContainsFunc(p.Values, p.IsReproducible) {",
		New: "if !slices.ContainsFunc(p.Values, p.IsReproducible) || p.Reproducible {"},
}

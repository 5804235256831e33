package main

// claimedTest partitions rows of which any order will do.
const claimedTest = "./testsuite/cuda -run ^TestCUDAEmulationClaimed$"

// claims are bugs in rows that move in any order, and in words.
var claims = []Mutant{
	{Name: "tiles claim the same places", File: "internal/simt/ranking_claim.go", Tests: claimedTest,
		Old: "memory, d.digit, d.count))",
		New: "memory, d.digit, number(ir.U32, 0)))"},
	{Name: "counts of a tile are those of all before, too", File: "internal/simt/ranking_claim.go", Tests: claimedTest,
		Old: "	r.b.Store(r.counts, digit, number(ir.U32, 0))\n",
		New: ""},
	{Name: "rows that are counted together come one too late", File: "internal/simt/ranking_claim.go", Tests: claimedTest,
		Old: "subgroup.before(lanes)",
		New: "subgroup.upTo(lanes)"},
	{Name: "rows of other digits are counted with those of the first", File: "internal/simt/ranking_claim.go", Tests: claimedTest,
		Old: "return loop.Choose(isShared, loop.Add(first, earlier), rank)",
		New: "return loop.Add(first, earlier)"},
	{Name: "two rows that share a word have one place", File: "internal/simt/ranking_claim.go", Tests: claimedTest,
		Old: "loop.Apply(ir.OpShl, rank, shift)",
		New: "rank"},
	{Name: "rows are counted before the counters are clear for the first tile", File: "internal/simt/ranking_walk.go", Tests: claimedTest,
		Old: "r.eachDigit(func(digit loop.Expr) { r.b.Store(r.counts, digit, number(ir.U32, 0)) })",
		New: "r.eachDigit(func(loop.Expr) { _ = number(ir.U32, 0) })"},
	{Name: "sums of floats take rows in any order", File: "fuse/expand_partition.go", Tests: claimedTest,
		Old: "return arg.Type.Kind.IsFloat()",
		New: "return false"},
	{Name: "the first row of a group may be any", File: "fuse/expand_partition.go", Tests: claimedTest,
		Old: "return !isKey(user.Args[0])",
		New: "return isKey == nil"},
	{Name: "the number of a row is that of another", File: "fuse/expand_partition.go", Tests: claimedTest,
		Old: "!user.Op.IsAggregate() || user.Op.Aggregate().GivesRow()",
		New: "!user.Op.IsAggregate()"},
	{Name: "ties of a second key forget the first", File: "fuse/expand_order.go", Tests: claimedTest,
		Old: "o.anyOrder = false",
		New: "_ = o.anyOrder"},
	{Name: "a value that moves with its key loses a bit", File: "fuse/expand_partition.go", Tests: claimedTest,
		Old: "o.integer(word, numberBits)",
		New: "o.integer(word, numberBits+1)"},
	{Name: "pairs of places are for partitioned rows of few groups", File: "internal/simt/places.go", Tests: "./testsuite/tables -run ^TestPlacesFitTheSample$",
		Old: "in.parts != (op.PartBits > 0) || ",
		New: ""},
	{Name: "a group is numbered with its own bit", File: "internal/simt/group_parts.go", Tests: highBitsTest,
		Old: "loop.Sub(bit, number(ir.U32, 1))",
		New: "bit"},
	{Name: "folds of more groups than have room are those of the first", File: "internal/simt/group_parts.go", Tests: highBitsTest,
		Old: "loop.Sub(loop.ToCounter(loop.Add(before, loop.ToKind(ir.U32, bits))), g.from)",
		New: "loop.ToCounter(loop.Add(before, loop.ToKind(ir.U32, bits)))"},
	{Name: "tables of parts leave no room for what else lies in local memory", File: "internal/simt/group_parts.go", Tests: "./testsuite/tables -run ^TestPartsFitLocalMemory$",
		Old: "s.parts.bytes+scanBytes > ownBudget",
		New: "s.parts.bytes > ownBudget"},
}

// highBitsTest is the test of groups of parts by the high bits of their keys.
const highBitsTest = "./testsuite/tables -run ^TestGroupsByHighBits$/^sums$"

package main

// partials are bugs in pipelines of shards.
var partials = []Mutant{
	{Name: "the later of equal groups of shards are dropped", File: "templates/internal/gosupport/partial.go", Tests: "./templates/internal/gosupport -run ^TestFoldPairs$",
		Old: "all[i] = fold(groups[pair.earlier], later[pair.later])\n\t\tdefault:",
		New: "all[i] = groups[pair.earlier]\n\t\tdefault:"},
	{Name: "a group of no kept row wins over rows of the earlier shard", File: "templates/internal/gosupport/partial.go", Tests: "./templates/internal/gosupport -run ^TestFoldPairs$",
		Old: "later[pair.later], rows[pair.earlier], laterRows[pair.later], fold)",
		New: "later[pair.later], rows[pair.earlier], rows[pair.earlier], fold)"},
	{Name: "NaN is the least key of groups in shards", File: "templates/internal/gosupport/partial.go", Tests: "./templates/internal/gosupport -run ^TestFoldPairs$",
		Old: "return kgenOrderBools(kgenIsNaN(a), kgenIsNaN(b))",
		New: "return kgenOrderBools(kgenIsNaN(b), kgenIsNaN(a))"},
	{Name: "groups of shards are compared by one key", File: "backends/gocpu/partial_type.go", Tests: "./testsuite/emitted -run ^TestPartialsOfGroups$",
		Old: "for i, key := range grouping.Keys {\n\t\tcompare",
		New: "for i, key := range grouping.Keys[len(grouping.Keys)-1:] {\n\t\tcompare"},
	{Name: "a group has the key of its last shard", File: "internal/partial/build.go", Tests: "./testsuite/emitted -run ^TestPartialsOfGroups$",
		Old: "Kind: key.Type.Kind, Fold: ir.ReduceFirst",
		New: "Kind: key.Type.Kind, Fold: ir.ReduceLast"},
}

package main

// joins are bugs in joins that need no table.
var joins = []Mutant{
	{Name: "the least key is searched for as the greatest", File: "fuse/expand_merge.go", Tests: "./testsuite -run ^TestProbes$",
		Old: "begin = o.choose(isLeast, begin, before)",
		New: "_, begin = isLeast, before"},
	{Name: "a later word finds rows of any earlier one", File: "fuse/expand_merge.go", Device: "vector", Programs: "join_two_keys", Schedule: "probe=sort",
		Old: "end = search(x, begin, end)",
		New: "end = search(x, begin, o.length(s.order))"},
	{Name: "sorted words are searched from the last one on", File: "fuse/expand_merge.go", Device: "vector", Programs: "join_two_keys", Schedule: "probe=sort",
		Old: "	slices.Reverse(words)\n",
		New: ""},
	{Name: "a row is found where its keys would be", File: "fuse/expand_merge.go", Device: "vector", Programs: "find_two_keys", Schedule: "probe=sort",
		Old: "isFound := o.apply(ir.OpLt, begin, end)",
		New: "isFound := o.apply(ir.OpLe, begin, end)"},
}

package fuse

import "testing"

// Columns that two ways make have the memory of the result. A kernel of one way that reads
// both the result and what its way makes has one stream of that memory, or is invalid.
func TestOneNameInAWay(t *testing.T) {
	for _, results := range []string{"sum(g, by: g)", "max(g, by: g)", "sum(g, by: g), n: count(by: g), k: first(k[keep], by: g)", "sum(g, by: g), of: g"} {
		g := graphOf(t, "k: [n]i64, keep: [n]bool", "g = groups(k[keep])\n\treturn x: "+results, Options{Hash: 2})
		for _, level := range Levels {
			program(t, g, level) // which verifies kernels
		}
	}
}

package simt

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/plan"
)

// Lengths that many rows of one launch have are added up by neighbours, whatever bytes they take; a kernel with a
// prefix adds up runs.
func TestStretches(t *testing.T) {
	for text, want := range map[string]string{
		"pipeline p(x: [n]i32) {\n\treturn r: repeat(x)\n}\n":                           "stretch_sums",
		"pipeline p(x: [n]u8) {\n\treturn r: repeat(x)\n}\n":                            "stretch_sums",
		"pipeline p(x: [n]u16) {\n\treturn r: repeat(x)\n}\n":                           "stretch_sums",
		"pipeline p(x: [n]i32) {\n\treturn r: repeat(x), s: scan(add, x)\n}\n":          "aggregate[run]",
		"pipeline p(x: [n]i64) {\n\tb = bins(x & 3, 4)\n\treturn s: sum(x, by: b)\n}\n": "",
	} {
		for _, target := range []Target{{Subgroup: SubgroupOf(32)}, {}} {
			program := compiled(t, text, compile.Options{Level: fuse.LevelOnePass, Options: fuse.Options{Short: true, Lengths: true}})
			lowered, err := target.Lower(program, plan.Schedule{})
			if err != nil {
				t.Fatal(err)
			}
			first := lowered.Kernels[0].String()
			for _, way := range []string{"stretch_sums", "aggregate[run]"} {
				if got := strings.Contains(first, way); got != (way == want) {
					t.Errorf("%s\nsubgroups of %d: %s: %t in\n%s", text, target.Subgroup.Width, way, got, first)
				}
			}
		}
	}
}

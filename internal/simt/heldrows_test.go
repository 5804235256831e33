package simt

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/plan"
)

// A work-item reads vectors of rows that it only folds, and rows of its own one by one where they are stored, too: then
// neighbours store neighbours.
func TestHeldRowsThatAreStored(t *testing.T) {
	for text, vectors := range map[string]bool{
		"pipeline p(x: [n]i32) {\n\treturn s: sum(x)\n}\n":                                       true,
		"pipeline p(x: [n]i32) {\n\treturn s: sum(x), y: x + 1\n}\n":                             false,
		"pipeline p(x: [n]i32) {\n\tb = bins(x & 3, 4)\n\treturn c: count(by: b)\n}\n":           true,
		"pipeline p(x: [n]i32) {\n\tb = bins(x & 3, 4)\n\treturn c: count(by: b), y: x * 3\n}\n": false,
	} {
		program := compiled(t, text, compile.Options{Level: fuse.LevelOnePass, Options: fuse.Options{Short: true}})
		lowered, err := Target{Subgroup: SubgroupOf(32)}.Lower(program, plan.Schedule{})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(lowered.Kernels[0].String(), "wide x["); got != vectors {
			t.Errorf("%s\nvectors: %t in\n%s", text, got, lowered.Kernels[0])
		}
	}
}

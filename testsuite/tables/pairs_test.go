package tables_test

import (
	"testing"

	"github.com/kgen-go/kgen/backends/gocpu"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/ir"
)

// TestPairsCountedAndSummed adds up the pairs of a join beside their number. The sum is a scalar that a kernel
// sets in one branch of emitted Go, for right keys that are unique, and another kernel in a later branch, for others.
func TestPairsCountedAndSummed(t *testing.T) {
	text := `pipeline pairs(k: [n]i32, k2: [m]i32, w: [m]i32) {
	j = join(k, k2)
	return pairs: len(j.left), total: sum(w[j.right])
}`
	options := compile.Options{Options: fuse.Options{Bins: -1, Hash: gocpu.Hash, Entered: true, Cores: true, HashGroups: gocpu.HashGroups}}
	device, pipelines := emittedDevice(t, map[string]string{"pairs": text}, options)
	for what, of := range map[string]int{"unique right keys": 300, "two rows each": 150} {
		in := []ir.Column{ir.NewColumn(ir.I32, 200), ir.NewColumn(ir.I32, 300), ir.NewColumn(ir.I32, 300)}
		for row := range 300 {
			if row < 200 {
				in[0].Set(row, ir.Int(ir.I32, int64(2*row)))
			}
			in[1].Set(row, ir.Int(ir.I32, int64(row%of)))
			in[2].Set(row, ir.Int(ir.I32, int64(row+1)))
		}
		agreeGroups(t, device, pipelines["pairs"], what, in)
	}
}

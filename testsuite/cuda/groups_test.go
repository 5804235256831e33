package cuda

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/backends/cuda"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/irtest"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
)

// TestGroupsOfParts groups rows of parts of very different sizes, some of which are of several work-groups, and rows whose neighbours have their key,
// which a warp folds together. No fold of narrow numbers shares a word with what nobody has written.
func TestGroupsOfParts(t *testing.T) {
	const rows, groups, parts = 30_000, 6_000, 60
	e := emulator{newEmulator(t, checked)}
	p := irtest.Load(t, "pipeline folds(k: [n]i32, x: [n]i32) {\n\ty = i8(x & 127) - 64\n\tg = groups(k)\n"+
		"\treturn least: min(y, by: g), total: sum(y, by: g), key: max(k, by: g), rows: count(by: g)\n}\n")
	program, _, err := compile.Compile(p, compile.Options{Level: fuse.LevelOnePass, Options: fuse.Options{Short: true, Bins: 16, Hash: 2, HashGroups: 4, Partitions: true, Sample: 16}})
	if err != nil {
		t.Fatal(err)
	}
	made, err := cuda.Emitter().Make(program, plan.Schedule{Workgroup: 32})
	if err != nil {
		t.Fatal(err)
	}
	grouping := kerneltest.KernelWith(program.Kernels, (*tile.Op).GroupsParts)
	if grouping == "" || !strings.Contains(fmt.Sprint(made.Texts()), grouping+"_fold") {
		t.Fatal("no kernel groups the rows of parts, or none those of large ones")
	}
	random := rand.New(rand.NewPCG(1, 2))
	for what, groupOf := range map[string]func(row int) int{
		"most of one group": func(int) int { return max(random.IntN(5*groups)-4*groups, 0) },
		"clustered":         func(row int) int { return row * (groups / 8) / rows },
	} {
		k, x := ir.NewColumn(ir.I32, rows), ir.NewColumn(ir.I32, rows)
		for i := range rows {
			group := groupOf(i)
			part := group * 7919 % parts * (1 << 16 / parts)
			k.Set(i, ir.Int(ir.I32, int64(int32(part<<16|group*40503&0xffff))))
			x.Set(i, ir.Int(ir.I32, int64(random.IntN(1<<20))))
		}
		kerneltest.Agree(t, made.Plan, e.Runner(made), p, what, []ir.Column{k, x})
	}
}

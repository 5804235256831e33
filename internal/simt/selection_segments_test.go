package simt

import (
	"slices"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// TestFoldsReplaceColumns holds that sums of 8 bytes over a column of 4 lie where the column was,
// half of a tile's rows at a time, so that local memory is left for more work-groups.
func TestFoldsReplaceColumns(t *testing.T) {
	pipelines, errs := ir.Load("sums.kg", []byte("pipeline sums(k: [n]i32, x: [n]i32) {\n\tg = runs(k)\n\treturn total: sum(x, by: g)\n}\n"))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	program, _, err := compile.Compile(pipelines[0], compile.Options{Level: fuse.LevelOnePass})
	if err != nil {
		t.Fatal(err)
	}
	lowered, err := Target{Subgroup: SubgroupOf(32)}.Lower(program, plan.Schedule{Scheme: SchemeLookback, Workgroup: 128, Items: 12})
	if err != nil {
		t.Fatal(err)
	}
	rows := lowered.Plan.Kernels[0].Variants[0].Schedule.Rows()
	isArena := func(s loop.Stmt) bool {
		d, ok := s.(*loop.Decl)
		return ok && d.Var.Name == arenaName
	}
	body := lowered.Kernels[0].Funcs[0].Body
	at := slices.IndexFunc(body, isArena)
	if at < 0 {
		t.Fatal("the kernel has no arena")
	}
	const row = 4 + 4 + 2 // key, value and the number of a selected row
	if bytes, most := body[at].(*loop.Decl).Var.T.Len*ir.U32.Size(), int(rows)*row*11/10; bytes > most {
		t.Errorf("an arena of %d bytes for %d rows, not %d at most", bytes, rows, most)
	}
}

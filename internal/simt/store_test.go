package simt

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/simt/simttest"
	"github.com/kgen-go/kgen/plan"
)

// TestNumbersTakeHalfWords holds that numbers of rows pass through local memory by two bytes each, whatever
// they are stored as, and that they are those of all rows, not of the tile alone.
func TestNumbersTakeHalfWords(t *testing.T) {
	const rows, workgroup, items = 1500, 64, 8
	program := compiled(t, "pipeline j(key: [n]i32, of: [m]i32) {\n\tj = join(key, of)\n\treturn left: j.left, low: i64(u8(j.left)), right: i32(j.right)\n}\n", compile.Options{Level: fuse.LevelOnePass})
	lowered, err := Target{}.Lower(program, plan.Schedule{Scheme: SchemeLookback, Workgroup: workgroup, Items: items})
	if err != nil {
		t.Fatal(err)
	}
	arena := fmt.Sprintf("var %s local [%d]u32", arenaName, workgroup*items*(2+2+4)/4)
	if !slices.ContainsFunc(lowered.Kernels, func(k *loop.Program) bool {
		return strings.Contains(k.String(), "left[place") && strings.Contains(k.String(), arena)
	}) {
		t.Errorf("no kernel with %q stores left rows", arena)
	}
	key, of := make([]int32, rows), make([]int32, rows)
	for i := range key {
		key[i], of[i] = int32(2*i), int32(rows-i)
	}
	column := func(list []int32) exec.Column {
		return exec.Column{Kind: plan.I32, Data: unsafe.Slice((*byte)(unsafe.Pointer(&list[0])), 4*len(list))}
	}
	result, err := exec.Run(t.Context(), simttest.NewDevice(lowered.Kernels, rand.New(rand.NewPCG(1, 1))), lowered.Plan, exec.Inputs{Columns: map[string]exec.Column{"key": column(key), "of": column(of)}}, exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const pairs = rows / 2 // even keys from 2 to the number of rows
	left, low := unsafe.Slice((*int64)(unsafe.Pointer(&result.Columns["left"].Data[0])), pairs), unsafe.Slice((*int64)(unsafe.Pointer(&result.Columns["low"].Data[0])), pairs)
	for i := range left {
		if want := int64(i + 1); left[i] != want || low[i] != want&255 {
			t.Fatalf("pair %d is of left row %d, %d in a byte, not of %d", i, left[i], low[i], want)
		}
	}
}

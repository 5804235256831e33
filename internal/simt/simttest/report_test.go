package simttest

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// TestReports runs kernels that do something wrong, beside some that almost do.
func TestReports(t *testing.T) {
	u8, u32, i64 := loop.ScalarOf(ir.U8), loop.ScalarOf(ir.U32), loop.ScalarOf(ir.I64)
	byteOf, wordOf := func(n int64) loop.Expr { return loop.ConstOf(ir.Int(ir.U8, n)) }, func(n int64) loop.Expr { return loop.ConstOf(ir.Int(ir.U32, n)) }
	type body func(b *loop.Builder, bytes, words *loop.Var, item loop.Expr)
	only := func(b *loop.Builder, item loop.Expr, which int64, do func()) {
		b.If(loop.Eq(item, loop.Int(which)), do, nil)
	}
	for _, test := range []struct {
		name, want string
		run        body
	}{
		{"two store one element", "which another stores in the same launch", func(b *loop.Builder, _, words *loop.Var, item loop.Expr) { b.Store(words, loop.Int(1), wordOf(7)) }},
		{"each stores its own", "", func(b *loop.Builder, _, words *loop.Var, item loop.Expr) { b.Store(words, item, wordOf(7)) }},
		{"a byte of another's word", "which another", func(b *loop.Builder, bytes, words *loop.Var, item loop.Expr) {
			only(b, item, 0, func() { b.Store(words, loop.Int(1), wordOf(7)) })
			only(b, item, 1, func() { b.Store(bytes, loop.Int(5), byteOf(7)) })
		}},
		{"a byte behind the last word", "", func(b *loop.Builder, bytes, words *loop.Var, item loop.Expr) {
			only(b, item, 0, func() { b.Store(words, loop.Int(1), wordOf(7)) })
			only(b, item, 1, func() { b.Store(bytes, loop.Int(13), byteOf(7)) })
		}},
		{"a word with another's byte, after a barrier", "", func(b *loop.Builder, bytes, words *loop.Var, item loop.Expr) {
			only(b, item, 0, func() { b.Store(bytes, loop.Int(5), byteOf(7)) })
			b.Barrier(loop.WorkgroupScope)
			only(b, item, 1, func() { b.Store(words, loop.Int(1), wordOf(7)) })
		}},
		{"an array that nobody has stored", "which no work-item has stored", func(b *loop.Builder, _, words *loop.Var, item loop.Expr) {
			local := b.Storage("local", loop.ArrayOf(4, u32).In(loop.Local))
			b.Store(words, item, loop.At(local, item))
		}},
		{"an element that nobody has stored", "which no work-item has stored", func(b *loop.Builder, _, words *loop.Var, item loop.Expr) {
			local := b.Storage("local", loop.ArrayOf(4, u32).In(loop.Local))
			b.Store(local, item, wordOf(7))
			b.Store(words, item, loop.At(local, loop.Add(item, loop.Int(2))))
		}},
		{"beyond an array that nobody has stored", "stores local[4] of 4", func(b *loop.Builder, _, words *loop.Var, item loop.Expr) {
			local := b.Storage("local", loop.ArrayOf(4, u32).In(loop.Local))
			b.Store(local, loop.Int(4), wordOf(7))
		}},
		{"beyond a buffer", "stores words[3] of 3", func(b *loop.Builder, _, words *loop.Var, item loop.Expr) { b.Store(words, loop.Int(3), wordOf(7)) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := loop.NewBuilder("kernel")
			b.Kernel(2)
			b.Param("row0", i64)
			b.Param("rows", i64)
			bytes, words := b.Param("bytes", loop.SliceOf(u8)), b.Param("words", loop.SliceOf(u32))
			test.run(b, bytes, words, b.Let("item", &loop.ID{Kind: loop.LocalID}))
			f := b.Func()
			for seed := range uint64(8) { // either may be first
				device := NewDevice([]*loop.Program{{Funcs: []*loop.Func{f}}}, rand.New(rand.NewPCG(seed, seed)))
				memory, err := device.Import(make([]byte, 14)) // no whole number of words
				if err != nil {
					t.Fatal(err)
				}
				err = device.Launch(t.Context(), &exec.Launch{Variant: &plan.Variant{Entry: "kernel", Schedule: plan.Schedule{Workgroup: 2}}, Workgroups: 1, Rows: 2,
					Args: []exec.Arg{{Memory: memory}, {Memory: memory}}})
				if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
					t.Fatalf("seed %d: %v, want %q", seed, err, test.want)
				}
			}
		})
	}
}

package tile_test

import (
	"testing"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// TestBitsOf tells what is known of the bits of integers.
func TestBitsOf(t *testing.T) {
	b := tile.NewBuilder("bits", "n", "n")
	load := func(k ir.Kind) tile.ID { return b.Load(b.Stream(k.String(), k, k.String(), tile.Element, false)) }
	i32, u32, i64, flag := load(ir.I32), load(ir.U32), load(ir.I64), load(ir.Bool)
	constant := func(k ir.Kind, x int64) tile.ID { return b.Const(ir.Int(k, x)) }
	apply := func(op ir.Op, k ir.Kind, args ...tile.ID) tile.ID { return b.Map(0, op, k, "", args...) }
	cast := func(k ir.Kind, x tile.ID) tile.ID { return apply(ir.OpCast, k, x) }
	notNegative := apply(ir.OpGreatest, ir.I32, i32, constant(ir.I32, 0))
	low := apply(ir.OpAnd, ir.I64, i64, constant(ir.I64, 1<<12-1))
	for _, c := range []struct {
		name string
		x    tile.ID
		want int
	}{
		{"i32", i32, 64}, {"u32", u32, 32}, {"i64", i64, 64},
		{"7", constant(ir.I64, 7), 3}, {"-7", constant(ir.I64, -7), 64}, {"-7 of 32 bits", constant(ir.I32, -7), 64},
		{"i64(i32)", cast(ir.I64, i32), 64}, {"i64(u32)", cast(ir.I64, u32), 32}, {"i32(u32)", cast(ir.I32, u32), 64}, {"u32(i64)", cast(ir.U32, i64), 32},
		{"i64(greatest(i32, 0))", cast(ir.I64, notNegative), 31}, {"greatest(i32, -7)", apply(ir.OpGreatest, ir.I32, i32, constant(ir.I32, -7)), 64},
		{"i64 & 4095", low, 12}, {"least(i64, 7)", apply(ir.OpLeast, ir.I64, i64, constant(ir.I64, 7)), 64}, {"least(i64 & 4095, 7)", apply(ir.OpLeast, ir.I64, low, constant(ir.I64, 7)), 3},
		{"select(flag, i64 & 4095, i64(u32))", apply(ir.OpSelect, ir.I64, flag, low, cast(ir.I64, u32)), 32}, {"select(flag, i64 & 4095, i64)", apply(ir.OpSelect, ir.I64, flag, low, i64), 64},
		{"i64 + 1", apply(ir.OpAdd, ir.I64, low, constant(ir.I64, 1)), 64},
	} {
		if got := b.Kernel.BitsOf(c.x); got != c.want {
			t.Errorf("%s has %d bits, want %d", c.name, got, c.want)
		}
	}
}

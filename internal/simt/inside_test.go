package simt

import (
	"testing"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
)

// A place is a number of 32 bits if it cannot be another one than these and -1.
func TestShortPlace(t *testing.T) {
	variable := func(k ir.Kind) loop.Expr { return &loop.Var{Name: "x", T: loop.ScalarOf(k)} }
	wide := func(k ir.Kind) loop.Expr { return loop.ToKind(ir.I64, variable(k)) }
	none, is := number(ir.I64, -1), variable(ir.Bool)
	for _, c := range []struct {
		name string
		at   loop.Expr
		want bool
	}{
		{"u32", wide(ir.U32), true},
		{"u8", wide(ir.U8), true},
		{"i32", wide(ir.I32), false}, // may be -2
		{"u64", wide(ir.U64), false},
		{"i64", variable(ir.I64), false},
		{"none", none, true},
		{"less than none", number(ir.I64, -2), false},
		{"the greatest", number(ir.I64, 1<<32-2), true},
		{"what stands for none", number(ir.I64, 1<<32-1), false},
		{"u32 or none", loop.Choose(is, wide(ir.U32), none), true},
		{"i64 or none", loop.Choose(is, none, variable(ir.I64)), false},
		{"one of three", loop.Choose(is, loop.Choose(is, none, wide(ir.U16)), wide(ir.U32)), true},
	} {
		short, ok := shortPlaces{}.place(c.at)
		if ok != c.want || ok && short.Type().Kind != ir.U32 {
			t.Errorf("%s: %v", c.name, ok)
		}
	}
	if x, ok := (shortPlaces{}).place(none); !ok || x.(*loop.Const).Value.Int64() != 1<<32-1 {
		t.Error("-1 is not the greatest number")
	}
	places, changing := shortPlaces{}, variable(ir.U32).(*loop.Var)
	changing.Changes = true
	for _, c := range []struct {
		x    loop.Expr
		want bool
	}{{wide(ir.U32), true}, {wide(ir.I32), false}, {loop.ToKind(ir.I64, changing), false}} {
		name := variable(ir.I64)
		places.note(name, c.x)
		if short, ok := places.place(name); ok != c.want || ok != (short != nil) {
			t.Errorf("the name of %v: %v, %v", c.x, short, ok)
		}
	}
}

package plan

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFootprint(t *testing.T) {
	p := &Plan{
		Ports: []Port{
			{Name: "x", Direction: In, Kind: I64, Domain: "n", Buffer: "x"},
			{Name: "k", Direction: In, Kind: I64, Scalar: "k"},
			{Name: "kept", Direction: Out, Kind: I32, Domain: "f", Buffer: "kept"},
			{Name: "size", Direction: Out, Kind: I64, Scalar: "size"},
			{Name: "bins", Direction: Out, Kind: I64, Domain: "b", Buffer: "bins"},
			{Name: "x", Direction: Out, Kind: I64, Domain: "n", Buffer: "x"},
			{Name: "late", Direction: Out, Kind: I64, Domain: "l", Buffer: "late"},
		},
		Domains: []Domain{
			{Name: "n"},
			{Name: "f", Len: Var("f_length"), Bound: Len("n")},
			{Name: "b", Len: Var("k"), Bound: Var("k")},
			{Name: "l", Len: Var("l_length"), Bound: Var("l_length")},
		},
		Scalars: []Scalar{{Name: "k", Kind: I64}, {Name: "f_length", Kind: I64}, {Name: "l_length", Kind: I64}, {Name: "size", Kind: I64}},
		Buffers: []Buffer{
			{Name: "x", Kind: I64, Role: Input},
			{Name: "kept", Kind: I32, Length: Len("f"), Role: Output},
			{Name: "bins", Kind: I64, Length: Len("b"), Role: Output},
			{Name: "late", Kind: I64, Length: Len("l"), Role: Output},
			{Name: "offsets", Kind: I64, Length: CeilDiv(Len("n"), Const(4)), Role: Temporary},
		},
	}
	rows, scalars := map[string]int64{"n": 10}, map[string]int64{"k": 3, "l_length": 7, "f_length": 1}
	want := Footprint{
		Buffers: map[string]int64{"x": 80, "kept": 40, "bins": 24, "offsets": 24},
		Input:   80, Temporary: 24, Output: 64 + 80, Unknown: true, // the result x is a copy
	}
	got := p.Footprint(rows, scalars)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got.Total() != 248 {
		t.Errorf("total %d", got.Total())
	}
	if diff := cmp.Diff([]int64{40, 0, 24, 80, 0}, p.ResultBounds(rows, scalars)); diff != "" {
		t.Error(diff)
	}
	rows["n"] = math.MaxInt64 / 2
	if total := p.Footprint(rows, scalars).Total(); total != math.MaxInt64 {
		t.Errorf("a total beyond 64 bits is %d", total)
	}
}

// TestFootprintOfWays bounds memory that has the length of one of two ways, which only a run
// can tell. A parameter has its value, also where it is the length of a domain, and a bound
// that names its own scalar is none.
func TestFootprintOfWays(t *testing.T) {
	p := &Plan{
		Ports: []Port{{Name: "k", Direction: In, Kind: I64, Scalar: "k"}},
		Domains: []Domain{
			{Name: "n"},
			{Name: "few", Len: Var("few_length"), Bound: Const(100)},
			{Name: "bins", Len: Var("k"), Bound: Const(255)},
			{Name: "endless", Len: Var("endless_length"), Bound: Max(Var("endless_length"), Const(1))},
		},
		Buffers: []Buffer{
			{Name: "either", Kind: I64, Role: Temporary, Length: Max(Var("few_length"), Mul(Len("n"), OneIfZero("few_length")))},
			{Name: "table", Kind: I64, Role: Temporary, Length: Var("k")},
			{Name: "open", Kind: I64, Role: Temporary, Length: Var("endless_length")},
		},
	}
	got := p.Footprint(map[string]int64{"n": 1000}, map[string]int64{"k": 7}).Buffers
	if diff := cmp.Diff(map[string]int64{"either": 8000, "table": 56}, got); diff != "" {
		t.Errorf("bytes of buffers (-want +got):\n%s", diff)
	}
}

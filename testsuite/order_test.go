package testsuite_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/backends/gocpu"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/interp"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/internal/simt/simttest"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite"
	"github.com/kgen-go/kgen/testsuite/internal/emittedtest"
	"github.com/kgen-go/kgen/testsuite/sample"
)

// orderedKinds are the types of keys.
var orderedKinds = []string{"bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64", "date", "timestamp", "char8", "decimal(2)"}

// orderings are pipelines that sort by every two types, in both directions, all rows or the first of them.
func orderings(t *testing.T) (list []*ir.Pipeline) {
	t.Helper()
	for i, a := range orderedKinds {
		for j, b := range orderedKinds {
			text := fmt.Sprintf("pipeline orders_%d_%d(a: [n]%s, b: [n]%s) {\n\treturn all: order(a, desc(b)), some: order(desc(a), b, limit: 9), wide: order(a, b, a)\n}\n", i, j, a, b)
			loaded, errs := ir.Load("order.kg", []byte(text))
			if err := errs.Err(); err != nil {
				t.Fatal(err)
			}
			list = append(list, loaded[0])
		}
	}
	return list
}

// TestOrders sorts rows by all pairs of types in the interpreter, by pairs that have each type as either key on
// work-groups and in emitted Go, and compares the numbers of rows with those of a stable sort. A sample of few rows tells
// the first ones.
func TestOrders(t *testing.T) {
	sample.Log(t)
	list := orderings(t)
	t.Run("interpreter", func(t *testing.T) {
		for _, p := range list {
			ordersAgree(t, p, []int{0, 60}, func(in []ir.Column) ([]ir.Column, error) { return interp.Run(p, in) })
		}
	})
	var some []*ir.Pipeline
	for i, p := range list {
		if (i/len(orderedKinds)+i)%len(orderedKinds) == 3 { // each type once as either key
			some = append(some, p)
		}
	}
	t.Run("work-groups", func(t *testing.T) {
		for i, p := range some {
			if i%3 > 0 && !sample.TakesMore(i) { // simulated, which takes long
				continue
			}
			program, _, err := compile.Compile(p, compile.Options{Level: fuse.LevelOnePass, Options: fuse.Options{Short: true, Radix: 8, Sample: 2}})
			if err != nil {
				t.Fatal(err)
			}
			lowered, err := simt.Target{Atomics64: true}.Lower(program, plan.Schedule{Workgroup: 8, Items: 4})
			if err != nil {
				t.Fatal(err)
			}
			device := simttest.NewDevice(lowered.Kernels, rand.New(rand.NewPCG(1, 2)))
			ordersAgree(t, p, []int{0, 80}, func(in []ir.Column) ([]ir.Column, error) {
				out, err := testsuite.RunPlan(p, lowered.Plan, func(in exec.Inputs) (*exec.Result, error) {
					return exec.Run(t.Context(), device, lowered.Plan, in, exec.Options{})
				}, in)
				return out, err
			})
		}
	})
	t.Run("emitted Go", func(t *testing.T) {
		const few = gocpu.FewRows
		var build emittedtest.Build
		var programs []*backends.Program
		for _, p := range some {
			options := fuse.Options{Radix: gocpu.Radix, RadixOfMany: gocpu.RadixOfMany, Few: few, Cores: true, Sample: 64}
			program, _, err := compile.Compile(p, compile.Options{Level: fuse.LevelOnePass, Options: options})
			if err != nil {
				t.Fatal(err)
			}
			programs = append(programs, program)
		}
		build.Add(t, backends.Options{Package: fuse.LevelOnePass}, programs...)
		device := build.Open(t)
		for _, p := range some {
			for _, workers := range []int{1, 3} {
				ordersAgree(t, p, []int{0, 1, 2, 31, few - 1, few, few + 1, 100, 200, 64*64 + 900}, func(in []ir.Column) ([]ir.Column, error) {
					return device.Run(p, fuse.LevelOnePass, workers, in)
				})
			}
		}
	})
}

// ordersAgree sorts so many rows of every shape.
func ordersAgree(t *testing.T, p *ir.Pipeline, rows []int, sorted func([]ir.Column) ([]ir.Column, error)) {
	t.Helper()
	for _, n := range rows {
		for shape, ordinal := range keyShapes {
			r := rand.New(rand.NewPCG(uint64(n), uint64(len(shape))))
			a, b := keyColumn(p.Params[0].Type.Kind, n, r, ordinal), keyColumn(p.Params[1].Type.Kind, n, r, ordinal)
			got, err := sorted([]ir.Column{a, b})
			if err != nil {
				t.Fatalf("%s, %d rows, %s: %v", p, n, shape, err)
			}
			for i, compare := range []func(x, y int64) int{
				func(x, y int64) int { return cmp.Or(compareKeys(a, x, y), compareKeys(b, y, x)) },
				func(x, y int64) int { return cmp.Or(compareKeys(a, y, x), compareKeys(b, x, y)) },
				func(x, y int64) int { return cmp.Or(compareKeys(a, x, y), compareKeys(b, x, y)) },
			} {
				want := make([]int64, n)
				for row := range want {
					want[row] = int64(row)
				}
				slices.SortStableFunc(want, compare)
				if p.Results[i].Label == "some" {
					want = want[:min(n, 9)]
				}
				if got[i].Len() != len(want) {
					t.Fatalf("%s, %s, %d rows, %s: %d rows, want %d", p.Results[i].Label, p, n, shape, got[i].Len(), len(want))
				}
				for place, row := range want {
					if found := got[i].At(place).Int64(); found != row {
						t.Fatalf("%s of %d rows, %s: row %d is %d, want %d\n%s", p.Results[i].Label, n, shape, place, found, row, p)
					}
				}
			}
		}
	}
}

// keyShapes give the ordinals of rows' keys.
var keyShapes = map[string]func(r *rand.Rand, row, rows int) int{
	"all equal":     func(*rand.Rand, int, int) int { return 5 },
	"all different": func(_ *rand.Rand, row, rows int) int { return row * 7919 % max(rows, 1) },
	"ascending":     func(_ *rand.Rand, row, _ int) int { return row / 2 },
	"descending":    func(_ *rand.Rand, row, rows int) int { return (rows - row) / 3 },
	"almost sorted": func(r *rand.Rand, row, rows int) int {
		if r.IntN(20) == 0 {
			return r.IntN(rows)
		}
		return row
	},
	"few values": func(r *rand.Rand, _, _ int) int { return r.IntN(7) },
	"any":        func(r *rand.Rand, _, rows int) int { return r.IntN(1 << 30) },
}

// keyColumn returns keys of a type for ordinals; both zeros and different NaNs are among floats.
func keyColumn(k ir.Kind, rows int, r *rand.Rand, ordinal func(r *rand.Rand, row, rows int) int) ir.Column {
	c := ir.NewColumn(k, rows)
	for row := range rows {
		i := int64(ordinal(r, row, rows))
		switch {
		case k == ir.Bool:
			c.Set(row, ir.BoolScalar(i&1 == 1))
		case k.IsFloat():
			x := ir.Float(k, float64(i-4)*1e-3)
			switch i {
			case 4:
				x = ir.Float(k, math.Copysign(0, float64(row%2)-.5))
			case 6:
				x = ir.Float(k, math.NaN())
				x.Bits ^= uint64(row % 2)
			case 7:
				x = ir.Float(k, math.Inf(row%2*2-1))
			}
			c.Set(row, x)
		case k == ir.Char8:
			c.Set(row, ir.Char8Scalar(fmt.Sprintf("%c%x", "aZ\xc3"[i%3], i)))
		default:
			c.Set(row, ir.Int(k, (i-3)*(1+i%2<<uint(4*k.Size()-2))))
		}
	}
	return c
}

// compareKeys compares the keys of two rows as the language does, by their values alone.
func compareKeys(c ir.Column, x, y int64) int {
	a, b := c.At(int(x)), c.At(int(y))
	switch k := c.Kind; {
	case k.IsFloat():
		p, q := a.Float64(), b.Float64()
		switch {
		case p != p || q != q:
			return cmp.Compare(map[bool]int{true: 1}[p != p], map[bool]int{true: 1}[q != q])
		case p == q:
			return 0
		}
		return cmp.Compare(p, q)
	case k == ir.Char8:
		p, q := a.Bytes(), b.Bytes()
		return bytes.Compare(p[:], q[:])
	case k == ir.Bool || k.IsInteger() && !k.IsSigned():
		return cmp.Compare(a.Bits, b.Bits)
	}
	return cmp.Compare(a.Int64(), b.Int64())
}

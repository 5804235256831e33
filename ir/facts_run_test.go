package ir_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/interp"
	"github.com/kgen-go/kgen/ir"
)

// randomColumn returns rows values of kind k, small ones mostly.
func randomColumn(random *rand.Rand, k ir.Kind, rows int) ir.Column {
	c := ir.NewColumn(k, rows)
	for i := range rows {
		x := random.Int64N(9) - 4
		if random.IntN(4) == 0 {
			x = int64(random.Uint64())
		}
		switch {
		case k == ir.Bool:
			c.Set(i, ir.BoolScalar(x&1 == 0))
		case k.IsFloat():
			c.Set(i, ir.Float(k, float64(x)))
		case k == ir.Char8:
			c.Set(i, ir.Char8Scalar([]string{"A", "B", ""}[uint64(x)%3]))
		default:
			c.Set(i, ir.Int(k, x))
		}
	}
	return c
}

// TestFactsHoldInRuns runs random pipelines on random data: no check that was
// proven away fails, which the interpreter would report, and all values keep
// their ranges, also those where no check fails.
func TestFactsHoldInRuns(t *testing.T) {
	ran, rows := 0, 0
	for seed := range uint64(1500) {
		random := rand.New(rand.NewPCG(seed, 7))
		p := ir.RandomPipeline(random, 3+random.IntN(12))
		lengths := map[string]int{"n": random.IntN(6), "m": random.IntN(6)}
		var in []ir.Column
		for _, v := range p.Params {
			n := 1
			if !v.Type.IsScalar() {
				n = lengths[v.Type.Domain.Name]
			}
			in = append(in, randomColumn(random, v.Type.Kind, n))
		}
		out, err := interp.Run(p, in, interp.RowLimit(10_000))
		var failed *ir.CheckError
		var refused *interp.ArgumentError
		switch {
		case errors.As(err, &failed):
			continue
		case errors.As(err, &refused) && strings.Contains(refused.Message, "rows, which is more than"):
			continue
		case err != nil:
			t.Fatalf("seed %d: %v\n%v", seed, err, p)
		}
		ran++
		for i, r := range p.Results {
			lo, hi, ok := p.Range(r.Value)
			if !ok {
				continue
			}
			for row := range out[i].Len() {
				rows++
				checkedLo, checkedHi, _ := p.CheckedRange(r.Value)
				if x := out[i].At(row).Int64(); x < checkedLo || x > checkedHi {
					t.Fatalf("seed %d: %s is %d in row %d, outside of %d..%d where no check fails\n%v", seed, r.Label, x, row, checkedLo, checkedHi, p)
				} else if x < lo || x > hi || x == 0 && p.NonZero(r.Value) {
					t.Fatalf("seed %d: %s is %d in row %d, outside of %d..%d (non-zero %v)\n%v", seed, r.Label, x, row, lo, hi, p.NonZero(r.Value), p)
				}
			}
		}
	}
	if ran < 500 || rows < 10_000 {
		t.Errorf("only %d runs with %d rows tell something", ran, rows)
	}
}

// TestCheckedRange holds the ranges of index columns whose checks pass.
func TestCheckedRange(t *testing.T) {
	for body, want := range map[string][2]int64{
		"bins(i, 16)":             {0, 15},
		"bins(i & 3, 16)":         {0, 3},
		"bins(i, 16)[i]":          {0, 15},
		"prev(bins(u, 8), 1, 20)": {0, 20},
		"x[i]":                    {-128, 127},
	} {
		pipelines, errs := ir.Load("test.kg", []byte("pipeline p(i: [n]i32, u: [n]u64, x: [n]i8) {\n\treturn r: "+body+", i, u, x\n}\n"))
		if err := errs.Err(); err != nil {
			t.Fatal(err)
		}
		p := pipelines[0]
		if lo, hi, ok := p.CheckedRange(p.Results[0].Value); !ok || lo != want[0] || hi != want[1] {
			t.Errorf("%s is in %d..%d (%t), want %v", body, lo, hi, ok, want)
		}
	}
}

package fuse

import (
	"fmt"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/plan"
)

// rowsOnly knows how many rows parameters have, and nothing else.
type rowsOnly int64

func (n rowsOnly) Len(string) (int64, error)         { return int64(n), nil }
func (rowsOnly) Scalar(name string) (int64, error)   { return 0, fmt.Errorf("scalar %s", name) }
func (rowsOnly) Property(name string) (int64, error) { return 0, fmt.Errorf("property %s", name) }
func (rowsOnly) Resident(name string) (int64, error) { return 0, fmt.Errorf("resident %s", name) }
func (rowsOnly) Rows() (int64, error)                { return 0, fmt.Errorf("rows") }

// TestSampleSizes holds that the plan knows the sizes of the samples of an order with a limit from the number of rows, and waits
// for the number of its rows when it waits for that of candidates.
func TestSampleSizes(t *testing.T) {
	g := graphOf(t, "k: [n]i32, limit: i32", "return r: order(k, limit: i64(limit))", Options{Short: true, Sample: 1 << 12})
	p := program(t, g, LevelAuto)
	for _, c := range []struct{ rows, parts, groups int64 }{
		{0, 0, 0}, {1, 0, 0}, {1<<18 - 1, 0, 0}, {1 << 18, 1 << 11, 1 << 8}, {1 << 30, 1 << 11, 1 << 8},
	} {
		for name, want := range map[string]int64{"n_sample": c.parts, "n_sample_2": c.groups} {
			at := slices.IndexFunc(p.Plan.Domains, func(d plan.Domain) bool { return d.Name == name })
			if got, err := p.Plan.Domains[at].Len.Eval(rowsOnly(c.rows)); err != nil || got != want {
				t.Errorf("%d rows: %s has %d rows, not %d: %v", c.rows, name, got, want, err)
			}
		}
	}
	leaves := func(k *tile.Kernel, name string) bool {
		return k.Has(func(op *tile.Op) bool { return op.Kind == tile.StoreScalar && op.Ref == name })
	}
	if !slices.ContainsFunc(p.Kernels, func(k *tile.Kernel) bool { return leaves(k, "n_candidates_length") && leaves(k, "sorted_length") }) {
		t.Error("no kernel tells both how many candidates there are and how many rows the result has")
	}
}

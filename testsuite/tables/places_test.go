package tables_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
)

// TestPlacesFitTheSample groups rows on work-groups whose places are those for as many keys as a sample has, which few rows
// have not. Where most keys are few and the sample misses others, there are fewer places than keys.
func TestPlacesFitTheSample(t *testing.T) {
	const few, sample = 300, 8 // the sample may have 4 groups
	loaded, errs := ir.Load("groups.kg", []byte(sumsText([]string{"i32"})))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	p := loaded[0]
	schedule := plan.Schedule{Workgroup: 16, Items: 4, Scheme: simt.SchemePublished, Groups: plan.Hash}
	options := compile.For(fuse.LevelOnePass, schedule).WithHash(schedule, few)
	options.Hash, options.Sample = 1, sample
	program, _, err := compile.Compile(p, options)
	if err != nil {
		t.Fatal(err)
	}
	target := simt.Target{Atomics64: true, LaunchedLocal: 227 << 10}
	lowered, err := target.Lower(program, schedule)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		rows, groups int
		launched     string
	}{{500, 3, ""}, {600, 1, plan.Copied}, {600, 2, plan.Copied}, {4000, 250, plan.Copied}} {
		way := map[string]bool{}
		run := kerneltest.Watching(lowered, 1, func(name string) {
			for _, places := range append([]string{""}, plan.PlacesWays...) {
				if i := strings.LastIndex(name, "_"); i >= 0 && name[i+1:] == places {
					way[places] = true
				}
			}
		})
		in := groupsInput(p, c.rows, uint64(c.groups), func(key uint64, row int) []ir.Scalar {
			if row%29 != 0 {
				key %= 2
			}
			return []ir.Scalar{ir.Int(ir.I32, int64(key*2654435761))}
		})
		what := fmt.Sprintf("%d rows of %d groups", c.rows, c.groups)
		kerneltest.Agree(t, lowered.Plan, run, p, what, in)
		if len(way) > 1 || c.launched != "" && !way[c.launched] || c.launched == "" && len(way) > 0 {
			t.Errorf("%s: launched with places %v, want %q", what, way, c.launched)
		}
	}
	for about, want := range map[int64]string{0: "", 1: plan.Copied, 128: plan.Copied, 129: "", 2047: "", 2048: plan.Paired, 8192: plan.Paired} {
		if got := placesOf(t, lowered.Plan, 0, about); got != want {
			t.Errorf("a sample of %d groups: launched with places %q, want %q", about, got, want)
		}
	}
	for about, want := range map[int64]string{1: "", 3<<17 - 1: "", 3 << 17: plan.Paired, 1 << 20: plan.Paired} {
		if got := placesOf(t, lowered.Plan, 1, about); got != want {
			t.Errorf("partitioned rows of about %d groups: launched with places %q, want %q", about, got, want)
		}
	}
}

// placesOf returns the places with which rows enter a table, the first or one behind it, if a sample has about so many groups.
func placesOf(t *testing.T, p *plan.Plan, table int, about int64) (places string) {
	t.Helper()
	found := false
	var walk func(steps []plan.Step)
	walk = func(steps []plan.Step) {
		for _, s := range steps {
			switch {
			case s.Launch != nil:
				for _, k := range p.Kernels {
					if k.Name == s.Launch.Kernel {
						places = k.Variants[0].Schedule.Places
					}
				}
			case s.If != nil && s.If.Cond.Op == plan.OpEq && s.If.Cond.Args[0].Op == plan.OpMax && s.If.Cond.Args[0].Args[0].Op == plan.OpMin:
				if table--; table >= 0 {
					continue
				}
				found = true
				limits := s.If.Cond.Args[0]
				least, most := limits.Args[1].Const, limits.Args[0].Args[1].Const
				if about >= least && about <= most {
					walk(s.If.Then)
				} else {
					walk(s.If.Else)
				}
			case s.If != nil && !found:
				walk(s.If.Then)
				walk(s.If.Else)
			}
			if found {
				return
			}
		}
	}
	walk(p.Steps)
	if !found {
		t.Fatal("no step chooses places")
	}
	return places
}

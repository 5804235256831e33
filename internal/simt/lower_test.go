package simt

import (
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"unsafe"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/simt/simttest"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// programs compiles the corpus at a level.
func programs(t *testing.T, level string) map[string]*backends.Program {
	paths, err := filepath.Glob("../../testsuite/corpus/*.kg")
	if err != nil || len(paths) == 0 {
		t.Fatal(err, paths)
	}
	list := map[string]*backends.Program{}
	for _, path := range paths {
		pipelines, err := ir.LoadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range pipelines {
			program, _, err := compile.Compile(p, compile.Options{Level: level, Options: fuse.Options{Short: true}})
			if err != nil {
				t.Fatal(err)
			}
			list[p.Name] = program
		}
	}
	return list
}

// compiled compiles the only pipeline of a text.
func compiled(t *testing.T, text string, options compile.Options) *backends.Program {
	t.Helper()
	pipelines, errs := ir.Load("test.kg", []byte(text))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	program, _, err := compile.Compile(pipelines[0], options)
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// TestCorpusLowers verifies loop programs and plan of every pipeline at every level.
func TestCorpusLowers(t *testing.T) {
	for _, level := range fuse.Levels {
		for name, program := range programs(t, level) {
			if _, err := Lower(program, plan.Schedule{}); err != nil {
				t.Errorf("%s at %s: %v", name, level, err)
			}
		}
	}
}

// TestGivingUp runs look-back on a device that keeps one work-group resident and
// starts the last first: a tile that waits for one that never starts gives up,
// and the fallback does the work.
func TestGivingUp(t *testing.T) {
	program := compiled(t, "pipeline sums(x: [n]i32) {\n\treturn y: scan(add, i64(x)), last: last(x, else: -1)\n}\n", compile.Options{Level: fuse.LevelOnePass})
	for _, starved := range []int{0, 1} {
		lowered, err := Target{}.lower(program, plan.Schedule{Workgroup: 4, Items: 2, Scheme: SchemeLookback}, 3*abortCheck)
		if err != nil {
			t.Fatal(err)
		}
		device := simttest.NewDevice(lowered.Kernels, rand.New(rand.NewPCG(1, 1)))
		device.Starved = starved
		x := make([]int32, 100)
		for i := range x {
			x[i] = int32(i)
		}
		fellBack := false
		result, err := exec.Run(t.Context(), device, lowered.Plan, exec.Inputs{Columns: map[string]exec.Column{
			"x": {Kind: plan.I32, Data: unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), 400)}}},
			exec.Options{Event: func(e exec.Event) { fellBack = fellBack || e.Step == "fallback" }})
		if err != nil {
			t.Fatal(err)
		}
		if fellBack != (starved > 0) {
			t.Errorf("starved %d: fell back %v", starved, fellBack)
		}
		y := unsafe.Slice((*int64)(unsafe.Pointer(&result.Columns["y"].Data[0])), 100)
		if y[99] != 4950 || int32(result.Scalars["last"].Bits) != 99 {
			t.Errorf("starved %d: sum %d, last %d", starved, y[99], int32(result.Scalars["last"].Bits))
		}
	}
}

// TestGivingUpInBounds has kernels give up whose results go to places that an earlier kernel
// has found. Then a tile does not know at which place its own begin, and what it collects must
// not leave the memory that it has for that: the device reports an index out of bounds.
func TestGivingUpInBounds(t *testing.T) {
	pipelines, errs := ir.Load("orders.kg", []byte("pipeline orders(k: [n]i32, x: [n]i32) {\n\tg = runs(k)\n\treturn key: first(k, by: g), count: count(by: g), sum: sum(x, by: g)\n}\n"))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	k, x := make([]int32, 900), make([]int32, 900)
	for i := range k {
		k[i], x[i] = int32(i/3), int32(i)
	}
	column := func(list []int32) exec.Column {
		return exec.Column{Kind: plan.I32, Data: unsafe.Slice((*byte)(unsafe.Pointer(&list[0])), 4*len(list))}
	}
	for _, level := range fuse.Levels {
		program, _, err := compile.Compile(pipelines[0], compile.Options{Level: level})
		if err != nil {
			t.Fatal(err)
		}
		for _, items := range []int{2, minDirectItems} { // results in registers, and in local memory
			lowered, err := Target{}.lower(program, plan.Schedule{Workgroup: 4, Items: items, Scheme: SchemeLookback}, 3*abortCheck)
			if err != nil {
				t.Fatal(err)
			}
			device := simttest.NewDevice(lowered.Kernels, rand.New(rand.NewPCG(1, 1)))
			device.Starved, device.BoundsOnly = 20, true
			fellBack := false
			result, err := exec.Run(t.Context(), device, lowered.Plan, exec.Inputs{Columns: map[string]exec.Column{"k": column(k), "x": column(x)}},
				exec.Options{Event: func(e exec.Event) { fellBack = fellBack || e.Step == "fallback" }})
			if err != nil {
				t.Errorf("level %s, items=%d: %v", level, items, err)
				continue
			}
			sum := unsafe.Slice((*int64)(unsafe.Pointer(&result.Columns["sum"].Data[0])), 300)
			if !fellBack || sum[0] != 0+1+2 || sum[299] != 897+898+899 {
				t.Errorf("level %s, items=%d: fell back %v; sums %d", level, items, fellBack, sum)
			}
		}
	}
}

// TestNamesOfUsers lowers columns that are called like what lowering adds.
func TestNamesOfUsers(t *testing.T) {
	pipelines, errs := ir.Load("clash.kg", []byte(`pipeline clash(tiles: [n]i64, n_length: [n]i64, x: [n]u8, x_words: [n]u8, b_low_words: [n]u8) {
	s = scan(add, tiles)
	b = bins(i64(x), 4)
	return total: sum(n_length), s, next: next(tiles, 1, 0), b_low: min(x_words, by: b, else: 0), high: max(b_low_words, by: b, else: 0)
}
`))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	for _, level := range fuse.Levels {
		program, _, err := compile.Compile(pipelines[0], compile.Options{Level: level})
		if err != nil {
			t.Fatal(err)
		}
		for _, scheme := range []string{SchemeLookback, SchemePublished} {
			if _, err := Lower(program, plan.Schedule{Scheme: scheme}); err != nil {
				t.Errorf("%s, %s: %v", level, scheme, err)
			}
		}
	}
}

// TestEarlyAllocations checks that a plan knows the length of memory of its own when it
// allocates that: groups by hash sort as many keys as they find, by kernels that are
// launched more than once.
func TestEarlyAllocations(t *testing.T) {
	program := compiled(t, "pipeline groups_of(k: [n]i64) {\n\treturn c: count(by: groups(k))\n}\n", compile.For(fuse.LevelAuto, plan.Schedule{Groups: plan.Hash}))
	lowered, err := Lower(program, plan.Schedule{})
	if err != nil {
		t.Fatal(err)
	}
	p := lowered.Plan
	allocations := 0
	var check func(steps []plan.Step, known map[string]bool)
	check = func(steps []plan.Step, known map[string]bool) {
		for _, s := range steps {
			switch {
			case s.Read != nil:
				for _, name := range s.Read.Scalars {
					known[name] = true
				}
			case s.Set != nil:
				known[s.Set.Scalar] = true
			case s.If != nil:
				check(s.If.Then, maps.Clone(known))
				check(s.If.Else, maps.Clone(known))
			case s.Alloc != nil:
				i := slices.IndexFunc(p.Buffers, func(b plan.Buffer) bool { return b.Name == s.Alloc.Buffer })
				for _, name := range scalarsOf(p, p.Buffers[i].Length) {
					if p.Buffers[i].Role != plan.Output && !known[name] { // results may be those of another way
						t.Errorf("%s is allocated before %s is known", s.Alloc.Buffer, name)
					}
					allocations++
				}
			}
		}
	}
	check(p.Steps, map[string]bool{})
	if allocations == 0 {
		t.Error("no length depends on a scalar")
	}
}

// scalarsOf lists the scalars that decide a length.
func scalarsOf(p *plan.Plan, x plan.Expr) (list []string) {
	switch x.Op {
	case plan.OpScalar:
		list = append(list, x.Name)
	case plan.OpLen:
		for _, d := range p.Domains {
			if d.Name == x.Name && !d.Len.IsZero() {
				list = append(list, scalarsOf(p, d.Len)...)
			}
		}
	}
	for _, arg := range x.Args {
		list = append(list, scalarsOf(p, arg)...)
	}
	return list
}

package tables_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/irtest"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/internal/simt/simttest"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite"
)

// tablePlan is a way to combine rows in tables, with rows that take it.
type tablePlan struct {
	text    string
	options func(o *compile.Options)
	way     func(op *tile.Op) bool // what the kernel of this way has
	rows    int
	key     func(row uint64) int64
}

const failingJoin = "pipeline joined(k: [n]i32, x: [n]i32) {\n\tj = join(k, k)\n\treturn left: j.left, total: sum(x[j.right], by: j.left)\n}\n"

const failingGroups = "pipeline sums(k: [n]i32, x: [n]i32) {\n\tg = groups(k)\n\treturn key: first(k, by: g), total: sum(x, by: g), rows: count(by: g)\n}\n"

// tablePlans has each way to combine rows in tables that the plan chooses when it runs, and to find, join and repeat rows.
func tablePlans() map[string]tablePlan {
	const bins = "pipeline counts(k: [n]i32, x: [n]i32) {\n\tb = bins(k, 600)\n\treturn rows: count(by: b), total: sum(x, by: b)\n}\n"
	const sized = "pipeline counts(k: [n]i32, x: [n]i32) {\n\tb = bins(k, i64(max(x, else: 0)) * 0 + 600)\n\treturn rows: count(by: b), total: sum(x, by: b)\n}\n"
	sample := func(o *compile.Options) { o.Sample = 8 }
	hasWindow := func(op *tile.Op) bool { return op.WindowBits > 0 }
	spreadKey := func(groups uint64) func(row uint64) int64 {
		return func(row uint64) int64 { return int64(int32(spread(row) >> 20 % groups * 2654435761)) }
	}
	sorting := func(op *tile.Op) bool { return op.Kind == tile.Rank }
	return map[string]tablePlan{
		"bins of rows that move":         {bins, sample, hasWindow, 520, func(row uint64) int64 { return int64(spread(row) >> 20 % 600) }},
		"bins of rows that are near":     {bins, sample, hasWindow, 520, func(row uint64) int64 { return int64(row) }},
		"bins of rows as they are":       {bins, sample, (*tile.Op).LoadsElement, 520, func(row uint64) int64 { return 7 }},
		"bins of a number that is read":  {sized, sample, hasWindow, 520, func(row uint64) int64 { return int64(spread(row) >> 20 % 600) }},
		"groups in a small range":        {failingGroups, sample, (*tile.Op).IsReduction, 300, func(row uint64) int64 { return int64(row % 10) }},
		"groups in windows":              {failingGroups, func(o *compile.Options) { o.Sample, o.HashGroups = 8, 4 }, hasWindow, 520, func(row uint64) int64 { return int64(spread(row) >> 20 % 500) }},
		"few groups":                     {failingGroups, sample, (*tile.Op).IsLimited, 520, spreadKey(6)},
		"groups of rows that move":       {failingGroups, sample, func(op *tile.Op) bool { return op.PartBits > 0 }, 520, spreadKey(150)},
		"more groups than there is room": {failingGroups, sample, sorting, 520, spreadKey(600)},
		"shared":                         {failingGroups, func(o *compile.Options) { o.Strategy = plan.Shared }, (*tile.Op).IsLimited, 200, spreadKey(20)},
		"partitioned":                    {failingGroups, func(o *compile.Options) { o.Strategy = plan.Partitioned }, (*tile.Op).IsLimited, 200, spreadKey(20)},
		"find":                           {"pipeline found(k: [n]i32, x: [n]i32) {\n\tf = find(k, in: x)\n\treturn rows: count(f >= 0), total: sum(k[f[f >= 0]])\n}\n", sample, nil, 200, spreadKey(40)},
		"cuckoo":                         {"pipeline found(k: [n]i32, x: [n]i32) {\n\treturn f: find(k, in: x)\n}\n", func(o *compile.Options) { o.Probing = plan.Cuckoo }, nil, 100, spreadKey(40)},
		"join":                           {failingJoin, sample, nil, 100, spreadKey(30)},
		"join of moved rows":             {failingJoin, func(o *compile.Options) { o.Moved = 1 }, nil, 100, spreadKey(30)},
		"join by sorting":                {failingJoin, func(o *compile.Options) { o.Probing = plan.Sort }, nil, 60, spreadKey(20)},
		"join by loops":                  {failingJoin, func(o *compile.Options) { o.Probing = plan.Loops }, nil, 60, spreadKey(20)},
		"repeat":                         {"pipeline repeated(k: [n]i32, x: [n]i32) {\n\tr = repeat(k & 3)\n\treturn row: r, x: x[r], total: sum(x[r], by: r)\n}\n", sample, nil, 200, spreadKey(40)},
	}
}

// leaky is a device on which an allocation may fail, and that knows what is not freed.
type leaky struct {
	*simttest.Device
	failing, allocated int // the allocation of this number fails, from 1 on
	live               map[exec.Memory]bool
}

func (d *leaky) take(m exec.Memory, err error) (exec.Memory, error) {
	if err == nil {
		d.live[m] = true
	}
	return m, err
}

func (d *leaky) isFull() bool {
	d.allocated++
	return d.allocated == d.failing
}

func (d *leaky) Import(data []byte) (exec.Memory, error) {
	if d.isFull() {
		return nil, &exec.FullError{Reason: "injected"}
	}
	return d.take(d.Device.Import(data))
}

func (d *leaky) Alloc(bytes int64) (exec.Memory, error) {
	if d.isFull() {
		return nil, &exec.FullError{Reason: "injected"}
	}
	return d.take(d.Device.Alloc(bytes))
}

func (d *leaky) Free(m exec.Memory) {
	delete(d.live, m)
	d.Device.Free(m)
}

// TestFailedTableAllocation lets each allocation of each way to make tables fail. The error says which
// buffer it was for, all memory is freed, and the run whose allocations do not fail is right.
func TestFailedTableAllocation(t *testing.T) {
	for name, c := range tablePlans() {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			p := irtest.Load(t, c.text)
			options := compile.Options{Level: fuse.LevelOnePass, Options: fuse.Options{Short: true, Radix: 4, Bins: 16, Hash: 2, HashGroups: 8, Partitions: true}}
			c.options(&options)
			program, _, err := compile.Compile(p, options)
			if err != nil {
				t.Fatal(err)
			}
			lowered, err := simt.Target{Atomics64: true, LaunchedLocal: 200 << 10}.Lower(program, plan.Schedule{Workgroup: 16, Items: 4, Scheme: simt.SchemePublished})
			if err != nil {
				t.Fatal(err)
			}
			var ways []string // kernels of the way
			for _, k := range program.Kernels {
				if c.way != nil && k.Has(c.way) {
					ways = append(ways, k.Name)
				}
			}
			in := groupsInput(p, c.rows, 1<<62, func(_ uint64, row int) []ir.Scalar { return []ir.Scalar{ir.Int(ir.I32, c.key(uint64(row)))} })
			want, err := testsuite.Expect(p, in)
			if err != nil {
				t.Fatal(err)
			}
			failures := 0
			for number := 1; ; number++ {
				device := &leaky{Device: simttest.NewDevice(lowered.Kernels, rand.New(rand.NewPCG(1, 2))), failing: number, live: map[exec.Memory]bool{}}
				taken := c.way == nil
				got, err := testsuite.RunPlan(p, lowered.Plan, func(in exec.Inputs) (*exec.Result, error) {
					return exec.Run(context.Background(), device, lowered.Plan, in, exec.Options{Event: func(e exec.Event) {
						taken = taken || e.Step == "launch" && slices.ContainsFunc(ways, func(way string) bool { return strings.HasPrefix(e.Name, way) })
					}})
				}, in)
				if len(device.live) > 0 {
					t.Fatalf("allocation %d failed: %d buffers are not freed", number, len(device.live))
				}
				if device.allocated < number {
					if difference := want.Differ(got, err); difference != "" {
						t.Error(difference)
					}
					if !taken {
						t.Errorf("no kernel of %v ran", ways)
					}
					break
				}
				failures++
				var failed *exec.AllocError
				if !errors.As(err, &failed) || failed.Buffer == "" || failed.Bytes <= 0 || !strings.Contains(err.Error(), failed.Buffer) {
					t.Fatalf("allocation %d failed: %v", number, err)
				}
			}
			if failures < 5 {
				t.Errorf("only %d allocations", failures)
			}
		})
	}
}

// TestOverflowingBins asks for numbers of bins that no memory has, or that are none, where the plan reads
// the number, and compares it with those for which it moves rows.
func TestOverflowingBins(t *testing.T) {
	const text = "pipeline counts(k: [n]i32, x: [n]i32, size: i64) {\n\tb = bins(k, size)\n\treturn rows: count(by: b), total: sum(x, by: b)\n}\n"
	p := irtest.Load(t, text)
	options := compile.Options{Level: fuse.LevelOnePass, Options: fuse.Options{Short: true, Radix: 4, Bins: 16, Hash: 2, HashGroups: 8, Partitions: true, Sample: 8}}
	program, _, err := compile.Compile(p, options)
	if err != nil {
		t.Fatal(err)
	}
	lowered, err := simt.Target{Atomics64: true, LaunchedLocal: 200 << 10}.Lower(program, plan.Schedule{Workgroup: 16, Items: 4, Scheme: simt.SchemePublished})
	if err != nil {
		t.Fatal(err)
	}
	for _, rows := range []int{0, 600} {
		for _, size := range []int64{math.MinInt64, -1, 0, 1, 63, 64, 65, 4095, 4096, 4097, math.MaxInt32, math.MaxInt32 + 1, math.MaxInt64} {
			in := []ir.Column{ir.NewColumn(ir.I32, rows), ir.NewColumn(ir.I32, rows), ir.NewColumn(ir.I64, 1)}
			for row := range rows {
				in[0].Set(row, ir.Int(ir.I32, int64(spread(uint64(row))>>20%uint64(max(min(size, 600), 1)))))
				in[1].Set(row, ir.Int(ir.I32, int64(row)))
			}
			in[2].Set(0, ir.Int(ir.I64, size))
			device := &leaky{Device: simttest.NewDevice(lowered.Kernels, rand.New(rand.NewPCG(1, 2))), live: map[exec.Memory]bool{}}
			run := func(in exec.Inputs) (*exec.Result, error) {
				return exec.Run(context.Background(), device, lowered.Plan, in, exec.Options{Memory: 1 << 26})
			}
			got, err := testsuite.RunPlan(p, lowered.Plan, run, in)
			what := fmt.Sprintf("%d rows, %d bins", rows, size)
			if len(device.live) > 0 {
				t.Errorf("%s: %d buffers are not freed", what, len(device.live))
			}
			if size > 1<<20 {
				if err == nil {
					t.Errorf("%s: no error", what)
				}
				continue
			}
			want, refused := testsuite.Expect(p, in)
			if refused != nil {
				if err == nil {
					t.Errorf("%s: no error, and the interpreter says %v", what, refused)
				}
				continue
			}
			if difference := want.Differ(got, err); difference != "" {
				t.Errorf("%s: %s", what, difference)
			}
		}
	}
}

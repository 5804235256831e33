package vector_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/internal/vector"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite"
)

const groups = `pipeline p(k: [n]i32, x: [n]i64) {
	g = groups(k)
	return k: first(k, by: g), total: sum(x, by: g), far: argmax(x, by: g)
}
`

// TestConcurrentRuns: many goroutines share a program, with arguments of their own.
func TestConcurrentRuns(t *testing.T) {
	program, host, p := compiled(t, groups, fuse.LevelAuto)
	var wait sync.WaitGroup
	for seed := range 16 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for round := range 4 {
				in := testsuite.RandomData{Rows: 700*seed + round, Shape: testsuite.Mixed, Seed: uint64(seed), Whole: true}.Columns(p)
				want, err := testsuite.Expect(p, in)
				if err != nil {
					t.Error(err)
					return
				}
				got, err := run(program, host, p, in, vector.Options{})
				if difference := want.Differ(got, err); difference != "" {
					t.Errorf("seed %d: %s", seed, difference)
				}
			}
		}()
	}
	wait.Wait()
}

// TestEnd: a run ends with its context, within a batch.
func TestEnd(t *testing.T) {
	program, _, _ := compiled(t, "pipeline p(x: [n]i64) {\n\treturn s: sum(index(repeat(x)) & 1)\n}\n", fuse.LevelAuto)
	in := exec.Inputs{Columns: map[string]exec.Column{"x": {Kind: plan.I64, Data: raw.BytesOf([]int64{math.MaxInt32})}}}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := program.Run(ctx, in, vector.Options{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the error is %v", err)
	}
}

// TestEndOfNestedLoops: a run ends with its context within a batch whose rows are compared with many others.
func TestEndOfNestedLoops(t *testing.T) {
	const rows, asked = 1 << 17, 20 // the one batch asks 64 times
	pipelines, errs := ir.Load("test.kg", []byte("pipeline p(x: [n]i64, y: [m]i64) {\n\treturn row: find(x, in: y)\n}\n"))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	made, _, err := compile.Compile(pipelines[0], compile.Options{Level: fuse.LevelAuto, Options: fuse.Options{Probing: plan.Loops}})
	if err != nil {
		t.Fatal(err)
	}
	program, err := vector.Compile(made)
	if err != nil {
		t.Fatal(err)
	}
	x := exec.Column{Kind: plan.I64, Data: raw.BytesOf(make([]int64, 100))}
	y := make([]int64, rows)
	for i := range y {
		y[i] = 1
	}
	ctx := counted{context.Background(), make(chan struct{}, asked)}
	for range asked {
		ctx.left <- struct{}{}
	}
	in := exec.Inputs{Columns: map[string]exec.Column{"x": x, "y": {Kind: plan.I64, Data: raw.BytesOf(y)}}}
	if _, err := program.Run(ctx, in, vector.Options{Batch: rows, Workers: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

// TestLimits: memory is refused beyond the limit, and rows beyond what can be computed.
func TestLimits(t *testing.T) {
	program, _, _ := compiled(t, "pipeline p(x: [n]i64) {\n\te = repeat(x)\n\treturn row: e + 1\n}\n", fuse.LevelAuto)
	repeated := func(times ...int64) exec.Inputs {
		return exec.Inputs{Columns: map[string]exec.Column{"x": {Kind: plan.I64, Data: raw.BytesOf(times)}}}
	}
	var full *exec.AllocError
	if _, err := program.Run(context.Background(), repeated(1000), vector.Options{Memory: 8000}); !errors.As(err, &full) || full.Limit != 8000 {
		t.Errorf("beyond the limit the error is %v", err)
	}
	if _, err := program.Run(context.Background(), repeated(900), vector.Options{Memory: 8000}); err != nil {
		t.Error(err)
	}
	restore := vector.SetMachine(8100)
	if _, err := program.Run(context.Background(), repeated(1100), vector.Options{}); !errors.As(err, &full) || full.Limit != 8100 {
		t.Errorf("beyond the machine's memory the error is %v", err)
	}
	if _, err := program.Run(context.Background(), repeated(1000), vector.Options{}); err != nil {
		t.Error(err)
	}
	restore()
	same, _, _ := compiled(t, "pipeline p(x: [n]i64) {\n\treturn x\n}\n", fuse.LevelAuto)
	if _, err := same.Run(context.Background(), repeated(make([]int64, 1000)...), vector.Options{Memory: 15999}); !errors.As(err, &full) || full.Limit != 15999 {
		t.Errorf("of a copy beyond the limit the error is %v", err)
	}
	if result, err := same.Run(context.Background(), repeated(make([]int64, 1000)...), vector.Options{Memory: 16000}); err != nil || result.Peak != 16000 {
		t.Errorf("of a copy within the limit the error is %v", err)
	}
	var many *vector.TooManyRowsError
	_, err := program.Run(context.Background(), repeated(math.MaxInt32, 1), vector.Options{})
	if !errors.As(err, &many) || !errors.Is(err, plan.ErrOverflow) || !strings.HasPrefix(err.Error(), "test.kg:2:6: e would have ") {
		t.Errorf("of too many rows the error is %v", err)
	}
	if _, err := program.Run(context.Background(), repeated(math.MaxInt64, math.MaxInt64), vector.Options{}); !errors.Is(err, plan.ErrOverflow) {
		t.Errorf("of too many rows the error is %v", err)
	}
}

// TestArguments: arguments that do not fit are errors.
func TestArguments(t *testing.T) {
	program, _, _ := compiled(t, "pipeline p(x: [n]i64, y: [n]i64, c: i32) {\n\treturn s: sum(x + y) + i64(c)\n}\n", fuse.LevelAuto)
	column := func(n int) exec.Column { return exec.Column{Kind: plan.I64, Data: raw.BytesOf(make([]int64, n))} }
	c := map[string]exec.Value{"c": {Kind: plan.I32, Bits: 1}}
	for _, test := range []struct {
		in   exec.Inputs
		want string
	}{
		{exec.Inputs{Columns: map[string]exec.Column{"x": column(1)}, Scalars: c}, `input "y": a column of i64 is missing`},
		{exec.Inputs{Columns: map[string]exec.Column{"x": column(1), "y": column(2)}, Scalars: c}, `input "y": 2 rows; other columns over n have 1`},
		{exec.Inputs{Columns: map[string]exec.Column{"x": column(1), "y": column(1)}}, `input "c": a scalar of i32 is missing`},
		{exec.Inputs{Columns: map[string]exec.Column{"x": column(1), "y": {Kind: plan.I64, Data: make([]byte, 9)}}, Scalars: c}, "9 bytes are no whole number of i64"},
		{exec.Inputs{Columns: map[string]exec.Column{"x": column(1), "y": {Kind: plan.F64, Data: make([]byte, 8)}}, Scalars: c}, "it has to be i64"},
		{exec.Inputs{Columns: map[string]exec.Column{"x": column(1), "y": column(1)}, Scalars: map[string]exec.Value{"c": {Kind: plan.I64}}}, "it has to be i32"},
	} {
		var input *exec.InputError
		if _, err := program.Run(context.Background(), test.in, vector.Options{}); !errors.As(err, &input) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("the error is %v, want %s", err, test.want)
		}
	}
}

// TestPlace: a result lies in the memory that the caller gives, if that is large enough.
func TestPlace(t *testing.T) {
	program, _, _ := compiled(t, "pipeline p(x: [n]i64) {\n\treturn big: x[x > 1]\n}\n", fuse.LevelAuto)
	in := exec.Inputs{Columns: map[string]exec.Column{"x": {Kind: plan.I64, Data: raw.BytesOf([]int64{1, 2, 3})}}}
	for _, words := range []int{0, 2, 3, 9} {
		held := raw.BytesOf(make([]uint64, words))
		result, err := program.Run(context.Background(), in, vector.Options{Place: func(port string, bytes int64) []byte {
			if port != "big" || bytes != 24 {
				t.Errorf("%d bytes are asked for %s", bytes, port)
			}
			return held
		}})
		if err != nil {
			t.Fatal(err)
		}
		data := result.Columns["big"].Data
		if got := raw.SliceOf[int64](data); len(got) != 2 || got[0] != 2 || got[1] != 3 {
			t.Errorf("the rows are %v", got)
		}
		if placed := words >= 3; placed != (words > 0 && &data[0] == &held[0]) {
			t.Errorf("of %d words, the result lies there: %v", words, !placed)
		}
	}
}

// TestUnchanged: a run changes no argument, and a result that is an argument is a copy.
func TestUnchanged(t *testing.T) {
	program, host, p := compiled(t, "pipeline p(x: [n]i64) {\n\treturn x, y: x, z: x + 1\n}\n", fuse.LevelAuto)
	x := ir.Column{Kind: ir.I64, Slice: []int64{1, 2, 3}}
	out, err := run(program, host, p, []ir.Column{x}, vector.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, column := range out {
		column.Slice.([]int64)[0] = 9
	}
	if x.Slice.([]int64)[0] != 1 || out[2].Slice.([]int64)[1] != 3 {
		t.Errorf("x is %v, z %v", x.Slice, out[2].Slice)
	}
}

// TestReuse: repeated runs allocate their results and little more, and hold no argument.
func TestReuse(t *testing.T) {
	program, _, _ := compiled(t, "pipeline p(k: [n]i64) {\n\treturn k: k[order(k)]\n}\n", fuse.LevelAuto)
	const rows = 1 << 15
	in := exec.Inputs{Columns: map[string]exec.Column{"k": {Kind: plan.I64, Data: raw.BytesOf(make([]int64, rows))}}}
	once := func() {
		if _, err := program.Run(context.Background(), in, vector.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	once()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const runs = 10
	for range runs {
		once()
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / runs; each > 4*rows*8 {
		t.Errorf("a run allocates %d bytes, and its result has %d", each, rows*8)
	}
}

// TestFirstBatchOfNone: groups of rows of which a filter keeps none, in the first run of a
// program, whose columns have no memory yet.
func TestFirstBatchOfNone(t *testing.T) {
	program, host, p := compiled(t, `pipeline p(x: [n]i32) {
	k = x[x < x]
	g = runs(k)
	return y: product(g, by: g), z: max(k, by: g), s: scan(add, k, by: g)
}
`, fuse.LevelAuto)
	in := testsuite.RandomData{Rows: 3, Seed: 1}.Columns(p)
	want, err := testsuite.Expect(p, in)
	if err != nil {
		t.Fatal(err)
	}
	got, err := run(program, host, p, in, vector.Options{})
	if difference := want.Differ(got, err); difference != "" {
		t.Error(difference)
	}
}

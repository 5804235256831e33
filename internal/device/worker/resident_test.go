package worker_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/plan"
)

// A column goes to the device once, a result stays there and is the argument of the next
// run, and what comes back is what the runs made of it.
func TestColumnsStay(t *testing.T) {
	for _, n := range []int{0, 1, 100, memory.LeastShared} {
		space := memory.NewSpace(0)
		o := options("")
		o.Space = space
		c := open(t, o)
		x := make([]int64, n)
		for i := range x {
			x[i] = int64(i)
		}
		r := request(x, "")
		r.Inputs.Scalars["add"] = exec.Value{Kind: plan.I64, Bits: 1}
		var err error
		if r.Loaded, err = c.Load(r.Code); err != nil {
			t.Fatal(err)
		}
		m, err := c.Upload(context.Background(), 0, r.Inputs.Columns["x"].Data)
		if err != nil {
			t.Fatal(err)
		}
		r.Keep = []string{"y"}
		for range 3 { // each doubles and adds one
			r.Inputs.Columns["x"] = exec.Column{Kind: plan.I64, Resident: &exec.Resident{Memory: m, Bytes: m.Bytes()}}
			result, err := c.Run(context.Background(), r)
			if err != nil {
				t.Fatal(err)
			}
			m.Free()
			m = result.Columns["y"].Resident.Memory.(*worker.Memory)
		}
		r.Keep, r.Inputs.Columns["x"] = nil, exec.Column{Kind: plan.I64, Resident: &exec.Resident{Memory: m, Bytes: m.Bytes()}}
		if result, err := c.Run(context.Background(), r); err != nil || result.Columns["y"].Resident != nil || int(result.Columns["y"].Rows()) != n {
			t.Fatalf("a result that is not kept: %v, %v", result, err)
		} else {
			space.Free(result.Columns["y"].Data)
		}
		data, err := c.Download(context.Background(), m)
		if err != nil {
			t.Fatal(err)
		}
		got := words(exec.Arg{Memory: data})
		if len(got) != n {
			t.Fatalf("%d rows, want %d", len(got), n)
		}
		for i := range got {
			if got[i] != 8*int64(i)+7 {
				t.Fatalf("row %d: %d", i, got[i])
			}
		}
		space.Free(data)
		m.Free()
		if _, err := c.Download(context.Background(), m); !isMemory(err, "freed") {
			t.Errorf("freed memory: %v", err)
		}
		r.Loaded.Unload()
		if space.Used() != 0 {
			t.Errorf("%d bytes are still in use", space.Used())
		}
	}
}

// What lay in a worker that has ended says so, and the next run starts it anew with the plan.
func TestColumnsAreLost(t *testing.T) {
	c := open(t, options(""))
	r := request([]int64{1, 2}, "")
	r.Inputs.Scalars["add"] = exec.Value{Kind: plan.I64}
	var err error
	if r.Loaded, err = c.Load(r.Code); err != nil {
		t.Fatal(err)
	}
	run := func() []int64 {
		result, err := c.Run(context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		return words(exec.Arg{Memory: result.Columns["y"].Data})
	}
	run()
	m, err := c.Upload(context.Background(), 0, r.Inputs.Columns["x"].Data)
	if err != nil {
		t.Fatal(err)
	}
	crash := request([]int64{1}, "crash")
	var crashed *worker.CrashError
	if _, err := c.Run(context.Background(), crash); !errors.As(err, &crashed) {
		t.Fatalf("the crash is reported as %v", err)
	}
	lost := r
	lost.Inputs.Columns = map[string]exec.Column{"x": {Kind: plan.I64, Resident: &exec.Resident{Memory: m, Bytes: m.Bytes()}}}
	if _, err := c.Run(context.Background(), lost); !isMemory(err, "was lost with the process that drives the device: exit status 2") {
		t.Errorf("lost memory: %v", err)
	}
	m.Free()
	if got := run(); !slices.Equal(got, []int64{2, 4}) {
		t.Errorf("after the crash: %d", got)
	}
	other := open(t, options(""))
	foreign, err := other.Upload(context.Background(), 0, r.Inputs.Columns["x"].Data)
	if err != nil {
		t.Fatal(err)
	}
	lost.Inputs.Columns["x"] = exec.Column{Kind: plan.I64, Resident: &exec.Resident{Memory: foreign, Bytes: foreign.Bytes()}}
	if _, err := c.Run(context.Background(), lost); !isMemory(err, "another device") {
		t.Errorf("memory of another device: %v", err)
	}
}

// Within the time of grace, a context that ends harms no other caller: the worker lives, and
// so do columns.
func TestGrace(t *testing.T) {
	o := options("")
	o.Grace = time.Minute
	c := open(t, o)
	r := request([]int64{1, 2}, "")
	m, err := c.Upload(context.Background(), 0, r.Inputs.Columns["x"].Data)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	slow := request([]int64{1, 2}, "slow")
	if _, err := c.Run(ctx, slow); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the run ended with %v", err)
	}
	if data, err := c.Download(context.Background(), m); err != nil || !slices.Equal(words(exec.Arg{Memory: data}), []int64{1, 2}) {
		t.Errorf("the column is %v, %v", data, err)
	}
}

// A call of a loaded plan, for which most of what guards it is not begun, ends all the same.
func TestLoadedPlanThatHangs(t *testing.T) {
	o := options("")
	o.Limit = time.Hour
	c := open(t, o)
	r := request([]int64{1, 2}, "hang later")
	m, err := c.Upload(context.Background(), 0, r.Inputs.Columns["x"].Data)
	if err != nil {
		t.Fatal(err)
	}
	if r.Loaded, err = c.Load(r.Code); err != nil {
		t.Fatal(err)
	}
	r.Inputs.Columns["x"] = exec.Column{Kind: plan.I64, Resident: &exec.Resident{Memory: m, Bytes: m.Bytes()}}
	r.Inputs.Scalars["add"] = exec.Value{Kind: plan.I64, Bits: 1}
	for range 2 {
		if _, err := c.Run(context.Background(), r); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	defer time.AfterFunc(20*time.Second, c.Abandon).Stop()
	if _, err := c.Run(ctx, r); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

func isMemory(err error, text string) bool {
	var lost *worker.MemoryError
	return errors.As(err, &lost) && strings.Contains(err.Error(), text)
}

// BenchmarkRoundTrip is what a call costs beside the device's work: a column that is there
// already, and a plan that is loaded.
func BenchmarkRoundTrip(b *testing.B) {
	o := options("")
	c, err := worker.Open(context.Background(), o)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	r := request([]int64{1, 2}, "")
	if r.Loaded, err = c.Load(r.Code); err != nil {
		b.Fatal(err)
	}
	m, err := c.Upload(context.Background(), 0, r.Inputs.Columns["x"].Data)
	if err != nil {
		b.Fatal(err)
	}
	r.Inputs.Columns["x"] = exec.Column{Kind: plan.I64, Resident: &exec.Resident{Memory: m, Bytes: m.Bytes()}}
	for b.Loop() {
		if _, err := c.Run(context.Background(), r); err != nil {
			b.Fatal(err)
		}
	}
}

// TestWorkersDie: a hundred callers share a worker that dies now and then. Each call has its
// result or says what was lost, and who starts anew goes on.
func TestWorkersDie(t *testing.T) {
	space := memory.NewSpace(0)
	defer space.Close()
	o := options("")
	o.Space = space
	c := open(t, o)
	good := request([]int64{1, 2}, "")
	good.Inputs.Scalars["add"] = exec.Value{Kind: plan.I64}
	loaded, err := c.Load(good.Code)
	if err != nil {
		t.Fatal(err)
	}
	goroutines := runtime.NumGoroutine()
	var lost, crashed atomic.Int64
	var all sync.WaitGroup
	for caller := range 100 {
		all.Go(func() {
			var m *worker.Memory
			x := []int64{int64(caller), 7}
			for round := range 10 {
				if caller%25 == 0 && round == 5 {
					var crash *worker.CrashError
					if _, err := c.Run(context.Background(), request([]int64{1}, "crash")); !errors.As(err, &crash) {
						t.Errorf("a crash is %v", err)
					}
					crashed.Add(1)
				}
				var err error
				if m == nil {
					if m, err = c.Upload(context.Background(), 0, request(x, "").Inputs.Columns["x"].Data); err != nil {
						t.Errorf("upload: %v", err)
						return
					}
				}
				r := worker.Request{Loaded: loaded, Keep: []string{"y"}, Inputs: exec.Inputs{Scalars: good.Inputs.Scalars, Columns: map[string]exec.Column{
					"x": {Kind: plan.I64, Resident: &exec.Resident{Memory: m, Bytes: m.Bytes()}}}}}
				result, err := c.Run(context.Background(), r)
				if isMemory(err, "was lost with the process") {
					lost.Add(1)
					m = nil
					continue
				}
				if err != nil {
					t.Errorf("run: %v", err)
					return
				}
				y := result.Columns["y"].Resident.Memory.(*worker.Memory)
				data, err := c.Download(context.Background(), y)
				y.Free()
				if isMemory(err, "was lost with the process") {
					lost.Add(1)
					m = nil
					continue
				}
				if err != nil || !slices.Equal(words(exec.Arg{Memory: data}), []int64{2 * int64(caller), 14}) {
					t.Errorf("caller %d: %v, %v", caller, data, err)
				}
				space.Free(data)
			}
		})
	}
	all.Wait()
	if crashed.Load() != 4 || lost.Load() == 0 {
		t.Errorf("%d crashes, %d calls that lost a column", crashed.Load(), lost.Load())
	}
	if space.Used() != 0 {
		t.Errorf("%d bytes are still in use", space.Used())
	}
	if now := runtime.NumGoroutine(); now > goroutines+5 {
		t.Errorf("%d goroutines, and %d at first", now, goroutines)
	}
}

// A run of a loaded plan whose columns stay on the device: what the protocol costs.
func BenchmarkRun(b *testing.B) {
	c, err := worker.Open(b.Context(), options(""))
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	r := request([]int64{1, 2}, "")
	if r.Loaded, err = c.Load(r.Code); err != nil {
		b.Fatal(err)
	}
	m, err := c.Upload(b.Context(), 0, r.Inputs.Columns["x"].Data)
	if err != nil {
		b.Fatal(err)
	}
	r.Keep = []string{"y"}
	r.Inputs.Columns["x"] = exec.Column{Kind: plan.I64, Resident: &exec.Resident{Memory: m, Bytes: m.Bytes()}}
	var took []time.Duration
	b.ReportAllocs()
	for b.Loop() {
		begun := time.Now()
		result, err := c.Run(b.Context(), r)
		if err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(begun))
		result.Columns["y"].Resident.Memory.(*worker.Memory).Free()
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1e3, "µs/median")
	b.ReportMetric(float64(took[len(took)/10].Nanoseconds())/1e3, "µs/tenth")
}

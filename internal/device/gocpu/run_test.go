package gocpu

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kgen-go/kgen/plan"

	"github.com/kgen-go/kgen/internal/memory"
)

// cache is shared by the tests, so that most of them build nothing.
var cache string

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "kgen-run-test-")
	if err != nil {
		panic(err)
	}
	cache = folder
	code := m.Run()
	os.RemoveAll(folder)
	os.Exit(code)
}

func columns(kind plan.Kind, names ...string) []Field {
	var fields []Field
	for _, n := range names {
		fields = append(fields, Field{Name: n, Kind: kind})
	}
	return fields
}

// testSource has the package of testdata twice: two programs of one name in
// different packages must not clash.
func testSource(t testing.TB) Source {
	t.Helper()
	text, err := os.ReadFile("testdata/orders.go")
	if err != nil {
		t.Fatal(err)
	}
	doubled := strings.ReplaceAll(string(text), "+= lQuantity[i]", "+= 2 * lQuantity[i]")
	orders := Entry{Program: "orders", Into: "OrdersInto", Result: "OrdersResult",
		Params: columns("i64", "lOrderkey", "lQuantity"), Results: columns("i64", "Key", "Count", "Total")}
	other := orders
	other.Program, other.Package = "doubled", 1
	return Source{
		Packages: []Package{
			{Name: "orders", Files: map[string][]byte{"orders.go": text}},
			{Name: "orders", Files: map[string][]byte{"orders.go": []byte(doubled)}},
		},
		Entries: []Entry{orders, other,
			{Program: "kinds", Into: "KindsInto", Result: "KindsResult",
				Params: []Field{{"a", "bool", false}, {"b", "i8", false}, {"c", "u16", false}, {"d", "f32", false},
					{"e", "date", false}, {"f", "char8", false}, {"from", "date", true}},
				Results: []Field{{"A", "bool", false}, {"B", "i8", false}, {"C", "u16", false}, {"D", "f32", false},
					{"E", "date", false}, {"F", "char8", false}, {"Workers", "i64", true}}},
			{Program: "misbehave", Into: "MisbehaveInto", Result: "MisbehaveResult",
				Params: []Field{{"how", "i64", true}, {"x", "i64", false}}, Results: columns("i64", "X")},
		},
	}
}

func testBinary(t testing.TB) *Binary {
	t.Helper()
	b, err := Build(context.Background(), testSource(t), Options{CacheFolder: cache})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func testWorker(t testing.TB) *Worker {
	t.Helper()
	w := testBinary(t).Worker(memory.NewSpace(0))
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return w
}

func encode(t testing.TB, data any) []byte {
	t.Helper()
	b, err := binary.Append(nil, binary.NativeEndian, data)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func decodeInts(t testing.TB, b []byte) []int64 {
	t.Helper()
	x := make([]int64, len(b)/8)
	if _, err := binary.Decode(b, binary.NativeEndian, x); err != nil {
		t.Fatal(err)
	}
	return x
}

func equal[T comparable](t testing.TB, what string, got, want []T) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d rows %v, want %d rows %v", what, len(got), got, len(want), want)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("%s: row %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

func TestProgramsShareABuild(t *testing.T) {
	w := testWorker(t)
	params := [][]byte{encode(t, []int64{1, 1, 2, 1}), encode(t, []int64{10, 20, 30, 40})}
	for program, total := range map[string][]int64{"orders": {30, 30, 40}, "doubled": {60, 60, 80}} {
		r, err := w.Run(t.Context(), Call{Program: program, Params: params})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "key", decodeInts(t, r.Columns[0]), []int64{1, 2, 1})
		equal(t, "count", decodeInts(t, r.Columns[1]), []int64{2, 1, 1})
		equal(t, "total", decodeInts(t, r.Columns[2]), total)
	}
}

func TestKinds(t *testing.T) {
	w := testWorker(t)
	params := [][]byte{{0, 1, 1}, {0x80, 0x7f, 0}, encode(t, []uint16{1, 65535}), encode(t, []float32{float32(math.Inf(-1)), 0.1}),
		encode(t, []int32{5, 6}), []byte("12345678abc\x00\x00\x00\x00\x00"), encode(t, int32(5))}
	r, err := w.Run(t.Context(), Call{Program: "kinds", Workers: 7, Params: params})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range r.Columns[:6] {
		equal(t, "column", c, params[i])
	}
	equal(t, "workers", decodeInts(t, r.Columns[6]), []int64{7})

	r, err = w.Run(t.Context(), Call{Program: "kinds", Params: [][]byte{nil, nil, nil, nil, nil, nil, params[6]}})
	if err != nil {
		t.Fatalf("no rows: %v", err)
	}
	for _, c := range r.Columns[:6] {
		equal(t, "empty column", c, nil)
	}
	equal(t, "default workers", decodeInts(t, r.Columns[6]), []int64{0})
}

func TestLargeColumns(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	const n = 400_000
	key, one := make([]int64, n), make([]int64, n)
	for i := range key {
		key[i], one[i] = int64(i), 1
	}
	for _, c := range []struct {
		name   string
		shared bool // the parameters lie in the worker's space
		bounds []int64
	}{
		{"copied, without bounds", false, nil},
		{"copied, some bounds", false, []int64{8 * n, 0, 8*n + 800}},
		{"shared, bounds", true, []int64{8 * n, 8 * n, 16 * n}},
		{"shared, a bound that is none", true, []int64{8 * n, 8 * n / 2, 8 * n}},
	} {
		t.Run(c.name, func(t *testing.T) {
			space := memory.NewSpace(0)
			defer space.Close()
			w := testBinary(t).Worker(space)
			defer w.Close()
			params := [][]byte{encode(t, key), encode(t, one)}
			if c.shared {
				for i, data := range params {
					shared, err := space.New(int64(len(data)))
					if err != nil {
						t.Fatal(err)
					}
					copy(shared, data)
					params[i] = shared
				}
			}
			for _, repeat := range []int{0, 0, 3} {
				r, err := w.Run(t.Context(), Call{Program: "orders", Params: params, Bounds: c.bounds, Repeat: repeat})
				if err != nil {
					t.Fatal(err)
				}
				if len(r.Again) != repeat {
					t.Errorf("repeated %d times, not %d", len(r.Again), repeat)
				}
				for _, again := range r.Again {
					if again.Elapsed <= 0 {
						t.Errorf("a repetition took %v", again.Elapsed)
					}
				}
				equal(t, "key", decodeInts(t, r.Columns[0]), key)
				equal(t, "count", decodeInts(t, r.Columns[1]), one)
				equal(t, "total", decodeInts(t, r.Columns[2]), one)
				equal(t, "parameter", decodeInts(t, params[0]), key)
				for _, data := range r.Columns {
					if _, shared := space.Path(data); !shared && runtime.GOOS == "linux" {
						t.Error("a result lies outside the space")
					}
					space.Free(data)
				}
			}
		})
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "*")); len(left) > 0 {
		t.Errorf("files left: %v", left)
	}
}

func TestSpaceTooSmallForResults(t *testing.T) {
	w := testBinary(t).Worker(memory.NewSpace(1000))
	defer w.Close()
	key := encode(t, make([]int64, 1))
	for i := range 3 { // again after a failure
		many := encode(t, make([]int64, 100))
		for j := range 100 {
			many[8*j] = byte(j)
		}
		var limit *memory.LimitError
		if _, err := w.Run(t.Context(), Call{Program: "orders", Params: [][]byte{many, many}}); !errors.As(err, &limit) {
			t.Fatalf("call %d: %v, want a limit", i, err)
		}
	}
	if _, err := w.Run(t.Context(), Call{Program: "orders", Params: [][]byte{key, key}}); err != nil {
		t.Errorf("a small call after that: %v", err)
	}
}

func TestErrorsOfACall(t *testing.T) {
	w := testWorker(t)
	_, err := w.Run(t.Context(), Call{Program: "kinds",
		Params: [][]byte{nil, nil, nil, nil, encode(t, []int32{9, 8, 1}), nil, encode(t, int32(5))}})
	var check *CheckError
	if !errors.As(err, &check) || *check != (CheckError{Site: 3, Row: 2}) {
		t.Errorf("failed check: %v", err)
	}
	_, err = w.Run(t.Context(), Call{Program: "orders", Params: [][]byte{encode(t, []int64{1}), nil}})
	var argument *ArgumentError
	if !errors.As(err, &argument) || argument.Message != "l_orderkey and l_quantity differ in length" {
		t.Errorf("bad argument: %v", err)
	}
	for _, c := range []struct {
		call Call
		want string
	}{
		{Call{Program: "missing"}, `no program "missing"`},
		{Call{Program: "orders", Params: [][]byte{nil}}, "takes 2 parameters, not 1"},
		{Call{Program: "orders", Params: [][]byte{make([]byte, 7), nil}}, "7 bytes are no i64"},
		{Call{Program: "misbehave", Params: [][]byte{nil, nil}}, "0 bytes are no i64 for how"},
	} {
		if _, err := w.Run(t.Context(), c.call); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: error %v, want %q", c.call, err, c.want)
		}
	}
}

func misbehave(t *testing.T, how int64, rows int) Call {
	return Call{Program: "misbehave", Params: [][]byte{encode(t, how), make([]byte, 8*rows)}}
}

func TestCrashIsReportedAndSurvived(t *testing.T) {
	w := testWorker(t)
	for _, c := range []struct {
		name string
		how  int64
		rows int
		want string
	}{
		{"panic", 1, 1, "panic: planted panic"},
		{"kill", 2, 1, "killed"},
		{"write to a mapped input", 5, 1 << 18, "fault"},
		{"exit", 6, 1, "exit status 0"},
	} {
		_, err := w.Run(t.Context(), misbehave(t, c.how, c.rows))
		var crash *CrashError
		if !errors.As(err, &crash) || !strings.Contains(err.Error(), c.want) || crash.Program != "misbehave" {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
		if _, err := w.Run(t.Context(), misbehave(t, 4, 1)); err != nil {
			t.Errorf("call after %s: %v", c.name, err)
		}
	}
}

// Under the race detector, two workers that write one slot end the process, and
// the message names the place; without it nothing tells.
func TestRaceIsReported(t *testing.T) {
	if os.Getenv("KGEN_TEST_ALL") == "" {
		t.Skip("builds Go's packages for the race detector: KGEN_TEST_ALL=1 runs it")
	}
	b, err := Build(t.Context(), testSource(t), Options{CacheFolder: cache, Race: true})
	if _, missing := exec.LookPath("gcc"); missing != nil && err != nil {
		t.Skipf("the race detector needs gcc: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	w := b.Worker(memory.NewSpace(0))
	defer w.Close()
	_, err = w.Run(t.Context(), misbehave(t, 8, 1))
	var crash *CrashError
	if !errors.As(err, &crash) || !crash.Race() || crash.OutOfMemory() || !strings.Contains(err.Error(), "MisbehaveInto") {
		t.Errorf("error %v, want a race", err)
	}
	if _, err := w.Run(t.Context(), misbehave(t, 0, 1)); err != nil {
		t.Errorf("the call after a race: %v", err)
	}
	if _, err := testWorker(t).Run(t.Context(), misbehave(t, 8, 1)); err != nil {
		t.Errorf("without the race detector: %v", err)
	}
}

func TestCancelKillsTheChild(t *testing.T) {
	w := testWorker(t)
	if _, err := w.Run(t.Context(), misbehave(t, 0, 1)); err != nil {
		t.Fatal(err)
	}
	pid := w.child.Command.Process
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	if _, err := w.Run(ctx, misbehave(t, 3, 1)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	if d := time.Since(start); d > 10*time.Second {
		t.Errorf("killing took %v", d)
	}
	if err := pid.Kill(); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("the child still runs: %v", err)
	}
	if _, err := w.Run(t.Context(), misbehave(t, 0, 1)); err != nil {
		t.Errorf("call after a cancelled one: %v", err)
	}
}

func TestManyWorkers(t *testing.T) {
	b := testBinary(t)
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			w := b.Worker(memory.NewSpace(0))
			defer w.Close()
			for j := range 50 {
				want := int64(i*1000 + j)
				r, err := w.Run(t.Context(), misbehaveWith(t, want))
				if err != nil {
					t.Error(err)
					return
				}
				if got := decodeInts(t, r.Columns[0]); len(got) != 1 || got[0] != want {
					t.Errorf("got %v, want %d", got, want)
				}
			}
		})
	}
	group.Wait()
}

func misbehaveWith(t *testing.T, x int64) Call {
	return Call{Program: "misbehave", Params: [][]byte{encode(t, int64(0)), encode(t, []int64{x})}}
}

func BenchmarkSmallCalls(b *testing.B) {
	w := testWorker(b)
	call := Call{Program: "orders", Params: [][]byte{encode(b, []int64{1, 1, 2, 1}), encode(b, []int64{10, 20, 30, 40})}}
	for b.Loop() {
		if _, err := w.Run(context.Background(), call); err != nil {
			b.Fatal(err)
		}
	}
}

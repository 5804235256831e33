package kgen_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kgen-go/kgen"
	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/ir"
)

const ordersText = `pipeline orders(key: [n]i64, quantity: [n]i64, least: i64 = 0) {
	big = quantity >= least
	k = key[big]
	g = runs(k)
	return order: first(k, by: g), total: sum(quantity[big], by: g), all: sum(quantity)
}
`

// chosen returns the device of which tests say the name: in place of the first of its kind another one, such
// as opencl:1, if KGEN_TEST_DEVICE names that.
func chosen(name string) string {
	other := os.Getenv("KGEN_TEST_DEVICE")
	if kind, _, ok := strings.Cut(other, ":"); ok && name == kind+":0" {
		return other
	}
	return name
}

// open opens a device, or skips the test where there is none.
func open(t *testing.T, name string, options ...kgen.DeviceOption) *kgen.Device {
	t.Helper()
	if name == "cudaemu" {
		if _, err := exec.LookPath("g++"); err != nil {
			t.Skip("the emulation needs g++")
		}
	}
	d, err := kgen.Open(t.Context(), chosen(name), options...)
	var missing *kgen.MissingError
	if errors.As(err, &missing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func on(t *testing.T, d *kgen.Device, text string, settings ...kgen.Setting) *kgen.Executable {
	t.Helper()
	p, err := kgen.Compile(text, "")
	if err != nil {
		t.Fatal(err)
	}
	e, err := p.On(t.Context(), d, settings...)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// names are the devices of these tests; those with a driver are skipped where there is none.
var names = []string{"interp", "vector", "gocpu", "cudaemu", "opencl:0", "cuda:0"}

// orders is what the pipeline does, by hand.
func orders(key, quantity []int64, least int64) (order, total []int64, all int64) {
	var last int64
	for i, k := range key {
		all += quantity[i]
		if quantity[i] < least {
			continue
		}
		if len(order) == 0 || last != k {
			order, total = append(order, k), append(total, 0)
		}
		last = k
		total[len(total)-1] += quantity[i]
	}
	return order, total, all
}

// TestRun runs a program on slices and on columns of the device, with results here and there.
func TestRun(t *testing.T) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			d := open(t, name)
			e := on(t, d, ordersText)
			for _, n := range []int{0, 1, 1000, 70_000} {
				if n > 10_000 && name == "interp" {
					continue
				}
				key, quantity := make([]int64, n), make([]int64, n)
				for i := range key {
					key[i], quantity[i] = int64(i/3), rand.Int64N(10)
				}
				order, total, all := orders(key, quantity, 4)
				column, err := kgen.Upload(t.Context(), d, key)
				if err != nil {
					t.Fatal(err)
				}
				for _, given := range []any{key, column} {
					for _, options := range [][]kgen.RunOption{nil, {kgen.KeepAll()}, {kgen.Keep("total")}, {kgen.Trace()}} {
						out, err := e.Run(t.Context(), kgen.Args{"key": given, "quantity": quantity, "least": 4}, options...)
						if err != nil {
							t.Fatal(err)
						}
						expect(t, out, "order", order)
						expect(t, out, "total", total)
						if got, err := kgen.Scalar[int64](out, "all"); err != nil || got != all {
							t.Errorf("all is %d, %v; want %d", got, err, all)
						}
						out.Free()
					}
				}
				column.Free()
				if used := d.Space().Used(); used != 0 {
					t.Errorf("%d rows: %d bytes are still in use", n, used)
				}
			}
		})
	}
}

func expect(t *testing.T, out *kgen.Results, name string, want []int64) {
	t.Helper()
	got, err := kgen.Read[int64](t.Context(), out.Column(name))
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%s: %d rows, %v; want %d rows, the same", name, len(got), err, len(want))
	}
}

// TestChain: a result is an argument of the next program without leaving the device.
func TestChain(t *testing.T) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			d := open(t, name)
			double := on(t, d, "pipeline double(x: [n]i32) {\n\treturn y: x + x\n}\n")
			var column any = []int32{1, -2, 3}
			for range 3 {
				out, err := double.Run(t.Context(), kgen.Args{"x": column}, kgen.Keep("y"))
				if err != nil {
					t.Fatal(err)
				}
				if before, ok := column.(*kgen.Column); ok {
					before.Free()
				}
				column = out.Column("y")
			}
			last := column.(*kgen.Column)
			if got, err := kgen.Read[int32](t.Context(), last); err != nil || !slices.Equal(got, []int32{8, -16, 24}) {
				t.Errorf("%d, %v", got, err)
			}
			if last.Rows() != 3 || last.Kind() != ir.I32 || last.Device() != d {
				t.Errorf("%d rows of %v on %v", last.Rows(), last.Kind(), last.Device())
			}
			last.Free()
		})
	}
}

// TestTexts: strings, dates, missing values and defaults as arguments.
func TestTexts(t *testing.T) {
	const text = `pipeline pages(page: [n]text, day: [n]date, name: [n]bool like "%o%" missing false, since: date, kind: text = "home") {
	hit = page != kind && day >= since && page != "none"
	return page: page[hit], hits: count(hit), named: count(name)
}
`
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			d := open(t, name)
			e := on(t, d, text)
			page := []string{"shop", "home", "none", "cart", "shop"}
			day := []int32{1, 1, 1, 1, 0}
			second := time.Date(1970, 1, 2, 0, 0, 0, 0, time.UTC)
			out, err := e.Run(t.Context(), kgen.Args{"page": page, "day": day, "name": page, "since": second})
			if err != nil {
				t.Fatal(err)
			}
			if got, err := kgen.ReadTexts(t.Context(), out.Column("page")); err != nil || !slices.Equal(got, []string{"shop", "cart"}) {
				t.Errorf("%q, %v", got, err)
			}
			if got, err := kgen.Read[int64](t.Context(), out.Column("named")); err != nil || !slices.Equal(got, []int64{4}) {
				t.Errorf("%d pages have an o, %v", got, err)
			}
			named := make([]bool, len(page))
			p, _ := kgen.Compile(text, "")
			dictionary := kgen.NewTexts(p.Texts(), page, []string{"cart"})
			column, err := kgen.UploadTexts(t.Context(), d, dictionary, page)
			if err != nil {
				t.Fatal(err)
			}
			out, err = e.Run(t.Context(), kgen.Args{"page": column, "day": day, "name": named, "since": second, "kind": "cart"}, kgen.KeepAll())
			if err != nil {
				t.Fatal(err)
			}
			if got, err := kgen.ReadTexts(t.Context(), out.Column("page")); err != nil || !slices.Equal(got, []string{"shop", "home"}) {
				t.Errorf("%q, %v", got, err)
			}
			if _, err = e.Run(t.Context(), kgen.Args{"page": column, "day": day, "name": named, "since": second, "kind": "attic"}); !isArgument(err, "kind", `no text "attic"`) {
				t.Error(err)
			}
		})
	}
}

func isArgument(err error, name, problem string) bool {
	var argument *kgen.ArgumentError
	return errors.As(err, &argument) && argument.Name == name && strings.Contains(argument.Problem, problem)
}

// TestArguments: each wrong argument is an error with its name.
func TestArguments(t *testing.T) {
	d := open(t, "interp")
	e := on(t, d, "pipeline p(x: [n]i32, y: [n]f32, c: [m]char8, k: u8, f: f32) {\n\treturn s: x + i32(k), t: y * f, c: c\n}\n")
	good := func() kgen.Args {
		return kgen.Args{"x": []int32{1}, "y": []float32{1}, "c": []string{"ab"}, "k": 3, "f": 0.5}
	}
	if _, err := e.Run(t.Context(), good()); err != nil {
		t.Fatal(err)
	}
	freed, err := kgen.Upload(t.Context(), d, []int64{1})
	if err != nil {
		t.Fatal(err)
	}
	other, err := kgen.Upload(t.Context(), open(t, "interp"), []int32{1})
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []struct {
		name    string
		value   any
		problem string
	}{
		{"x", []int64{1}, "a column of i32 takes a *kgen.Column or []int32"},
		{"x", nil, "a column of i32 is missing"},
		{"x", 7, "a int is given"},
		{"x", freed, "the column is of i64"},
		{"x", other, "the column lies on interp"},
		{"x", (*kgen.Column)(nil), "is nil"},
		{"y", []float32{1, 2}, "2 rows; other columns over n have 1"},
		{"c", []string{"too long a text"}, "more than 8 bytes"},
		{"k", 256, "which a scalar of u8 does not hold"},
		{"k", -1, "which a scalar of u8 does not hold"},
		{"k", nil, "a scalar of u8 is missing"},
		{"k", "3", "which a scalar of u8 does not hold"},
		{"f", 0.1, "which a scalar of f32 does not hold"},
		{"z", 1, "pipeline p has no such parameter; it has [x y c k f]"},
	} {
		args := good()
		args[bad.name] = bad.value
		if _, err := e.Run(t.Context(), args); !isArgument(err, bad.name, bad.problem) {
			t.Errorf("%s = %v: %v", bad.name, bad.value, err)
		}
	}
	if _, err := e.Run(t.Context(), good(), kgen.Keep("u")); !isArgument(err, "u", "no such result") {
		t.Error(err)
	}
	out, err := e.Run(t.Context(), good())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := kgen.Read[int64](t.Context(), out.Column("s")); !isArgument(err, "column", "of kind i32, which int64 does not hold") {
		t.Error(err)
	}
	if _, err := kgen.Read[int64](t.Context(), out.Column("u")); !isArgument(err, "column", "no column of this name") {
		t.Error(err)
	}
}

// TestErrors: errors have types, positions and rows.
func TestErrors(t *testing.T) {
	var list ir.ErrorList
	if _, err := kgen.Compile("pipeline p(x: [n]i32) {\n\treturn y: x + z\n}\n", ""); !errors.As(err, &list) || list[0].Pos.Line != 2 {
		t.Errorf("%v", err)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			d := open(t, name)
			e := on(t, d, "pipeline p(x: [n]i32) {\n\treturn y: 10 / x\n}\n")
			_, err := e.Run(t.Context(), kgen.Args{"x": []int32{1, 2, 0, 0}})
			var check *kgen.CheckError
			if !errors.As(err, &check) || check.Row != 2 || !strings.Contains(err.Error(), "2:15") {
				t.Errorf("%v", err)
			}
			if out, err := e.Run(t.Context(), kgen.Args{"x": []int32{5}}); err != nil {
				t.Errorf("after the failed check: %v", err)
			} else if got, _ := kgen.Read[int32](t.Context(), out.Column("y")); !slices.Equal(got, []int32{2}) {
				t.Errorf("after the failed check: %d", got)
			}
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := e.Run(ended, kgen.Args{"x": []int32{5}}); !errors.Is(err, context.Canceled) {
				t.Errorf("an ended context: %v", err)
			}
			d.Close()
			if _, err := e.Run(t.Context(), kgen.Args{"x": []int32{5}}); err == nil || !strings.Contains(err.Error(), "closed") {
				t.Errorf("a closed device: %v", err)
			}
		})
	}
}

// TestManyCallers: goroutines share a device, its programs and its columns, while contexts of
// some of them end.
func TestManyCallers(t *testing.T) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			d := open(t, name)
			e := on(t, d, "pipeline p(x: [n]i64, k: i64) {\n\treturn y: x * k, s: sum(x)\n}\n")
			x := make([]int64, 20_000)
			for i := range x {
				x[i] = int64(i)
			}
			column, err := kgen.Upload(t.Context(), d, x)
			if err != nil {
				t.Fatal(err)
			}
			var all sync.WaitGroup
			for caller := range 10 {
				all.Go(func() {
					for range 3 {
						ctx, cancel := context.WithCancel(t.Context())
						if caller == 0 {
							time.AfterFunc(time.Duration(rand.Int64N(int64(time.Millisecond))), cancel)
						}
						out, err := e.Run(ctx, kgen.Args{"x": column, "k": caller}, kgen.KeepAll())
						cancel()
						if caller == 0 && errors.Is(err, context.Canceled) {
							continue
						}
						if err != nil {
							t.Error(err)
							return
						}
						got, err := kgen.Read[int64](t.Context(), out.Column("y"))
						if err != nil || len(got) != len(x) || got[777] != 777*int64(caller) {
							t.Errorf("caller %d: %d rows, %v", caller, len(got), err)
						}
						out.Free()
					}
				})
			}
			all.Wait()
		})
	}
}

// TestSettings: a device says which settings it does not have.
func TestSettings(t *testing.T) {
	var setting *kgen.SettingError
	if _, err := kgen.Open(t.Context(), "interp", kgen.MemoryLimit(1)); !errors.As(err, &setting) || setting.Setting != "memory limit" {
		t.Error(err)
	}
	d := open(t, "interp")
	p, err := kgen.Compile(ordersText, "orders")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.On(t.Context(), d, kgen.Level("none")); !errors.As(err, &setting) || setting.Setting != "level" {
		t.Error(err)
	}
	for _, name := range []string{"", "gocpu:1", "opencl", "opencl:x", "cuda:-1", "cudaemu:", "gpu"} {
		if _, err := kgen.Open(t.Context(), name); err == nil {
			t.Errorf("there is a device %q", name)
		}
	}
	if _, err := kgen.Compile(ordersText, "order"); err == nil || !strings.Contains(err.Error(), "it has orders") {
		t.Error(err)
	}
}

// TestFile: programs come from files and builders, too, and say what they need.
func TestFile(t *testing.T) {
	p, err := kgen.CompileFile("examples/grades/grades.kg", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := kgen.CompileFile("examples/grades/none.kg", ""); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	var waited []string
	d, err := kgen.Open(t.Context(), "gocpu", kgen.MemoryLimit(1<<30), kgen.Waiting(func(what string) { waited = append(waited, what) }))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	e, err := p.On(t.Context(), d, kgen.Level("onepass"), kgen.Workers(2))
	if err != nil {
		t.Fatal(err)
	}
	if f := e.Footprint(map[string]int64{"n": 1000}, nil); f.Input == 0 || f.Unknown || len(e.Compiled()) != 1 || len(waited) == 0 {
		t.Errorf("%+v, %v, %q", f, e.Compiled(), waited)
	}
	for _, v := range p.Pipeline().Params {
		if v.Type.Domain == nil || v.Type.Domain.Name != "n" {
			t.Errorf("%s is over %v", v.Name, v.Type.Domain)
		}
	}
	b := ir.NewBuilder("double")
	x := build.Column[int32](b, "x", "n")
	b.Return(x.Add(x).As("y"), b.Sum(x).As("s"))
	if p, err = kgen.CompileBuilder(b); err != nil {
		t.Fatal(err)
	}
	if e, err = p.On(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	out, err := e.Run(t.Context(), kgen.Args{"x": []int32{1, 2}}, kgen.KeepAll())
	if err != nil {
		t.Fatal(err)
	}
	if rows, ok := kgen.View[int32](out.Column("y")); !ok || !slices.Equal(rows, []int32{2, 4}) || !slices.Equal(out.Names(), []string{"y", "s"}) {
		t.Errorf("%d, %v, %q", rows, ok, out.Names())
	}
	if _, ok := kgen.View[int64](out.Column("y")); ok {
		t.Error("i32 are viewed as int64")
	}
	out.Free()
	if err := e.Close(); err != nil {
		t.Error(err)
	}
	if n := kgen.NewTexts([]string{"b", "a"}, []string{"b"}).Len(); n != 2 {
		t.Errorf("a dictionary of %d", n)
	}
	if _, err := kgen.Open(t.Context(), "gocpu", kgen.TimeLimit(time.Second)); err == nil {
		t.Error("gocpu has a time limit")
	}
}

// TestManyCalls: repeated runs hold no more memory, goroutines or files than one.
func TestManyCalls(t *testing.T) {
	for _, name := range []string{"gocpu", "opencl:0", "cuda:0"} {
		t.Run(name, func(t *testing.T) {
			d := open(t, name)
			e := on(t, d, "pipeline p(x: [n]i64, k: i64) {\n\treturn y: x[x > k], s: sum(x)\n}\n")
			x := make([]int64, 10_000)
			for i := range x {
				x[i] = int64(i)
			}
			column, err := kgen.Upload(t.Context(), d, x)
			if err != nil {
				t.Fatal(err)
			}
			run := func(times int) {
				for k := range times {
					out, err := e.Run(t.Context(), kgen.Args{"x": column, "k": k}, kgen.KeepAll())
					if err != nil {
						t.Fatal(err)
					}
					if rows := out.Column("y").Rows(); rows != int64(len(x)-k-1) {
						t.Fatalf("%d rows above %d", rows, k)
					}
					out.Free()
				}
			}
			run(3)
			goroutines, used := runtime.NumGoroutine(), d.Space().Used()
			run(testCalls)
			if now := runtime.NumGoroutine(); now > goroutines+2 || d.Space().Used() != used {
				t.Errorf("%d goroutines, then %d; %d bytes, then %d", goroutines, now, used, d.Space().Used())
			}
		})
	}
}

// testCalls is how often TestManyCalls runs.
var testCalls = 200

func init() {
	if os.Getenv("KGEN_TEST_ALL") != "" {
		testCalls = 9_990
	}
}

func Example() {
	ctx := context.Background()
	program, err := kgen.Compile(`pipeline totals(shop: [n]i32, amount: [n]f64) {
	g = groups(shop)
	return shop: first(shop, by: g), total: sum(amount, by: g)
}`, "")
	if err != nil {
		panic(err)
	}
	device, err := kgen.Open(ctx, "interp") // or gocpu, opencl:0, cuda:0
	if err != nil {
		panic(err)
	}
	defer device.Close()
	totals, err := program.On(ctx, device)
	if err != nil {
		panic(err)
	}
	out, err := totals.Run(ctx, kgen.Args{"shop": []int32{3, 1, 3}, "amount": []float64{1, 2, 0.5}})
	if err != nil {
		panic(err)
	}
	shop, _ := kgen.Read[int32](ctx, out.Column("shop"))
	total, _ := kgen.Read[float64](ctx, out.Column("total"))
	fmt.Println(shop, total)
	// Output: [1 3] [2 1.5]
}

// TestPassedThrough: a result that is a parameter is a column of its own, wherever either lies.
func TestPassedThrough(t *testing.T) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			d := open(t, name)
			e := on(t, d, "pipeline same(x: [n]i64) {\n\treturn y: x, z: x\n}\n")
			want := make([]int64, 20_000)
			for i := range want {
				want[i] = int64(i)
			}
			x, err := kgen.Upload(t.Context(), d, want)
			if err != nil {
				t.Fatal(err)
			}
			for _, options := range [][]kgen.RunOption{nil, {kgen.Keep("y")}, {kgen.KeepAll()}} {
				out, err := e.Run(t.Context(), kgen.Args{"x": x}, options...)
				if err != nil {
					t.Fatal(err)
				}
				expect(t, out, "y", want)
				out.Column("y").Free()
				expect(t, out, "z", want)
				out.Column("z").Free()
			}
			out, err := e.Run(t.Context(), kgen.Args{"x": x}, kgen.KeepAll())
			if err != nil {
				t.Fatal(err)
			}
			x.Free()
			expect(t, out, "y", want)
			out.Free()
			if used := d.Space().Used(); used != 0 {
				t.Errorf("%d bytes are still in use", used)
			}
		})
	}
}

// TestFreed: whoever uses a column that has been freed hears that, and a second Free does
// nothing.
func TestFreed(t *testing.T) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			d := open(t, name)
			e := on(t, d, "pipeline double(x: [n]i64) {\n\treturn y: x + x\n}\n")
			x := make([]int64, 20_000)
			column, err := kgen.Upload(t.Context(), d, x)
			if err != nil {
				t.Fatal(err)
			}
			column.Free()
			other, err := kgen.Upload(t.Context(), d, x)
			if err != nil {
				t.Fatal(err)
			}
			column.Free()
			var gone *kgen.ColumnError
			if _, err := e.Run(t.Context(), kgen.Args{"x": column}); !errors.As(err, &gone) {
				t.Errorf("a run: %v", err)
			}
			if _, err := kgen.Read[int64](t.Context(), column); !errors.As(err, &gone) {
				t.Errorf("a read: %v", err)
			}
			if _, ok := kgen.View[int64](column); ok {
				t.Error("it is viewed")
			}
			if got, err := kgen.Read[int64](t.Context(), other); err != nil || !slices.Equal(got, x) {
				t.Errorf("the other column: %d rows, %v", len(got), err)
			}
		})
	}
}

// What a function writes is uploaded; where it fails nothing stays behind.
func TestFill(t *testing.T) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			const rows = 30_000
			limit := kgen.MemoryLimit(rows*8 + rows*4)
			if name == "interp" {
				limit = kgen.MemoryLimit(0)
			}
			d := open(t, name, limit)
			failed := errors.New("no more rows")
			for range 3 {
				if _, err := kgen.Fill(t.Context(), d, rows, func([]int64) error { return failed }); !errors.Is(err, failed) {
					t.Fatal(err)
				}
			}
			column, err := kgen.Fill(t.Context(), d, rows, func(to []int64) error {
				for i := range to {
					to[i] = int64(i * i)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			got, err := kgen.Read[int64](t.Context(), column)
			if err != nil || len(got) != rows || got[rows-1] != (rows-1)*(rows-1) {
				t.Errorf("%d rows, %v", len(got), err)
			}
			dictionary := kgen.NewTexts([]string{"b", "a"})
			texts, err := kgen.FillTexts(t.Context(), d, dictionary, 2, func(to []int32) error {
				to[0], _ = dictionary.Code("b")
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if got, err := kgen.ReadTexts(t.Context(), texts); err != nil || !slices.Equal(got, []string{"b", "a"}) || texts.Texts() != dictionary {
				t.Errorf("%q, %v", got, err)
			}
			var refused *kgen.ArgumentError
			if _, err := kgen.Fill(t.Context(), d, -1, func([]int64) error { return nil }); !errors.As(err, &refused) {
				t.Error(err)
			}
		})
	}
}

// Results are written to memory of the caller, as far as that goes.
func TestInto(t *testing.T) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			d := open(t, name)
			e := on(t, d, "pipeline kept(x: [n]i64) {\n\ty = x[x > 0]\n\treturn y: y + 1, x, rows: count(x > 0)\n}\n")
			x := make([]int64, 20_000)
			for i := range x {
				x[i] = int64(i % 2)
			}
			large, small := make([]int64, 20_000), make([]int64, 3)
			to, fresh := large, small
			out, err := e.Run(t.Context(), kgen.Args{"x": x}, kgen.Into("y", &to), kgen.Into("x", &fresh))
			if err != nil {
				t.Fatal(err)
			}
			if len(to) != 10_000 || &to[0] != &large[0] || slices.Min(to) != 2 || slices.Max(to) != 2 {
				t.Errorf("%d rows: %v", len(to), to[:min(len(to), 5)])
			}
			if !slices.Equal(fresh, x) || &fresh[0] == &x[0] || small[0] != 0 {
				t.Errorf("%d rows: %v", len(fresh), fresh[:min(len(fresh), 5)])
			}
			if got, err := kgen.Read[int64](t.Context(), out.Column("y")); err != nil || !slices.Equal(got, to) {
				t.Errorf("%d rows, %v", len(got), err)
			}
			if rows, err := kgen.Scalar[int64](out, "rows"); rows != 10_000 || err != nil {
				t.Errorf("%d, %v", rows, err)
			}
			if _, err := e.Run(t.Context(), kgen.Args{"x": []int64{}}, kgen.Into("y", &to)); err != nil || len(to) != 0 || cap(to) != 20_000 {
				t.Errorf("%d rows of %d, %v", len(to), cap(to), err)
			}
			var wrong []int32
			if _, err := e.Run(t.Context(), kgen.Args{"x": x}, kgen.Into("y", &wrong)); !isArgument(err, "y", "[]int32 does not hold") {
				t.Error(err)
			}
			if _, err := e.Run(t.Context(), kgen.Args{"x": x}, kgen.Into("z", &to)); !isArgument(err, "z", "no such result") {
				t.Error(err)
			}
			if _, err := e.Run(t.Context(), kgen.Args{"x": x}, kgen.Into("y", &to), kgen.KeepAll()); !isArgument(err, "y", "kept on the device") {
				t.Error(err)
			}
		})
	}
}

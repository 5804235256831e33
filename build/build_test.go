package build_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/ir"
)

// orders makes the pipeline orders, under a name.
func orders(name string) *ir.Builder {
	b := ir.NewBuilder(name)
	key := build.Column[int64](b, "l_orderkey", "n")
	quantity := build.Column[int64](b, "l_quantity", "n")
	g := b.Let("g", b.Runs(key))
	b.Return(b.First(key, ir.By(g)).As("key"), b.CountBy(g).As("count"), b.Sum(quantity, ir.By(g)).As("quantity"))
	return b
}

func run(builders []*ir.Builder, args ...string) (status int, out, errs string) {
	var o, e bytes.Buffer
	status = build.Run(context.Background(), append([]string{"/somewhere/gen"}, args...), &o, &e, builders...)
	return status, o.String(), e.String()
}

// TestFullStandardOutput: a failure to print is an error.
func TestFullStandardOutput(t *testing.T) {
	for _, arguments := range [][]string{{"--after=verify"}, {"--help"}, {"-o", t.TempDir()}} {
		var errs bytes.Buffer
		status := build.Run(context.Background(), append([]string{"gen"}, arguments...), full{}, &errs, orders("orders"))
		if status != 1 || errs.String() != "full\n" {
			t.Errorf("%v: status %d: %s", arguments, status, errs.String())
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }

func Example() {
	b := ir.NewBuilder("revenue")
	price := build.Column[float64](b, "price", "n")
	discount := build.Column[float64](b, "discount", "n")
	least := build.Optional[float64](b, "least", 0.05)
	hit := b.Let("hit", discount.Ge(least))
	b.Return(b.Sum(price.Mul(b.Constant(1).Sub(discount)).At(hit)).As("revenue"))

	// A program ends with build.Main(b). This is: gen --after=verify
	build.Run(context.Background(), []string{"gen", "--after=verify"}, os.Stdout, os.Stdout, b)
	// Output:
	// pipeline revenue(price: [n]f64, discount: [n]f64, least: f64 = 0.05) {
	// 	hit = discount >= least
	// 	return revenue: sum((price * (1 - discount))[hit])
	// }
}

func ExampleKindOf() {
	fmt.Println(build.KindOf[int64](), build.KindOf[bool](), build.KindOf[build.Date](), build.KindOf[build.Char8]())
	// Output: i64 bool date char8
}

func TestKinds(t *testing.T) {
	for kind, got := range map[ir.Kind]ir.Kind{
		ir.Bool: build.KindOf[bool](), ir.I8: build.KindOf[int8](), ir.I16: build.KindOf[int16](), ir.I32: build.KindOf[int32](), ir.I64: build.KindOf[int64](),
		ir.U8: build.KindOf[uint8](), ir.U16: build.KindOf[uint16](), ir.U32: build.KindOf[uint32](), ir.U64: build.KindOf[uint64](),
		ir.F32: build.KindOf[float32](), ir.F64: build.KindOf[float64](), ir.Date: build.KindOf[build.Date](), ir.Char8: build.KindOf[build.Char8](),
	} {
		if got != kind {
			t.Errorf("KindOf gives %v, not %v", got, kind)
		}
	}
}

func TestRunEmits(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "shop")
	status, out, errs := run([]*ir.Builder{orders("orders"), orders("more")}, "-o", folder)
	want := fmt.Sprintf("%[1]s/orders.go\n%[1]s/more.go\n%[1]s/kgen_support.go\n", filepath.ToSlash(folder))
	if status != 0 || filepath.ToSlash(out) != want || errs != "" {
		t.Fatalf("status %d, output %q, errors %q", status, out, errs)
	}
	text, err := os.ReadFile(filepath.Join(folder, "orders.go"))
	if err != nil || !bytes.Contains(text, []byte("package shop\n")) || !bytes.Contains(text, []byte("func Orders(lOrderkey")) {
		t.Errorf("orders.go is %s, %v", text, err)
	}
}

func TestRunChecks(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "shop")
	builders := []*ir.Builder{orders("orders")}
	status, out, errs := run(builders, "-o", folder, "--check")
	if _, err := os.Stat(folder); err == nil || status != 1 || !strings.Contains(out, "\n+package shop\n") || !strings.HasPrefix(errs, "stale or missing: 2 of 2 files; ") {
		t.Errorf("with no files: %v, status %d, output %q, errors %q", err, status, out, errs)
	}
	run(builders, "-o", folder)
	if status, out, errs := run(builders, "-o", folder, "--check"); status != 0 || out != "" || errs != "" {
		t.Errorf("after emit: status %d, output %q, errors %q", status, out, errs)
	}
}

func TestRunEmitsPartials(t *testing.T) {
	folder := t.TempDir()
	status, out, errs := run([]*ir.Builder{orders("orders")}, "--partials", "--fuse", "mask partial offset | add aggregate", "-o", folder)
	if status != 0 || !strings.Contains(out, "kgen_partial.go") || errs != "" {
		t.Fatalf("status %d, output %q, errors %q", status, out, errs)
	}
	text, err := os.ReadFile(filepath.Join(folder, "orders.go"))
	if err != nil || !bytes.Contains(text, []byte("type OrdersPartial struct {")) || bytes.Contains(text, []byte("gen.go")) {
		t.Errorf("orders.go is %s, %v", text, err)
	}
	folder = t.TempDir()
	if status, _, errs = run([]*ir.Builder{orders("orders")}, "--partials", "--unexported", "-o", folder); status != 0 {
		t.Fatalf("status %d, errors %q", status, errs)
	}
	text, err = os.ReadFile(filepath.Join(folder, "orders.go"))
	if err != nil || !bytes.Contains(text, []byte("type ordersPartial struct {")) || !bytes.Contains(text, []byte("func newOrdersPartial() *ordersPartial {")) {
		t.Errorf("unexported, orders.go is %s, %v", text, err)
	}
}

// Forms on a device leave the plain form as it is, and two backends share them.
func TestRunEmitsDeviceForms(t *testing.T) {
	builders := []*ir.Builder{orders("orders"), orders("orders_on"), orders("orders_device")}
	read := func(folder string) map[string]string {
		files := map[string]string{}
		paths, _ := filepath.Glob(filepath.Join(folder, "*.go"))
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files[filepath.Base(path)] = string(text)
		}
		return files
	}
	emit := func(folder string, args ...string) {
		t.Helper()
		if status, _, errs := run(builders, append(args, "--package=shop", "-o", folder)...); status != 0 {
			t.Fatalf("status %d, errors %q", status, errs)
		}
	}
	plain, folder := t.TempDir(), t.TempDir()
	emit(plain)
	emit(folder, "--backend=cuda", "--go", "--fuse", "mask partial offset | add aggregate", "--schedule=workgroup=64")
	first := read(folder)
	for name, text := range read(plain) {
		if first[name] != text {
			t.Errorf("%s differs with --go", name)
		}
	}
	for file, declarations := range map[string][]string{
		"orders_device.go":                 {"//go:embed kgen_kernels/*/orders.*\n", "func OrdersOn2(", "type OrdersOnDevice struct", "type OrdersColumns struct", "(ctx context.Context, lOrderkey, lQuantity []int64) (OrdersResult, error) {"},
		"orders_on_device.go":              {"func OrdersOnOn(", "type OrdersOnOnDevice struct"},
		"orders_device_pipeline_device.go": {"//go:embed kgen_kernels/*/orders_device_pipeline.*\n", "func OrdersDeviceOn("},
	} {
		for _, declaration := range declarations {
			if !strings.Contains(first[file], declaration) {
				t.Errorf("%s has no %q:\n%s", file, declaration, first[file])
			}
		}
	}
	for _, name := range []string{"orders.cu", "orders.plan.json", "orders.long.cu", "orders.long.plan.json"} {
		if _, err := os.Stat(filepath.Join(folder, "kgen_kernels", "cuda", name)); err != nil {
			t.Error(err)
		}
	}
	emit(folder, "--backend=opencl", "--go")
	for name, text := range read(folder) {
		if first[name] != text {
			t.Errorf("%s differs by backend", name)
		}
	}
	emit(folder, "--backend=opencl", "--go", "--check")
	kernel := filepath.Join(folder, "kgen_kernels", "opencl", "orders.cl")
	if err := os.Remove(kernel); err != nil {
		t.Fatal(err)
	}
	if status, out, errs := run(builders, "--backend=opencl", "--go", "--check", "--package=shop", "-o", folder); status != 1 || !strings.Contains(out, "orders.cl") || !strings.HasPrefix(errs, "stale or missing: 1 of ") {
		t.Errorf("--check: status %d, errors %q", status, errs)
	}
}

func TestDeviceFormsClash(t *testing.T) {
	folder := t.TempDir()
	hand := filepath.Join(folder, "hand.go")
	if err := os.WriteFile(hand, []byte("package shop\n\ntype OrdersColumns struct{}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	arguments := []string{"--package=shop", "-o", folder}
	if status, _, errs := run([]*ir.Builder{orders("orders")}, append(arguments, "--backend=cuda", "--go")...); status != 1 || !strings.Contains(errs, "would declare OrdersColumns, as "+hand+":3:6 does") && !strings.Contains(errs, hand+":3:6 declares OrdersColumns") {
		t.Errorf("status %d, errors %q", status, errs)
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) != 1 {
		t.Errorf("the folder has %v, %v", files, err)
	}
	if status, _, errs := run([]*ir.Builder{orders("orders")}, arguments...); status != 0 {
		t.Errorf("without --go: status %d, errors %q", status, errs)
	}
}

func TestRunRefuses(t *testing.T) {
	here := func(line int, message string) string { return fmt.Sprintf("build_test.go:%d: %s", line, message) }
	_, _, line, _ := runtime.Caller(0)
	mixed := ir.NewBuilder("mixed")
	a := build.Column[int32](mixed, "a", "n")
	c := build.Column[int64](mixed, "c", "n")
	mixed.Return(a.Add(
		c).As("sum"))
	typed := ir.NewBuilder("typed")
	typed.Return(build.Optional[int8](typed, "least", 300).As("least"))
	twice := []*ir.Builder{orders("orders"), orders("orders")}
	mapped := ir.NewBuilder("mapped")
	z := build.Column[int64](mapped, "z", "n")
	mapped.Return(z.Mul(2).As("twice"))
	for _, c := range []struct {
		name     string
		builders []*ir.Builder
		args     []string
		status   int
		want     string
	}{
		{"types", []*ir.Builder{mixed}, []string{"--after=verify"}, 1, here(line+4, "+ of different types: a is i32, c is i64\n  no type converts by itself: write i64(a)")},
		{"all errors", []*ir.Builder{mixed, typed}, []string{"--after=verify"}, 1, here(line+7, "literal 300 does not fit i8")},
		{"a name twice", twice, []string{"--after=verify"}, 1, "pipeline orders is already defined, at "},
		{"no pipelines", nil, []string{"--after=verify"}, 1, "the program builds no pipeline"},
		{"zero", []*ir.Builder{new(ir.Builder)}, []string{"--after=verify"}, 1, "the zero ir.Builder makes no pipeline\n  begin with b := ir.NewBuilder(name)"},
		{"nil", []*ir.Builder{typed, nil}, []string{"--after=verify"}, 1, "builder 2 of the program is nil"},
		{"test of another", []*ir.Builder{orders("orders"), orders("test_kgen_orders")}, []string{"--tests", "--package=p", "-o", t.TempDir()}, 1,
			"test_kgen_orders.go:24:6 declares TestKgenOrders, which generated code needs for itself: rename it"},
		{"no folder", twice[:1], nil, 2, "gen: name the folder to write to: -o FOLDER\nRun 'gen --help' for usage.\n"},
		{"argument", twice[:1], []string{"orders.kg"}, 2, "gen: \"orders.kg\" is not a flag"},
		{"flag", twice[:1], []string{"--turbo"}, 2, "unknown flag: --turbo"},
		{"partials of rows", []*ir.Builder{mapped}, []string{"--partials", "-o", t.TempDir()}, 1, here(line+11, "no partials: result twice has a row for each row of n")},
		{"a Go package elsewhere", twice[:1], []string{"--package", "queries", "--backend=cuda", "-o", t.TempDir()}, 2, "--package: backend cuda emits no Go; gocpu does, and cuda with --go"},
		{"partials elsewhere", twice[:1], []string{"--partials", "--backend=opencl", "-o", t.TempDir()}, 2, "--partials: backend opencl emits no Go; gocpu does"},
		{"devices of gocpu", twice[:1], []string{"--go", "-o", t.TempDir()}, 2, "--go: backend gocpu has no kernels to embed"},
		{"parts", twice[:1], []string{"--go", "--backend=cuda", "--schedule=part=1000", "-o", t.TempDir()}, 2, "--go embeds kernels for columns of any length: leave out part of --schedule"},
		{"backend", twice[:1], []string{"--backend", "fortran"}, 2, "unknown backend fortran; there are gocpu"},
		{"pass", twice[:1], []string{"--after=lunch"}, 2, "there is no pass lunch; there are verify"},
		{"package", twice[:1], []string{"--package=main", "-o", t.TempDir()}, 2, "--package main: a Go package to import"},
		{"level", twice[:1], []string{"--fuse=most", "-o", t.TempDir()}, 2, "most"},
	} {
		status, out, errs := run(c.builders, c.args...)
		if status != c.status || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%s: status %d, output %q, errors\n%s\nwant %d and %q", c.name, status, out, errs, c.status, c.want)
		}
	}
}

// Parameters of a nil builder are none, and nothing panics.
func TestNilBuilder(t *testing.T) {
	var b *ir.Builder
	x := build.Column[int64](b, "x", "n").Add(build.Scalar[int64](b, "k")).Add(build.Optional[int64](b, "l", 3)).Mul(build.Cast[int64](b, 2))
	b.Return(x.As("y"))
	if _, err := b.Pipeline(); err == nil || !strings.Contains(err.Error(), "build_test.go:") || !strings.Contains(err.Error(), "the ir.Builder is nil\n  begin with b := ir.NewBuilder(name)") {
		t.Errorf("got %v", err)
	}
}

func TestRunHelpsAndWarns(t *testing.T) {
	if status, out, errs := run(nil, "--help"); status != 0 || errs != "" || !strings.Contains(out, "--backend") {
		t.Errorf("--help: status %d, output %q, errors %q", status, out, errs)
	}
	b := ir.NewBuilder("doubtful")
	x := build.Column[float64](b, "x", "n")
	b.Return(x.At(x.Gt(b.Avg(x))).As("above"))
	status, out, errs := run([]*ir.Builder{b}, "--after=verify")
	if status != 0 || !strings.HasPrefix(out, "pipeline doubtful") || !strings.Contains(errs, "build_test.go:") || !strings.Contains(errs, ": warning: ") {
		t.Errorf("status %d, output %q, errors %q", status, out, errs)
	}
}

func TestRunEndsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out, errs bytes.Buffer
	folder := t.TempDir()
	if status := build.Run(ctx, []string{"gen", "-o", folder}, &out, &errs, orders("orders")); status != 1 || errs.String() != "gen: interrupted\n" {
		t.Errorf("status %d, errors %q", status, errs.String())
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) > 0 {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
}

package gocpu

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
)

// TestVectorLanes holds kernels to the lanes of their vectors: 64 bytes of the widest
// values, and 0 where an operation has no form on vectors.
func TestVectorLanes(t *testing.T) {
	for name, c := range map[string]struct {
		source string
		lanes  int
	}{
		"map":                  {`pipeline p(x: [n]i32) { return y: x + 1 }`, 16},
		"map to wider":         {`pipeline p(x: [n]i32) { return y: f64(x) }`, 8},
		"dates":                {`pipeline p(x: [n]date, y: date) { return y: x[x < y] }`, 16},
		"filter":               {`pipeline p(x: [n]i32) { return y: x[x > 0] }`, 16},
		"filter of wider":      {`pipeline p(x: [n]i32, y: [n]f64) { return y: y[x > 0] }`, 8},
		"filter of filter":     {`pipeline p(x: [n]f32) { y = x[x > 0.0]  return y, z: y[y < 9.0] }`, 16},
		"sum of filter":        {`pipeline p(x: [n]i32) { return s: sum(x[x > 0]) }`, 8},
		"sum and count":        {`pipeline p(x: [n]f64) { return s: sum(x), c: count(x != x) }`, 8},
		"min of integers":      {`pipeline p(x: [n]u32) { return s: min(x, else: 0) }`, 8}, // whose rows are counted in i64
		"min of floats":        {`pipeline p(x: [n]f64) { return s: min(x, else: 0.0) }`, 0},
		"least of floats":      {`pipeline p(x: [n]f64) { return s: least(x, 1.0) }`, 0},
		"any":                  {`pipeline p(x: [n]i32) { return s: any(x > 0) }`, 0},
		"bytes":                {`pipeline p(x: [n]u8) { return y: x + 1 }`, 0},
		"bools":                {`pipeline p(x: [n]i32) { return y: x > 1 }`, 0},
		"float to integer":     {`pipeline p(x: [n]f64) { return y: i64(x) }`, 0},
		"integer division":     {`pipeline p(x: [n]i32) { return y: x / 3 }`, 0},
		"shift":                {`pipeline p(x: [n]i32) { return y: x << 3 }`, 0},
		"scan":                 {`pipeline p(x: [n]i32) { return y: scan(add, x) }`, 0},
		"neighbours":           {`pipeline p(x: [n]i32) { return y: prev(x, 1, 0) }`, 0},
		"groups":               {`pipeline p(k: [n]i32) { g = runs(k)  return k: first(k, by: g) }`, 0},
		"bins":                 {`pipeline p(x: [n]i32) { return c: count(by: bins(x, 256)) }`, 0},
		"gather":               {`pipeline p(x: [n]i32, y: [m]i32) { return y: y[x] }`, 0},
		"row numbers":          {`pipeline p(x: [n]i32) { return at: index(x)[x > 0] }`, 0},
		"numbers of selection": {`pipeline p(x: [n]i32) { y = x[x > 0]  return y, at: index(y) * 2 }`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			source := strings.NewReplacer("{ ", "{\n", " }", "\n}", "  ", "\n").Replace(c.source)
			program := compiled(t, source, fuse.LevelOnePass)
			k := newKernel(program.Kernels[0], func(ir.Pos) string { return "" }, program.Plan, true)
			g, _, views := k.newRange("rows", allRows, 0)
			if lanes := (&vectors{body: g}).findLanes(views); lanes != c.lanes {
				t.Errorf("%d lanes, want %d", lanes, c.lanes)
			}
		})
	}
}

// TestVectorText holds emitted text to its parts: the plain file calls the function of
// vectors through a variable, which the other file sets where the processor has them.
func TestVectorText(t *testing.T) {
	program := compiled(t, "pipeline p(x: [n]i32, limit: i32) {\n\treturn y: x[x < limit]\n}\n", fuse.LevelOnePass)
	out, err := Emitter{}.Emit([]*backends.Program{program}, backends.Options{SIMD: true})
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, f := range out.Files {
		texts[f.Name] = string(f.Text)
	}
	for name, want := range map[string][]string{
		"p.go": {"var pKernel1Vectors = func(lo, hi int, x, y []int32, limit int32, selectedPlace int64) (int, int64) {\n\treturn lo, selectedPlace\n}",
			"if hi-lo >= 64 {\n\t\tfrom, selectedPlace = pKernel1Vectors(lo, hi, x, y, limit, selectedPlace)\n\t}\n\txRows := x[from:hi]"},
		"p_simd.go": {"//go:build goexperiment.simd && amd64\n", "if archsimd.X86.AVX512() {\n\t\tpKernel1Vectors = pKernel1Vectors512\n",
			".Compress(archsimd.Mask32x16FromBits(selected)).Store((*[16]int32)(y[at:]))", "archsimd.ClearAVXUpperBits()\n\treturn hi - len(xRows), selectedPlace\n"},
	} {
		for _, part := range want {
			if !strings.Contains(texts[name], part) {
				t.Errorf("%s lacks\n%s\nin\n%s", name, part, texts[name])
			}
		}
	}
	loops, err := Emitter{}.Loops(program, backends.Options{SIMD: true})
	if err != nil || !strings.Contains(loops, "without vectors return lo, selected_place\n") || !strings.Contains(loops, "compress(x.2, selected)") {
		t.Errorf("%v: loop program\n%s", err, loops)
	}
}

// TestConversions finds a method for each cast of lanes that has one.
func TestConversions(t *testing.T) {
	for _, c := range []struct {
		from, to ir.Kind
		want     string
	}{
		{ir.I32, ir.I64, "ExtendToInt64"}, {ir.U32, ir.I64, "ExtendToUint64 AsInt64x8"}, {ir.I32, ir.U64, "ExtendToInt64 AsUint64x8"},
		{ir.I64, ir.U32, "TruncateToInt32 AsUint32x8"}, {ir.U32, ir.I32, "AsInt32x8"}, {ir.U64, ir.F64, "ConvertToFloat64"}, {ir.F64, ir.F32, "ConvertToFloat32"},
		{ir.F64, ir.I64, "none"}, {ir.F32, ir.U32, "none"}, {ir.I8, ir.I32, "none"}, {ir.I32, ir.I32, ""},
	} {
		methods, ok := conversion(c.from, c.to, 8)
		if got := strings.Join(methods, " "); ok && got != c.want || ok == (c.want == "none") {
			t.Errorf("%v to %v is %q, %v; want %q", c.from, c.to, got, ok, c.want)
		}
	}
	if k := loop.VectorOf(8, loop.ScalarOf(ir.F64)).String(); k != "f64x8" {
		t.Errorf("8 lanes of f64 are %s", k)
	}
}

package gocpu

import (
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// compiled is the program of the one pipeline in source.
func compiled(t *testing.T, source, level string) *backends.Program {
	t.Helper()
	pipelines, errs := ir.Load("test.kg", []byte(source))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	program, _, err := compile.Compile(pipelines[0], compile.Options{Level: level, Source: []byte(source), Options: fuse.Options{Radix: Radix}})
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// forms lists the ways in which the rows of a kernel are handled.
func forms(t *tile.Kernel, p *plan.Plan) []string {
	k := newKernel(t, func(ir.Pos) string { return "" }, p, false)
	g, _, views := k.newRange("rows", allRows, 0)
	d := &driver{body: g}
	list := []string{}
	add := func(chosen bool, name string) {
		if chosen && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	add(k.branchlessSegments != 0, "after")
	add(k.hasWindows(), "windows")
	for domain := 1; domain < len(k.Domains); domain++ {
		if k.Domains[domain].Kind == tile.Compact {
			add(g.branchFree(domain), "branch-free")
			add(k.sumsOnly(domain), "masked sums")
		}
	}
	add(g.columnGroups() != nil, "by columns")
	add(g.unrolls(views), "unrolled")
	add(g.selects(views), "picked")
	add(g.sumsInFours(views), "in fours")
	add(g.visited(views) != 0, "visited")
	add(!d.splits(), "serial")
	add(d.relocates(), "copies")
	add(d.relocatesSegments(), "copies of segments")
	return list
}

// A kernel takes a form where it is faster, and never where it would be wrong.
// Each pipeline is one kernel.
func TestForms(t *testing.T) {
	for name, c := range map[string]struct{ source, forms string }{
		"map":                 {`pipeline p(x: [n]i32) { return y: x + 1 }`, ""},
		"maps":                {`pipeline p(x: [n]i32) { return y: x + 1, z: x ^ 7 }`, "by columns"},
		"maps of a map":       {`pipeline p(x: [n]i32) { t = x * 3  return y: t + 1, z: t ^ 7 }`, ""},
		"maps and a sum":      {`pipeline p(x: [n]i32) { return y: x + 1, z: x ^ 7, s: sum(x) }`, "by columns"},
		"maps and a f64 sum":  {`pipeline p(x: [n]f64) { return y: x + 1.0, z: x * 7.0, s: sum(x) }`, ""},
		"a map and a sum":     {`pipeline p(x: [n]i32, w: [n]i32) { return y: x + 1, s: sum(w) }`, ""},
		"maps with places":    {`pipeline p(x: [n]i32) { return y: x + 1, z: x ^ 7, at: index(x) }`, ""},
		"scan":                {`pipeline p(x: [n]i32) { return y: scan(add, x) }`, ""},
		"filter":              {`pipeline p(x: [n]i32) { return y: x[x > 0] }`, "branch-free, unrolled, copies"},
		"two filters":         {`pipeline p(x: [n]i32) { return y: x[x > 0], z: x[x < 9] }`, "branch-free, unrolled, copies"},
		"filter of many":      {`pipeline p(a: [n]i32, b: [n]i32, c: [n]i32) { k = a > 0  return a[k], b: b[k], c: c[k] }`, "branch-free, copies"},
		"filter of filter":    {`pipeline p(x: [n]i32) { y = x[x > 0]  return y, z: y[y < 9] }`, "branch-free, visited, copies"},
		"dear filter":         {`pipeline p(x: [n]f64) { k = x > 0.0  return y: sqrt(x[k]) }`, "visited, copies"},
		"dear guard":          {`pipeline p(x: [n]f64) { y = sqrt(x)  return z: scan(add, y[y > 2.0]) }`, ""},
		"filter that fails":   {`pipeline p(x: [n]i32, y: [n]i32) { k = x > 0  return z: (x[k] / y[k]) }`, "visited"},
		"scan of filter":      {`pipeline p(x: [n]i32) { return y: scan(add, x[x > 0]), z: x + 1 }`, "visited"},
		"scan of neighbours":  {`pipeline p(x: [n]i32) { return y: scan(add, prev(x, 1, 0)[x > 0]) }`, ""},
		"groups and a filter": {`pipeline p(x: [n]i32) { g = runs(x)  return y: scan(max, x[x > 0]), c: count(by: g) }`, ""},
		"filter with places":  {`pipeline p(x: [n]i32) { y = x[x > 0]  return y, at: index(y) * 2 }`, "branch-free"},
		"filter of rows":      {`pipeline p(x: [n]i32) { k = x > 0  return at: index(x)[k] }`, "branch-free, copies"},
		"filter of scan":      {`pipeline p(x: [n]i32) { s = scan(add, x)  return y: s[x > 0] }`, "branch-free"},
		"sum":                 {`pipeline p(x: [n]i32) { return s: sum(x) }`, ""},
		"sum of filter":       {`pipeline p(x: [n]i32) { return s: sum(x[x > 0]) }`, "masked sums, in fours"},
		"sum of other column": {`pipeline p(x: [n]i32, y: [n]f64) { return s: sum(y[x > 0]) }`, "masked sums, picked"},
		"sum of row numbers":  {`pipeline p(x: [n]i32, y: [n]i64) { return s: sum((y + index(y))[x > 0]) }`, "masked sums"},
		"sums of all too":     {`pipeline p(x: [n]i32, y: [n]f64) { return s: sum(y[x > 0]), t: sum(y) }`, "masked sums"},
		"f32 sum of filter":   {`pipeline p(x: [n]f32) { return s: sum(x[x > 0.0]) }`, "masked sums, in fours"},
		"min of filter":       {`pipeline p(x: [n]i32) { return s: min(x[x > 0]) }`, "visited"},
		"groups":              {`pipeline p(k: [n]i32, v: [n]i32) { g = runs(k)  return k: first(k, by: g), s: sum(v, by: g) }`, "after, windows, copies of segments"},
		"groups of extremes":  {`pipeline p(k: [n]i32, v: [n]i32) { g = runs(k)  return s: min(v, by: g), m: max(v, by: g) }`, "after, windows, copies of segments"},
		"groups of floats":    {`pipeline p(k: [n]f64) { g = runs(k)  return c: count(by: g) }`, "after, copies of segments"},
		"groups of rows":      {`pipeline p(k: [n]i32) { g = runs(k)  return at: first(index(k), by: g) }`, "after, copies of segments"},
		"groups and rows":     {`pipeline p(k: [n]i32) { g = runs(k)  return k: k + 1, c: count(by: g) }`, ""},
		"average":             {`pipeline p(k: [n]i32, v: [n]i32) { g = runs(k)  return a: sum(v, by: g) * 2 }`, "after, windows"},
		"having":              {`pipeline p(k: [n]i32, least: i64) { g = runs(k)  c = count(by: g)  return k: first(k, by: g)[c >= least], c: c[c >= least] }`, "branch-free, serial"},
		"two groupings":       {`pipeline p(a: [n]i32, b: [n]i32) { g = runs(a)  h = runs(b)  return c: count(by: g), d: count(by: h) }`, ""},
		"bins":                {`pipeline p(x: [n]u8) { return c: count(by: bins(x, 256)) }`, ""},
		"many bins":           {`pipeline p(x: [n]u16) { return c: count(by: bins(x, 65536)) }`, ""},
		"float sums of bins":  {`pipeline p(x: [n]u8, y: [n]f64) { return s: sum(y, by: bins(x, 256)) }`, ""},
		"float sums beside":   {`pipeline p(x: [n]u8, y: [n]f64) { return s: sum(y, by: bins(x, 256)), t: sum(y) }`, ""},
		"row of the greatest": {`pipeline p(x: [n]i64) { s = scan(max, x)  return s, t: argmin(s - x) }`, ""},
		"sum of a scan":       {`pipeline p(x: [n]i64) { s = scan(max, x)  return s, t: sum(s) }`, ""},
		"f64 sum of a scan":   {`pipeline p(x: [n]f64) { s = scan(max, x)  return s, t: sum(s) }`, "serial"},
		"groups with a check": {`pipeline p(k: [n]i32, a: [n]i32) { g = runs(k)  return s: sum(a / k, by: g) }`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			source := strings.NewReplacer("{ ", "{\n", " }", "\n}", "  ", "\n").Replace(c.source)
			level := fuse.LevelOnePass
			if name == "having" {
				level = fuse.LevelAuto // two cuts
			}
			program := compiled(t, source, level)
			if len(program.Kernels) != 1 {
				t.Fatalf("%d kernels, want 1", len(program.Kernels))
			}
			if got := strings.Join(forms(program.Kernels[0], program.Plan), ", "); got != c.forms {
				t.Errorf("has the forms %q, want %q", got, c.forms)
			}
		})
	}
}

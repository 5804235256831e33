package gocpu

import (
	"bytes"
	"go/format"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/fuse"
)

// The emitted text of a pipeline per form, to be read.
func TestEmittedText(t *testing.T) {
	for _, c := range []struct{ name, level, source string }{
		{"map", fuse.LevelOnePass, `
pipeline scale(x: [n]i32, by: i32) {
	return y: x * by + 1
}`},
		{"scan", fuse.LevelOnePass, `
pipeline totals(x: [n]i64) {
	return total: scan(add, x)
}`},
		{"filter", fuse.LevelOnePass, `
pipeline positive(x: [n]i32) {
	return y: x[x > 0]
}`},
		{"filtered_sums", fuse.LevelOnePass, `
pipeline filtered_sums(key: [n]i32, x: [n]i32) {
	kept = x > 0
	k = key[kept]
	g = runs(k)
	return key: first(k, by: g), sum: sum(x[kept], by: g)
}`},
		{"two_filters", fuse.LevelOnePass, `
pipeline both(a: [n]i32, b: [n]i64, c: [n]i32) {
	return b: b[a > 0], c: c[a < 9]
}`},
		{"sums", fuse.LevelOnePass, `
pipeline ordered(key: [n]i32, value: [n]i32) {
	g = runs(key)
	return key: first(key, by: g), count: count(by: g), total: sum(value, by: g)
}`},
		{"sums_unfused", fuse.LevelNone, `
pipeline ordered(key: [n]i32, value: [n]i32) {
	g = runs(key)
	return key: first(key, by: g), count: count(by: g), total: sum(value, by: g)
}`},
		{"extremes", fuse.LevelOnePass, `
pipeline extremes(key: [n]i32, value: [n]i32) {
	g = runs(key)
	return low: min(value, by: g), high: max(value, by: g)
}`},
		{"having", fuse.LevelAuto, `
pipeline having(key: [n]i32, least: i64) {
	g = runs(key)
	c = count(by: g)
	return key: first(key, by: g)[c >= least], count: c[c >= least]
}`},
		{"q6", fuse.LevelOnePass, `
pipeline q6(day: [n]date, discount: [n]f64, quantity: [n]f64, price: [n]f64) {
	hit = day >= date("1994-01-01") && day < date("1995-01-01") && discount >= 0.05 && quantity < 24
	return revenue: sum(price[hit] * discount[hit])
}`},
		{"bins", fuse.LevelOnePass, `
pipeline histogram(x: [n]i32, size: i64) {
	return count: count(by: bins(x, size))
}`},
		{"bytes", fuse.LevelOnePass, `
pipeline bytes(x: [n]u8, y: [n]i32) {
	b = bins(x, 256)
	return count: count(by: b), low: min(y, by: b, else: 0)
}`},
		{"order", fuse.LevelOnePass, `
pipeline sorted(x: [n]i16) {
	return p: order(x)
}`},
		{"check", fuse.LevelOnePass, `
pipeline ratios(a: [n]i32, b: [n]i32, k: [n]bool) {
	return ratio: a[k] / b[k]
}`},
		{"comments", fuse.LevelOnePass, `
// orders are counted,
//
// one by one:
//   - first
//    - second
//
//	code
// # Heading
// more
// +build never
pipeline orders(
	// The order, ascending;
	// never 0.
	order_key: [n]i64,
	quantity: [n]i64, // pieces
	least: i64,
) {
	g = runs(order_key)
	return
		key: first(order_key, by: g), // of the order
		// The pieces of all lines.
		//
		// +build no unit
		total: sum(quantity, by: g),
		many: count(by: g) >= least
}`},
		{"as_they_are", fuse.LevelOnePass, `
pipeline same(x: [n]char8, y: [m]i64) {
	return x: x, y: y
}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			program := compiled(t, strings.TrimPrefix(c.source, "\n"), c.level)
			out, err := Emitter{}.Emit([]*backends.Program{program}, backends.Options{Package: "pipelines"})
			if err != nil {
				t.Fatal(err)
			}
			again, err := Emitter{}.Emit([]*backends.Program{program}, backends.Options{Package: "pipelines"})
			if err != nil || !bytes.Equal(out.Files[0].Text, again.Files[0].Text) {
				t.Errorf("emitted again, the text differs: %v", err)
			}
			if formatted, err := format.Source(out.Files[0].Text); err != nil || !bytes.Equal(formatted, out.Files[0].Text) {
				t.Errorf("the text is not as gofmt would have it; error %v", err)
			}
			golden := filepath.Join("testdata", "emit", c.name+".go.txt")
			if *update {
				if err := os.WriteFile(golden, out.Files[0].Text, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), string(out.Files[0].Text)); d != "" {
				t.Errorf("the text changed; read it, then go test -update:\n%s", d)
			}
		})
	}
}

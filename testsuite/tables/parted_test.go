package tables_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/backends/gocpu"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/testsuite/sample"
)

// TestSearchByParts finds and joins rows by tables that are made by parts: keys of several types, unique and
// not, all in one part, on either side none, and fewer than such a table has.
func TestSearchByParts(t *testing.T) {
	const least, many = 20, 3000
	keys := map[string]func(key uint64, row int) []ir.Scalar{
		"i32": func(key uint64, _ int) []ir.Scalar { return []ir.Scalar{ir.Int(ir.I32, int64(key*2654435761))} },
		"f32": func(key uint64, row int) []ir.Scalar { return []ir.Scalar{floatKey(ir.F32, key, row)} },
	}
	texts := map[string]string{}
	for kind := range keys {
		for name, body := range map[string]string{
			"rows":   "f = find(k, in: id)\n\tj = join(k, id)\n\treturn f, left: j.left, right: j.right, x, w",
			"column": "f = find(k, in: id)\n\treturn w: w[f[f >= 0]], found: count(f >= 0), x",
			"pairs":  "j = join(k, id)\n\treturn x: x[j.left], w: w[j.right]",
			"folds":  "j = join(k, id)\n\treturn total: sum(i64(x[j.left]) * i64(w[j.right])), pairs: len(j.left), most: max(w[j.right] - x[j.left], else: 0)",
			"wide":   "j = join(k, id)\n\ty = i64(x) << 20\n\treturn same: count(k[j.left] == id[j.right]), sum: sum(y[j.left] - i64(w[j.right] ^ x[j.left]))",
			"length": "j = join(k, id)\n\treturn pairs: len(j.left), x, w",
			"last":   "j = join(k, id)\n\ty = x[j.left] - w[j.right]\n\treturn last: last(y, else: 0), sum: sum(y)",
		} {
			texts[kind+" "+name] = fmt.Sprintf("pipeline %[1]s_%[2]s(k: [n]%[1]s, x: [n]i32, id: [m]%[1]s, w: [m]i32) {\n\t%[3]s\n}\n", kind, name, body)
		}
	}
	options := compile.Options{Options: fuse.Options{Bins: -1, Hash: gocpu.Hash, Entered: true, Cores: true, HashGroups: gocpu.HashGroups, Partitions: true, Sample: 1 << 10, Parted: least}}
	device, pipelines := emittedDevice(t, texts, options)
	sample.Log(t)
	for i, name := range slices.Sorted(maps.Keys(pipelines)) {
		if !sample.TakesSetting(0, i, 2) {
			continue
		}
		p := pipelines[name]
		t.Run(name, func(t *testing.T) {
			keysOf := keys[p.Params[0].Type.Kind.String()]
			for _, c := range []struct {
				left, right int
				of, in      uint64 // how many keys are looked for, and there are
			}{{many, many, many + 500, many}, {many, many, 700, 600}, {many, 300, 1, 1}, {0, many, 1, many}, {many, 0, many, 1},
				{1, least, 1, least}, {many, least, 2 * least, least}, {many, least - 1, least, least - 1}} {
				in := partedInput(p, c.left, c.right, c.of, c.in, keysOf)
				agreeGroups(t, device, p, fmt.Sprint(c), in)
			}
			if p.Params[0].Type.Kind == ir.I32 {
				agreeGroups(t, device, p, "keys of one part", partedInput(p, many, 400, 500, 300, keysOfPart(500)))
				dense := func(key uint64, _ int) []ir.Scalar { return []ir.Scalar{ir.Int(ir.I32, int64(key))} }
				agreeGroups(t, device, p, "keys of few numbers", partedInput(p, many, 400, 150, 100, dense))
			}
		})
	}
}

// partedInput returns rows with so many keys on each side.
func partedInput(p *ir.Pipeline, left, right int, of, in uint64, keysOf func(uint64, int) []ir.Scalar) []ir.Column {
	columns := make([]ir.Column, len(p.Params))
	for i, x := range p.Params {
		rows, keys := left, of
		if i > 1 {
			rows, keys = right, in
		}
		columns[i] = ir.NewColumn(x.Type.Kind, rows)
		for r := range rows {
			if i%2 == 0 {
				columns[i].Set(r, keysOf((uint64(r)*7)%keys, r)[0])
			} else {
				columns[i].Set(r, ir.Int(ir.I32, int64(spread(uint64(r))>>40)))
			}
		}
	}
	return columns
}

package vector_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/interp"
	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/internal/vector"
	"github.com/kgen-go/kgen/ir"
)

// BenchmarkPipelines compares sorts, tables and filters with the interpreter, in turns: ns a
// row of each on one core, the ratio, and ns a row on all cores; least times.
func BenchmarkPipelines(b *testing.B) {
	for _, p := range []struct{ name, params, text string }{
		{"filter", "v", "return v: v[v > 500]"},
		{"filter of two columns", "k v", "l = v > 900\n\treturn v: v[l], k: k[l]"},
		{"order i32", "k", "return p: order(k)"},
		{"order i64", "w", "return p: order(w)"},
		{"order i64 below 1000", "v", "return p: order(v)"},
		{"order by two", "k v", "return p: order(v, k)"},
		{"16 groups", "k v", "g = groups(k & 15)\n\treturn rows: count(by: g), total: sum(v, by: g)"},
		{"65536 groups", "k v", "g = groups(k & 65535)\n\treturn rows: count(by: g), total: sum(v, by: g)"},
		{"1024 spread groups", "k v", "g = groups((k & 1023) * 2097143)\n\treturn rows: count(by: g), total: sum(v, by: g)"},
		{"32768 spread groups", "k v", "g = groups((k & 32767) * 65537)\n\treturn rows: count(by: g), total: sum(v, by: g)"},
		{"a group each", "w v", "g = groups(w)\n\treturn rows: count(by: g), total: sum(v, by: g)"},
		{"find", "k r", "return p: find(k, in: r)"},
		{"join", "k v r s", "j = join(k, r)\n\treturn v: v[j.left] + s[j.right]"},
		{"256 bins", "k v", "g = bins(k & 255, 256)\n\treturn rows: count(by: g), least: min(v, by: g, else: 0)"},
		{"runs", "w v", "g = runs(v)\n\treturn rows: count(by: g), most: max(w, by: g)"},
		{"scan of max", "v", "return p: scan(max, v)"},
	} {
		b.Run(p.name, func(b *testing.B) { comparePipeline(b, strings.Fields(p.params), p.text) })
	}
}

func comparePipeline(b *testing.B, params []string, text string) {
	const rows = 1 << 20
	var declared []string
	for _, name := range params {
		declared = append(declared, map[string]string{"k": "k: [n]i32", "w": "w: [n]i64", "v": "v: [n]i64", "r": "r: [m]i32", "s": "s: [m]i64"}[name])
	}
	program, host, p := compiled(b, "pipeline p("+strings.Join(declared, ", ")+") {\n\t"+text+"\n}\n", fuse.LevelAuto)
	random := rand.New(rand.NewPCG(1, 2))
	k, w, v, r, s := make([]int32, rows), make([]int64, rows), make([]int64, rows), make([]int32, rows/16), make([]int64, rows/16)
	for i := range rows {
		k[i], w[i], v[i] = random.Int32(), random.Int64(), random.Int64N(1000)
	}
	for i := range r {
		r[i], s[i] = k[i*7], int64(i)
	}
	in := exec.Inputs{Columns: map[string]exec.Column{}}
	held := map[string][]byte{}
	place := func(port string, bytes int64) []byte {
		if int64(len(held[port])) < bytes {
			held[port] = raw.BytesOf(make([]uint64, (bytes+7)/8))
		}
		return held[port]
	}
	var columns []ir.Column
	for i, name := range params {
		column := ir.Column{Kind: p.Params[i].Type.Kind, Slice: map[string]any{"k": k, "w": w, "v": v, "r": r, "s": s}[name]}
		in.Columns[host.Ports[i].Name] = exec.Column{Kind: host.Ports[i].Kind, Data: raw.Bytes(column)}
		columns = append(columns, column)
	}
	vectors := func(workers int) func() error {
		return func() error {
			_, err := program.Run(context.Background(), in, vector.Options{Place: place, Workers: workers})
			return err
		}
	}
	const interpreted, mostInterpreted = 2, 3
	forms := []func() error{vectors(1), vectors(0), func() error { _, err := interp.Run(p, columns); return err }}
	took := make([][]float64, len(forms))
	for b.Loop() {
		for i, form := range forms {
			if i == interpreted && len(took[i]) == mostInterpreted {
				continue
			}
			begun := time.Now()
			if err := form(); err != nil {
				b.Fatal(err)
			}
			took[i] = append(took[i], float64(time.Since(begun).Nanoseconds())/rows)
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(slices.Min(took[0]), "ns/row")
	b.ReportMetric(slices.Min(took[1]), "all-cores-ns/row")
	b.ReportMetric(slices.Min(took[interpreted]), "interp-ns/row")
	b.ReportMetric(slices.Min(took[interpreted])/slices.Min(took[0]), "times")
}

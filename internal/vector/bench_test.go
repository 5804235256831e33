package vector_test

import (
	"errors"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/kgen-go/kgen"
	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/interp"
	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/internal/vector"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// BenchmarkPipelines measures filters, sorts and tables on device vector beside emitted Go and
// the interpreter, in turns: ns a row of each on one core and on all, least times, and ratios
// on one core.
func BenchmarkPipelines(b *testing.B) {
	gocpu, err := kgen.Open(b.Context(), "gocpu")
	if err != nil {
		b.Fatal(err)
	}
	defer gocpu.Close()
	for _, p := range []struct{ name, text string }{
		{"filter", "return v: v[v > 500]"},
		{"filter of two columns", "l = v > 900\n\treturn v: v[l], k: k[l]"},
		{"order i32", "return p: order(k)"},
		{"order i64", "return p: order(w)"},
		{"order i64 below 1000", "return p: order(v)"},
		{"order by two", "return p: order(v, k)"},
		{"16 groups", "g = groups(k & 15)\n\treturn rows: count(by: g), total: sum(v, by: g)"},
		{"65536 groups", "g = groups(k & 65535)\n\treturn rows: count(by: g), total: sum(v, by: g)"},
		{"1024 spread groups", "g = groups((k & 1023) * 2097143)\n\treturn rows: count(by: g), total: sum(v, by: g)"},
		{"65536 spread groups", "g = groups((k & 65535) * 32771)\n\treturn rows: count(by: g), total: sum(v, by: g)"},
		{"65536 spread groups of i64", "g = groups((w & 65535) * 4294967311)\n\treturn rows: count(by: g), total: sum(v, by: g)"},
		{"65000 groups by two", "g = groups(v, k & 63)\n\treturn rows: count(by: g), total: sum(v, by: g)"},
		{"a group each", "g = groups(w)\n\treturn rows: count(by: g), total: sum(v, by: g)"},
		{"distinct of 65536", "g = groups((k & 65535) * 32771)\n\treturn key: first(k, by: g)"},
		{"find", "return p: find(k, in: r)"},
		{"find whether", "return v: v[find(k, in: r) >= 0]"},
		{"find column", "f = find(k, in: r)\n\tm = f >= 0\n\treturn t: sum(s[f[m]])"},
		{"find i64", "return p: find(w, in: t)"},
		{"find i64 of its rows", "return p: find(w, in: w)"},
		{"find two keys", "return p: find((k, v), in: (r, s))"},
		{"join", "j = join(k, r)\n\treturn v: v[j.left] + s[j.right]"},
		{"join of many", "j = join(k & 65535, (r & 65535))\n\treturn t: sum(v[j.left] + s[j.right])"},
		{"repeat", "j = repeat(v & 3)\n\treturn w: w[j]"},
		{"256 bins", "g = bins(k & 255, 256)\n\treturn rows: count(by: g), least: min(v, by: g, else: 0)"},
		{"65536 bins", "g = bins(k & 65535, 65536)\n\treturn rows: count(by: g), total: sum(v, by: g)"},
		{"first of bins", "g = bins(k & 255, 256)\n\treturn w: first(w, by: g, else: 0)"},
		{"last of bins", "g = bins(k & 255, 256)\n\treturn w: last(w, by: g, else: 0)"},
		{"argmin of bins", "g = bins(k & 255, 256)\n\treturn r: argmin(w, by: g)"},
		{"argmin of all", "return r: argmin(w)"},
		{"runs", "g = runs(v)\n\treturn rows: count(by: g), most: max(w, by: g)"},
		{"scan of max", "return p: scan(max, v)"},
	} {
		b.Run(p.name, func(b *testing.B) { comparePipeline(b, gocpu, p.text) })
	}
}

// column is an argument of the benchmark.
type column struct{ name, declared string }

// benchColumns are the arguments that pipelines of the benchmark name, and benchData their rows.
var benchColumns = []column{{"k", "[n]i32"}, {"w", "[n]i64"}, {"v", "[n]i64"}, {"r", "[m]i32"}, {"s", "[m]i64"}, {"t", "[m]i64"}}

const benchRows = 1 << 20

func benchData() map[string]any {
	random := rand.New(rand.NewPCG(1, 2))
	k, w, v := make([]int32, benchRows), make([]int64, benchRows), make([]int64, benchRows)
	for i := range k {
		k[i], w[i], v[i] = random.Int32(), random.Int64(), random.Int64N(1000)
	}
	r, s, t := make([]int32, benchRows/16), make([]int64, benchRows/16), make([]int64, benchRows/16)
	for i := range r {
		r[i], s[i], t[i] = k[i*7], int64(i), w[i*7]
	}
	return map[string]any{"k": k, "w": w, "v": v, "r": r, "s": s, "t": t}
}

func comparePipeline(b *testing.B, gocpu *kgen.Device, text string) {
	data := benchData()
	var names []string
	head := "pipeline p("
	for _, c := range benchColumns {
		if regexp.MustCompile(`[^\w.:]` + c.name + `\b[^:]`).MatchString(" " + text + " ") {
			names = append(names, c.name)
			head += c.name + ": " + c.declared + ", "
		}
	}
	text = head[:len(head)-2] + ") {\n\t" + text + "\n}\n"
	pipelines, errs := ir.Load("bench.kg", []byte(text))
	if err := errs.Err(); err != nil {
		b.Fatal(text, err)
	}
	p := pipelines[0]
	made, _, err := build.Compile(&build.Source{Pipelines: pipelines}, p, vector.Name, "", plan.Schedule{})
	if err != nil {
		b.Fatal(err)
	}
	program, err := vector.Compile(made)
	if err != nil {
		b.Fatal(err)
	}
	in := exec.Inputs{Columns: map[string]exec.Column{}}
	var columns []ir.Column
	args := kgen.Args{}
	for i, name := range names {
		column := ir.Column{Kind: p.Params[i].Type.Kind, Slice: data[name]}
		port := &made.Plan.Ports[i]
		in.Columns[port.Name] = exec.Column{Kind: port.Kind, Data: raw.Bytes(column)}
		columns = append(columns, column)
		args[name] = data[name]
	}
	held := map[string][]byte{}
	place := func(port string, bytes int64) []byte {
		if int64(len(held[port])) < bytes {
			held[port] = raw.BytesOf(make([]uint64, (bytes+7)/8))
		}
		return held[port]
	}
	// Each form returns its own time.
	vectors := func(workers int) func() (time.Duration, error) {
		return timed(func() error {
			_, err := program.Run(b.Context(), in, vector.Options{Place: place, Workers: workers})
			return err
		})
	}
	emitted := func(workers int) func() (time.Duration, error) {
		program, err := kgen.Compile(text, "")
		if err != nil {
			b.Fatal(err)
		}
		executable, err := program.On(b.Context(), gocpu, kgen.Workers(workers))
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { err = errors.Join(err, executable.Close()) })
		return func() (time.Duration, error) {
			out, err := executable.Run(b.Context(), args, kgen.Repeat(2), kgen.KeepAll())
			if err != nil {
				return 0, err
			}
			defer out.Free()
			return slices.Min(out.Times), nil
		}
	}
	forms := []func() (time.Duration, error){vectors(1), emitted(1), vectors(0), emitted(0),
		timed(func() error { _, err := interp.Run(p, columns); return err })}
	const interpreted, mostInterpreted = 4, 3
	least := make([]float64, len(forms))
	for round := 0; b.Loop(); round++ {
		for i, form := range forms {
			if i == interpreted && round >= mostInterpreted {
				continue
			}
			took, err := form()
			if err != nil {
				b.Fatal(err)
			}
			if ns := float64(took.Nanoseconds()) / benchRows; round == 0 || ns < least[i] {
				least[i] = ns
			}
		}
	}
	b.ReportMetric(0, "ns/op")
	for i, unit := range []string{"vector", "emitted", "vector-all-cores", "emitted-all-cores", "interp"} {
		b.ReportMetric(least[i], unit+"-ns/row")
	}
	b.ReportMetric(least[0]/least[1], "vector/emitted")
	b.ReportMetric(least[interpreted]/least[0], "interp/vector")
}

// timed returns a form that takes as long as a function.
func timed(f func() error) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		begun := time.Now()
		err := f()
		return time.Since(begun), err
	}
}

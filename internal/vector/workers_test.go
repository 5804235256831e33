package vector_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/internal/vector"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// pipelines whose kernels keep every kind of state from batch to batch.
var stateful = []string{
	`pipeline sums(k: [n]i64, x: [n]f64) {
	g = runs(k)
	return key: first(k, by: g), total: sum(x, by: g), most: max(x, by: g), rows: count(by: g)
}`,
	`pipeline scans(k: [n]i64, x: [n]f64) {
	return a: scan(add, x), b: scan(max, k)[x > 0.5], c: prev(k, 3, 0)
}`,
	`pipeline filters(k: [n]i64, x: [n]f64) {
	y = x[x > 0.25]
	return y, z: k[x > 0.25][y > 0.75], all: sum(x), top: argmax(x), low: min(x)
}`,
	`pipeline orders(k: [n]i64, x: [n]f64) {
	o = order(k)
	return k: k[o], x: x[o]
}`,
	`pipeline groups(k: [n]i64, x: [n]f64) {
	g = groups(k * 1000003)
	return key: first(k, by: g), total: sum(x, by: g), last: last(x, by: g)
}`,
	`pipeline bins(k: [n]i64, x: [n]f64) {
	b = bins(k & 31, 32)
	return total: sum(x, by: b), first: first(x, by: b, else: 0.0)
}`,
	`pipeline found(k: [n]i64, x: [n]f64) {
	f = find(k, in: k[x > 0.5])
	return hits: count(f >= 0), at: f
}`,
	`pipeline tables(k: [n]i64, x: [n]f64) {
	b = bins(k & 31, 32)
	c = bins(k & 65535, 65536)
	return least: min(k, by: b, else: 0), most: max(i32(k), by: b, else: 0), bits: first(k, by: b, else: 0), rows: count(by: c), total: sum(k, by: c), x: max(x, by: b, else: 0)
}`,
	`pipeline repeats(k: [n]i64, x: [n]f64) {
	j = repeat((k & 3) * (k & 1))
	return k: k[j], x: x[j], at: i64(j)
}`,
	`pipeline joins(k: [n]i64, x: [n]f64) {
	j = join((k, k & 7), (k[x > 0.9], (k & 7)[x > 0.9]))
	return total: sum(k[j.left] ^ i64(j.right))
}`,
}

// inputs returns keys in runs and numbers from 0 to 1.
func inputs(rows int) []ir.Column {
	k, x := make([]int64, rows), make([]float64, rows)
	state, key := uint64(1), int64(0)
	for i := range rows {
		state = state*6364136223846793005 + 1442695040888963407
		if state>>61 == 0 {
			key = int64(state >> 50)
		}
		k[i], x[i] = key, float64(state>>11)/(1<<53)
	}
	return []ir.Column{raw.FromBytes(ir.I64, raw.BytesOf(k)), raw.FromBytes(ir.F64, raw.BytesOf(x))}
}

// Results of several workers are those of one, to the bit, in batches of one length.
func TestWorkers(t *testing.T) {
	in := inputs(100_001)
	for _, text := range stateful {
		for _, level := range []string{"none", "onepass", "auto"} {
			program, host, p := compiled(t, text, level)
			for _, batch := range []int{0, 100} {
				var want []ir.Column
				for _, workers := range []int{1, 2, 3, 8} {
					if batch == 0 && workers == 1 {
						continue // its batches are shorter
					}
					got, err := run(program, host, p, in, vector.Options{Batch: batch, Workers: workers})
					if err != nil {
						t.Fatal(err)
					}
					if want == nil {
						want = got
					}
					for i := range got {
						if !bytes.Equal(raw.Bytes(got[i]), raw.Bytes(want[i])) {
							t.Errorf("%s at level %s, %d workers, batches of %d: result %d differs", p.Name, level, workers, batch, i)
						}
					}
				}
			}
		}
	}
}

// The first row that fails is reported, whichever worker meets it.
func TestWorkersFail(t *testing.T) {
	program, host, p := compiled(t, "pipeline p(k: [n]i64, x: [n]f64) { return y: 7 / k, z: 1 / (k - 5), s: sum(x) }", "auto")
	in := inputs(50_000)
	k := raw.SliceOf[int64](raw.Bytes(in[0]))
	for i := range k {
		k[i] = 1
	}
	k[49_000], k[33_333], k[41_000] = 0, 0, 5
	for range 20 {
		_, err := run(program, host, p, in, vector.Options{Batch: 64, Workers: 4})
		var check *ir.CheckError
		if !errors.As(err, &check) || check.Row != 33_333 {
			t.Fatal(err)
		}
	}
}

// counted is a context that ends after it was asked so often.
type counted struct {
	context.Context
	left chan struct{}
}

func (c counted) Err() error {
	select {
	case <-c.left:
		return nil
	default:
		return context.Canceled
	}
}

// A context that ends while workers wait for each other ends them all, and the program runs
// again.
func TestWorkersEnd(t *testing.T) {
	program, host, p := compiled(t, stateful[0], "auto")
	in := inputs(20_000)
	arguments := exec.Inputs{Columns: map[string]exec.Column{}}
	for i, c := range in {
		arguments.Columns[host.Ports[i].Name] = exec.Column{Kind: plan.Kind(c.Kind.String()), Data: raw.Bytes(c)}
	}
	for asked := range 60 {
		ctx := counted{context.Background(), make(chan struct{}, asked)}
		for range asked {
			ctx.left <- struct{}{}
		}
		if _, err := program.Run(ctx, arguments, vector.Options{Batch: 16, Workers: 4}); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	want, err := run(program, host, p, in, vector.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	got, err := run(program, host, p, in, vector.Options{Batch: 16, Workers: 4})
	if err != nil || !slices.Equal(raw.Bytes(got[3]), raw.Bytes(want[3])) {
		t.Error(fmt.Sprint(len(got)), err)
	}
}

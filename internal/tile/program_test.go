package tile_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/internal/tile/tiletest"
	"github.com/kgen-go/kgen/ir"
)

// data makes the memory of a program of tiletest: columns with runs, and
// outputs as long as the input.
func data(k *tile.Kernel, rows int, random *rand.Rand) *tiletest.Memory {
	memory := tiletest.NewMemory()
	for _, s := range k.Streams {
		column := make([]ir.Scalar, rows)
		if !s.Write {
			for i := range column {
				column[i] = ir.Int(s.Kind, random.Int64N(7)-3)
				if i > 0 && random.IntN(3) > 0 {
					column[i] = column[i-1]
				}
			}
		}
		memory.Buffers[s.Buffer] = column
	}
	return memory
}

// values lists the written elements of a column as integers.
func values(column []ir.Scalar) []int64 {
	list := []int64{}
	for _, x := range column {
		if x.Kind != ir.Invalid {
			list = append(list, x.Int64())
		}
	}
	return list
}

// wanted computes the results of the programs directly.
var wanted = map[string]func(in map[string][]int64) map[string][]int64{
	"scan": func(in map[string][]int64) map[string][]int64 {
		out, sum := []int64{}, int64(0)
		for _, a := range in["a"] {
			sum += a
			out = append(out, sum)
		}
		return map[string][]int64{"out": out, "whole": {sum}}
	},
	"filter": func(in map[string][]int64) map[string][]int64 {
		out := slices.DeleteFunc(append([]int64{}, in["x"]...), func(x int64) bool { return x <= 0 })
		return map[string][]int64{"out": out, "k_length": {int64(len(out))}}
	},
	"filter_two_columns": func(in map[string][]int64) map[string][]int64 {
		x, y := []int64{}, []int64{}
		for i, v := range in["x"] {
			if v > 0 {
				x, y = append(x, v), append(y, 2*in["y"][i])
			}
		}
		return map[string][]int64{"out_x": x, "out_y": y, "k_length": {int64(len(x))}}
	},
	"count":         countedRuns,
	"count_and_sum": countedRuns,
}

func countedRuns(in map[string][]int64) map[string][]int64 {
	key, count, sum := []int64{}, []int64{}, []int64{}
	for i, k := range in["key"] {
		if i == 0 || k != in["key"][i-1] {
			key, count, sum = append(key, k), append(count, 0), append(sum, 0)
		}
		count[len(count)-1]++
		if x := in["x"]; x != nil {
			sum[len(sum)-1] += x[i]
		}
	}
	out := map[string][]int64{"out_key": key, "out_count": count, "g_length": {int64(len(key))}}
	if in["x"] != nil {
		out["out_sum"] = sum
	}
	return out
}

// The programs do what they are for, row by row and in blocks of every cut.
func TestPrograms(t *testing.T) {
	for _, k := range tiletest.Programs() {
		if err := tile.Verify(k); err != nil {
			t.Fatalf("%s: %v", k.Name, err)
		}
		for seed := range uint64(60) {
			random := rand.New(rand.NewPCG(seed, 0))
			rows := []int{0, 1, 2, 33, 100, 400}[seed%6]
			for _, how := range []string{"row by row", "in blocks"} {
				memory := data(k, rows, rand.New(rand.NewPCG(seed, 1)))
				in := map[string][]int64{}
				for _, s := range k.Streams {
					if !s.Write {
						in[s.Buffer] = values(memory.Buffers[s.Buffer])
					}
				}
				var err error
				if how == "in blocks" {
					err = tiletest.Blocks(tile.Analyze(k), memory, rows, random)
				} else {
					err = tiletest.Sequential(k, memory, rows)
				}
				if err != nil {
					t.Fatalf("%d rows %s: %v", rows, how, err)
				}
				got := map[string][]int64{}
				for _, s := range k.Streams {
					if s.Write {
						got[s.Buffer] = values(memory.Buffers[s.Buffer])
					}
				}
				for name, x := range memory.Scalars {
					got[name] = []int64{x.Int64()}
				}
				if diff := cmp.Diff(wanted[k.Name](in), got); diff != "" {
					t.Fatalf("%s, %d rows %s (-want +got):\n%s", k.Name, rows, how, diff)
				}
			}
		}
	}
}

// No live value of the programs is superfluous: without any one of them a scheme
// lacks a value.
func TestCarriesAreNeeded(t *testing.T) {
	for _, k := range tiletest.Programs() {
		for c := range tile.Analyze(k).Cuts {
			for i := range tile.Analyze(k).Cuts[c].Live {
				a := tile.Analyze(k)
				cut := &a.Cuts[c]
				without := k.Values[cut.Live[i].Value].Name
				cut.Live = slices.Delete(cut.Live, i, i+1)
				random := rand.New(rand.NewPCG(1, 2))
				if err := tiletest.Blocks(a, data(k, 100, random), 100, random); err == nil {
					t.Errorf("%s runs without the live value %s of cut %d", k.Name, without, c)
				}
			}
		}
	}
}

// dependentScans scans what a scan gave, thrice.
func dependentScans() *tile.Kernel {
	b := tile.NewBuilder("dependent_scans", "n", "n")
	x := b.Map(0, ir.OpCast, ir.I64, "", b.Load(b.Stream("x", ir.I32, "x", tile.Element, false)))
	for range 3 {
		x = b.Map(0, ir.OpXor, ir.I64, "", b.Scan(0, tile.NewFold(ir.ReduceAdd, ir.I64), false, "sum", x)[0], x)
	}
	b.Store(b.Stream("out", ir.I64, "out", tile.Element, true), x)
	return b.Finish()
}

// chunks scans within chunks, for a kernel that does not have the rest of the scan.
func chunks() *tile.Kernel {
	b := tile.NewBuilder("chunks", "n", "n")
	sum := tile.NewFold(ir.ReduceAdd, ir.I64)
	totals := b.Stream("totals", ir.I64, "totals", tile.Chunk, true)
	x := b.Load(b.Stream("x", ir.I64, "x", tile.Element, false))
	next := b.Shift(x, b.Int(0), -2)
	within := b.ChunkScan(sum, false, []int{totals}, "within", b.Map(0, ir.OpAdd, ir.I64, "", x, next))
	b.Store(b.Stream("out", ir.I64, "out", tile.Element, true), within[0])
	return b.Finish()
}

// A kernel may have several cuts; each keeps its own phases apart.
func TestDependentCuts(t *testing.T) {
	const rows = 300
	k := dependentScans()
	a := tile.Analyze(k)
	if len(a.Cuts) != 3 {
		t.Fatalf("%d cuts, not 3:\n%v", len(a.Cuts), a)
	}
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 0))
		byRow, inBlocks := data(k, rows, rand.New(rand.NewPCG(seed, 1))), data(k, rows, rand.New(rand.NewPCG(seed, 1)))
		if err := tiletest.Sequential(k, byRow, rows); err != nil {
			t.Fatal(err)
		}
		if err := tiletest.Blocks(a, inBlocks, rows, random); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(fmt.Sprint(byRow.Buffers["out"]), fmt.Sprint(inBlocks.Buffers["out"])); diff != "" {
			t.Fatalf("seed %d: %s", seed, diff)
		}
	}
}

// Analysis takes time in proportion to the kernel, not to the paths through it.
func TestSharedOperands(t *testing.T) {
	b := tile.NewBuilder("doubled", "n", "n")
	x := b.Load(b.Stream("x", ir.I64, "x", tile.Element, false))
	for range 100 {
		x = b.Map(0, ir.OpAdd, ir.I64, "", x, x)
	}
	head := b.Head(x)
	out := b.Scan(0, tile.NewFold(ir.ReduceAdd, ir.I64), false, "sum", b.Map(0, ir.OpCast, ir.I64, "", head))
	b.Store(b.Stream("out", ir.I64, "out", tile.Element, true), b.Map(0, ir.OpAdd, ir.I64, "", out[0], x))
	k := b.Finish()
	if err := tile.Verify(k); err != nil {
		t.Fatal(err)
	}
	if n := len(tile.Analyze(k).Cuts); n != 1 {
		t.Errorf("%d cuts, not 1", n)
	}
}

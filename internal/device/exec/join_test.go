package exec_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/plan"
)

// joinPlan is an equi-join. The right side is partitioned by hash bits into a
// CSR (first row of each bucket, rows by bucket); a first pass over the left
// side counts matches, their prefix sum gives the length of the result, which
// the host reads and allocates; a second pass expands.
func joinPlan() *plan.Plan {
	buckets, total := plan.Var("buckets"), plan.Var("total")
	one := plan.Const(1)
	oneGroup := func(k plan.Kernel) plan.Kernel {
		k.Variants[0].Grid = one
		return k
	}
	return &plan.Plan{
		Version: plan.Version, Pipeline: "join", Level: "none",
		Ports: []plan.Port{
			{Name: "k", Direction: plan.In, Kind: plan.I32, Domain: "n", Buffer: "k"},
			{Name: "k2", Direction: plan.In, Kind: plan.I32, Domain: "m", Buffer: "k2"},
			{Name: "left", Direction: plan.Out, Kind: plan.I64, Domain: "j", Buffer: "left"},
			{Name: "right", Direction: plan.Out, Kind: plan.I64, Domain: "j", Buffer: "right"},
			{Name: "matches", Direction: plan.Out, Kind: plan.I64, Scalar: "total"},
		},
		Domains: []plan.Domain{
			{Name: "n", Ordered: true},
			{Name: "m", Ordered: true},
			{Name: "j", Len: total, Counter: &plan.Element{Buffer: "total"}, Bound: plan.Mul(plan.Len("n"), plan.Len("m")), Ordered: true},
		},
		Scalars: i64s("buckets", "total"),
		Buffers: []plan.Buffer{
			{Name: "k", Kind: plan.I32, Role: plan.Input},
			{Name: "k2", Kind: plan.I32, Role: plan.Input},
			{Name: "sizes", Kind: plan.I32, Length: buckets, Role: plan.Temporary},
			{Name: "first", Kind: plan.I32, Length: plan.Add(buckets, one), Role: plan.Temporary},
			{Name: "cursor", Kind: plan.I32, Length: buckets, Role: plan.Temporary},
			{Name: "rows", Kind: plan.I32, Length: plan.Len("m"), Role: plan.Temporary},
			{Name: "hits", Kind: plan.I64, Length: plan.Len("n"), Role: plan.Temporary},
			{Name: "prefix", Kind: plan.I64, Length: plan.Len("n"), Role: plan.Temporary},
			{Name: "total", Kind: plan.I64, Length: one, Role: plan.Counter},
			{Name: "left", Kind: plan.I64, Length: total, Role: plan.Output},
			{Name: "right", Kind: plan.I64, Length: total, Role: plan.Output},
		},
		Kernels: []plan.Kernel{
			kernelOf("sizes", 8, in("k2"), inout("sizes")),
			oneGroup(kernelOf("first", 8, in("sizes"), out("first"))),
			kernelOf("place", 8, in("k2"), in("first"), inout("cursor"), inout("rows")),
			kernelOf("sort", 8, in("first"), inout("rows")),
			kernelOf("hits", 8, in("k"), in("k2"), in("first"), in("rows"), out("hits")),
			oneGroup(kernelOf("prefix", 8, in("hits"), out("prefix"), inout("total"))),
			kernelOf("expand", 8, in("k"), in("k2"), in("first"), in("rows"), in("prefix"), out("left"), out("right")),
		},
		Steps: program(
			set("buckets", plan.Pow2(plan.CeilDiv(plan.Len("m"), plan.Const(4)))),
			fresh("sizes", "cursor", "total"), alloc("first", "rows", "hits", "prefix"),
			launch("sizes", plan.Len("m")),
			launch("first", buckets),
			launch("place", plan.Len("m")),
			launch("sort", buckets),
			launch("hits", plan.Len("n")),
			launch("prefix", plan.Len("n")),
			check,
			read("total", "total"),
			alloc("left", "right"),
			launch("expand", total),
			check,
			ret,
		),
	}
}

func bucketOf(key int32, buckets int) int {
	return int(uint32(key) * 0x9e3779b1 >> 16 & uint32(buckets-1))
}

// matching calls found for the rows of the right side that match key, in order.
func matching(g *workgroup, key int32, found func(row int32)) {
	k2, first, rows := buffer[int32](g, "k2"), buffer[int32](g, "first"), buffer[int32](g, "rows")
	b := bucketOf(key, len(first)-1)
	for _, row := range rows[first[b]:first[b+1]] {
		if k2[row] == key {
			found(row)
		}
	}
}

var joinKernels = map[string]kernel{
	"sizes": func(g *workgroup) error {
		sizes := buffer[int32](g, "sizes")
		lo, hi := g.tile()
		for _, key := range buffer[int32](g, "k2")[lo:hi] {
			sizes[bucketOf(key, len(sizes))]++
		}
		return nil
	},
	"first": func(g *workgroup) error {
		first := buffer[int32](g, "first")
		sum := int32(0)
		for b, size := range buffer[int32](g, "sizes") {
			first[b] = sum
			sum += size
		}
		first[len(first)-1] = sum
		return nil
	},
	"place": func(g *workgroup) error {
		first, cursor := buffer[int32](g, "first"), buffer[int32](g, "cursor")
		lo, hi := g.tile()
		for i := lo; i < hi; i++ {
			b := bucketOf(buffer[int32](g, "k2")[i], len(cursor))
			buffer[int32](g, "rows")[first[b]+cursor[b]] = int32(i)
			cursor[b]++
		}
		return nil
	},
	// The groups of place ran in any order, which must not show in the result.
	"sort": func(g *workgroup) error {
		first := buffer[int32](g, "first")
		lo, hi := g.tile()
		for b := lo; b < hi; b++ {
			slices.Sort(buffer[int32](g, "rows")[first[b]:first[b+1]])
		}
		return nil
	},
	"hits": func(g *workgroup) error {
		lo, hi := g.tile()
		for i := lo; i < hi; i++ {
			count := int64(0)
			matching(g, buffer[int32](g, "k")[i], func(int32) { count++ })
			buffer[int64](g, "hits")[i] = count
		}
		return nil
	},
	"prefix": func(g *workgroup) error {
		sum := int64(0)
		for i, hits := range buffer[int64](g, "hits") {
			sum += hits
			buffer[int64](g, "prefix")[i] = sum
		}
		buffer[int64](g, "total")[0] = sum
		return nil
	},
	"expand": func(g *workgroup) error {
		prefix := buffer[int64](g, "prefix")
		lo, hi := g.tile()
		for j := lo; j < hi; j++ {
			row := sort.Search(len(prefix), func(i int) bool { return prefix[i] > j })
			rank := j
			if row > 0 {
				rank -= prefix[row-1]
			}
			buffer[int64](g, "left")[j] = int64(row)
			matching(g, buffer[int32](g, "k")[row], func(right int32) {
				if rank == 0 {
					buffer[int64](g, "right")[j] = int64(right)
				}
				rank--
			})
		}
		return nil
	},
}

func TestJoin(t *testing.T) {
	p := throughJSON(t, "join", joinPlan())
	random := rand.New(rand.NewPCG(7, 7))
	keys := func(n, distinct int) []int32 {
		list := make([]int32, n)
		for i := range list {
			list[i] = int32(random.IntN(distinct)) - 3
		}
		return list
	}
	for _, test := range []struct{ n, m, distinct int }{
		{0, 0, 1}, {0, 5, 2}, {5, 0, 2}, {1, 1, 1}, {40, 30, 1}, {100, 300, 20}, {300, 100, 20}, {200, 200, 100000},
	} {
		k, k2 := keys(test.n, test.distinct), keys(test.m, test.distinct)
		left, right := []int64{}, []int64{}
		for i, a := range k {
			for j, b := range k2 {
				if a == b {
					left, right = append(left, int64(i)), append(right, int64(j))
				}
			}
		}
		device := newFake(joinKernels)
		result, err := exec.Run(context.Background(), device, p, exec.Inputs{Columns: map[string]exec.Column{
			"k": column(plan.I32, k), "k2": column(plan.I32, k2),
		}}, exec.Options{})
		device.verify(t)
		if err != nil {
			t.Fatalf("%+v: %v", test, err)
		}
		if diff := cmp.Diff(left, values[int64](t, result, "left")); diff != "" {
			t.Errorf("%+v: left (-want +got):\n%s", test, diff)
		}
		if diff := cmp.Diff(right, values[int64](t, result, "right")); diff != "" {
			t.Errorf("%+v: right (-want +got):\n%s", test, diff)
		}
		if got := result.Scalars["matches"]; got != (exec.Value{Kind: plan.I64, Bits: uint64(len(left))}) {
			t.Errorf("%+v: matches %v, not %d", test, got, len(left))
		}
	}
}

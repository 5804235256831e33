package simt

import (
	"testing"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/plan"
)

// TestLocalTables holds which tables lie in local memory, and with how many copies
// of each element.
func TestLocalTables(t *testing.T) {
	portable := Target{}
	large := Target{Subgroup: SubgroupOf(32), Atomics64: true, MergesCounts: true, LaunchedLocal: 227 << 10}
	for _, test := range []struct {
		name, source string
		target       Target
		schedule     plan.Schedule
		bytes        int64 // 0 if the table is in global memory
		fallback     bool
	}{
		{"counts of bytes", "k: [n]u8) {\n\treturn c: count(by: bins(i64(k), 256))", large, plan.Schedule{}, 256 * 32 * 4, true},
		{"counts that a device merges", "k: [n]i32) {\n\treturn c: count(by: bins(k, 8192))", large, plan.Schedule{}, 8192 * 4, true},
		{"counts that it does not", "k: [n]i32) {\n\treturn c: count(by: bins(k, 1024))", portable, plan.Schedule{}, 1024 * 8 * 4, true},
		{"small work-groups", "k: [n]i32) {\n\treturn c: count(by: bins(k, 1024))", portable, plan.Schedule{Workgroup: 64}, 1024 * 8 * 4, true},
		{"small work-groups and tables", "k: [n]i32) {\n\treturn c: count(by: bins(k, 256))", portable, plan.Schedule{Workgroup: 64}, 256 * 8 * 4, false},
		{"sums", "k: [n]i32) {\n\treturn s: sum(k, by: bins(k, 1024))", large, plan.Schedule{}, 1024 * 9 * 4, true},
		{"sums with fewer copies", "k: [n]i32) {\n\treturn s: sum(k, by: bins(k, 8192))", large, plan.Schedule{}, 8192 * 5 * 4, true},
		{"sums with none", "k: [n]i32) {\n\treturn s: sum(k, by: bins(k, 16384))", large, plan.Schedule{}, 16384 * 2 * 4, true},
		{"a cache of sums", "k: [n]i32) {\n\treturn s: sum(k, by: bins(k, 65536))", large, plan.Schedule{}, cacheSlots * (4 + 1 + 1) * 4, true},
		{"a cache on all devices", "k: [n]i32) {\n\treturn s: sum(k, by: bins(k, 8192))", portable, plan.Schedule{}, cacheSlots * (2 + 1 + 1) * 4, true},
		{"aggregates that share a cache", "k: [n]i32) {\n\tb = bins(k, 50000)\n\treturn c: count(by: b), s: sum(k, by: b)", portable, plan.Schedule{}, cacheSlots * (2 + 1 + 1 + 1) * 4, true},
		{"sums of rows that are looked up", "k: [n]i32, x: [m]i32) {\n\treturn s: sum(k, by: bins(x[i64(k)], 16384))", large, plan.Schedule{}, 16384 * 2 * 4, true},
		{"sums of those that masks keep", "k: [n]i32, x: [m]i32) {\n\ty = x[i64(k)]\n\treturn s: sum(k[y > 3], by: bins(y[y > 3], 16384))", large, plan.Schedule{}, cacheSlots * (4 + 1 + 1) * 4, true},
		{"as many as a parameter says", "k: [n]i32, size: i64) {\n\treturn c: count(by: bins(k, size))", large, plan.Schedule{}, 2 * unknownTable, true},
		{"in global memory", "k: [n]i32) {\n\treturn c: count(by: bins(k, 16))", large, plan.Schedule{Table: plan.Global}, 0, false},
		{"a variant of the paper", "k: [n]i32) {\n\treturn c: count(by: bins(k, 16))", large, plan.Schedule{Variant: plan.PrivateVar}, 0, false},
		{"runs", "k: [n]i32) {\n\treturn c: count(by: runs(k))", large, plan.Schedule{Variant: plan.Direct, Scheme: SchemePublished}, 0, false},
	} {
		lowered, err := test.target.Lower(tablesProgram(t, test.source, compile.Options{Level: fuse.LevelAuto, Variant: test.schedule.Variant}), test.schedule)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if got := localBytes(lowered); got != test.bytes {
			t.Errorf("%s: tables of %d bytes, not %d", test.name, got, test.bytes)
		}
		if got := lowered.Plan.Fallback != nil; got != test.fallback {
			t.Errorf("%s: a fallback: %v", test.name, got)
		}
	}
}

// tablesProgram compiles a pipeline, from its parameters on.
func tablesProgram(t *testing.T, text string, options compile.Options) *backends.Program {
	t.Helper()
	return compiled(t, "pipeline tables("+text+"\n}\n", options)
}

// localBytes returns the local memory of the kernel with local tables.
func localBytes(p *Program) int64 {
	for i, k := range p.Plan.Kernels {
		if k.Variants[0].Schedule.Table != plan.Local {
			continue
		}
		for _, v := range declaredLocally(p.Kernels[i]) {
			return int64(v.T.Len * v.T.Kind.Size())
		}
	}
	return 0
}

// declaredLocally lists the arrays of a kernel that are its arena.
func declaredLocally(p *loop.Program) (list []*loop.Var) {
	for _, s := range p.Funcs[0].Body {
		if d, ok := s.(*loop.Decl); ok && d.Var.Name == arenaName {
			list = append(list, d.Var)
		}
	}
	return list
}

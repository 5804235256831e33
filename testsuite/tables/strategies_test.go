package tables_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
)

// TestGroupStrategies groups rows by each strategy of hash aggregation: as few groups as the
// table for few takes, more, for which there is a larger one, and more than half of the rows,
// which are sorted.
func TestGroupStrategies(t *testing.T) {
	const rows = 600
	const few = 4 // groups that the first table takes
	keys := map[string]func(key uint64, row int) []ir.Scalar{
		"i32": func(key uint64, _ int) []ir.Scalar { return []ir.Scalar{ir.Int(ir.I32, int64(key*2654435761))} },
		"f64": func(key uint64, row int) []ir.Scalar { return []ir.Scalar{floatKey(ir.F64, key, row)} },
		"i64 char8": func(key uint64, _ int) []ir.Scalar {
			return []ir.Scalar{ir.Int(ir.I64, int64(spread(key))), ir.Char8Scalar(fmt.Sprint(key % 7))}
		},
	}
	targets := []simt.Target{{}, {Atomics64: true, LaunchedLocal: 200 << 10}}
	levels := []string{fuse.LevelOnePass, fuse.LevelNone}
	for _, strategy := range []string{plan.Shared, plan.Independent, plan.Local, plan.Partitioned} {
		for types, keysOf := range keys {
			t.Run(strategy+" "+types, func(t *testing.T) {
				t.Parallel()
				loaded, errs := ir.Load("groups.kg", []byte(groupsText(strings.Fields(types))))
				if err := errs.Err(); err != nil {
					t.Fatal(err)
				}
				p := loaded[0]
				schedule := plan.Schedule{Workgroup: 16, Items: 4, Chunk: 4, Scheme: simt.SchemePublished, Groups: strategy, Radix: 4}
				for i, level := range levels {
					options := compile.For(level, schedule).WithHash(schedule, few)
					options.Hash, options.Sample = 2, 8 // a sample tells 100 groups from few
					if level == fuse.LevelNone && types != "i32" {
						continue
					}
					program, _, err := compile.Compile(p, options)
					if err != nil {
						t.Fatal(err)
					}
					lowered, err := targets[i].Lower(program, schedule)
					if err != nil {
						t.Fatal(err)
					}
					tables := tablesOf(program.Kernels)
					if want := 2; strategy != plan.Partitioned && len(tables) != want {
						t.Fatalf("%d kernels enter rows, want %d", len(tables), want)
					}
					for _, k := range lowered.Plan.Kernels {
						s := k.Variants[0].Schedule
						isLocal := strategy == plan.Local || strategy == plan.Partitioned
						if s.Groups != "" && level == fuse.LevelOnePass && (s.Groups != strategy || (s.Table == plan.Local) != isLocal) {
							t.Errorf("kernel %s has groups=%s, table=%s", k.Name, s.Groups, s.Table)
						}
					}
					for _, groups := range []uint64{1, few, 100, rows} {
						entered := map[string]bool{}
						run := kerneltest.Watching(lowered, groups, func(name string) {
							for _, table := range tables {
								entered[table] = entered[table] || strings.HasPrefix(name, table)
							}
						})
						what := fmt.Sprintf("level %s, %d groups", level, groups)
						kerneltest.Agree(t, lowered.Plan, run, p, what, groupsInput(p, rows, groups, keysOf))
						if last := tables[len(tables)-1]; len(tables) > 1 && entered[last] != (groups > few) {
							t.Errorf("%s: the table for more groups: %t", what, entered[last])
						}
					}
					kerneltest.AgreeEmulated(t, lowered, p, "no rows", groupsInput(p, 0, 1, keysOf))
					kerneltest.AgreeEmulated(t, lowered, p, "a row", groupsInput(p, 1, 1, keysOf))
				}
			})
		}
	}
}

// tablesOf lists the kernels that enter rows in tables which may leave some out.
func tablesOf(kernels []*tile.Kernel) (list []string) {
	for _, k := range kernels {
		if k.Has((*tile.Op).IsLimited) && !slices.Contains(list, k.Name) {
			list = append(list, k.Name)
		}
	}
	return list
}

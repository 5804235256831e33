package simt

import (
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/plan"
)

// TestRowsInRounds holds that work-items of rounds have the most rows where each segment has one fold,
// though fewer of them fit, and that with two folds, or wider rows, as many fit as usually do.
func TestRowsInRounds(t *testing.T) {
	for _, c := range []struct {
		value, results string
		items          int
	}{
		{"i32", "total: sum(x, by: g)", itemChoices[0]},
		{"i32", "rows: count(by: g), total: sum(x, by: g)", itemChoices[0]},
		{"i32", "least: min(x, by: g), greatest: max(x, by: g)", itemChoices[1]},
		{"i64", "total: sum(x, by: g)", 8},
	} {
		source := "pipeline folds(k: [n]i32, x: [n]" + c.value + ") {\n\tg = runs(k)\n\treturn " + c.results + "\n}\n"
		lowered, err := Target{Subgroup: SubgroupOf(persistentWidth), BulkCopies: true}.Lower(compiled(t, source, compile.Options{Level: fuse.LevelOnePass}), plan.Schedule{Scheme: SchemePersistent})
		if err != nil {
			t.Fatal(err)
		}
		if items := lowered.Plan.Kernels[0].Variants[0].Schedule.Items; items != c.items {
			t.Errorf("%s of %s: %d rows of a work-item, not %d", c.results, c.value, items, c.items)
		}
	}
}

package tables_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
)

const cuckooText = `
pipeline narrow(probe: [n]i32, key: [m]i32) {
	f = find(probe, in: key)
	hit = f >= 0
	return row: f, found: probe[hit], of: key[f[hit]]
}
pipeline wide(probe: [n]i32, key: [m]i32) {
	f = find((probe, f64(probe) * 0.5), in: (key, f64(key) * 0.5))
	return row: f
}
pipeline pairs(probe: [n]i32, key: [m]i32) {
	j = join(probe, key)
	return left: j.left, right: j.right
}
pipeline one_key(probe: [n]u64, key: [m]u64) {
	return row: find(probe, in: key)
}
pipeline one_hash(probe: [n]u64, key: [m]u64) {
	k = key * 0x9e3779b97f4a7c15
	p = probe * 0x9e3779b97f4a7c15
	f = find(((p ^ (p >> 32)) * 0xd6e8feb86659fd93, probe), in: ((k ^ (k >> 32)) * 0xd6e8feb86659fd93, key))
	return row: f
}
`

// TestCuckoo looks rows up in cuckoo tables of work-groups. Those of keys that do not meet
// by their hashes are made at once, as many rows as may have a key; those of keys that do are
// made with linear probing after all, without which no row would be found.
func TestCuckoo(t *testing.T) {
	pipelines, errs := ir.Load("cuckoo.kg", []byte(cuckooText))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	for _, p := range pipelines {
		for _, level := range []string{fuse.LevelNone, fuse.LevelAuto} {
			for part := range 2 { // in parts, numbers of rows have 64 bits
				schedule := plan.Schedule{Workgroup: 8, Items: 3, Probe: plan.Cuckoo, Part: int64(part * 50)}
				lowered := kerneltest.Lowered(t, p, level, schedule)
				if n := dropLinear(lowered.Plan.Steps, lowered.Plan); n != 1 {
					t.Fatalf("%s: %d tables with linear probing", p.Name, n)
				}
				for _, keys := range []int{1, 40, 600} {
					for _, rows := range []int{0, 7, 250} {
						what := fmt.Sprintf("%s at level %s, %d rows of %d keys, parts of %d", p.Name, level, rows, keys, schedule.Part)
						in := cuckooInput(p, rows, keys)
						different := kerneltest.DiffersFromInterpreter(t, lowered, p, in)
						fails := p.Name == "one_hash" && min(rows, keys) > 3 // keys have three slots in all
						if fails != (different != "") {
							t.Errorf("%s: %q", what, different)
						}
					}
				}
			}
		}
	}
}

// TestCuckooSeeds has four keys with three slots in all: their walks never end. Another seed
// gives them other slots, so that no table with linear probing is needed.
func TestCuckooSeeds(t *testing.T) {
	pipelines, errs := ir.Load("cuckoo.kg", []byte(cuckooText))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	p := pipelines[slices.IndexFunc(pipelines, func(p *ir.Pipeline) bool { return p.Name == "one_key" })]
	keys := endlessKeys(4)
	in := []ir.Column{ir.NewColumn(ir.U64, len(keys)+1), ir.NewColumn(ir.U64, len(keys))}
	for i, key := range keys {
		in[0].Set(i, ir.Int(ir.U64, int64(key)))
		in[1].Set(i, ir.Int(ir.U64, int64(key)))
	}
	schedule := plan.Schedule{Workgroup: 8, Items: 3, Probe: plan.Cuckoo}
	for _, seeds := range []int{2, 1} {
		lowered := kerneltest.Lowered(t, p, fuse.LevelAuto, schedule)
		if n := dropLinear(lowered.Plan.Steps, lowered.Plan); n != 1 {
			t.Fatalf("%d tables with linear probing", n)
		}
		if seeds == 1 {
			if n := dropSeeds(lowered.Plan.Steps, lowered.Plan); n != 1 {
				t.Fatalf("%d cuckoo tables by other seeds", n)
			}
		}
		different := kerneltest.DiffersFromInterpreter(t, lowered, p, in)
		if (different != "") != (seeds == 1) {
			t.Errorf("%d seeds: %q", seeds, different)
		}
	}
}

// endlessKeys returns n keys that have the same slots in a cuckoo table of n rows by the first
// seed.
func endlessKeys(n int) []uint64 {
	part := uint64(n*192/409 + 8)
	bySlots := map[[3]uint64][]uint64{}
	for key := uint64(1); ; key++ {
		x := key * 0x9e3779b97f4a7c15
		first := (x ^ x>>32) * 0xd6e8feb86659fd93
		second := (first ^ first>>29) * 0xbf58476d1ce4e5b9
		slots := [3]uint64{first >> 32 * part >> 32, second >> 32 * part >> 32, second & math.MaxUint32 * part >> 32}
		bySlots[slots] = append(bySlots[slots], key)
		if list := bySlots[slots]; len(list) == n {
			return list
		}
	}
}

// cuckooInput returns columns of rows with so many keys at most, and searches for them.
func cuckooInput(p *ir.Pipeline, rows, keys int) []ir.Column {
	in := make([]ir.Column, len(p.Params))
	for i, x := range p.Params {
		n := rows
		if i == 0 {
			n = keys + 20
		}
		in[i] = ir.NewColumn(x.Type.Kind, n)
		for r := range n {
			key := r % keys
			if i == 0 {
				key = r
			}
			value := int32((key - 1) * 0x9e3779b1)
			if key == 0 {
				value = math.MinInt32 // whose word is 0, as is that of a free slot; the next key is 0 itself
			}
			in[i].Set(r, ir.Int(x.Type.Kind, int64(value)))
		}
	}
	return in
}

// dropLinear removes what fills tables with linear probing if cuckoo tables fail, and
// returns how many kernels that were.
func dropLinear(steps []plan.Step, p *plan.Plan) (n int) {
	for _, s := range steps {
		if s.If == nil {
			continue
		}
		n += dropLinear(s.If.Then, p)
		dropped := dropLinear(s.If.Else, p)
		if dropped == 0 { // no other table is tried before
			dropped = dropFills(&s.If.Else, p)
		}
		n += dropped
	}
	return n
}

// dropFills removes what fills tables from some steps, but not from those in them, and returns
// how many kernels that were.
func dropFills(steps *[]plan.Step, p *plan.Plan) (n int) {
	*steps = slices.DeleteFunc(*steps, func(s plan.Step) bool {
		fills := fillsTable(s, p)
		if fills {
			n++
		}
		return fills
	})
	return n
}

// dropSeeds removes what fills cuckoo tables by other seeds than the first.
func dropSeeds(steps []plan.Step, p *plan.Plan) (n int) {
	for _, s := range steps {
		if s.If != nil {
			n += dropSeeds(s.If.Then, p) + dropFills(&s.If.Else, p)
		}
	}
	return n
}

// fillsTable reports whether a step launches a kernel that inserts rows.
func fillsTable(s plan.Step, p *plan.Plan) bool {
	if s.Parts != nil {
		return slices.ContainsFunc(s.Parts.Steps, func(s plan.Step) bool { return fillsTable(s, p) })
	}
	return s.Launch != nil && slices.ContainsFunc(p.Kernels, func(k plan.Kernel) bool {
		return k.Name == s.Launch.Kernel && slices.ContainsFunc(k.Stages, func(stage string) bool { return strings.HasPrefix(stage, "insert") })
	})
}

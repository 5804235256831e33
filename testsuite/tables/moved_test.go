package tables_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
)

// movedText has tables of rows of which narrow columns are read, whether there is a row, the row itself, and
// several rows with the same keys; by keys of up to 32 bits, that may be slots or not, of 64 bits, and of several words.
const movedText = `
pipeline column(a: [n]i32, b: [m]i32, x: [m]i32) {
	f = find(a, in: b)
	hit = f >= 0
	return s: sum(x[f[hit]]), least: min(x[f[hit]], else: 0)
}
pipeline short(a: [n]u16, b: [m]u16, x: [m]u8) {
	f = find(a, in: b)
	hit = f >= 0
	return x: x[f[hit]]
}
pipeline float(a: [n]f32, b: [m]f32, x: [m]i32) {
	f = find(a, in: b)
	hit = f >= 0
	return x: x[f[hit]], row: find(b, in: a)
}
pipeline known(a: [n]f32, b: [m]f32) {
	return n: count(find(a, in: b) >= 0)
}
pipeline columns(a: [n]i32, c: [n]i32, b: [m]i32, x: [m]i32, y: [m]i16) {
	k = b * 100003
	f = find(a * 100003, in: k)
	g = find(c * 100003, in: k)
	return x: x[f[f >= 0]], y: y[g[g >= 0]], row: find(a * 100003 + 100003, in: k)
}
pipeline looked(a: [n]i32, w: [n]i16, b: [m]i32, x: [m]i32) {
	f = find(a, in: b)
	hit = f >= 0
	kept = w[hit] > 3
	return s: sum(x[f[hit]] * i32(w[hit])), least: min(x[f[hit]][kept] - 1, else: 0), misses: count(f < 0), mean: avg(x[f[hit]]), twice: 2 * sum(x[f[hit]] * i32(w[hit])), any: any(x[f[hit]][kept] == 7), first: first(x[f[hit]], else: 0)
}
pipeline there(a: [n]i64, b: [m]i64) {
	return n: count(find(a, in: b) >= 0)
}
pipeline long(a: [n]i64, b: [m]i64, x: [m]i32) {
	f = find(a, in: b)
	hit = f >= 0
	return s: sum(x[f[hit]]), row: find(b, in: a)
}
pipeline several(a: [n]i64, b: [n]i32, c: [m]i64, d: [m]i32, x: [m]i32) {
	f = find((a, b), in: (c, d))
	hit = f >= 0
	return f, x: x[f[hit]]
}
pipeline wide(a: [n]f32, b: [n]f64, c: [m]f32, d: [m]f64, x: [m]i32) {
	f = find((a, b), in: (c, d))
	hit = f >= 0
	return s: sum(x[f[hit]]), misses: count(f < 0)
}
pipeline wider(a: [n]i64, b: [n]i16, c: [n]char8, d: [m]i64, e: [m]i16, y: [m]char8) {
	return row: find((a, b, c), in: (d, e, y)), n: count(find((a, b, c), in: (d, e, y)) >= 0)
}
pipeline pairs(a: [n]i32, b: [m]i32, x: [m]i16) {
	j = join(a, b)
	return left: j.left, right: j.right, x: x[j.right]
}
pipeline joined(a: [n]i64, b: [n]i16, c: [m]i64, d: [m]i16, x: [m]i32) {
	j = join((a, b), (c, d))
	return left: j.left, right: j.right, x: x[j.right]
}
pipeline computed(a: [n]i64, b: [m]i32, x: [m]i32) {
	j = join(a, i64(b) * 3)
	return left: j.left, right: j.right, x: x[j.right] + 1
}
`

// groupedText has joins of keys of up to 32 bits that are not slots.
const groupedText = `
pipeline float(a: [n]f32, b: [m]f32, x: [m]i16) {
	j = join(a, b)
	return left: j.left, right: j.right, x: x[j.right]
}
pipeline column(a: [n]f32, b: [m]f32, x: [m]i32) {
	j = join(a, b)
	return left: j.left, x: x[j.right]
}
pipeline integers(a: [n]i16, b: [n]u16, c: [m]i16, d: [m]u16) {
	j = join((a, b), (c, d))
	return left: j.left, right: j.right, found: find((a, b), in: (c, d))
}
pipeline shared(a: [n]f32, b: [m]f32, x: [m]i16) {
	j = join(a, b)
	k = join(a + 1.0, b)
	return left: j.left, x: x[j.right], left_too: k.left, right: k.right, row: find(a, in: b)
}
pipeline self(a: [n]f32) {
	j = join(a, a)
	return left: j.left, right: j.right
}
`

// TestMovedRows makes tables of rows that move before they enter them, or are sorted where slots are no keys, and of fewer,
// which are not.
func TestMovedRows(t *testing.T) {
	const least = 20
	pipelines, errs := ir.Load("moved.kg", []byte(movedText))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	shapes := testsuite.Shapes()
	for i, p := range pipelines {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			program, _, err := compile.Compile(p, compile.Options{Level: fuse.Levels[(i+4)%len(fuse.Levels)], Options: fuse.Options{Short: true, Radix: 4, Partitions: true, Moved: least}})
			if err != nil {
				t.Fatal(err)
			}
			named := func(is func(k *tile.Kernel) bool) string {
				if at := slices.IndexFunc(program.Kernels, is); at >= 0 {
					return program.Kernels[at].Name
				}
				return ""
			}
			moves := func(domain string) string {
				return named(func(k *tile.Kernel) bool {
					return k.Domains[0].Plan == domain && k.Has(func(op *tile.Op) bool { return op.Kind == tile.Rank && op.Digits == 1<<8 })
				})
			}
			moving, looking := moves("m"), moves("n")
			sorting := named(func(k *tile.Kernel) bool { return k.Domains[0].Plan == "m_sorted_keys_slots" })
			isNarrow := !slices.Contains([]string{"there", "long", "several", "wide", "wider", "pairs", "joined", "computed"}, p.Name)
			if (sorting != "") != isNarrow || (moving == "") != slices.Contains([]string{"float", "known"}, p.Name) {
				t.Fatalf("rows move in %q, and are sorted for %q", moving, sorting)
			}
			if (looking != "") != slices.Contains([]string{"column", "looked", "known", "there", "long", "wide"}, p.Name) {
				t.Fatalf("rows that are looked up move in %q", looking)
			}
			isIn := func(kernel, name string) bool { return kernel != "" && strings.HasPrefix(name+"_", kernel+"_") }
			sorted, most := false, 300
			if p.Name == "looked" {
				most = 5000 // so that the folds of tiles are gathered in several rounds
			}
			lowered, err := simt.Lower(program, plan.Schedule{Workgroup: 8, Items: 2, Scheme: []string{simt.SchemePublished, simt.SchemeLookback}[i%2]})
			if err != nil {
				t.Fatal(err)
			}
			for j, rows := range []int{0, 1, least - 1, least, least + 1, most} {
				data := testsuite.RandomData{Rows: rows, Shape: shapes[(i+j)%len(shapes)], Seed: uint64(i + j), Special: true}
				moved, looked := false, false
				run := kerneltest.Watching(lowered, uint64(j), func(name string) {
					looked = looked || isIn(looking, name)
					moved = moved || isIn(moving, name) || isIn(sorting, name)
					sorted = sorted || isIn(sorting, name)
				})
				columns := data.Columns(p)
				if values := columns[len(columns)-1]; p.Name == "column" && rows >= least && values.Len() > 1 { // codes are numbers of rows
					values.Set(0, ir.Int(ir.I32, math.MinInt32))
					values.Set(1, ir.Int(ir.I32, math.MaxInt32))
				}
				kerneltest.Agree(t, lowered.Plan, run, p, fmt.Sprintf("%+v", data), columns)
				if entered := columns[len(columns)-1].Len(); moved != (entered >= least) { // of m
					t.Errorf("%d rows: moved: %t", entered, moved)
				}
				if left := columns[0].Len(); looked != (looking != "" && left >= least && columns[len(columns)-1].Len() >= least) {
					t.Errorf("%d rows looked up in %d: moved: %t", left, columns[len(columns)-1].Len(), looked)
				}
			}
			if areApart := slices.Contains([]string{"float", "known", "columns"}, p.Name); sorted != areApart { // keys are no slots
				t.Errorf("rows are sorted: %t", sorted)
			}
		})
	}
}

// TestGroupedRows makes tables of one right row of a join for each key where these rows are many, and of all where they are few.
func TestGroupedRows(t *testing.T) {
	const least = 20
	pipelines, errs := ir.Load("grouped.kg", []byte(groupedText))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	for i, p := range pipelines {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			program, _, err := compile.Compile(p, compile.Options{Level: fuse.Levels[(i+4)%len(fuse.Levels)], Options: fuse.Options{Short: true, Radix: 4, Partitions: true, Moved: least}})
			if err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(program.Kernels, func(k *tile.Kernel) bool { return strings.HasSuffix(k.Domains[0].Plan, "_grouped") })
			if at < 0 {
				t.Fatal("no kernel groups rows")
			}
			grouping := program.Kernels[at].Name
			lowered, err := simt.Lower(program, plan.Schedule{Workgroup: 8, Items: 2, Scheme: []string{simt.SchemePublished, simt.SchemeLookback}[i%2]})
			if err != nil {
				t.Fatal(err)
			}
			for j, rows := range []int{0, 1, least - 1, least, least + 1, 300} {
				for k, shape := range testsuite.Shapes() {
					data := testsuite.RandomData{Rows: rows, Shape: shape, Seed: uint64(i + j + k), Special: true}
					grouped := false
					run := kerneltest.Watching(lowered, uint64(j), func(name string) { grouped = grouped || strings.HasPrefix(name+"_", grouping+"_") })
					columns := data.Columns(p)
					kerneltest.Agree(t, lowered.Plan, run, p, fmt.Sprintf("%+v", data), columns)
					entered, areKeys := columns[len(columns)-1].Len(), p.Name == "integers"
					if grouped != (entered >= least) && (grouped || !areKeys) { // else slots may be keys
						t.Errorf("%+v, %d rows: grouped: %t", data, entered, grouped)
					}
				}
			}
		})
	}
}

// narrowHash is the hash of keys of 32 bits, as fuse has it.
func narrowHash(x uint32) uint32 {
	x *= 0x9e3779b1
	x ^= x >> 15
	return x * 0x85ebca77
}

// TestCrowdedParts makes tables of which work-groups have 16 slots each, of keys that mostly want those of one work-group: a few more
// than it has, more than it keeps, and as many at the end of the table, around which they go on. Some rows have the keys of others.
func TestCrowdedParts(t *testing.T) {
	const keys, slots, tile = 300, 1024, 16
	p, errs := ir.Load("crowded.kg", []byte("pipeline crowded(a: [n]u32, b: [m]u32, x: [m]i32) {\n\tf = find(a, in: b)\n\treturn row: find(a, in: b), x: x[f[f >= 0]]\n}\n"))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	var inputs [][]ir.Column
	for seed, crowd := range []int{12, 40, 200, 250} { // of one work-group
		for _, at := range []uint32{5, slots/tile - 1} { // which that is
			var left, right []uint32
			for x := uint32(seed) << 28; len(right) < keys-50; x += 7919 {
				isThere := narrowHash(x)/(1<<32/slots)/tile == at
				switch {
				case len(left) < crowd && isThere, len(left) >= crowd && !isThere:
					left, right = append(left, x), append(right, x)
				case isThere && x%4 == 0 && len(left) < 2*keys: // of no row
					left = append(left, x)
				}
			}
			for i := range 50 {
				right = append(right, right[i*i%(len(right)-1)])
			}
			var values []int32
			for i := range right {
				values = append(values, int32(i*i)-1<<20)
			}
			inputs = append(inputs, []ir.Column{{Kind: ir.U32, Slice: left}, {Kind: ir.U32, Slice: right}, {Kind: ir.I32, Slice: values}})
		}
	}
	inputs = append(inputs, manyOfOneKey(11, 3000))
	for i, columns := range inputs {
		level := fuse.Levels[i%len(fuse.Levels)]
		program, _, err := compile.Compile(p[0], compile.Options{Level: level, Options: fuse.Options{Short: true, Radix: 4, Partitions: true, Moved: keys}})
		if err != nil {
			t.Fatal(err)
		}
		lowered, err := simt.Lower(program, plan.Schedule{Workgroup: 8, Items: 2, Scheme: []string{simt.SchemePublished, simt.SchemeLookback}[i%2]})
		if err != nil {
			t.Fatal(err)
		}
		entered := false
		run := kerneltest.Watching(lowered, uint64(i), func(name string) { entered = entered || strings.Contains(name, "_rest") })
		kerneltest.Agree(t, lowered.Plan, run, p[0], fmt.Sprintf("level %s, input %d", level, i), columns)
		if !entered {
			t.Errorf("level %s, input %d: no table is made by parts", level, i)
		}
	}
}

// manyOfOneKey returns rows of which nearly all have one key, and some of the first and the last have others that are of the same part.
func manyOfOneKey(key uint32, rows int) []ir.Column {
	var left, right []uint32
	var values []int32
	other := key
	for r := range rows {
		x := key
		if r%97 == 0 && (r < rows/3 || r > rows/10*9) {
			for other++; narrowHash(other)>>16 != narrowHash(key)>>16; {
				other++
			}
			x = other
			left = append(left, x, x+1)
		}
		right, values = append(right, x), append(values, int32(r))
	}
	for len(left) < 400 {
		left = append(left, key)
	}
	return []ir.Column{{Kind: ir.U32, Slice: left}, {Kind: ir.U32, Slice: right}, {Kind: ir.I32, Slice: values}}
}

// TestSlotsAround makes a table of keys of which more have the last slots than there are, and others the first ones, which
// move on.
func TestSlotsAround(t *testing.T) {
	const keys, slots = 40, 128
	p, errs := ir.Load("around.kg", []byte("pipeline around(a: [n]u32, b: [m]u32) {\n\tj = join(a, b)\n\treturn left: j.left, right: j.right\n}\n"))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	var inputs [][]ir.Column
	for seed := range uint32(4) {
		var left, right []uint32
		have := map[uint32]int{}
		for x := seed << 28; len(left) < 2*keys; x++ {
			slot := narrowHash(x) / (1 << 32 / slots)
			if (slot < 4 || slot >= slots-2) && have[slot] < keys/5 {
				have[slot]++
				left = append(left, x)
				if len(left) > 4 && len(right) < keys { // left rows without a partner, in clusters, too
					right = append(right, x)
				}
			}
			if len(have) == 6 && len(right) == keys {
				break
			}
		}
		for range seed { // several rows of some keys
			right = append(right, right[:len(right)/2]...)
		}
		inputs = append(inputs, []ir.Column{{Kind: ir.U32, Slice: left}, {Kind: ir.U32, Slice: right}})
	}
	for i, level := range fuse.Levels {
		program, _, err := compile.Compile(p[0], compile.Options{Level: level, Options: fuse.Options{Short: true, Radix: 4, Partitions: true, Moved: keys}})
		if err != nil {
			t.Fatal(err)
		}
		scheme := []string{simt.SchemePublished, simt.SchemeLookback}[i%2]
		lowered, err := simt.Lower(program, plan.Schedule{Workgroup: 8, Items: 2, Scheme: scheme})
		if err != nil {
			t.Fatal(err)
		}
		for seed, columns := range inputs {
			kerneltest.Agree(t, lowered.Plan, kerneltest.Watching(lowered, uint64(seed), func(string) {}), p[0], fmt.Sprintf("level %s, seed %d", level, seed), columns)
		}
	}
}

package papers_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/table/generate"
	"github.com/kgen-go/kgen/ir"
)

func init() {
	publishedPrograms["rollup/biker"] = published{plain: rollUp(8, false), data: cubes(8, generate.Biker)}
	publishedPrograms["rollup/machines"] = published{plain: rollUp(6, false), data: cubes(6, generate.Machines)}
	publishedPrograms["rollup/machines_hashed"] = published{plain: rollUp(6, false), data: hashed(cubes(6, generate.Machines))}
	publishedPrograms["rollup/machines_grouped"] = published{plain: rollUp(6, true), data: cubes(6, generate.Machines)}
	publishedPrograms["rollup/machines_by_target"] = published{plain: rollUp(6, false), data: cubes(6, "")}
	publishedPrograms["rollup/expand"] = published{plain: expanded, data: func(*testing.T, *ir.Pipeline) (list [][]ir.Column) {
		for rows := range 40 {
			x := make([]float32, 5*rows)
			for i := range x {
				x[i] = float32(i)
			}
			list = append(list, []ir.Column{{Kind: ir.F32, Slice: x}, {Kind: ir.I64, Slice: []int64{int64(rows%9) - 1}},
				{Kind: ir.I32, Slice: []int32{int32(rows * 7)}}, {Kind: ir.I32, Slice: []int32{int32(rows % 3)}}})
		}
		return list
	}}
}

// expanded repeats some rows often, and the others seldom.
func expanded(in []ir.Column) []any {
	x, every, many, few := []float32{}, slice[int64](in[1])[0], slice[int32](in[2])[0], slice[int32](in[3])[0]
	for i, value := range slice[float32](in[0]) {
		times := few
		if int64(i)%max(every, 1) == 0 {
			times = many
		}
		x = append(x, slices.Repeat([]float32{value}, int(times))...)
	}
	return []any{x}
}

// rollUp returns the program for a cube of k dimensions: every fact beside every target cell. Grouped results have the number of
// a cell among all in place of its elements.
func rollUp(k int, grouped bool) func(in []ir.Column) []any {
	return func(in []ir.Column) []any {
		value := slice[float64](in[k])
		dimension, base, ancestor := slice[int32](in[k+1]), slice[int32](in[k+2]), slice[int32](in[k+3])
		factor := slice[float64](in[k+4])
		factors := map[[3]int32]float64{}
		for i := range dimension {
			factors[[3]int32{dimension[i], base[i], ancestor[i]}] = factor[i]
		}
		targets := make([][]int32, k)
		for i, d := range slice[int32](in[k+5]) {
			targets[d] = append(targets[d], slice[int32](in[k+6])[i])
		}
		elements := make([][]int32, k)
		total, cells, numbers := []float64{}, []int64{}, []int64{}
		number := int64(0)
		var visit func(chosen []int32)
		visit = func(chosen []int32) {
			if d := len(chosen); d < k {
				for _, element := range targets[d] {
					visit(append(slices.Clone(chosen), element))
				}
				return
			}
			sum, count := 0.0, int64(0)
			for fact := range value {
				amount, contributes := value[fact], true
				for d, element := range chosen {
					f, known := factors[[3]int32{int32(d), slice[int32](in[d])[fact], element}]
					amount, contributes = amount*f, contributes && known
				}
				if contributes {
					sum, count = sum+amount, count+1
				}
			}
			if count > 0 {
				for d, element := range chosen {
					elements[d] = append(elements[d], element)
				}
				total, cells, numbers = append(total, sum), append(cells, count), append(numbers, number)
			}
			number++
		}
		visit(nil)
		if grouped {
			return []any{numbers, total, cells}
		}
		var results []any
		for _, e := range elements {
			results = append(results, orEmpty(e))
		}
		return append(results, total, cells)
	}
}

// cubes returns small cubes by chance, with several parents and negative factors, and a generated one whose ancestors are found
// here by walking up its hierarchies.
func cubes(k int, shape string) func(*testing.T, *ir.Pipeline) [][]ir.Column {
	return func(t *testing.T, p *ir.Pipeline) (list [][]ir.Column) {
		for seed, facts := range []int{0, 1, 2, 20, 60, 61, 62} {
			list = append(list, randomCube(rand.New(rand.NewPCG(uint64(seed), 1)), k, facts))
		}
		if shape != "" {
			list = append(list, generatedCube(t, p, k, shape))
		}
		return list
	}
}

// hashed adds how many places a target cell has to cubes: 1, 2 and so on.
func hashed(cubes func(*testing.T, *ir.Pipeline) [][]ir.Column) func(*testing.T, *ir.Pipeline) [][]ir.Column {
	return func(t *testing.T, p *ir.Pipeline) [][]ir.Column {
		plain := *p
		plain.Params = slices.DeleteFunc(slices.Clone(p.Params), func(x *ir.Value) bool { return x.Name == "hashes" })
		list := cubes(t, &plain)
		for i := range list {
			list[i] = append(list[i], ir.Column{Kind: ir.I64, Slice: []int64{int64(i + 1)}})
		}
		return list
	}
}

func randomCube(r *rand.Rand, k, facts int) []ir.Column {
	coordinates := make([]any, k)
	var dimension, base, ancestor, of, target []int32
	var factor []float64
	occupied := map[string]bool{}
	sizes := make([]int32, k)
	for d := range k {
		sizes[d] = 1 + r.Int32N(3)
		consolidated := 1 + r.Int32N(3)
		for b := range sizes[d] {
			for a := range sizes[d] + consolidated {
				if a == b || a >= sizes[d] && r.IntN(3) > 0 {
					dimension, base, ancestor = append(dimension, int32(d)), append(base, b), append(ancestor, a)
					factor = append(factor, []float64{1, 1, 0.5, -1}[r.IntN(4)])
				}
			}
		}
		for a := range sizes[d] + consolidated {
			if a == sizes[d] || r.IntN(k) == 0 {
				of, target = append(of, int32(d)), append(target, a)
			}
		}
		coordinates[d] = []int32{}
	}
	value := []float64{}
	for range facts {
		cell := make([]int32, k)
		for d := range cell {
			cell[d] = r.Int32N(sizes[d])
		}
		if occupied[fmt.Sprint(cell)] {
			continue
		}
		occupied[fmt.Sprint(cell)] = true
		for d := range cell {
			coordinates[d] = append(coordinates[d].([]int32), cell[d])
		}
		value = append(value, float64(r.IntN(1000)))
	}
	in := make([]ir.Column, 0, k+7)
	for _, c := range coordinates {
		in = append(in, ir.Column{Kind: ir.I32, Slice: c})
	}
	in = append(in, ir.Column{Kind: ir.F64, Slice: value})
	for _, c := range [][]int32{dimension, base, ancestor} {
		in = append(in, ir.Column{Kind: ir.I32, Slice: orEmpty(c)})
	}
	in = append(in, ir.Column{Kind: ir.F64, Slice: orEmpty(factor)})
	return append(in, ir.Column{Kind: ir.I32, Slice: orEmpty(of)}, ir.Column{Kind: ir.I32, Slice: orEmpty(target)})
}

// generatedCube returns 300 facts of kgen data cube with a query of 24 cells. It fails if its ancestors are not those that the
// hierarchies lead to.
func generatedCube(t *testing.T, p *ir.Pipeline, k int, shape string) []ir.Column {
	t.Helper()
	facts, err := generate.CubeFacts(shape, 300, 3)
	facts = made(t, facts, err)
	ancestors, err := generate.CubeAncestors(shape, 3)
	ancestors = made(t, ancestors, err)
	targets, err := generate.CubeTargets(shape, 24, 3)
	targets = made(t, targets, err)
	r := relations{tables: map[string]generate.Generator{"n": facts, "h": ancestors, "q": targets}}
	in := r.columns(t, p)

	references, err := generate.CubeHierarchies(shape, 3)
	references = made(t, references, err)
	dimension, child := slice[int32](columnOf(t, references, "dimension")), slice[int32](columnOf(t, references, "child"))
	parent, weight := slice[int32](columnOf(t, references, "parent")), slice[float64](columnOf(t, references, "weight"))
	up := map[[2]int32][]int{}
	for i := range dimension {
		up[[2]int32{dimension[i], child[i]}] = append(up[[2]int32{dimension[i], child[i]}], i)
	}
	var walk func(d, element int32, factor float64, found map[int32]float64)
	walk = func(d, element int32, factor float64, found map[int32]float64) {
		found[element] += factor
		for _, i := range up[[2]int32{d, element}] {
			walk(d, parent[i], factor*weight[i], found)
		}
	}
	at := 0
	of, base, ancestor, factor := slice[int32](in[k+1]), slice[int32](in[k+2]), slice[int32](in[k+3]), slice[float64](in[k+4])
	for at < len(of) {
		d, b := of[at], base[at]
		found := map[int32]float64{}
		walk(d, b, 1, found)
		for _, a := range slices.Sorted(maps.Keys(found)) {
			if at == len(of) || of[at] != d || base[at] != b || ancestor[at] != a || factor[at] != found[a] {
				t.Fatalf("%s: row %d of the ancestors is not element %d of dimension %d and its ancestor %d, %v", shape, at, b, d, a, found[a])
			}
			at++
		}
	}
	return in
}

package generate

import "testing"

// Ancestors are in order, begin with the element itself, and multiply the weights on all ways.
func TestCubeAncestors(t *testing.T) {
	for shape, dimensions := range shapes {
		g, err := CubeHierarchies(shape, 5)
		references := rowsOf(t, g, err)
		number, child, parent, weight := ints32(references[0]), ints32(references[1]), ints32(references[2]), floats(references[3])
		g, err = CubeAncestors(shape, 5)
		columns := rowsOf(t, g, err)
		dimension, base, ancestor, factor := ints32(columns[0]), ints32(columns[1]), ints32(columns[2]), floats(columns[3])
		factors := make([]map[[2]int32]float64, len(dimensions)) // of a base element in an ancestor
		for i := range dimension {
			if i > 0 && dimension[i] == dimension[i-1] && (base[i] < base[i-1] || base[i] == base[i-1] && ancestor[i] <= ancestor[i-1]) {
				t.Fatalf("%s: row %d is not in order", shape, i)
			}
			if factors[dimension[i]] == nil {
				factors[dimension[i]] = map[[2]int32]float64{}
			}
			factors[dimension[i]][[2]int32{base[i], ancestor[i]}] = factor[i]
		}
		// The factor in an element is the sum over its children of theirs times the weight.
		for d, dim := range dimensions {
			sums := map[[2]int32]float64{}
			for b := range int32(dim.size) {
				sums[[2]int32{b, b}] = 1
			}
			for i := range number {
				if number[i] != int32(d) {
					continue
				}
				for b := range int32(dim.size) {
					if f, contributes := factors[d][[2]int32{b, child[i]}]; contributes {
						sums[[2]int32{b, parent[i]}] += f * weight[i]
					}
				}
			}
			if len(sums) != len(factors[d]) {
				t.Errorf("%s, %s: %d ancestors, not %d", shape, dim.name, len(factors[d]), len(sums))
			}
			for pair, want := range sums {
				if got := factors[d][pair]; got != want {
					t.Errorf("%s, %s: %d contributes to %d by %v, not %v", shape, dim.name, pair[0], pair[1], got, want)
				}
			}
		}
	}
}

// Targets are elements of each dimension whose combinations are as many as asked for, or somewhat fewer.
func TestCubeTargets(t *testing.T) {
	for _, c := range []struct {
		shape       string
		most, cells int64
	}{{Biker, 1, 1}, {Biker, 228, 228}, {Biker, 17460, 1111 * 15}, {Machines, 1, 1}, {Machines, 2519, 2064}, {Machines, 874437, 2064 * 423}} {
		g, err := CubeTargets(c.shape, c.most, 5)
		columns := rowsOf(t, g, err)
		dimension, element := ints32(columns[0]), ints32(columns[1])
		counts := make([]int64, len(shapes[c.shape]))
		for i, d := range dimension {
			if i > 0 && (dimension[i-1] > d || dimension[i-1] == d && element[i-1] >= element[i]) {
				t.Fatalf("%s: row %d is not in order", c.shape, i)
			}
			counts[d]++
		}
		cells := int64(1)
		for _, n := range counts {
			cells *= n
		}
		if cells != c.cells {
			t.Errorf("%s, %d targets: %d, not %d", c.shape, c.most, cells, c.cells)
		}
	}
	if _, err := CubeTargets(Biker, 0, 1); err == nil {
		t.Error("a query without targets")
	}
	if _, err := CubeTargets("ball", 1, 1); err == nil {
		t.Error("a shape that is none")
	}
	if _, err := CubeAncestors("ball", 1); err == nil {
		t.Error("a shape that is none")
	}
}

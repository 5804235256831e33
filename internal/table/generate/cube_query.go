package generate

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// CubeAncestors returns, for each base element of each dimension of a cube, the elements that it contributes to at any level,
// itself among them, with the product of the weights on the way, added up over all ways. Rows are sorted by dimension, base
// element and ancestor.
func CubeAncestors(shape string, seed uint64) (Generator, error) {
	all, err := references(shape, seed)
	if err != nil {
		return nil, err
	}
	parents := make([]map[int32][]reference, len(shapes[shape]))
	for _, r := range all {
		if parents[r.dimension] == nil {
			parents[r.dimension] = map[int32][]reference{}
		}
		parents[r.dimension][r.child] = append(parents[r.dimension][r.child], r)
	}
	var list []reference
	for d, dim := range shapes[shape] {
		for base := range int32(dim.size) {
			list = append(list, ancestorsOf(int32(d), base, parents[d])...)
		}
	}
	return ofReferences(ancestorColumns, list), nil
}

var ancestorColumns = []Column{
	{"dimension", ir.I32, "position of the coordinate in the facts, from 0"},
	{"base", ir.I32, "base element"},
	{"ancestor", ir.I32, "element that it contributes to, itself among them"},
	{"factor", ir.F64, "product of the weights on the way, added up over all ways"},
}

// ancestorsOf returns the ancestors of an element in order. The number of a parent is greater than those of its children, so
// an element that is taken in order has the factors of all ways to it.
func ancestorsOf(dimension, base int32, parents map[int32][]reference) (list []reference) {
	factors := map[int32]float64{base: 1}
	for waiting := []int32{base}; len(waiting) > 0; {
		slices.Sort(waiting)
		element := waiting[0]
		waiting = waiting[1:]
		list = append(list, reference{dimension, base, element, factors[element]})
		for _, r := range parents[element] {
			if _, known := factors[r.parent]; !known {
				waiting = append(waiting, r.parent)
			}
			factors[r.parent] += float64(factors[element] * r.weight)
		}
	}
	slices.SortFunc(list, func(a, b reference) int { return cmp.Compare(a.parent, b.parent) })
	return list
}

// CubeTargets returns the target elements of a query over a cube: for each dimension one element or more, such that there are
// most target cells at the most, all combinations of an element of each dimension. The last dimensions have many elements, the
// others the one that holds all. Elements of a dimension are the last ones, which are the most consolidated.
func CubeTargets(shape string, most int64, seed uint64) (Generator, error) {
	all, err := references(shape, seed)
	if err != nil {
		return nil, err
	}
	if most < 1 {
		return nil, fmt.Errorf("targets %d: at least 1", most)
	}
	dimensions := shapes[shape]
	elements := make([]int64, len(dimensions)) // of all levels
	for d, dim := range dimensions {
		elements[d] = dim.size
	}
	for _, r := range all {
		elements[r.dimension] = max(elements[r.dimension], int64(r.parent)+1)
	}
	var list [][2]int32 // dimension and element
	for d := len(dimensions) - 1; d >= 0; d-- {
		taken := min(elements[d], most)
		most /= taken
		for i := range taken {
			list = append(list, [2]int32{int32(d), int32(elements[d] - 1 - i)})
		}
	}
	slices.SortFunc(list, func(a, b [2]int32) int { return slices.Compare(a[:], b[:]) })
	return byRows(targetColumns, int64(len(list)), func(first int64, n int, out []ir.Column) {
		dimension, element := room[int32](&out[0], n), room[int32](&out[1], n)
		for i, target := range list[first : first+int64(n)] {
			dimension[i], element[i] = target[0], target[1]
		}
	}), nil
}

var targetColumns = []Column{
	{"target_dimension", ir.I32, "position of the coordinate in the facts, from 0"},
	{"target", ir.I32, "element of it; target cells are all combinations"},
}

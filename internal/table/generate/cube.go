package generate

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/ir"
)

// The shapes of cubes.
const (
	// Biker has eight dimensions of balanced hierarchies, as business cubes do:
	// 6.68e12 cells, of which a fraction of 4.2e-5 is filled in practice.
	Biker = "biker"
	// Machines has six dimensions and 226e9 cells, of which a fraction of 1.8e-4
	// is filled. Its last hierarchy is unfavourable: each of 64 components
	// contributes to one of 2000 machines, but every seventh component to a
	// thousand more.
	Machines = "machines"
)

// dimension is an axis of a cube: base elements 0 to size - 1.
type dimension struct {
	name string
	size int64
}

// The products of the sizes are the published numbers of cells.
var shapes = map[string][]dimension{
	Biker: {{"year", 6}, {"month", 12}, {"scenario", 4}, {"channel", 3},
		{"region", 43}, {"product", 333}, {"employee", 540}, {"customer", 1000}},
	Machines: {{"year", 10}, {"month", 12}, {"day", 31}, {"plant", 190}, {"article", 5000}, {"component", components}},
}

const (
	children        = 10 // of a consolidated element of a balanced hierarchy, at most
	components      = 64
	machines        = 2000
	sharedBy        = 1000 // machines that a shared component contributes to
	everyShared     = 7
	mostCents       = 100_000
	ordinaryWeights = 14 // of 16 are 1
)

func shapeOf(shape string) ([]dimension, error) {
	if dimensions, ok := shapes[shape]; ok {
		return dimensions, nil
	}
	return nil, fmt.Errorf("shape %s: choose %s", shape, strings.Join([]string{Biker, Machines}, ", "))
}

// CubeCells returns the number of base cells of a cube.
func CubeCells(shape string) (int64, error) {
	dimensions, err := shapeOf(shape)
	cells := int64(1)
	for _, d := range dimensions {
		cells *= d.size
	}
	return cells, err
}

// CubeFacts returns the filled base cells of a cube, in order of their
// coordinates. The cells are divided into equal shares, one per fact, and each
// fact is a random cell of its share. Rows is from 1 to the number of cells.
func CubeFacts(shape string, rows int64, seed uint64) (Generator, error) {
	cells, err := CubeCells(shape)
	if err != nil {
		return nil, err
	}
	if rows < 1 || rows > cells {
		return nil, fmt.Errorf("rows %d: 1 to %d, the cells of %s", rows, cells, shape)
	}
	dimensions := shapes[shape]
	var columns []Column
	for _, d := range dimensions {
		columns = append(columns, Column{d.name, ir.I32, fmt.Sprintf("base element 0 to %d of dimension %d", d.size-1, len(columns))})
	}
	columns = append(columns, Column{"value", ir.F64, "the measure: 0.01 to 1000.00"})
	place := newStream(seed, "cube cell")
	value := newStream(seed, "cube value")
	return byRows(columns, rows, func(first int64, n int, out []ir.Column) {
		coordinates := make([][]int32, len(dimensions))
		for d := range dimensions {
			coordinates[d] = room[int32](&out[d], n)
		}
		measure := room[float64](&out[len(dimensions)], n)
		for i := range n {
			row := first + int64(i)
			begin, end := share(row, cells, rows), share(row+1, cells, rows)
			cell := begin + int64(place.below(row, uint64(end-begin)))
			for d := len(dimensions) - 1; d >= 0; d-- {
				coordinates[d][i] = int32(cell % dimensions[d].size)
				cell /= dimensions[d].size
			}
			measure[i] = float64(1+value.below(row, mostCents)) / 100
		}
	}), nil
}

// share returns i * cells / rows.
func share(i, cells, rows int64) int64 {
	high, low := bits.Mul64(uint64(i), uint64(cells))
	quotient, _ := bits.Div64(high, low, uint64(rows))
	return int64(quotient)
}

// reference says that a child contributes to a consolidated element.
type reference struct {
	dimension, child, parent int32
	weight                   float64
}

// CubeHierarchies returns the references of all dimensions of a cube from
// elements to the consolidated elements that they contribute to, sorted by
// dimension, child and parent. The numbers of consolidated elements follow those
// of the base elements; the last element of a balanced hierarchy holds all.
func CubeHierarchies(shape string, seed uint64) (Generator, error) {
	all, err := references(shape, seed)
	if err != nil {
		return nil, err
	}
	return ofReferences(hierarchyColumns, all), nil
}

// ofReferences returns the relation that has a row for each reference.
func ofReferences(columns []Column, all []reference) Generator {
	return byRows(columns, int64(len(all)), func(first int64, n int, out []ir.Column) {
		number, child, parent := room[int32](&out[0], n), room[int32](&out[1], n), room[int32](&out[2], n)
		weight := room[float64](&out[3], n)
		for i, r := range all[first : first+int64(n)] {
			number[i], child[i], parent[i], weight[i] = r.dimension, r.child, r.parent, r.weight
		}
	})
}

// references returns those of all dimensions, sorted by dimension, child and parent.
func references(shape string, seed uint64) (all []reference, err error) {
	dimensions, err := shapeOf(shape)
	for d, dim := range dimensions {
		if dim.size == components {
			all = append(all, componentReferences(int32(d), seed)...)
		} else {
			all = append(all, balancedReferences(int32(d), dim.size, newStream(seed, "cube hierarchy "+dim.name))...)
		}
	}
	return all, err
}

var hierarchyColumns = []Column{
	{"dimension", ir.I32, "position of the coordinate in the facts, from 0"},
	{"child", ir.I32, "base element, or a consolidated one of the level below"},
	{"parent", ir.I32, "consolidated element, numbered after the base elements"},
	{"weight", ir.F64, "factor of the child in the parent: 1, at times 0.5 or -1"},
}

// weightOf draws the weight of a reference.
func weightOf(random stream, i int64) float64 {
	switch draw := random.below(i, 16); {
	case draw < ordinaryWeights:
		return 1
	case draw == ordinaryWeights:
		return 0.5
	}
	return -1
}

// balancedReferences puts each run of children neighbours under a parent, level
// by level, until one parent holds all.
func balancedReferences(dimension int32, size int64, random stream) (list []reference) {
	for first, count := int64(0), size; count > 1; {
		for i := range count {
			list = append(list, reference{dimension, int32(first + i), int32(first + count + i/children), weightOf(random, first+i)})
		}
		first, count = first+count, (count+children-1)/children
	}
	return list
}

// componentReferences returns the references of the last dimension of Machines.
func componentReferences(dimension int32, seed uint64) (list []reference) {
	random := newStream(seed, "cube machine")
	weights := newStream(seed, "cube machine weight")
	for c := range int64(components) {
		one := int64(random.below(c, machines))
		parents := []int64{one}
		if c%everyShared == 0 {
			order := newPermutation(newStream(seed, fmt.Sprintf("cube machines of %d", c)), machines)
			for i := uint64(0); len(parents) < 1+sharedBy; i++ {
				if m := int64(order.at(i)); m != one {
					parents = append(parents, m)
				}
			}
		}
		slices.Sort(parents)
		for _, m := range parents {
			list = append(list, reference{dimension, int32(c), int32(components + m), weightOf(weights, c*machines+m)})
		}
	}
	return list
}

// FillRows returns the number of cells that a fraction fill of a cube has, at
// least 1. Fill is more than 0 and at most 1.
func FillRows(shape string, fill float64) (int64, error) {
	cells, err := CubeCells(shape)
	if err != nil {
		return 0, err
	}
	if !(fill > 0 && fill <= 1) {
		return 0, fmt.Errorf("fill %v: more than 0 and at most 1", fill)
	}
	return max(int64(math.Round(float64(fill*float64(cells)))), 1), nil
}

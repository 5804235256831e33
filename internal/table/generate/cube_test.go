package generate

import (
	"math"
	"testing"
)

// Facts are different cells in order, one in each share of all cells.
func TestCubeFacts(t *testing.T) {
	for shape, cells := range map[string]float64{Biker: 6.68e12, Machines: 226e9} {
		n, err := CubeCells(shape)
		if err != nil || math.Abs(float64(n)-cells) > 0.001*cells {
			t.Errorf("%s: %d cells, %v", shape, n, err)
		}
		const rows = 80_000
		g, err := CubeFacts(shape, rows, 5)
		columns := rowsOf(t, g, err)
		dimensions := shapes[shape]
		mean, within := 0.0, 0.0
		for row := range rows {
			cell := int64(0)
			for d, c := range columns[:len(columns)-1] {
				at := int64(ints32(c)[row])
				if at < 0 || at >= dimensions[d].size {
					t.Fatalf("%s: %d in dimension %s", shape, at, dimensions[d].name)
				}
				cell = cell*dimensions[d].size + at
			}
			begin, end := float64(row)/rows*float64(n), float64(row+1)/rows*float64(n)
			if float64(cell) < begin-1 || float64(cell) > end {
				t.Fatalf("%s: row %d is cell %d, not from %v to %v", shape, row, cell, begin, end)
			}
			within += (float64(cell) - begin) / (end - begin) / rows
			v := floats(columns[len(columns)-1])[row]
			if v < 0.01 || v > 1000 || v != float64(cents(v))/100 {
				t.Fatalf("value %v", v)
			}
			mean += v / rows
		}
		if math.Abs(mean-500) > 5 || math.Abs(within-0.5) > 0.005 {
			t.Errorf("%s: values have the mean %v, cells are at %v of their share", shape, mean, within)
		}
	}
	// All cells of a small number of shares, and the fill of the paper's cubes.
	for i := range int64(100) {
		if begin, end := share(i, 100, 100), share(i+1, 100, 100); begin != i || end != i+1 {
			t.Errorf("share %d of full: %d to %d", i, begin, end)
		}
	}
	if n, err := FillRows(Machines, 0.0001825); err != nil || math.Abs(float64(n)-41.3e6) > 0.1e6 {
		t.Errorf("%d filled cells, %v", n, err)
	}
	if n, err := FillRows(Biker, 1e-15); n != 1 || err != nil {
		t.Errorf("%d filled cells, %v", n, err)
	}
}

// In a balanced hierarchy each element but the last has one parent, above it;
// the last dimension of machines is as its description says.
func TestCubeHierarchies(t *testing.T) {
	for shape, dimensions := range shapes {
		g, err := CubeHierarchies(shape, 5)
		columns := rowsOf(t, g, err)
		number, child, parent, weight := ints32(columns[0]), ints32(columns[1]), ints32(columns[2]), floats(columns[3])
		parents := make([]map[int32]int, len(dimensions)) // how many each child has
		children := make([]map[int32]int, len(dimensions))
		last := make([]int32, len(dimensions))
		others := 0.0
		for i := range number {
			d := number[i]
			if parents[d] == nil {
				parents[d], children[d] = map[int32]int{}, map[int32]int{}
			}
			if i > 0 && (number[i-1] > d || number[i-1] == d && (child[i-1] > child[i] || child[i-1] == child[i] && parent[i-1] >= parent[i])) {
				t.Fatalf("%s: row %d is not in order", shape, i)
			}
			if int64(parent[i]) < dimensions[d].size || parent[i] <= child[i] {
				t.Fatalf("%s: %d is the parent of %d", shape, parent[i], child[i])
			}
			parents[d][child[i]]++
			children[d][parent[i]]++
			last[d] = max(last[d], parent[i])
			switch weight[i] {
			case 1:
			case 0.5, -1:
				others++
			default:
				t.Fatalf("weight %v", weight[i])
			}
		}
		if share := others / float64(len(weight)); math.Abs(share-0.125) > 0.03 {
			t.Errorf("%s: %v of the weights are not 1", shape, share)
		}
		for d, dim := range dimensions {
			if dim.name == "component" {
				for c := range int32(64) {
					want := 1
					if c%7 == 0 {
						want = 1001
					}
					if parents[d][c] != want {
						t.Errorf("component %d contributes to %d machines, not %d", c, parents[d][c], want)
					}
				}
				if last[d] >= 64+2000 {
					t.Errorf("machine %d", last[d])
				}
				continue
			}
			if len(parents[d]) != int(last[d]) {
				t.Errorf("%s: %d elements of %s have parents, of %d", shape, len(parents[d]), dim.name, last[d])
			}
			for p, n := range children[d] {
				if n > 10 {
					t.Errorf("%s: %s %d has %d children", shape, dim.name, p, n)
				}
			}
			for c, n := range parents[d] {
				if n != 1 {
					t.Errorf("%s: %s %d has %d parents", shape, dim.name, c, n)
				}
			}
		}
	}
}

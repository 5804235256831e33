// The main package of TestPrintedProgramRuns: it calls the functions that the
// test printed, with values at the edges of their types, and says what is wrong.
package main

import (
	"fmt"
	"math"
	"os"
	"reflect"
	"sync"
)

var failed = false

func check(name string, got, want any) {
	if !reflect.DeepEqual(got, want) {
		fmt.Printf("%s: got %v, want %v\n", name, got, want)
		failed = true
	}
}

// list makes a slice of several results.
func list(values ...any) []any { return values }

func main() {
	checkExprs()
	checkRuns()
	checkFilter()
	checkChain()
	checkFlow()
	if failed {
		os.Exit(1)
	}
	fmt.Println("all as expected")
}

func checkExprs() {
	const minInt32, maxInt32 = math.MinInt32, math.MaxInt32
	same := func(name string, got []any, want ...any) {
		for i := range want {
			// NaN is not deeply equal to itself.
			check(fmt.Sprintf("%s: result %d", name, i), fmt.Sprintf("%T %[1]v", got[i]), fmt.Sprintf("%T %[1]v", want[i]))
		}
		check(name+": number of results", len(got), len(want))
	}
	i := func(x int32) int32 { return x }
	same("edges", list(exprs(minInt32, -1, 200, math.NaN(), 1, -0.5, true, false)),
		i(minInt32+2), i(minInt32-1+1)*3+3, i(minInt32), i(0), i(0), i(minInt32>>3), i(minInt32), i(0),
		i(minInt32+1), i(minInt32), i(minInt32), uint8(200), uint8(199),
		i(-5877641), i(6), i(23),
		math.NaN(), math.NaN(), float32(math.NaN()), math.NaN(), float32(0.5), math.NaN(), float32(0.1), 1.0,
		int8(0), uint64(0), float32(math.NaN()), 1.0, int16(1),
		true, false, false, true, true, true, false, true, math.NaN(), float32(-0.5), 0.0, i(minInt32))
	same("plain", list(exprs(7, 33, 255, 0, 1e300, 3e9, false, true)),
		i(7-32), i(-120), i(0), i(0), i(14), i(0), i(2), i(7&^41),
		i(8), i(minInt32), i(7), uint8(255), uint8(254),
		i(1970), i(1), i(8),
		0.1, math.NaN(), float32(math.Sqrt(3e9)), 0.0, float32(3e9), 0.0, float32(3e9), 1.0,
		int8(0), uint64(3e9), float32(0), 0.0, int16(0),
		false, false, false, false, false, false, true, true, 0.0, float32(3e9), 0.0, i(minInt32))
	same("wide", list(exprs(maxInt32, 1, 1, 200.9, 1e308, float32(math.Inf(1)), true, true)),
		i(maxInt32), i(minInt32), i(maxInt32), i(0), i(-2), i(maxInt32>>3), i(2), i(maxInt32&^9),
		i(minInt32), i(minInt32), i(maxInt32), uint8(1), uint8(0),
		i(5881580), i(7), i(11),
		math.Inf(1), math.Inf(1), float32(math.Inf(1)), math.Sqrt(200.9), float32(math.Inf(1)), 200.9, float32(math.Inf(1)), 1.0,
		int8(127), uint64(math.MaxUint64), float32(200.9), 1.0, int16(1),
		false, true, false, true, false, false, false, true, 401.8, float32(math.Inf(1)), 0.0, i(minInt32))
}

func checkRuns() {
	keys := []int32{5, 5, 5, 7, 7, 5, 9}
	values := []float64{1, 2, 3, 4, math.Inf(1), 6, 7}
	key, count, sum := make([]int32, 7), make([]int64, 9), make([]float64, 8)
	last := runTotals(keys, values, key, count, sum, 5)
	check("runs", list(last, key[:4], count[:4], sum[:4]),
		list(3, []int32{5, 7, 5, 9}, []int64{3, 2, 1, 1}, []float64{6, math.Inf(1), 6, 7}))
	check("no rows", runTotals(nil, nil, key, count, sum, 5), 0)
}

func checkFilter() {
	for n := range 11 {
		in := []int32{4, -1, 9, 0, 3, 3, -8, 5, 2, 7, 1}[:n]
		var want []int32
		for _, v := range in {
			if v < 3 {
				want = append(want, v)
			}
		}
		out := make([]int32, n+1)
		rows := filter(in, out, 3)
		check("filter", append([]int32(nil), out[:rows]...), want)
	}
}

func checkChain() {
	var group sync.WaitGroup
	for n := range 100 {
		group.Add(1)
		go func() { // calls at the same time share nothing
			defer group.Done()
			in, out, want := make([]int32, n), make([]int32, n), make([]int32, n)
			total, positive := int32(0), int64(0)
			for i := range in {
				in[i] = int32(i*i%7) - 3
				total += in[i]
				want[i] = total
				if in[i] > 0 {
					positive++
				}
			}
			got, count := scan(in, out, 1+n%5)
			check("scan", list(got, count, out), list(total, positive, want))
		}()
	}
	group.Wait()
}

func checkFlow() {
	names := [][8]byte{{'E', 'U'}, {'X'}, {'A', 'S', 'I', 'A'}, {}}
	sites := []int64{5, 5, 5, 5, 5}
	found, text, last := flow(names, []bool{false, true, false, false}, sites, 4)
	check("flow", list(found, text, last, sites), list(false, uint64('E')<<56|uint64('U')<<48, int64(27), []int64{-7, 7, 9, 5, 11}))
	check("text", string(names[0][:]), "EU\x00\x00\x00\x00\x00\x00")
}

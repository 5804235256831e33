package main

import (
	"runtime"
	"sync"
	"unsafe"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/plan"
)

// A distribution fills rows [lo, hi) of a column; data is all of it.
type distribution struct {
	kind plan.Kind
	fill func(data []byte, lo, hi int64)
	most int64               // rows of the column, if it does not have as many as others; 0 is no limit
	step func(i int64) int64 // in place of fill: each row is that much above the one before
}

// distributions are the columns that workloads read, by name.
var distributions = map[string]distribution{
	"value":    {kind: plan.I32, fill: each(func(i int64) int32 { return int32(random(1, i)) })},
	"other":    {kind: plan.I32, fill: each(func(i int64) int32 { return int32(random(2, i)) })},
	"percent":  {kind: plan.I32, fill: each(func(i int64) int32 { return int32(random(3, i) % 100) })},
	"long":     {kind: plan.I64, fill: each(func(i int64) int64 { return int64(random(4, i)) })},
	"double":   {kind: plan.F64, fill: each(func(i int64) float64 { return float64(int32(random(5, i))) })},
	"date":     {kind: plan.Date, fill: each(func(i int64) int32 { return 8036 + int32(random(6, i)%2526) })},
	"discount": {kind: plan.F64, fill: each(func(i int64) float64 { return float64(random(7, i)%11) / 100 })},
	"quantity": {kind: plan.F64, fill: each(func(i int64) float64 { return float64(1 + random(8, i)%50) })},
	"price":    {kind: plan.F64, fill: each(func(i int64) float64 { return float64(90000+random(9, i)%10000000) / 100 })},
	"key1":     {kind: plan.I32, fill: each(func(i int64) int32 { return int32(i) })},
	"key8":     {kind: plan.I32, step: ascending(8)},
	"key128":   {kind: plan.I32, step: ascending(128)},
	"key65536": {kind: plan.I32, step: ascending(65536)},
}

// ascending are the steps of a key that ascends by 1 at each head of a run. The lengths of runs
// have a geometric distribution with this mean.
func ascending(mean uint64) func(i int64) int64 {
	return func(i int64) int64 {
		if i > 0 && random(10, i)%mean == 0 {
			return 1
		}
		return 0
	}
}

// random is row i of an endless sequence: a step of SplitMix64 (Steele, Lea,
// Flood 2014), so that every row can be computed by itself.
func random(seed, i int64) uint64 {
	z := uint64(i+seed<<40) * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func each[T any](value func(i int64) T) func(data []byte, lo, hi int64) {
	return func(data []byte, lo, hi int64) {
		list := elements[T](data)
		for i := lo; i < hi; i++ {
			list[i] = value(i)
		}
	}
}

// elements views the bytes of a column.
func elements[T any](data []byte) []T {
	var zero T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(data))), len(data)/int(unsafe.Sizeof(zero)))
}

// parallel calls do with a number below workers() and a range, all of which cover n rows in order.
func parallel(n int64, do func(worker int, lo, hi int64)) {
	var group sync.WaitGroup
	count := int64(workers())
	for w := range count {
		group.Go(func() { do(int(w), n*w/count, n*(w+1)/count) })
	}
	group.Wait()
}

func workers() int { return runtime.GOMAXPROCS(0) }

// fillSteps fills a column with the sums of its steps.
func fillSteps[T int32 | int64](list []T, step func(i int64) int64) {
	sums := make([]T, workers())
	parallel(int64(len(list)), func(worker int, lo, hi int64) {
		for i := lo; i < hi; i++ {
			list[i] = T(step(i))
			sums[worker] += list[i]
		}
	})
	parallel(int64(len(list)), func(worker int, lo, hi int64) {
		total := T(0)
		for _, before := range sums[:worker] {
			total += before
		}
		for i := lo; i < hi; i++ {
			total += list[i]
			list[i] = total
		}
	})
}

// columns makes columns once and keeps them as long as they are needed.
type columns struct {
	space *memory.Space
	rows  int64
	made  map[string]exec.Column
}

func newColumns(space *memory.Space, rows int64) *columns {
	return &columns{space, rows, map[string]exec.Column{}}
}

func (c *columns) get(name string) (exec.Column, error) {
	if made, ok := c.made[name]; ok {
		return made, nil
	}
	d := distributions[name]
	rows := c.rows
	if d.most > 0 {
		rows = min(rows, d.most)
	}
	size := rows * int64(d.kind.Size())
	data, err := c.space.New(max(size, memory.LeastShared)) // so that the peers can map it
	if err != nil {
		return exec.Column{}, err
	}
	data = data[:size]
	switch {
	case d.step != nil && d.kind == plan.I64:
		fillSteps(elements[int64](data), d.step)
	case d.step != nil:
		fillSteps(elements[int32](data), d.step)
	default:
		parallel(rows, func(_ int, lo, hi int64) { d.fill(data, lo, hi) })
	}
	c.made[name] = exec.Column{Kind: d.kind, Data: data}
	return c.made[name], nil
}

// keep frees all columns except names.
func (c *columns) keep(names map[string]bool) {
	for name, column := range c.made {
		if !names[name] {
			c.space.Free(column.Data)
			delete(c.made, name)
		}
	}
}

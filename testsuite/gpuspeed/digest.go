package main

import (
	"fmt"
	"math"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/plan"
)

// digest represents a column: the number of its rows, and the sum of the hashes
// of all values with their rows. peers.cu computes the same.
type digest struct {
	Rows int64  `json:"rows"`
	Sum  uint64 `json:"sum"`
}

func (d *digest) add(value int64) {
	d.Sum += hash(d.Rows, value)
	d.Rows++
}

func hash(place, value int64) uint64 {
	h := (uint64(value) ^ uint64(place)*0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9
	return h ^ h>>32
}

// digestOf returns the digest of a column of integers of 32 or 64 bits, or of f64 by its bits.
func digestOf(c exec.Column) (digest, error) {
	switch {
	case c.Kind == plan.I32:
		return digestOfInts[int32](c.Data), nil
	case c.Kind == plan.U32:
		return digestOfInts[uint32](c.Data), nil
	case c.Kind == plan.I64 || c.Kind == plan.U64 || c.Kind == plan.F64:
		return digestOfInts[int64](c.Data), nil
	}
	return digest{}, fmt.Errorf("a result of %s", c.Kind)
}

func digestOfInts[T int32 | uint32 | int64](data []byte) digest {
	list := elements[T](data)
	d := digest{Rows: int64(len(list))}
	sums := make([]uint64, workers())
	parallel(d.Rows, func(worker int, lo, hi int64) {
		sum := uint64(0)
		for i := lo; i < hi; i++ {
			sum += hash(i, int64(list[i]))
		}
		sums[worker] = sum
	})
	for _, sum := range sums {
		d.Sum += sum
	}
	return d
}

// answer is the result of a run: columns in the order of the pipeline's
// results, or a scalar.
type answer struct {
	Columns []digest `json:"columns"`
	Scalar  float64  `json:"scalar"`
}

// differs says how got differs from want, or "". Scalars are sums of floats,
// whose rounding depends on the order.
func (want answer) differs(got answer) string {
	for i, w := range want.Columns {
		switch {
		case i >= len(got.Columns):
			return fmt.Sprintf("%d columns, not %d", len(got.Columns), len(want.Columns))
		case got.Columns[i].Rows != w.Rows:
			return fmt.Sprintf("result %d has %d rows, not %d", i+1, got.Columns[i].Rows, w.Rows)
		case got.Columns[i] != w:
			return fmt.Sprintf("values of result %d are wrong", i+1)
		}
	}
	if len(want.Columns) == 0 && !(math.Abs(got.Scalar-want.Scalar) <= 1e-9*math.Abs(want.Scalar)) {
		return fmt.Sprintf("the result is %v, not %v", got.Scalar, want.Scalar)
	}
	return ""
}

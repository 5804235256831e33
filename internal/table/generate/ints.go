package generate

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/ir"
)

// The distributions of integers.
const (
	Uniform  = "uniform"
	Unique   = "unique"
	Repeated = "repeated"
	Zipf     = "zipf"
)

var meanings = map[string]string{
	Uniform:  "min to max, each as likely",
	Unique:   "min to min + rows - 1, each once",
	Repeated: "runs of equal values from min on, no value in two runs",
	Zipf:     "min + r - 1 in proportion to 1 / r^s",
}

// Distributions lists the distributions of integers.
func Distributions() []string { return []string{Uniform, Unique, Repeated, Zipf} }

// IntsOptions describes columns of integers.
type IntsOptions struct {
	Rows         int64
	Names        []string // of the columns
	Kind         ir.Kind  // an integer type
	Distribution string
	Min, Max     *big.Int // nil: 0, and the largest of Kind
	Values       int64    // instead of Max: how many values from Min on; 0: the default
	MeanRun      int64    // for Repeated: the mean length of a run, in rows
	S            float64  // for Zipf: the exponent
	Sorted       bool     // sort the first column, and leave the others as they are
	Seed         uint64
}

const (
	defaultZipfValues = 1_000_000 // unless options set the number
	maxColumns        = 64        // so that batches stay small
)

// offsets stores the differences between the values from row on and the least
// value. Calls for different rows may be concurrent.
type offsets func(row int64, out []uint64)

// Ints returns columns of integers.
func Ints(o IntsOptions) (Generator, error) {
	if o.Rows < 1 {
		return nil, fmt.Errorf("rows %d: at least 1", o.Rows)
	}
	if !o.Kind.IsInteger() {
		return nil, fmt.Errorf("type %v: choose an integer type, i8 to i64 or u8 to u64", o.Kind)
	}
	if n := len(o.Names); n < 1 || n > maxColumns {
		return nil, fmt.Errorf("columns: %d; there may be 1 to %d", n, maxColumns)
	}
	low, last, err := o.bounds()
	if err != nil {
		return nil, err
	}
	columns := make([]Column, len(o.Names))
	g := ints{low: low, values: make([]offsets, len(o.Names))}
	for i, name := range o.Names {
		if name == "" || slices.Contains(o.Names[:i], name) {
			return nil, fmt.Errorf("columns: %q is empty or named twice", name)
		}
		columns[i] = Column{name, o.Kind, meanings[o.Distribution]}
		g.values[i] = o.offsets(i, last, o.Sorted && i == 0)
	}
	rows := byRows(columns, o.Rows, g.fill)
	if o.Sorted && (o.Distribution == Uniform || o.Distribution == Zipf) {
		return &sortedInts{rows, g, last}, nil
	}
	return rows, nil
}

// bounds returns the least value, as the bits of its type, and the difference
// between it and the largest.
func (o IntsOptions) bounds() (low, last uint64, err error) {
	least, most := limits(o.Kind)
	lowest := big.NewInt(0)
	if o.Min != nil {
		lowest = o.Min
	}
	if lowest.Cmp(least) < 0 || lowest.Cmp(most) > 0 {
		return 0, 0, fmt.Errorf("min %v: %v holds %v to %v", lowest, o.Kind, least, most)
	}
	ranged := o.Distribution == Uniform || o.Distribution == Zipf
	if !ranged && (o.Max != nil || o.Values != 0) {
		return 0, 0, fmt.Errorf("max, --values: only of distribution uniform or zipf; the rows decide how many values %s has", o.Distribution)
	}
	if o.Max != nil && o.Values != 0 {
		return 0, 0, errors.New("max, --values: give one of them")
	}
	if o.Max != nil && (o.Max.Cmp(lowest) < 0 || o.Max.Cmp(most) > 0) {
		return 0, 0, fmt.Errorf("max %v: from min, %v, to what %v holds, %v", o.Max, lowest, o.Kind, most)
	}
	if o.Values < 0 {
		return 0, 0, fmt.Errorf("values %d: at least 1", o.Values)
	}
	count, what := o.Values, "values"
	switch o.Distribution {
	case Uniform:
	case Unique:
		count, what = o.Rows, "rows"
	case Repeated:
		r, err := newRuns(o.Rows, o.MeanRun, "", 0)
		if err != nil {
			return 0, 0, err
		}
		count, what = 2*r.whole(), "values, two in twice mean-run rows,"
		if o.Rows > count*o.MeanRun {
			count += 2
		}
	case Zipf:
		if !(o.S > 0 && o.S <= 20) {
			return 0, 0, fmt.Errorf("s %v: more than 0 and at most 20", o.S)
		}
	default:
		return 0, 0, fmt.Errorf("dist %s: choose %s", o.Distribution, strings.Join(Distributions(), ", "))
	}
	above := new(big.Int).Sub(most, lowest) // the largest difference that fits
	last = above.Uint64()
	switch {
	case o.Max != nil:
		last = new(big.Int).Sub(o.Max, lowest).Uint64()
	case count > 0 && uint64(count-1) > last:
		return 0, 0, fmt.Errorf("type %v: it holds numbers to %v, too few for %d %s from %v on", o.Kind, most, count, what, lowest)
	case count > 0:
		last = uint64(count - 1)
	case o.Distribution == Zipf:
		last = min(last, defaultZipfValues-1)
	}
	if o.Distribution == Zipf && last >= maxZipfValues {
		return 0, 0, fmt.Errorf("values: zipf takes at most %d", int64(maxZipfValues))
	}
	if lowest.Sign() < 0 {
		return uint64(lowest.Int64()), last, nil
	}
	return lowest.Uint64(), last, nil
}

// limits returns the least and the largest value of an integer type.
func limits(k ir.Kind) (least, most *big.Int) {
	width := uint(8 * k.Size())
	least = new(big.Int)
	if k.IsSigned() {
		width--
		least.Lsh(big.NewInt(-1), width)
	}
	most = new(big.Int).Lsh(big.NewInt(1), width)
	return least, most.Sub(most, big.NewInt(1))
}

// offsets returns the rows of a column. They ascend if sorted is set and the
// distribution has a formula for sorted rows.
func (o IntsOptions) offsets(column int, last uint64, sorted bool) offsets {
	name := fmt.Sprintf("ints %s %d", o.Distribution, column)
	random := newStream(o.Seed, name)
	switch o.Distribution {
	case Unique:
		if sorted {
			return func(row int64, out []uint64) {
				for i := range out {
					out[i] = uint64(row) + uint64(i)
				}
			}
		}
		order := newPermutation(random, o.Rows)
		return func(row int64, out []uint64) {
			for i := range out {
				out[i] = order.at(uint64(row) + uint64(i))
			}
		}
	case Repeated:
		r, err := newRuns(o.Rows, o.MeanRun, name, o.Seed)
		if err != nil {
			panic(err) // bounds has reported it
		}
		if !sorted {
			r = r.shuffle(name, o.Seed)
		}
		return r.fill
	case Zipf:
		z := newZipf(int64(last)+1, o.S, random)
		return func(row int64, out []uint64) {
			for i := range out {
				out[i] = z.rank(row+int64(i)) - 1
			}
		}
	}
	if last+1 == 0 { // all 64 bits
		return func(row int64, out []uint64) {
			for i := range out {
				out[i] = random.at(row + int64(i))
			}
		}
	}
	return func(row int64, out []uint64) {
		for i := range out {
			out[i] = random.below(row+int64(i), last+1)
		}
	}
}

// ints makes rows of integers from the least value and what each column adds.
type ints struct {
	low    uint64
	values []offsets
}

// fill makes n rows of all columns from row first on.
func (g ints) fill(first int64, n int, out []ir.Column) {
	for i, values := range g.values {
		g.column(values, first, n, &out[i])
	}
}

// column makes c the n rows of values from first on.
func (g ints) column(values offsets, first int64, n int, c *ir.Column) {
	switch c.Kind {
	case ir.I8:
		convert(g.low, values, first, room[int8](c, n))
	case ir.I16:
		convert(g.low, values, first, room[int16](c, n))
	case ir.I32:
		convert(g.low, values, first, room[int32](c, n))
	case ir.I64:
		convert(g.low, values, first, room[int64](c, n))
	case ir.U8:
		convert(g.low, values, first, room[uint8](c, n))
	case ir.U16:
		convert(g.low, values, first, room[uint16](c, n))
	case ir.U32:
		convert(g.low, values, first, room[uint32](c, n))
	case ir.U64:
		convert(g.low, values, first, room[uint64](c, n))
	}
}

// convert stores rows from first on, in pieces that stay in the cache.
func convert[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](low uint64, values offsets, first int64, out []T) {
	var piece [1024]uint64
	for at := 0; at < len(out); at += len(piece) {
		part := piece[:min(len(piece), len(out)-at)]
		values(first+int64(at), part)
		for i, v := range part {
			out[at+i] = T(low + v)
		}
	}
}

// sortedInts is ints whose first column has to be sorted.
type sortedInts struct {
	*batched
	ints
	last uint64
}

// Stream sorts the first column and makes the others beside it.
func (g *sortedInts) Stream(ctx context.Context, workers int, write func([]ir.Column) error) error {
	batch := newBatch(g.columns)
	first := int64(0)
	s := sorter{rows: g.rows, values: g.values[0], workers: workers, tableBits: sortTableBits, atOnce: sortAtOnce}
	return s.sort(ctx, g.last, func(sorted []uint64) error {
		for part := range slices.Chunk(sorted, int(rowsAtOnce(len(g.columns)))) {
			g.column(func(row int64, out []uint64) { copy(out, part[row:]) }, 0, len(part), &batch[0])
			for i, values := range g.values[1:] {
				g.column(values, first, len(part), &batch[i+1])
			}
			first += int64(len(part))
			if err := write(batch); err != nil {
				return err
			}
		}
		return nil
	})
}

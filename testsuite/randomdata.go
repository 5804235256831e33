package testsuite

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// Shape is a distribution of column values that a kernel may get wrong.
type Shape uint8

// The shapes. All but Distinct draw from few values, so that groups occur.
const (
	Mixed    Shape = iota // a shape of its own for each column, chosen by the seed
	Small                 // a few values, independent
	Equal                 // one value in all rows
	Distinct              // no value twice, in random order
	Runs                  // equal neighbours, in runs of 1 to a quarter of the rows
	Sorted                // ascending, with duplicates
	Reversed              // descending, with duplicates
	Zipf                  // one value in most rows, many rare ones
	Extreme               // the kind's smallest and largest values, NaN, infinities, -0.0
	Edges                 // runs that end at, one before and one after the edges of tiles, and cross others
	shapes
)

var shapeNames = [...]string{"mixed", "small", "equal", "distinct", "runs", "sorted", "reversed", "zipf", "extreme", "edges"}

func (s Shape) String() string { return shapeNames[s] }

// Shapes returns all shapes.
func Shapes() []Shape {
	all := make([]Shape, shapes)
	for i := range all {
		all[i] = Shape(i)
	}
	return all
}

// RandomData describes input data for a pipeline. Equal descriptions give
// equal data.
type RandomData struct {
	Rows  int // of the first parameter's domain; other domains have as many or fewer
	Tile  int // rows between two edges of the shape Edges; 0 is 32
	Shape Shape
	Seed  uint64
	// Careless leaves indices, bins, lengths and divisors to chance, so that
	// run-time checks fail. Otherwise parameters used directly as such are
	// drawn from the values that the check allows.
	Careless bool
	// Whole makes floats whole numbers whose sums are exact in any order.
	Whole bool
	// Special lets NaN stand for one of the values of some float columns, whatever
	// their shape, gives the zeros of some either sign, and lets infinities stand
	// among whole numbers, too.
	Special bool
}

// Columns returns one column for each parameter of p, in order; a scalar is a
// column of one row. Pipelines with warnings (an inexact value decides
// something) get whole floats whose sums are exact in any order.
func (d RandomData) Columns(p *ir.Pipeline) []ir.Column {
	r := rand.New(rand.NewPCG(d.Seed, uint64(d.Shape)))
	length := d.lengths(p, r)
	fit := limits(p, length, d.Careless)
	columns := make([]ir.Column, len(p.Params))
	right := rightKeys(p)
	for i, v := range p.Params {
		shape := d.Shape
		switch {
		case slices.Contains(right, v) && r.IntN(2) == 0:
			shape = Distinct // plans tell whether rows have at most one partner
		case shape == Mixed:
			shape = Small + Shape(r.IntN(int(shapes-Small)))
		}
		rows := 1
		if !v.Type.IsScalar() {
			rows = length[v.Type.Domain]
		}
		g := generator{r: r, special: d.Special, tile: cmp.Or(d.Tile, 32), kind: v.Type.Kind, limit: fit[v], careless: d.Careless, exact: d.Whole || len(p.Warnings) > 0}
		columns[i] = g.column(shape, rows)
		if v.Type.IsScalar() && v.Const.Kind != ir.Invalid && r.IntN(2) == 0 {
			columns[i].Set(0, v.Const)
		}
	}
	return columns
}

// rightKeys returns the integer parameters that are right keys of joins.
func rightKeys(p *ir.Pipeline) (params []*ir.Value) {
	for _, v := range p.Values {
		if v.Op == ir.OpJoin {
			for _, key := range v.Args[v.Split:] {
				params = append(params, origins(key, false)...)
			}
		}
	}
	return params
}

// lengths chooses the length of each parameter domain.
func (d RandomData) lengths(p *ir.Pipeline, r *rand.Rand) map[*ir.Domain]int {
	length := map[*ir.Domain]int{}
	for _, v := range p.Params {
		domain := v.Type.Domain
		if _, known := length[domain]; known || domain == nil {
			continue
		}
		switch {
		case len(length) == 0 || r.IntN(2) == 0:
			length[domain] = d.Rows
		default:
			length[domain] = min(d.Rows, 1+r.IntN(d.Rows/2+8))
		}
	}
	return length
}

// limits returns, for parameters that reach a check without arithmetic, the
// number of values from 0 that it allows; -1 stands for all but zero. For
// careless data, only lengths of repeat keep a limit, because otherwise memory
// would run out.
func limits(p *ir.Pipeline, length map[*ir.Domain]int, careless bool) map[*ir.Value]int64 {
	const repeatAtMost = 5
	limit := map[*ir.Value]int64{}
	for _, v := range p.Values {
		if v.Op == ir.OpRepeat {
			for _, param := range origins(v.Args[0], true) {
				limit[param] = repeatAtMost
			}
		}
		if careless {
			continue
		}
		var checked *ir.Value
		var n int64
		switch v.Op {
		case ir.OpGather:
			rows, known := length[v.Args[0].Type.Domain]
			if !known {
				continue
			}
			checked, n = v.Args[1], int64(rows)
		case ir.OpBins:
			checked = v.Args[0]
			if size := v.Args[1]; size.Op == ir.OpConst {
				n = size.Const.Int64()
			} else if rows, known := length[size.Type.Domain]; known {
				n = int64(rows)
			}
		case ir.OpDiv, ir.OpRem:
			checked, n = v.Args[1], -1
		default:
			continue
		}
		for _, param := range origins(checked, false) {
			limit[param] = n
		}
	}
	return limit
}

// origins returns the integer parameters whose elements v selects, or, through
// arithmetic, computes from.
func origins(v *ir.Value, arithmetic bool) (params []*ir.Value) {
	switch {
	case v.Op == ir.OpParam && v.Type.Kind.IsInteger():
		return []*ir.Value{v}
	case v.Op == ir.OpCompact || v.Op == ir.OpGather:
		return origins(v.Args[0], arithmetic)
	case arithmetic:
		for _, arg := range v.Args {
			params = append(params, origins(arg, true)...)
		}
	}
	return params
}

// generator makes the values of one column.
type generator struct {
	r        *rand.Rand
	special  bool
	tile     int
	kind     ir.Kind
	limit    int64 // see limits; 0 for none
	careless bool
	exact    bool
}

func (g *generator) column(shape Shape, rows int) ir.Column {
	c := ir.NewColumn(g.kind, rows)
	nan := g.special && g.kind.IsFloat() && g.r.IntN(3) == 0
	zeros := g.special && g.kind.IsFloat() && g.r.IntN(2) == 0
	below := int64(0)
	if k := g.kind; g.limit == 0 && (k.IsInteger() && !k.IsUnsigned() || k.IsFloat() || k.IsCalendar()) && g.r.IntN(4) == 0 {
		below = 1 + g.r.Int64N(40) // most or all values are negative
	}
	for i, o := range g.ordinals(shape, rows) {
		v := g.scalar(o - below)
		if shape == Extreme && g.limit == 0 && g.r.IntN(4) == 0 {
			v = g.extreme(v)
		}
		if nan && o == nanOrdinal {
			v = ir.Float(g.kind, math.NaN())
		}
		if zeros && v.Float64() == 0 && g.r.IntN(2) == 0 {
			v = ir.Float(g.kind, math.Copysign(0, -1))
		}
		c.Set(i, v)
	}
	return c
}

// nanOrdinal is the number that becomes NaN in special columns.
const nanOrdinal = 2

// ordinals returns whole numbers of the shape; scalar makes values of them.
func (g *generator) ordinals(shape Shape, rows int) []int64 {
	const few = 8
	o := make([]int64, rows)
	small := func() int64 { return g.r.Int64N(few) - 1 }
	switch shape {
	case Equal:
		same := small()
		for i := range o {
			o[i] = same
		}
	case Distinct:
		for i, x := range g.r.Perm(rows) {
			o[i] = int64(x)
		}
	case Runs:
		longest := 1 + g.r.IntN(rows/4+1)
		for i := 0; i < rows; {
			x := small()
			for end := min(rows, i+1+g.r.IntN(longest)); i < end; i++ {
				o[i] = x
			}
		}
	case Edges:
		for i, end, edge, x := 0, 0, g.tile, small(); i < rows; i++ {
			for i == end { // the next run
				x = (x + 1 + g.r.Int64N(few-1)) % few
				if end = edge - 1 + g.r.IntN(3); g.r.IntN(4) == 0 {
					end += g.tile
					edge += g.tile
				}
				edge += g.tile
				end = max(end, i+1)
			}
			o[i] = x
		}
	case Sorted, Reversed:
		for i := range o {
			o[i] = g.r.Int64N(int64(rows)/3 + 2)
		}
		slices.Sort(o)
		if shape == Reversed {
			slices.Reverse(o)
		}
	case Zipf: // value k or more in one of k rows, without logarithms that machines round as they like
		for i := range o {
			o[i] = int64(rows/(1+g.r.IntN(rows))) - 1
		}
	default:
		for i := range o {
			o[i] = small()
		}
	}
	return o
}

// scalar returns the value of the column's kind that stands for ordinal o:
// equal ordinals give equal values, larger ones larger values where they fit.
func (g *generator) scalar(o int64) ir.Scalar {
	switch {
	case g.limit > 0 && g.careless:
		return ir.Int(g.kind, max(-1, o%g.limit))
	case g.limit > 0:
		return ir.Int(g.kind, (o%g.limit+g.limit)%g.limit)
	case g.limit < 0:
		return ir.Int(g.kind, cmp.Or(o, 3))
	}
	switch g.kind {
	case ir.Bool:
		return ir.BoolScalar(o&1 == 1)
	case ir.F32, ir.F64:
		if g.exact {
			return ir.Float(g.kind, float64(o))
		}
		return ir.Float(g.kind, float64(o)*0.37)
	case ir.Date:
		const day1994 = 8766
		return ir.Int(ir.Date, day1994+o)
	case ir.Timestamp: // from the day before 1970 on
		const minute = 60_000_000
		return ir.Int(ir.Timestamp, (o-30)*37*minute+o%3*minute/120)
	case ir.Char8:
		return ir.Char8Scalar(string([]byte{'A' + byte(o>>10&15), 'a' + byte(o>>5&31)%26, 'a' + byte(o&31)%26}))
	}
	if g.kind.IsDecimal() { // many halves where digits are lost
		return ir.Int(g.kind, o*455)
	}
	return ir.Int(g.kind, o)
}

// extreme returns a value at the edge of the column's kind, or v if the kind
// has none.
func (g *generator) extreme(v ir.Scalar) ir.Scalar {
	switch {
	case g.kind.IsFloat() && g.exact && !g.special:
		return ir.Float(g.kind, math.Copysign(0, -1))
	case g.kind.IsFloat():
		edges := []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 0, math.MaxFloat32, math.SmallestNonzeroFloat32, 3e9, -1e19}
		if g.exact {
			edges = edges[:4]
		}
		return ir.Float(g.kind, edges[g.r.IntN(len(edges))])
	case g.kind.IsUnsigned():
		return ir.Int(g.kind, -g.r.Int64N(2))
	case g.kind.IsSigned(), g.kind.IsDecimal():
		smallest := int64(-1) << (8*g.kind.Size() - 1)
		return ir.Int(g.kind, []int64{smallest, smallest + 1, ^smallest, -1}[g.r.IntN(4)])
	case g.kind == ir.Char8:
		return ir.Char8Scalar([]string{"", "\xff\xff\xff\xff\xff\xff\xff\xff", "abcdefgh"}[g.r.IntN(3)])
	}
	return v
}

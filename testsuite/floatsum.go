package testsuite

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/kgen-go/kgen/ir"
)

// closeness is how close a device's value must be.
type closeness uint8

const (
	exact   closeness = iota // the same bits
	bounded                  // a float sum: within the bound of the language
	loose                    // computed from a rounded sum: nothing is promised
)

// nearness is how close the values of a result must be.
type nearness struct {
	how   closeness
	bound []float64 // if bounded: the greatest difference, by row
}

// accepts compares a value with the expected value of row.
func (n nearness) accepts(want, got ir.Scalar, row int) bool {
	if want == got || n.how == loose {
		return true
	}
	if !want.Kind.IsFloat() {
		return false
	}
	w, g := want.Float64(), got.Float64()
	if math.IsNaN(w) || math.IsNaN(g) {
		return math.IsNaN(w) && math.IsNaN(g)
	}
	return n.how == bounded && (w == g || math.Abs(w-g) <= n.bound[row])
}

// sums holds the float sums and products of a pipeline over given data. Devices
// add in different orders, and the summands decide between three cases:
//
//   - No order rounds: all summands are multiples of one power of two, and the
//     sum of their magnitudes is below the precision times that power. Then
//     the sum, and all that is computed from it, is exact.
//   - Some order may round. A sum that is a result is within
//     2·eps·(depth+1)·Σ|x| of the interpreter's, a product as much times itself.
//     What is computed from it is loose.
//   - Some order may overflow on the way, or underflow in a product: loose.
//
// A chain of additions is never longer than the rows, which stand for depth.
type sums struct {
	p        *ir.Pipeline
	operands map[*ir.Value][2]int // of each sum: the positions of its summands and of its groups in the observed results
	near     []nearness           // by value
}

func newSums(p *ir.Pipeline) *sums {
	return &sums{p: p, operands: map[*ir.Value][2]int{}, near: make([]nearness, len(p.Values))}
}

// isFloatSum reports whether v may depend on the order of additions or
// multiplications.
func (s *sums) isFloatSum(v *ir.Value) bool {
	return v.FloatFold() != ir.ReduceNone && !s.p.IsReproducible(v)
}

// isQuotient reports whether v is a sum divided by a count.
func isQuotient(v *ir.Value) bool {
	if !v.Op.IsAggregate() {
		return false
	}
	switch finish := v.Op.Aggregate().Finish; finish {
	case ir.FinishQuotient:
		return true
	case ir.FinishField, ir.FinishRow:
		return false
	default:
		panic(fmt.Sprintf("testsuite: no finish %d of %v", finish, v.Op))
	}
}

// observed returns the pipeline with the operands of its sums as results, too.
func (s *sums) observed() *ir.Pipeline {
	p := *s.p
	p.Results = append([]ir.Result(nil), p.Results...)
	see := func(v *ir.Value) int {
		if v == nil {
			return -1
		}
		p.Results = append(p.Results, ir.Result{Value: v})
		return len(p.Results) - 1
	}
	for _, v := range p.Values {
		if s.isFloatSum(v) {
			s.operands[v] = [2]int{see(v.Args[0]), see(v.By)}
		}
	}
	return &p
}

// mayDecideCheck reports whether a check may depend on a sum.
func (s *sums) mayDecideCheck() bool {
	for _, site := range s.p.Sites {
		for _, o := range site.Value.Operands() {
			if s.p.Inexact(o) {
				return true
			}
		}
	}
	return false
}

// measure computes how close each value must be, given the observed results.
func (s *sums) measure(columns []ir.Column) {
	for _, v := range s.p.Values {
		worst := exact
		for _, o := range v.Operands() {
			how := s.near[o.ID].how
			if v.Op == ir.OpIndex || v.Op == ir.OpLen { // they see rows, not values
				how = exact
				if by := o.Type.Domain.By; by != nil {
					how = s.near[by.ID].how
				}
			}
			worst = max(worst, how)
		}
		switch at, ok := s.operands[v]; {
		case worst != exact:
			s.near[v.ID] = nearness{how: loose}
		case ok:
			var groups *ir.Column
			if at[1] >= 0 {
				groups = &columns[at[1]]
			}
			s.near[v.ID] = nearnessOf(v, columns[at[0]], groups)
		}
	}
}

// results returns the nearness of each result, or the reason why none is
// promised.
func (s *sums) results(values []ir.Column) ([]nearness, string) {
	for _, site := range s.p.Sites {
		for _, o := range site.Value.Operands() {
			if s.near[o.ID].how != exact {
				return make([]nearness, len(values)), "a check depends on a float sum that rounds"
			}
		}
	}
	near := make([]nearness, len(values))
	for i, r := range s.p.Results {
		near[i] = s.near[r.Value.ID]
		if near[i].how == bounded {
			near[i].bound = near[i].of(r.Value, values[i])
		}
	}
	return near, ""
}

// of turns relative bounds into absolute bounds for the rows of a result.
func (n nearness) of(v *ir.Value, result ir.Column) []float64 {
	bound := make([]float64, result.Len())
	for row := range bound {
		value := math.Abs(result.At(row).Float64())
		switch {
		case row >= len(n.bound): // a group without rows
		case v.FloatFold() == ir.ReduceMul:
			bound[row] = n.bound[row] * value
		case isQuotient(v):
			bound[row] = n.bound[row] + 0x1p-52*value // of the division
		default:
			bound[row] = n.bound[row]
		}
	}
	return bound
}

// nearnessOf looks at the summands, or factors, of v, a scan or an aggregate;
// groups is nil without by:. The bounds are by row or group; those of products
// are relative.
func nearnessOf(v *ir.Value, x ir.Column, groups *ir.Column) nearness {
	rows := x.Len()
	if groups != nil {
		rows = groups.Len()
	}
	at := func(row int) float64 { // a scalar is repeated
		if x.Len() == 1 {
			row = 0
		}
		return x.At(row).Float64()
	}
	precision, epsilon, largest := 53, 0x1p-52, float64(math.MaxFloat64)
	if v.Type.Kind == ir.F32 {
		precision, epsilon, largest = 24, 0x1p-23, math.MaxFloat32
	}
	magnitude := newMagnitude(v.FloatFold() == ir.ReduceMul)
	for row := range rows {
		magnitude.add(at(row))
	}
	switch {
	case magnitude.isExact(precision):
		return nearness{}
	case !magnitude.isWithin(largest):
		return nearness{how: loose}
	}
	factor := 2 * epsilon * float64(rows+1)
	group := func(row int) int {
		if groups == nil {
			return 0
		}
		return int(groups.At(row).Int64())
	}
	n := nearness{how: bounded}
	if v.Op == ir.OpScan || v.Op == ir.OpExscan {
		running := 0.0
		for row := range rows {
			if row > 0 && group(row) != group(row-1) {
				running = 0
			}
			before := running
			if f := math.Abs(at(row)); f <= largest {
				running += f
			}
			switch {
			case v.FloatFold() == ir.ReduceMul:
				n.bound = append(n.bound, factor)
			case v.Op == ir.OpExscan:
				n.bound = append(n.bound, factor*before)
			default:
				n.bound = append(n.bound, factor*running)
			}
		}
		return n
	}
	var counts []float64
	for row := range rows {
		for len(n.bound) <= group(row) {
			n.bound, counts = append(n.bound, 0), append(counts, 0)
		}
		if f := math.Abs(at(row)); v.FloatFold() == ir.ReduceMul {
			n.bound[group(row)] = factor
		} else if f <= largest {
			n.bound[group(row)] += factor * f
		}
		counts[group(row)]++
	}
	if isQuotient(v) {
		for i := range n.bound {
			n.bound[i] /= max(counts[i], 1)
		}
	}
	return n
}

// magnitude summarizes summands or factors, whatever their order. Infinities
// and NaN do not round.
type magnitude struct {
	product    bool
	total      float64 // of summands: Σ|x|
	grid       int     // all are multiples of 2^grid
	up, down   float64 // of factors: the logarithms of the greatest and least partial product
	wholeUnits bool    // all factors are whole numbers
}

func newMagnitude(product bool) *magnitude {
	return &magnitude{product: product, grid: math.MaxInt, wholeUnits: true}
}

func (m *magnitude) add(x float64) {
	x = math.Abs(x)
	if x == 0 || math.IsInf(x, 1) || math.IsNaN(x) {
		return
	}
	m.total += x
	raw := math.Float64bits(x)
	exponent := max(int(raw>>52), 1) - 1075
	mantissa := raw & (1<<52 - 1)
	if raw>>52 > 0 {
		mantissa |= 1 << 52
	}
	m.grid = min(m.grid, exponent+bits.TrailingZeros64(mantissa))
	m.wholeUnits = m.wholeUnits && x == math.Trunc(x)
	if logarithm := math.Log2(x); logarithm > 0 {
		m.up += logarithm
	} else {
		m.down += logarithm
	}
}

// isExact reports whether no order rounds.
func (m *magnitude) isExact(precision int) bool {
	if m.product {
		return m.wholeUnits && m.up < float64(precision)-0.001 // for the rounding of the logarithms
	}
	return m.total == 0 || m.total <= math.Ldexp(1, precision+m.grid)
}

// isWithin reports whether every order stays within the numbers of full
// precision.
func (m *magnitude) isWithin(largest float64) bool {
	if !m.product {
		return m.total <= largest
	}
	most := math.Log2(largest) - 1
	return m.up < most && m.down > 2-most
}

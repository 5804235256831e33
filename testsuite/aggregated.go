package testsuite

import "github.com/kgen-go/kgen/ir"

// Aggregated returns p with each column replaced by aggregates of it: a pipeline that can
// perhaps be computed in shards.
func Aggregated(p *ir.Pipeline) (*ir.Pipeline, error) {
	b := ir.NewBuilder(p.Name)
	made := map[*ir.Value]ir.Operand{}
	for _, v := range p.Values {
		b.Place(v.Pos)
		switch {
		case v.Op == ir.OpParam && !v.Type.IsScalar():
			made[v] = b.Column(v.Name, v.Type.Domain.Name, v.Type.Kind)
		case v.Op == ir.OpParam:
			made[v] = b.Scalar(v.Name, v.Type.Kind)
		default:
			made[v] = b.Copy(v, func(o *ir.Value) ir.Operand { return made[o] })
		}
	}
	var results []any
	for _, r := range p.Results {
		b.Place(r.Pos)
		x, k := made[r.Value], r.Value.Type.Kind
		if r.Value.Type.IsScalar() {
			results = append(results, x.As(r.Label))
			continue
		}
		none := ir.Else(ir.Scalar{Kind: k})
		results = append(results, b.Len(x).As(r.Label+"_rows"))
		if k == ir.Text { // of which partials hold none for no rows
			continue
		}
		results = append(results, b.First(x, none).As(r.Label+"_first"), b.Last(x, none).As(r.Label+"_last"))
		if k.IsInteger() {
			results = append(results, b.Sum(x).As(r.Label+"_sum"))
		}
		if k != ir.Bool {
			results = append(results, b.Max(x, none).As(r.Label+"_max"))
		}
	}
	b.Return(results...)
	return b.Pipeline()
}

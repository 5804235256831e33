package table

import "github.com/kgen-go/kgen/ir"

// Extent is what decides the size of a run about one parameter: the rows of a
// column, or the value of a scalar.
type Extent struct {
	Rows   int64
	Scalar ir.Scalar
}

// Extents returns the extents of arguments, one column per parameter of p.
func Extents(p *ir.Pipeline, in []ir.Column) []Extent {
	extents := make([]Extent, len(in))
	for i, c := range in {
		if p.Params[i].Type.IsScalar() {
			extents[i] = Extent{Rows: 1, Scalar: c.At(0)}
		} else {
			extents[i].Rows = int64(c.Len())
		}
	}
	return extents
}

// Extents returns the extents that [Binding.Read] will read, if the files state
// their rows. CSV files do not; they count as empty.
func (b *Binding) Extents(source *Source) (extents []Extent, err error) {
	rows := map[*ir.Domain]int64{}
	for _, d := range Domains(b.pipeline) {
		if rows[d], _, err = source.Rows(b.files[d]); err != nil {
			return nil, err
		}
	}
	for _, p := range b.pipeline.Params {
		if p.Type.IsScalar() {
			extents = append(extents, Extent{Rows: 1, Scalar: b.scalar(p)})
		} else {
			extents = append(extents, Extent{Rows: rows[p.Type.Domain]})
		}
	}
	return extents, nil
}

// scalar returns the value of a scalar parameter.
func (b *Binding) scalar(p *ir.Value) ir.Scalar {
	if value, set := b.scalars[p]; set {
		return value
	}
	return p.Const
}

// text returns the value of a scalar of kind Text.
func (b *Binding) text(p *ir.Value) string {
	if value, set := b.texts[p]; set {
		return value
	}
	return *p.Literal
}

package partial

import (
	"fmt"

	"github.com/kgen-go/kgen/ir"
)

// Halo says that rows look at their neighbours. Those at the ends of a shard
// then wait until the shards beside it are known: a partial keeps the first and
// last Back + Ahead rows of its columns as they are, and Shard counts the rows
// From <= row < To only, whose neighbours are all there.
type Halo struct {
	Back, Ahead int64  // rows
	From, To    string // scalar parameters of Shard, i64
}

// maxHalo is the most rows that a partial keeps at each end.
const maxHalo = 1 << 12

// halo finds how far rows look, or why a neighbour stands against partials. It
// returns nil where rows look at no others.
func halo(p *ir.Pipeline, classes []class) (*Halo, error) {
	back, ahead := make([]int64, len(p.Values)), make([]int64, len(p.Values))
	h := &Halo{}
	for _, v := range p.Values {
		if c := classes[v.ID]; c != row && c != groups {
			continue
		}
		for _, o := range v.Args {
			back[v.ID], ahead[v.ID] = max(back[v.ID], back[o.ID]), max(ahead[v.ID], ahead[o.ID])
		}
		switch v.Op {
		case ir.OpPrev:
			back[v.ID] += v.Shift
		case ir.OpNext:
			ahead[v.ID] += v.Shift
		default:
			continue
		}
		if err := mayLookBeside(p, v); err != nil {
			return nil, err
		}
		if v.Shift > maxHalo || back[v.ID]+ahead[v.ID] > maxHalo {
			return nil, refuse(v, fmt.Sprintf("up to %d rows are carried from shard to shard", maxHalo), "%v looks too far into other shards", v.Op)
		}
		h.Back, h.Ahead = max(h.Back, back[v.ID]), max(h.Ahead, ahead[v.ID])
	}
	if h.Back+h.Ahead == 0 {
		return nil, nil
	}
	if h.Back+h.Ahead > maxHalo {
		return nil, ir.NewError(nil, p.Pos, fmt.Sprintf("no partials: pipeline %s looks too far into other shards", p.Name),
			fmt.Sprintf("up to %d rows are carried from shard to shard", maxHalo))
	}
	return h, nil
}

// mayLookBeside reports why the neighbour v cannot be carried.
func mayLookBeside(p *ir.Pipeline, v *ir.Value) error {
	if v.Type.Domain.Kind != ir.DomainParam {
		return refuse(v, "use a column of the rows before the filter", "%v looks at rows of other shards that a filter has kept, however far they are", v.Op)
	}
	for _, param := range p.Params {
		if d := param.Type.Domain; d != nil && d != v.Type.Domain {
			return refuse(v, "one domain of columns can be carried", "%v looks at rows of other shards, and there are the domains %s and %s", v.Op, v.Type.Domain, d)
		}
	}
	seen := map[*ir.Value]bool{}
	var operand func(o *ir.Value) error
	operand = func(o *ir.Value) error {
		if seen[o] {
			return nil
		}
		seen[o] = true
		for _, site := range p.Sites {
			if site.Value == o && o != v {
				return refuse(v, "look at the neighbours of columns that cannot fail", "%v looks at rows of other shards whose %v may fail a check", v.Op, o.Op)
			}
		}
		for _, arg := range o.Args {
			if err := operand(arg); err != nil {
				return err
			}
		}
		return nil
	}
	return operand(v)
}

// isNeighbour reports whether v looks at other rows of its column. Without a
// halo all distances are 0.
func (s *splitter) isNeighbour(v *ir.Value) bool {
	return s.Halo != nil && s.classes[v.ID] == row && (v.Op == ir.OpPrev || v.Op == ir.OpNext)
}

// used reports which values aggregates and what they are of are computed from,
// and which are wanted of all rows: neighbours, and what they are taken of.
func (s *splitter) used() (counting, all []bool) {
	counting, all = make([]bool, len(s.Whole.Values)), make([]bool, len(s.Whole.Values))
	for i := len(counting) - 1; i >= 0; i-- {
		v := s.Whole.Values[i]
		if s.isNeighbour(v) {
			all[i] = all[i] || counting[i]
		} else if counting[i] || s.classes[i] == cut {
			for _, o := range v.Operands() {
				counting[o.ID] = counting[o.ID] || o != v.Else
			}
		}
		if all[i] {
			for _, o := range v.Args {
				all[o.ID] = true
			}
		}
	}
	return counting, all
}

// buildRows copies what rows are computed from. With a halo, a value of the
// rows of columns is taken of the rows that count; neighbours are of all rows.
func (s *splitter) buildRows() {
	counting, ofAll := s.used()
	all := map[*ir.Value]ir.Operand{}
	var counts *ir.Operand // the mask of the rows that count
	for _, v := range s.Whole.Values {
		isColumn := v.Op == ir.OpParam && !v.Type.IsScalar()
		switch {
		case v.Op == ir.OpParam && (counting[v.ID] || ofAll[v.ID]):
			all[v] = parameter(s.shard, v)
			s.rows[v] = all[v]
		case ofAll[v.ID]:
			all[v] = s.shard.Copy(v, func(o *ir.Value) ir.Operand { return all[o] })
		}
		s.shard.Place(v.Pos)
		if s.Halo != nil && isColumn && counts == nil {
			counts = s.mask(all[v])
		}
		if counting[v.ID] {
			switch {
			case s.Halo != nil && isColumn || s.isNeighbour(v):
				s.rows[v] = all[v].At(*counts)
			case v.Op != ir.OpParam:
				s.rows[v] = s.shard.Copy(v, func(o *ir.Value) ir.Operand { return s.rows[o] })
			}
		}
	}
	s.shard.Place(ir.Pos{})
}

// mask declares the range of rows that count, and returns it as a mask.
func (s *splitter) mask(x ir.Operand) *ir.Operand {
	s.Halo.From, s.Halo.To = s.fresh("from_row"), s.fresh("to_row")
	row := s.shard.Index(x)
	from, to := s.shard.Scalar(s.Halo.From, ir.I64), s.shard.Scalar(s.Halo.To, ir.I64)
	counts := row.Ge(from).And(row.Lt(to))
	return &counts
}

package partial

import (
	"fmt"

	"github.com/kgen-go/kgen/ir"
)

// Halo says that rows read their neighbours. Rows at the ends of a shard then have
// to wait for the shards beside it: a partial keeps the first and the last
// Back + Ahead rows of its columns. Shard aggregates only the rows From <= row < To,
// whose neighbours are all known.
type Halo struct {
	Back, Ahead int64  // how many rows before and after its own a row reads
	From, To    string // the names of scalar parameters of Shard, i64
}

// maxHalo is the maximum of rows that a partial keeps at each end.
const maxHalo = 1 << 12

// halo returns how far rows read, or nil if they read no neighbours. The error says
// why a neighbour cannot be read across shards.
func halo(p *ir.Pipeline, o Options, classes []class) (*Halo, error) {
	back, ahead := make([]int64, len(p.Values)), make([]int64, len(p.Values))
	h := &Halo{}
	for _, v := range p.Values {
		if c := classes[v.ID]; c != row && c != place && c != groups {
			continue
		}
		for _, o := range v.Operands() {
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
		if err := checkNeighbour(p, o, v); err != nil {
			return nil, err
		}
		if v.Shift > maxHalo || back[v.ID]+ahead[v.ID] > maxHalo {
			return nil, refuse(v, fmt.Sprintf("up to %d rows are carried from shard to shard", maxHalo), "%v reads too far into other shards", v.Op)
		}
		h.Back, h.Ahead = max(h.Back, back[v.ID]), max(h.Ahead, ahead[v.ID])
	}
	if h.Back+h.Ahead == 0 {
		return nil, nil
	}
	if h.Back+h.Ahead > maxHalo {
		return nil, ir.NewError(nil, p.Pos, fmt.Sprintf("no partials: pipeline %s reads too far into other shards", p.Name),
			fmt.Sprintf("up to %d rows are carried from shard to shard", maxHalo))
	}
	return h, nil
}

// checkNeighbour returns an error if the rows that v reads cannot be carried from
// shard to shard.
func checkNeighbour(p *ir.Pipeline, options Options, v *ir.Value) error {
	if v.Type.Domain.Kind != ir.DomainParam {
		return refuse(v, "use a column of the rows before the filter", "%v reads rows of other shards that a filter has kept, which may be any distance away", v.Op)
	}
	for _, param := range p.Params {
		if d := param.Type.Domain; d != nil && d != v.Type.Domain && !options.isWhole(d) {
			return refuse(v, "give all columns one domain", "%v reads rows of other shards, and there are the domains %s and %s", v.Op, v.Type.Domain, d)
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
				return refuse(v, "read the neighbours of columns whose checks cannot fail", "%v reads rows of other shards whose %v may fail a check", v.Op, o.Op)
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

// isNeighbour reports whether v reads other rows of its column. Without a halo all
// distances are 0.
func (s *splitter) isNeighbour(v *ir.Value) bool {
	return s.Halo != nil && s.classes[v.ID] == row && (v.Op == ir.OpPrev || v.Op == ir.OpNext)
}

// used reports which values are needed for the rows that Shard aggregates, and
// which for all rows: neighbours and their operands.
func (s *splitter) used() (counting, all []bool) {
	counting, all = make([]bool, len(s.Whole.Values)), make([]bool, len(s.Whole.Values))
	for _, r := range s.Whole.Results {
		counting[r.Value.ID] = s.classes[r.Value.ID] == row
	}
	for i := len(counting) - 1; i >= 0; i-- {
		v := s.Whole.Values[i]
		if s.isNeighbour(v) {
			all[i] = all[i] || counting[i]
		} else if counting[i] || s.classes[i] == cut {
			for _, o := range v.Operands() {
				counting[o.ID] = counting[o.ID] || o != v.Else || s.classes[i] != cut // Finish has the else: of that
			}
		}
		if all[i] {
			for _, o := range v.Operands() {
				all[o.ID] = true
			}
		}
	}
	return counting, all
}

// buildRows copies the values that aggregates need. With a halo, neighbours are
// computed for all rows; then they and the columns are filtered to the rows that
// Shard aggregates.
func (s *splitter) buildRows() {
	counting, ofAll := s.used()
	all := map[*ir.Value]ir.Operand{}
	var counts *ir.Operand // the mask of the rows that Shard aggregates
	for _, v := range s.Whole.Values {
		isColumn := v.Op == ir.OpParam && s.classes[v.ID] == row
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
			case ofAll[v.ID] && s.classes[v.ID] == uniform:
				s.rows[v] = all[v]
			case v.Op != ir.OpParam:
				s.rows[v] = s.shard.Copy(v, func(o *ir.Value) ir.Operand { return s.rows[o] })
			}
		}
	}
	s.shard.Place(ir.Pos{})
}

// mask declares the range of rows that Shard aggregates and returns it as a mask.
func (s *splitter) mask(x ir.Operand) *ir.Operand {
	s.Halo.From, s.Halo.To = s.fresh("from_row"), s.fresh("to_row")
	row := s.shard.Index(x)
	from, to := s.shard.Scalar(s.Halo.From, ir.I64), s.shard.Scalar(s.Halo.To, ir.I64)
	counts := row.Ge(from).And(row.Lt(to))
	return &counts
}

package partial

import (
	"fmt"

	"github.com/kgen-go/kgen/ir"
)

// Merging is what Merge takes beside the states of shards, one after the other: scalars as
// rows of a domain of shards, columns of each grouping over a domain of its own.
type Merging struct {
	*ir.Pipeline          // its first parameters are columns of the states, and its results are States, in order
	Starts       []string // by grouping: the column that says which groups begin; "" for other kinds than DomainStarts
	Sizes        []string // by grouping: the scalar with the number of bins; "" for other kinds than DomainBins
}

// aggregates are the operators that combine states.
var aggregates = map[ir.ReduceOp]ir.Op{ir.ReduceAdd: ir.OpSum, ir.ReduceMul: ir.OpProduct, ir.ReduceOr: ir.OpAny, ir.ReduceAnd: ir.OpAll,
	ir.ReduceMin: ir.OpMin, ir.ReduceMax: ir.OpMax, ir.ReduceFirst: ir.OpFirst, ir.ReduceLast: ir.OpLast}

// buildMerge makes the pipeline that combines states. A state is an aggregate of rows, and so
// the aggregate of the states of shards: grouped as the rows were, by keys, or by the places
// where the groups of a shard begin.
func (s *splitter) buildMerge() error {
	b := ir.NewBuilder(s.Whole.Name)
	s.Merge.Starts, s.Merge.Sizes = make([]string, len(s.Groupings)), make([]string, len(s.Groupings))
	columns := make([]ir.Operand, len(s.States))
	shards := s.fresh("shards")
	for i, state := range s.States {
		domain := shards
		if state.Grouping >= 0 {
			domain = s.Groupings[state.Grouping].Name
		}
		columns[i] = b.Column(state.Name, domain, state.Kind)
	}
	groups := make([]ir.Operand, len(s.Groupings))
	for i, g := range s.Groupings {
		var keys []any
		for _, key := range g.Keys {
			keys = append(keys, columns[key])
		}
		switch g.Kind {
		case ir.DomainRuns:
			groups[i] = b.Runs(keys...)
		case ir.DomainGroups:
			groups[i] = b.Groups(keys...)
		case ir.DomainStarts:
			s.Merge.Starts[i] = s.fresh("starts")
			groups[i] = b.Starts(b.Column(s.Merge.Starts[i], g.Name, ir.Bool))
		case ir.DomainBins:
			s.Merge.Sizes[i] = s.fresh("size")
			size := b.Scalar(s.Merge.Sizes[i], ir.I64)
			groups[i] = b.Bins(b.Index(columns[s.columnOf(i)]).Rem(size), size)
		default:
			panic(fmt.Sprintf("partial: states of a grouping of kind %v", g.Kind))
		}
	}
	var results []any
	for i, state := range s.States {
		var named []ir.Named
		x := columns[i]
		var present *ir.Operand
		if state.Rows >= 0 {
			some := columns[state.Rows].Gt(0)
			present, x = &some, x.At(some)
			named = append(named, ir.Else(ir.Scalar{Kind: state.Kind}))
		}
		if state.Grouping >= 0 {
			by := groups[state.Grouping]
			if present != nil {
				by = by.At(*present)
			}
			named = append(named, ir.By(by))
		}
		results = append(results, b.Aggregate(aggregates[state.Fold], x, named...).As(state.Name))
	}
	b.Return(results...)
	p, err := b.Pipeline()
	if err != nil {
		return err
	}
	p.Name, p.Pos = s.Whole.Name+"_merge", s.Whole.Pos
	s.Merge.Pipeline = p
	return nil
}

// columnOf returns a state with an element for each group or bin.
func (s *Split) columnOf(grouping int) int {
	for i, state := range s.States {
		if state.Grouping == grouping {
			return i
		}
	}
	panic("partial: a grouping without states")
}

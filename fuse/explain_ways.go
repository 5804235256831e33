package fuse

import (
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Known is what is known when an explanation is made, in place of assumptions.
type Known struct {
	Lengths map[string]int64 // of domains, by name; lengths of others follow from these as they do from assumed ones
	Ran     []string         // the kernels that ran, which tells the ways that were taken; nil if none of them did
}

// ExplainedWay is one of several ways to make the same results, of which one is
// taken: what is read at run time decides which.
type ExplainedWay struct {
	Name      string  `json:"name"`   // as in "a hash table"
	Chosen    bool    `json:"chosen"` // the totals are those of this way
	Kernels   int     `json:"kernels"`
	Bytes     int64   `json:"bytes"`
	Predicted float64 `json:"predicted_ns"`
}

// taken is the way that is taken at each condition: whether it is the second.
type taken map[*ir.Value]bool

// takenBy returns the ways that were taken if some kernels ran. Else lengths tell those that follow from
// these, and of others it is the first, which kgen prefers.
func (p *Program) takenBy(ran []string) taken {
	t := taken{}
	for i := range p.Kernels {
		for _, w := range p.Groups[i][0].ways {
			if followsFromLengths(w.condition) {
				t[w.condition] = p.Fusion.Graph.assumedScalar(w.condition) <= 0
			}
		}
	}
	for i, k := range p.Kernels {
		if slices.Contains(ran, k.Name) {
			for _, w := range p.Groups[i][0].ways {
				t[w.condition] = w.second
			}
		}
	}
	return t
}

// runs reports whether a stage runs if these ways are taken.
func (t taken) runs(s *Stage) bool {
	return !slices.ContainsFunc(s.ways, func(w way) bool { return t[w.condition] != w.second })
}

// wayName names the way of a stage by how it makes results; "" if it always runs.
func (g *Graph) wayName(s *Stage) string {
	if len(s.ways) == 0 {
		return ""
	}
	last := s.ways[len(s.ways)-1]
	var table *ir.Value
	sorts, movesAhead, asTheyCome := false, false, false
	for _, other := range g.Stages {
		isAhead := other.turn.of != nil && other.turn.part == aheadPass
		asTheyCome = asTheyCome || isAhead && slices.Contains(other.ways, way{last.condition, true}) && !last.second
		if slices.Equal(other.ways, s.ways) {
			if other.Kind == Insert && table == nil {
				table = other.roots[0]
			}
			movesAhead = movesAhead || isAhead
			sorts = sorts || other.Kind == Pass || other.Kind == Histogram
		}
	}
	isSize := func(v *ir.Value) bool { return v.Op == ir.OpBins && v.Args[1] == last.condition }
	isMoved := func(v *ir.Value) bool { return isSize(v) && v.Split > 0 }
	var bins *ir.Value // explicit ones of the first way
	for _, v := range g.Pipeline.Values {
		if v.Op == ir.OpEither && v.Limit == last.condition && v.Args[0].By != nil && v.Args[0].By.Op == ir.OpBins && v.Args[0].By.Split > 0 && !isSize(v.Args[0].By) {
			bins = v.Args[0].By
		}
	}
	hasSlotsOf := func(op ir.Op, way int) bool {
		return slices.ContainsFunc(g.Pipeline.Values, func(v *ir.Value) bool {
			if v.Op != ir.OpEither || v.Limit != last.condition {
				return false
			}
			d := v.Args[way].Type.Domain
			return d != nil && d.By != nil && d.By.Op == op
		})
	}
	isGrouped := slices.ContainsFunc(g.Pipeline.Values, func(v *ir.Value) bool { // in the second way
		if v.Op != ir.OpEither || v.Limit != last.condition || v.Type.IsScalar() {
			return false
		}
		d := v.Args[1].Type.Domain
		return d.Kind == ir.DomainBins && d.By != nil && d.By.Op == ir.OpExpand && d.By.Args[0].Type.Domain.Kind == ir.DomainMask
	})
	makes := func(op ir.Op, way int) bool {
		return slices.ContainsFunc(g.Pipeline.Values, func(v *ir.Value) bool {
			return v.Op == ir.OpEither && v.Limit == last.condition && v.Args[way].Op == op
		})
	}
	isByParts, isWords := makes(ir.OpEnterParts, 1), makes(ir.OpEnter, 0)
	isFolded := slices.ContainsFunc(g.Pipeline.Values, func(v *ir.Value) bool {
		return v.Op == ir.OpEither && v.Limit == last.condition && v.Args[0].Op.IsAggregate()
	})
	isTable := followsFromLengths(last.condition) && hasSlotsOf(ir.OpInsert, 0)
	switch {
	case movesAhead:
		return "sorting rows that move first, packed"
	case asTheyCome && !sortsFew(last.condition):
		return "sorting rows as they come"
	case sortsFew(last.condition) && last.second:
		return "sorting many rows"
	case sortsFew(last.condition) && last.condition.Args[0].Const.Kind != ir.Invalid:
		return "few rows sorted by insertion"
	case sortsFew(last.condition):
		return "few rows sorted in one launch"
	case isGrouped && last.second:
		return "a table of a row of each key"
	case isByParts && last.second:
		return "a table made part by part"
	case isGrouped, isByParts:
		return "a table of all rows"
	case isWords && last.second:
		return "words of rows, and then of codes"
	case isWords:
		return "words of rows and codes"
	case hasSlotsOf(ir.OpEnterParts, 1) && last.second:
		return "a hash table"
	case hasSlotsOf(ir.OpEnterParts, 1):
		return "a table whose slots are keys"
	case isFolded && followsFromLengths(last.condition) && last.second:
		return "rows looked up as they come"
	case isFolded && followsFromLengths(last.condition):
		return "rows looked up in the order of the table"
	case isTable && last.second:
		return "a table of rows that move first"
	case isTable:
		return "a table of rows as they come"
	case bins != nil && last.second:
		return "bins of rows in any order"
	case bins != nil && bins.Type.Domain.Kind == ir.DomainOrder: // to which they have moved
		return "bins of partitioned rows"
	case bins != nil:
		return "bins of rows in their order"
	case hasSlotsOf(ir.OpCuckoo, 0):
		if last.second {
			return "linear probing"
		}
		return "cuckoo hashing"
	case !last.second && g.result(last.condition) == nil && (table == nil || table.Limit == nil): // where there are enough rows
		return "a sample"
	case table != nil && table.Op == ir.OpGroupParts && table.Shift > 0:
		return "a bitmap of the keys of each part"
	case table != nil:
		return "a " + g.tableName(table, s.ways)
	case !last.second && limitedTable(last.condition) != nil:
		return "groups of a " + g.tableName(limitedTable(last.condition), s.ways)
	case sorts:
		return "sorting"
	case !last.second && slices.ContainsFunc(g.Pipeline.Values, isMoved):
		return "bins of partitioned rows"
	case !last.second && slices.ContainsFunc(g.Pipeline.Values, isSize):
		return "bins"
	case last.second:
		return fmt.Sprintf("%s is 0", g.conditionName(last))
	}
	return fmt.Sprintf("%s is not 0", g.conditionName(last))
}

// tableName names a hash table by how its rows are entered and combined.
func (g *Graph) tableName(table *ir.Value, at ways) string {
	name, ok := map[string]string{
		plan.Shared:      "shared hash table",
		plan.Independent: "hash table behind one of each work-group",
		plan.Local:       "hash table behind one in local memory",
	}[g.strategy]
	switch {
	case table.Split > 0:
		return "hash table of partitioned rows"
	case !ok && table.Else != nil: // which work-groups remember in places of the kind that suits as many keys
		return "hash table for as many keys as the sample has"
	case !ok || table.Limit == nil:
		return "hash table"
	case slices.ContainsFunc(at, func(w way) bool { return w.second }):
		return "larger " + name // where that for few groups was not enough
	}
	return name
}

// limitedTable returns the table of which a condition says whether it has all rows, or nil.
func limitedTable(condition *ir.Value) *ir.Value {
	seen := map[*ir.Value]bool{}
	var find func(v *ir.Value) *ir.Value
	find = func(v *ir.Value) *ir.Value {
		if v.Limit != nil && (v.Op == ir.OpInsert || v.Op == ir.OpCollect) {
			return v
		}
		for _, arg := range v.Args {
			if seen[arg] {
				continue
			}
			seen[arg] = true
			if table := find(arg); table != nil {
				return table
			}
		}
		return nil
	}
	return find(condition)
}

func (g *Graph) conditionName(w way) string {
	if v := g.result(w.condition); v != nil {
		return v.Name
	}
	return "its condition"
}

// explainWays lists the ways of kernels, in the order of the kernels.
func (p *Program) explainWays(t taken) (list []ExplainedWay) {
	var paths []ways
	for i, k := range p.Kernels {
		s := p.Groups[i][0]
		if len(s.ways) == 0 {
			continue
		}
		at := slices.IndexFunc(paths, func(w ways) bool { return slices.Equal(w, s.ways) })
		if at < 0 {
			at = len(paths)
			paths = append(paths, s.ways)
			list = append(list, ExplainedWay{Name: p.Fusion.Graph.wayName(s), Chosen: t.runs(s)})
		}
		list[at].Kernels++
		list[at].Bytes += p.Fusion.Graph.traffic(k).Total()
		list[at].Predicted += nanoseconds(p.Fusion.cost(k))
	}
	return list
}

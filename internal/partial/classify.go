package partial

import (
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// class says where the value of an operator is known.
type class uint8

const (
	uniform  class = iota // everywhere: it depends on scalar parameters, and on columns that are whole
	row                   // in a shard: it depends on rows of its columns, or on those that repeat or join makes of one
	place                 // in a shard: the number of one of its rows, to take its columns by
	groups                // in a shard: a grouping of rows, whose numbers depend on the groups of other shards
	cut                   // after all shards: an aggregate of rows
	finished              // after all shards: it depends on aggregates
)

// refuse returns the error that v cannot be computed in shards.
func refuse(v *ir.Value, hint, format string, args ...any) error {
	return ir.NewError(nil, v.Pos, "no partials: "+fmt.Sprintf(format, args...), hint)
}

const wholeHint = "only pipelines that aggregate rows can be computed in shards: aggregate first, or leave out --partials or --shard-rows"

// classify returns the class of each value of p. The error says why p has no
// partials.
func classify(p *ir.Pipeline, o Options) ([]class, error) {
	classes := make([]class, len(p.Values))
	cuts := 0
	for _, v := range p.Values {
		c, err := classOf(v, o, func(o *ir.Value) class { return classes[o.ID] })
		if err != nil {
			return nil, err
		}
		classes[v.ID] = c
		if c == cut {
			cuts++
		}
		if (c == cut || c == row) && p.IsReproducible(v) {
			return nil, refuse(v, "leave out reproducible, or sum integers such as cents", "%v of floats rounds all rows to the same units, which a shard does not know", v.Op)
		}
	}
	for _, r := range p.Results {
		v := *r.Value
		v.Pos = r.Pos
		switch c := classes[v.ID]; {
		case c == row && !o.Rows || c == groups:
			return nil, refuse(&v, wholeHint, "result %s has a row for each row of %s, and partials hold aggregates", r.Label, v.Type.Domain)
		case c == place:
			return nil, refuse(&v, "return columns of these rows", "result %s has numbers of rows, which count those of earlier shards", r.Label)
		}
	}
	if cuts == 0 && !o.Rows {
		return nil, ir.NewError(nil, p.Pos, fmt.Sprintf("no partials: pipeline %s aggregates no rows", p.Name), wholeHint)
	}
	return classes, nil
}

func classOf(v *ir.Value, options Options, of func(*ir.Value) class) (class, error) {
	var rows, ends bool // an operand is known in a shard, or after all shards
	for _, o := range v.Operands() {
		switch of(o) {
		case row, place, groups:
			rows = true
		case cut, finished:
			ends = ends || o != v.Else
		}
	}
	numbered := v.Op != ir.OpCompact && slices.ContainsFunc(v.Args, func(o *ir.Value) bool { return of(o) == groups })
	switch {
	case v.Op == ir.OpParam && !v.Type.IsScalar() && !options.isWhole(v.Type.Domain):
		return row, nil
	case !rows && (ends || v.Else != nil && of(v.Else) >= cut):
		return finished, nil
	case !rows:
		return uniform, nil
	case ends:
		return 0, refuse(v, "a second pipeline can take the first one's results as parameters",
			"%v needs, for each row, a result of all rows", v.Op)
	}
	return rowClass(v, numbered, of)
}

// rowClass returns the class of an operator with an operand of rows.
func rowClass(v *ir.Value, numbered bool, of func(*ir.Value) class) (class, error) {
	if numbered {
		return 0, refuse(v, "use the grouping with by: only", "%v takes the numbers of groups, which depend on the groups of other shards", v.Op)
	}
	places := slices.ContainsFunc(v.Args, func(o *ir.Value) bool { return of(o) == place })
	within := v.By != nil && of(v.By) == place // the rows that repeat or join makes of one lie in one shard
	switch {
	case places && v.Op == ir.OpGather && of(v.Args[0]) == row && v.Args[1].Type.Target == v.Args[0].Type.Domain:
		return row, nil
	case places && v.Op == ir.OpCompact && of(v.Args[0]) == place && of(v.Args[1]) == row:
		return place, nil
	case places && v.Op != ir.OpLen:
		return 0, refuse(v, "take columns of these rows first", "%v takes numbers of rows, which count those of earlier shards", v.Op)
	case v.Op.IsElementwise():
		return row, nil
	case v.Op.IsAggregate() && v.Op.Aggregate().GivesRow():
		return 0, refuse(v, "aggregate the value by min or max", "%v gives a row's number, which counts the rows of earlier shards", v.Op)
	case v.Op == ir.OpLen:
		return cut, nil
	case within:
		return row, nil
	case v.Op.IsAggregate():
		if v.Type.Kind == ir.Text && v.Op.Aggregate().NoRows == ir.NoRowsElse && mayBeEmpty(v) { // a state of no rows holds a constant
			return 0, refuse(v, "aggregate by runs, starts or groups without else:, whose groups have rows", "%v may have no rows, and a partial holds no text for none", v.Op)
		}
		if v.By != nil {
			switch maker(v.By).Op {
			case ir.OpRuns, ir.OpStarts, ir.OpGroups, ir.OpBins:
			default:
				return 0, refuse(v, "group by runs, starts, groups or bins", "%v is by rows of other shards", v.Op)
			}
		}
		return cut, nil
	}
	switch v.Op {
	case ir.OpCompact:
		if of(v.Args[0]) == groups {
			return groups, nil
		}
		return row, nil
	case ir.OpAlign:
		if v.Args[0].Type.IsScalar() {
			return row, nil
		}
		return 0, refuse(v, "", "align compares the lengths of columns that are cut into shards")
	case ir.OpBins:
		if v.Args[1].Type.IsScalar() {
			return row, nil
		}
		return 0, refuse(v, "write bins(i, size)", "the bins are rows of %s, which are cut into shards", v.Args[1].Type.Domain)
	case ir.OpRuns, ir.OpStarts, ir.OpGroups:
		return groups, nil
	case ir.OpIndex:
		return 0, refuse(v, "pass the numbers as a column", "index counts the rows of earlier shards")
	case ir.OpScan, ir.OpExscan:
		return 0, refuse(v, wholeHint, "%v runs over the rows of earlier shards", v.Op)
	case ir.OpPrev, ir.OpNext:
		return row, nil
	case ir.OpGather:
		if of(v.Args[0]) == uniform {
			return row, nil
		}
	case ir.OpFind, ir.OpJoin:
		if !slices.ContainsFunc(v.Args[v.Split:], func(o *ir.Value) bool { return of(o) != uniform }) {
			return row, nil
		}
		return 0, refuse(v, "look for rows among those of a domain that is whole: kgen.Over, or --shard-rows DOMAIN=N, names the one in pieces", "%v looks for rows among those of other shards", v.Op)
	case ir.OpRight:
		return row, nil
	case ir.OpLeft, ir.OpRepeat:
		return place, nil
	}
	return 0, refuse(v, wholeHint, "%v needs the rows of other shards", v.Op)
}

// maker returns the operator that made a grouping, before any filters.
func maker(by *ir.Value) *ir.Value {
	for by.Op == ir.OpCompact {
		by = by.Args[0]
	}
	return by
}

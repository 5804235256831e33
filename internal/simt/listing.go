package simt

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Behind a few masks hardly any row is left as a rule, so most work-items would only wait for those that have one. On
// devices with subgroups, each subgroup lists the numbers of the rows that are left, those of several tiles. As soon as there
// is one for each of its work-items, these take a row each, and do all that remains to be done for it: what earlier phases
// have found is found again, which takes less than local memory for it would.

// listedMasks is how many masks rows pass before they are listed.
const listedMasks = 2

// directShare is of how many fourths of a subgroup's work-items each has a row left where rows are not listed: columns are then
// read by wide accesses as those of all rows.
const directShare = 3

// listedRows is for how many rows of each of its work-items a subgroup has a list: fewer than one is left of earlier tiles, and a tile adds one at a time.
const listedRows = 2

// listing is the strategy of such kernels.
type listing struct{ filtering }

// rowList is the list of a subgroup.
type rowList struct {
	rows  *loop.Var // of all subgroups
	first loop.Expr // the place of this subgroup's first row
	count *loop.Var
}

// list makes the rows that some masks keep listed ones, if all that is left to do is done for them.
func (k *kernel) list() {
	if k.listed = listedDomain(k.Kernel, k.shape); k.listed == 0 || !k.walks() || k.long || k.isRecomputed(k.Domains[k.listed].Guard) {
		k.listed = 0
		return
	}
	for i := range k.phase {
		k.phase[i] = min(k.phase[i], listedMasks)
	}
	k.masks, k.strategy = listedMasks, listing{}
}

// listedDomain returns the domain of the rows that may be listed, or 0: the only one that so many masks tell.
func listedDomain(t *tile.Kernel, s shape) (listed int) {
	isElsewhere := func(op *tile.Op) bool { return op.IsLimited() || op.WindowBits > 0 }
	if !s.subgroup.divides(s.workgroup) || t.Has(leavesMore) || t.Has(isClaim) || t.Has(isElsewhere) {
		return 0
	}
	for d := range t.Domains {
		switch {
		case maskDepth(t, d) != listedMasks:
		case listed > 0 || t.Domains[d].Kind != tile.Compact || t.Values[t.Domains[d].Guard].Domain == tile.Uniform: // which all rows pass or none
			return 0
		default:
			listed = d
		}
	}
	return listed
}

// isListedColumn reports whether nothing reads a column but listed rows.
func (k *kernel) isListedColumn(stream int) bool {
	listed := listedDomain(k.Kernel, k.shape)
	if listed == 0 {
		return false
	}
	for i := range k.Ops {
		op := &k.Ops[i]
		for _, arg := range op.Args {
			if load := &k.Ops[k.Values[arg].Op]; load.LoadsElement() && load.Stream == stream && !k.Inside(op.Domain, listed) {
				return false
			}
		}
	}
	return true
}

// listBytes returns the local memory that the lists of a work-group may take.
func listBytes(t *tile.Kernel, s shape, workgroup int) int64 {
	if s.workgroup = workgroup; listedDomain(t, s) == 0 {
		return 0
	}
	return int64(listedRows * workgroup * ir.U32.Size())
}

func (f listing) run(s *launches, e *rowBody) {
	f.phases(e, s.masks-1)
	e.eachListed(s.masks)
}

// beginList declares the lists of a work-group, which are empty.
func (e *rowBody) beginList() {
	rows := listedRows * e.subgroup.Width
	e.list = &rowList{
		rows:  e.localWords("rows", e.workgroup/e.subgroup.Width*rows),
		first: e.b.Let("first_listed", loop.Mul(&loop.ID{Kind: loop.SubgroupID}, loop.Int(int64(rows)))),
		count: e.b.Decl("listed", loop.Int(0)),
	}
}

// eachListed lists the rows that are left of the tile, and runs a phase over those of which there is one for each work-item of
// the subgroup, or over all of them if the tile is the work-group's last.
func (e *rowBody) eachListed(phase int) {
	left, list, width := e.kept[e.Domains[e.listed].Guard], e.list, loop.Int(int64(e.subgroup.Width))
	hasRow := func() loop.Expr { return loop.Ne(left, number(ir.U32, 0)) }
	busy := loop.ToCounter(loop.Apply(ir.OpPopcount, e.subgroup.ballot(hasRow())))
	e.b.If(loop.Ge(busy, loop.Int(int64(e.subgroup.Width/4*directShare))), func() {
		e.loadHeld(phase, left)
		e.loopRows(phase)
		e.b.Assign(left, number(ir.U32, 0))
	}, nil)
	e.b.While(loop.True, func() {
		lanes := e.b.Let("lanes", e.subgroup.ballot(hasRow()))
		areListed := e.b.Let("are_listed", e.subgroup.isEmpty(lanes))
		hasMore := loop.And(e.isLastTile, loop.Gt(list.count, loop.Int(0)))
		e.b.If(loop.And(areListed, loop.Not(hasMore)), func() { e.b.Break() }, nil)
		e.b.If(hasRow(), func() {
			item := e.b.Let("item", loop.ToCounter(loop.Apply(ir.OpTrailingzeros, left)))
			before := loop.ToCounter(loop.Apply(ir.OpPopcount, e.subgroup.before(lanes)))
			row := loop.Add(e.first, e.heldAt(e.localID, item))
			e.b.Store(list.rows, loop.Add(list.first, loop.Add(list.count, before)), loop.ToKind(ir.U32, row))
			e.b.Assign(left, loop.Apply(ir.OpAnd, left, loop.Sub(left, number(ir.U32, 1))))
		}, nil)
		e.b.Assign(list.count, loop.Add(list.count, loop.ToCounter(loop.Apply(ir.OpPopcount, lanes))))
		e.b.If(loop.Or(areListed, loop.Ge(list.count, width)), func() {
			e.b.Barrier(loop.SubgroupScope)
			rows := e.b.Let("rows", loop.Least(list.count, width))
			e.b.Assign(list.count, loop.Sub(list.count, rows))
			e.b.If(loop.Lt(sublane(), rows), func() {
				row := loop.At(list.rows, loop.Add(list.first, loop.Add(list.count, sublane())))
				e.atListed(phase, e.b.Let("row", loop.ToCounter(row)))
			}, nil)
			e.b.Barrier(loop.SubgroupScope)
		}, nil)
	})
}

// atListed runs a phase for a listed row.
func (e *rowBody) atListed(phase int, row loop.Expr) {
	columns := e.columns
	e.now, e.columns, e.isListed, e.isWhole = phase, nil, true, true
	e.item, e.place, e.row, e.rowBefore = nil, nil, row, nil
	e.openTables(phase)
	body := func() {
		e.values = map[tile.ID]loop.Expr{}
		e.block(e.listed)
	}
	e.assuming(loop.True, e.assumptions(), body, body)
	e.closeTables()
	e.columns, e.isListed, e.row = columns, false, nil
}

package tiletest

import (
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Programs returns kernels built by hand, as a reader would write them: the
// prefix problems that every scheme has to solve first. All read i32 columns
// over the domain n.
func Programs() []*tile.Kernel {
	return []*tile.Kernel{scan(), filter(), count(), countAndSum(), filterTwoColumns()}
}

func sum() *tile.Monoid { return tile.NewFold(ir.ReduceAdd, ir.I64) }

func input(b *tile.Builder, name string) tile.ID {
	return b.Load(b.Stream(name, ir.I32, name, tile.Element, false))
}

// output stores x for the rows of domain, at their places.
func output(b *tile.Builder, domain int, name string, x, place tile.ID) {
	stream := b.Stream(name, b.Kernel.Values[x].Kind, name, tile.Place, true)
	b.StoreAt(domain, stream, x, place)
}

// scan stores the running sum of a, and the whole sum.
func scan() *tile.Kernel {
	b := tile.NewBuilder("scan", "n", "n")
	a := b.Map(0, ir.OpCast, ir.I64, "wide", input(b, "a"))
	running := b.Scan(0, sum(), false, "running", a)[0]
	b.Store(b.Stream("out", ir.I64, "out", tile.Element, true), running)
	b.StoreScalar("whole", b.Total(running, "whole"))
	return b.Finish()
}

// selected derives the rows where x is positive, numbered in order.
func selected(b *tile.Builder, x tile.ID) (domain int, place tile.ID) {
	keep := b.Map(0, ir.OpGt, ir.Bool, "keep", x, b.Const(ir.Int(ir.I32, 0)))
	domain = b.Derive(tile.Compact, 0, keep, "k", "k")
	place = b.Scan(domain, sum(), true, "place", b.Int(1))[0]
	b.CountBy(domain, place)
	b.StoreScalar("k_length", b.Total(place, "k_length"))
	return domain, place
}

// filter stores the rows of x that are positive.
func filter() *tile.Kernel {
	b := tile.NewBuilder("filter", "n", "n")
	x := input(b, "x")
	k, place := selected(b, x)
	output(b, k, "out", x, place)
	return b.Finish()
}

// filterTwoColumns stores x and a function of y for the rows where x is positive.
func filterTwoColumns() *tile.Kernel {
	b := tile.NewBuilder("filter_two_columns", "n", "n")
	x, y := input(b, "x"), input(b, "y")
	k, place := selected(b, x)
	output(b, k, "out_x", x, place)
	output(b, k, "out_y", b.Map(k, ir.OpMul, ir.I32, "twice", y, b.Const(ir.Int(ir.I32, 2))), place)
	return b.Finish()
}

// runs derives a row per run of equal keys.
func runs(b *tile.Builder, key tile.ID) (domain int, head, position tile.ID) {
	head = b.Head(key)
	begun := b.Scan(0, sum(), true, "begun", b.Map(0, ir.OpCast, ir.I64, "", head))[0]
	domain = b.Derive(tile.Close, 0, head, "g", "g")
	b.CountBy(domain, begun)
	b.StoreScalar("g_length", b.Total(begun, "g_length"))
	return domain, head, b.Kernel.Domains[domain].Position
}

// restarted folds x from each head on, up to the row before.
func restarted(b *tile.Builder, head, x tile.ID, name string) tile.ID {
	return b.Scan(0, tile.NewSegmented(sum()), true, name, head, x)[1]
}

// countRuns stores key and length of each run.
func countRuns(b *tile.Builder) (domain int, head, position tile.ID) {
	key := input(b, "key")
	domain, head, position = runs(b, key)
	last := b.Scan(0, tile.NewLast(ir.I32), true, "last_key", head, key)[1]
	output(b, domain, "out_key", last, position)
	output(b, domain, "out_count", restarted(b, head, b.Int(1), "rows"), position)
	return domain, head, position
}

// count is ordered COUNT: key and length of each run of equal keys.
func count() *tile.Kernel {
	b := tile.NewBuilder("count", "n", "n")
	countRuns(b)
	return b.Finish()
}

// countAndSum is ordered COUNT and SUM.
func countAndSum() *tile.Kernel {
	b := tile.NewBuilder("count_and_sum", "n", "n")
	g, head, position := countRuns(b)
	x := b.Map(0, ir.OpCast, ir.I64, "wide", input(b, "x"))
	output(b, g, "out_sum", restarted(b, head, x, "total"), position)
	return b.Finish()
}

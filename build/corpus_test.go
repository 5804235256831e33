package build_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/ir"
)

// The corpus's pipelines as a Go program would make them.
var corpus = map[string]func() *ir.Builder{
	"tpch_q1": func() *ir.Builder {
		b := ir.NewBuilder("q1")
		b.Doc("TPC-H Q1: pricing summary by return flag and line status.")
		flag, status := build.Column[build.Char8](b, "flag", "n"), build.Column[build.Char8](b, "status", "n")
		quantity, price := build.Column[float64](b, "qty", "n"), build.Column[float64](b, "price", "n")
		discount, tax := build.Column[float64](b, "disc", "n"), build.Column[float64](b, "tax", "n")
		ship := build.Column[build.Date](b, "ship", "n")
		m := b.Let("m", ship.Le(b.Date("1998-09-02")))
		g := b.Let("g", b.Groups(flag.At(m), status.At(m)))
		discounted := b.Let("dp", price.Mul(b.Constant(1).Sub(discount)).At(m))
		charged := b.Let("ch", price.Mul(b.Constant(1).Sub(discount)).Mul(b.Constant(1).Add(tax)).At(m))
		by := ir.By(g)
		b.Return(b.First(flag.At(m), by).As("flag"), b.First(status.At(m), by).As("status"),
			b.Sum(quantity.At(m), by).As("sq"), b.Sum(price.At(m), by).As("sp"), b.Sum(discounted, by).As("sd"), b.Sum(charged, by).As("sc"),
			b.Avg(quantity.At(m), by).As("aq"), b.Avg(discount.At(m), by).As("ad"), b.CountBy(g).As("n"))
		return b
	},
	"tpch_q3": func() *ir.Builder {
		b := ir.NewBuilder("q3")
		b.Doc("TPC-H Q3: the ten unshipped orders of a market segment with the highest revenue.")
		customer, segment := build.Column[int32](b, "ckey", "c"), build.Column[build.Char8](b, "seg", "c")
		order, buyer := build.Column[int32](b, "okey", "o"), build.Column[int32](b, "ocust", "o")
		date, priority := build.Column[build.Date](b, "odate", "o"), build.Column[int32](b, "prio", "o")
		line, price := build.Column[int32](b, "lkey", "l"), build.Column[float64](b, "price", "l")
		discount, ship := build.Column[float64](b, "disc", "l"), build.Column[build.Date](b, "ship", "l")
		day := b.Date("1995-03-15")
		om := b.Let("om", date.Lt(day).And(b.Find(buyer, customer.At(segment.Eq("BUILDING"))).Ge(0)))
		lm := b.Let("lm", ship.Gt(day))
		j := b.Let("j", b.Join(line.At(lm), order.At(om)))
		k := b.Let("k", line.At(lm).At(b.Left(j)))
		d := b.Let("d", date.At(om).At(b.Right(j)))
		s := b.Let("s", priority.At(om).At(b.Right(j)))
		g := b.Let("g", b.Groups(k, d, s))
		revenue := b.Let("rev", b.Sum(price.Mul(b.Constant(1).Sub(discount)).At(lm).At(b.Left(j)), ir.By(g)))
		first := b.Let("gd", b.First(d, ir.By(g)))
		p := b.Let("p", b.Order(ir.Desc(revenue), first, ir.Limit(10)))
		b.Return(b.First(k, ir.By(g)).At(p).As("okey"), revenue.At(p).As("revenue"), first.At(p).As("odate"), b.First(s, ir.By(g)).At(p).As("prio"))
		return b
	},
	"tpch_q6": func() *ir.Builder {
		b := ir.NewBuilder("q6")
		b.Doc("TPC-H Q6: revenue of a conjunction of range conditions.")
		ship := build.Column[build.Date](b, "shipdate", "n")
		discount, quantity := build.Column[float64](b, "discount", "n"), build.Column[float64](b, "quantity", "n")
		price := build.Column[float64](b, "price", "n")
		hit := b.Let("hit", ship.Ge(b.Date("1994-01-01")).And(ship.Lt(b.Date("1995-01-01"))).
			And(discount.Ge(0.05)).And(discount.Le(0.07)).And(quantity.Lt(24)))
		b.Return(b.Sum(price.At(hit).Mul(discount.At(hit))).As("revenue"))
		return b
	},
	"sessions_of_sorted": func() *ir.Builder {
		b := ir.NewBuilder("sessions_of_sorted")
		b.Doc("Sessions where rows arrive sorted: a new user or a pause begins one.")
		user, time := build.Column[int32](b, "user", "n"), build.Column[int64](b, "time", "n")
		pause := build.Optional[int64](b, "pause", 1800)
		s := b.Let("s", b.Starts(user.Ne(b.Prev(user, 1, 0)).Or(time.Sub(b.Prev(time, 1, 0)).Gt(pause))))
		b.Return(b.First(user, ir.By(s)).As("user"), b.First(time, ir.By(s)).As("from"), b.Last(time, ir.By(s)).As("to"), b.CountBy(s).As("clicks"))
		return b
	},
	"bit_operations": func() *ir.Builder {
		b := ir.NewBuilder("bit_operations")
		b.Doc("Bits: and, or, xor, and-not, complement, and shifts by counts modulo the width.")
		x, y := build.Column[uint32](b, "x", "n"), build.Column[uint32](b, "y", "n")
		s, k := build.Column[int32](b, "s", "n"), build.Column[uint8](b, "k", "n")
		b.Return(x.BitAnd(y).As("and"), x.BitOr(y).As("or"), x.BitXor(y).As("xor"), x.BitAndNot(y).As("andnot"), x.BitNot().As("not"),
			x.Shl(5).As("left"), x.Shr(31).As("right"), x.Shl(33).As("wide"), s.Shr(4).As("sign"), k.Shr(k).As("small"), x.Shr(8).BitAnd(255).As("field"))
		return b
	},
	"precedence": func() *ir.Builder {
		b := ir.NewBuilder("precedence")
		b.Doc("Go's precedence: products and shifts, then sums and or, comparisons, and, or.")
		x, y, z := build.Column[int32](b, "a", "n"), build.Column[int32](b, "b", "n"), build.Column[int32](b, "c", "n")
		b.Return(
			b.Let("x", x.Add(y.Mul(z).Shl(1)).BitOr(z.BitAnd(3)).BitXor(x)),
			b.Let("y", x.Add(y).Mul(z.Sub(x.Neg()))),
			b.Let("m", x.Lt(y).And(y.Lt(z)).Or(x.Eq(z).Not().And(z.BitAnd(1).Eq(1)))),
			b.Let("o", x.Lt(z).Or(y.Lt(z.Add(1))).And(x.Gt(y).Or(y.Eq(3).Not()))))
		return b
	},
	"kmeans_step": func() *ir.Builder {
		b := ir.NewBuilder("kmeans")
		b.Doc("One step of k-means: nearest centre of each point, and the sums that give the next centres.")
		px, py := build.Column[float64](b, "px", "n"), build.Column[float64](b, "py", "n")
		cx, cy := build.Column[float64](b, "cx", "k"), build.Column[float64](b, "cy", "k")
		e := b.Let("e", b.Repeat(b.Align(b.Len(cx), px)))
		c := b.Let("c", b.Exscan(ir.ReduceAdd, 1, ir.By(e)))
		dx := b.Let("dx", px.At(e).Sub(cx.At(c)))
		dy := b.Let("dy", py.At(e).Sub(cy.At(c)))
		best := b.Let("best", b.Bins(c.At(b.Argmin(dx.Mul(dx).Add(dy.Mul(dy)), ir.By(e))), cx))
		b.Return(best, b.Sum(px, ir.By(best)).As("x"), b.Sum(py, ir.By(best)).As("y"), b.CountBy(best).As("n"))
		return b
	},
	"casts": func() *ir.Builder {
		b := ir.NewBuilder("casts")
		b.Doc("Casts: integers wrap, floats truncate and saturate, NaN becomes 0, bool becomes 0 or 1.")
		f, i, flag := build.Column[float64](b, "f", "n"), build.Column[int64](b, "i", "n"), build.Column[bool](b, "b", "n")
		b.Return(build.Cast[int32](b, f).As("to_i32"), build.Cast[uint8](b, f).As("to_u8"), build.Cast[int64](b, f).As("to_i64"),
			build.Cast[uint64](b, f).As("to_u64"), build.Cast[int8](b, i).As("narrow"), build.Cast[uint16](b, i).As("unsigned"),
			build.Cast[float32](b, i).As("from_i64"), build.Cast[float32](b, f).As("from_f64"), build.Cast[float64](b, i).As("back"),
			build.Cast[int32](b, flag).As("flag"), build.Cast[float64](b, flag).As("flag_f"), build.Cast[uint64](b, flag).As("unit"))
		return b
	},
	"scalar_parameters": func() *ir.Builder {
		b := ir.NewBuilder("scalar_parameters")
		b.Doc("Scalar parameters of many types, each with a default.")
		x, day, code := build.Column[int32](b, "x", "n"), build.Column[build.Date](b, "day", "n"), build.Column[build.Char8](b, "code", "n")
		low, high := build.Optional[int32](b, "low", -5), build.Optional[int32](b, "high", int32(1000))
		from, name := build.Optional[build.Date](b, "from", b.Date("1994-01-01")), build.Optional[build.Char8](b, "name", "AIR")
		scale, invert, step := build.Optional[float64](b, "scale", 0.5), build.Optional[bool](b, "invert", false), build.Optional[uint8](b, "step", 16)
		hit := b.Let("hit", x.Ge(low).And(x.Lt(high)).And(day.Ge(from)).And(code.Eq(name)).Ne(invert))
		b.Return(x.At(hit), build.Cast[float64](b, x).Mul(scale).At(hit).As("scaled"), step.Add(1).As("step"), b.Count(day.Ge(from.Add(365))).As("late"))
		return b
	},
}

func TestCorpusInGo(t *testing.T) {
	for name, pipeline := range corpus {
		want, err := ir.LoadFile("../testsuite/corpus/" + name + ".kg")
		if err != nil {
			t.Fatal(err)
		}
		p, err := pipeline().Pipeline()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(want[0].String(), p.String()); diff != "" {
			t.Errorf("%s differs from the corpus:\n%s", name, diff)
		}
	}
}

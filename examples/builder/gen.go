//go:build ignore

// Gen makes the pipelines of package builder. Go's loops and functions stand
// where the language of pipelines has none.
package main

import (
	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/ir"
)

func main() { build.Main(summary("quantity", "price", "discount"), sine()) }

// summary has the same statistics of each column, per order.
func summary(columns ...string) *ir.Builder {
	b := ir.NewBuilder("summary")
	b.Doc("Statistics of the lines of each order, whose lines are neighbours.")
	order := build.Column[int64](b, "order", "n")
	g := b.Let("g", b.Runs(order))
	results := []any{b.First(order, ir.By(g)).As("order"), b.CountBy(g).As("lines")}
	for _, name := range columns {
		x := build.Column[float64](b, name, "n")
		results = append(results,
			b.First(x, ir.By(g)).As("first_"+name), b.Avg(x, ir.By(g)).As("mean_"+name), b.Sum(x, ir.By(g)).As("total_"+name))
	}
	b.Return(results...)
	return b
}

// sine is a polynomial, by Horner's rule.
func sine() *ir.Builder {
	b := ir.NewBuilder("sine")
	b.Doc("The sine of angles from -pi/2 to pi/2, to about six digits: x - x^3/3! + x^5/5! - ...")
	x := build.Column[float64](b, "x", "n")
	square := b.Let("square", x.Mul(x))
	y := b.Constant(1.0)
	for k := 11; k > 1; k -= 2 {
		y = b.Constant(1).Sub(square.Div(k * (k - 1)).Mul(y))
	}
	b.Return(x.Mul(y).As("y"))
	return b
}

package ir_test

import (
	"fmt"

	"github.com/kgen-go/kgen/ir"
)

func ExampleBuilder() {
	b := ir.NewBuilder("orders")
	key := b.Column("l_orderkey", "n", ir.I64)
	quantity := b.Column("l_quantity", "n", ir.I64)
	g := b.Let("g", b.Runs(key))
	b.Return(
		ir.As("key", b.First(key, ir.By(g))),
		ir.As("count", b.CountBy(g)),
		ir.As("total", b.Sum(quantity, ir.By(g))),
	)
	pipeline, err := b.Pipeline()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(pipeline)
	// Output:
	// pipeline orders(l_orderkey: [n]i64, l_quantity: [n]i64) {
	// 	g = runs(l_orderkey)
	// 	return key: first(l_orderkey, by: g), count: count(by: g), total: sum(l_quantity, by: g)
	// }
}

func ExampleOperand() {
	b := ir.NewBuilder("revenue")
	price := b.Column("price", "n", ir.F64)
	discount := b.Column("discount", "n", ir.F64)
	sold := b.Column("sold", "n", ir.Date)
	hit := b.Let("hit", sold.Ge(b.Date("1994-01-01")).And(discount.Lt(0.1)))
	b.Return(b.Sum(price.Mul(b.Constant(1).Sub(discount)).At(hit)).As("revenue"))
	pipeline, err := b.Pipeline()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(pipeline)
	// Output:
	// pipeline revenue(price: [n]f64, discount: [n]f64, sold: [n]date) {
	// 	hit = sold >= date("1994-01-01") && discount < 0.1
	// 	return revenue: sum((price * (1 - discount))[hit])
	// }
}

func ExampleLoad() {
	_, errs := ir.Load("prices.kg", []byte(`pipeline prices(price: [n]f64, quantity: [n]i64) {
	return revenue: sum(price * quantity)
}
`))
	for _, err := range errs {
		fmt.Println(err)
	}
	// Output:
	// prices.kg:2:28: * of different types: price is f64, quantity is i64
	// 	return revenue: sum(price * quantity)
	// 	                          ^
	//   no type converts by itself: write f64(quantity)
}

func ExamplePipeline_Range() {
	pipelines, errs := ir.Load("digits.kg", []byte("pipeline digits(key: [n]u32) {\n\treturn digit: key >> 8 & 255\n}\n"))
	if len(errs) > 0 {
		fmt.Println(errs)
		return
	}
	p := pipelines[0]
	fmt.Println(p.Range(p.Results[0].Value))
	// Output: 0 255 true
}

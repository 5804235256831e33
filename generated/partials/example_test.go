package partials_test

import (
	"fmt"

	"github.com/kgen-go/kgen/generated/partials"
)

// Two shards are computed apart, travel as bytes, and are combined. Order 7
// has lines in both.
func Example() {
	shard := func(keys, quantities []int64) []byte {
		p := partials.NewOrdersPartial()
		if err := p.Add(keys, quantities); err != nil {
			panic(err)
		}
		data, err := p.MarshalBinary()
		if err != nil {
			panic(err)
		}
		return data
	}
	shards := [][]byte{shard([]int64{3, 3, 7}, []int64{10, 20, 30}), shard([]int64{7, 8}, []int64{40, 50})}

	whole := partials.NewOrdersPartial()
	for _, data := range shards {
		var p partials.OrdersPartial
		if err := p.UnmarshalBinary(data); err != nil {
			panic(err)
		}
		if err := whole.Merge(&p); err != nil {
			panic(err)
		}
	}
	orders, err := whole.Result()
	fmt.Println(orders.Key, orders.Count, orders.Quantity, err)
	// Output: [3 7 8] [2 2 1] [30 70 50] <nil>
}

// A check that fails in a later shard is reported with its row among all.
func ExampleMonthsPartial_Result() {
	p := partials.NewMonthsPartial(8035, 84) // from 1992-01-01
	fmt.Println(p.Add([]int32{8035, 8066}, []int64{1, 2}))
	fmt.Println(p.Add([]int32{8035, 7000}, []int64{3, 4}))
	_, err := p.Result()
	fmt.Println(err)
	// Output:
	// <nil>
	// <nil>
	// lineitem.kg:19:6: no such bin in bins(m, months); first keep the rows where m is in 0..months - 1 (row 3 of n)
}

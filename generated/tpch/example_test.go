package tpch_test

import (
	"fmt"

	"github.com/kgen-go/kgen/generated/tpch"
)

func ExampleOrders() {
	orderkey := []int64{1, 1, 1, 2, 3, 3}
	quantity := []int64{17, 36, 8, 38, 45, 49}
	result, err := tpch.Orders(orderkey, quantity)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, key := range result.Key {
		fmt.Println(key, result.Count[i], result.Quantity[i])
	}
	// Output:
	// 1 3 61
	// 2 1 38
	// 3 2 94
}

package tpch_test

import (
	"reflect"
	"sync"
	"testing"

	"github.com/kgen-go/kgen/generated/tpch"
)

// Calls may run at once, each with several workers, and give what one worker
// gives. The rows make several blocks, with orders across their borders.
func TestConcurrentCalls(t *testing.T) {
	const rows = 300_000
	orderkey, quantity := make([]int64, rows), make([]int64, rows)
	shipdate := make([]int32, rows)
	discount, price := make([]float64, rows), make([]float64, rows)
	for i := range rows {
		orderkey[i], quantity[i] = int64(i/7+i/100_000), int64(i%50+1)
		shipdate[i] = int32(8766 + i%700)
		discount[i], price[i] = float64(i%11)/100, float64(i%1000)
	}
	wantOrders, err := tpch.Orders(orderkey, quantity, tpch.WithWorkers(1))
	if err != nil {
		t.Fatal(err)
	}
	wantRevenue := 0.0
	for i := range rows {
		if shipdate[i] >= 8766 && shipdate[i] < 9131 && discount[i] >= 0.05 && discount[i] <= 0.07 && quantity[i] < 24 {
			wantRevenue += price[i] * discount[i]
		}
	}
	var calls sync.WaitGroup
	for workers := range 4 {
		calls.Go(func() {
			orders, err := tpch.Orders(orderkey, quantity, tpch.WithWorkers(workers))
			if err != nil || !reflect.DeepEqual(orders, wantOrders) {
				t.Errorf("Orders with %d workers gives other results than with one: %v", workers, err)
			}
			q6, err := tpch.Q6(shipdate, discount, quantity, price, 8766, 9131, tpch.WithWorkers(workers))
			if difference := q6.Revenue - wantRevenue; err != nil || difference > 1e-6 || difference < -1e-6 {
				t.Errorf("Q6 with %d workers gives %v, not %v: %v", workers, q6.Revenue, wantRevenue, err)
			}
		})
	}
	calls.Wait()
}

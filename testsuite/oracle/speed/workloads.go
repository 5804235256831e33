package main

import (
	"context"
	"database/sql/driver"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/consumer/analytics"
	"gonum.org/v1/gonum/floats"

	"github.com/kgen-go/kgen/generated/bench"
	"github.com/kgen-go/kgen/testsuite/internal/peers"
)

// workers is how many goroutines and threads each side may use.
const workers = 2

// The data of the current workload, and the results that are reused.
var (
	order, value              []int32
	wide                      []int64
	shipdate                  []int32
	discount, quantity, price []float64

	below     analytics.BelowResult
	belowSum  analytics.BelowSumResult
	orders    analytics.OrdersResult
	revenue   analytics.RevenueResult
	total     analytics.TotalResult
	newBelow  analytics.BelowResult
	newOrders analytics.OrdersResult
	turnover  analytics.TurnoverResult

	handKeys             []int32
	handCounts, handSums []int64
	handTotal            float64

	ownFilter  bench.FilterI32Result
	ownSums    bench.SumRunsResult
	ownRevenue bench.Q6Result

	with    = analytics.WithWorkers(workers)
	ownWith = bench.WithWorkers(workers)
)

const (
	from, to = 8766, 9131 // 1994
)

// Queries that add up the columns of DuckDB's table result.
const (
	filterAdded = "SELECT count(*)::BIGINT, sum(x)::BIGINT FROM result"
	runsAdded   = "SELECT sum(o)::BIGINT, sum(q)::BIGINT FROM result"
)

// Queries whose results are numbers.
const (
	totalQuery    = "SELECT 0::BIGINT, sum(x)::BIGINT FROM wide"
	turnoverQuery = "SELECT sum(price * quantity) + sum(quantity) FROM items"
)

var revenueQuery = fmt.Sprintf("SELECT sum(price * discount) FROM lineitem WHERE "+
	"shipdate >= %d AND shipdate < %d AND discount BETWEEN 0.05::DOUBLE AND 0.07::DOUBLE AND quantity < 24", from, to)

var workloads = slices.Concat(buildWorkloads(), tableWorkloads(), orderWorkloads())

func buildWorkloads() []workload {
	var list []workload
	for _, percent := range []int{10, 50, 90} {
		limit := int32(math.MinInt32 + int64(percent)*(1<<32)/100)
		prepare := func(rows int) { value, handKeys = randomInts(rows), make([]int32, rows+1) }
		row := func(i int) []driver.Value { return []driver.Value{value[i]} }
		query := fmt.Sprintf("SELECT x FROM values WHERE x < %d", limit)
		list = append(list, workload{
			name: fmt.Sprintf("filter %d %%", percent), table: "values(x INTEGER)", query: query, added: filterAdded, prepare: prepare, row: row, least: 2,
			fresh: func() { newBelow = must(analytics.Below(value, limit, with)) },
			again: func() { check(analytics.BelowInto(&below, value, limit, with)) },
			own:   func() { check(bench.FilterI32Into(&ownFilter, value, limit, ownWith)) },
			other: func() { peers.Filter(handKeys, value, limit, workers) },
			agree: func(db *database) error {
				return same(db, filterAdded, int64(len(below.X)), sum(below.X))
			},
		}, workload{
			name: fmt.Sprintf("filter %d %%, added up", percent), table: "values(x INTEGER)", prepare: prepare, row: row,
			query: fmt.Sprintf("SELECT count(*), sum(x)::BIGINT FROM values WHERE x < %d", limit),
			fresh: func() { belowSum = must(analytics.BelowSum(value, limit, with)) },
			again: func() { check(analytics.BelowSumInto(&belowSum, value, limit, with)) },
			agree: func(db *database) error {
				return same(db, fmt.Sprintf("SELECT count(*), sum(x)::BIGINT FROM values WHERE x < %d", limit), belowSum.Rows, belowSum.Sum)
			},
		})
	}
	for _, run := range []int{4, 128} {
		list = append(list, workload{
			name: fmt.Sprintf("orders of %d lines", run), table: "lines(o INTEGER, quantity INTEGER)",
			query: "SELECT o, count(*) AS n, sum(quantity)::BIGINT AS q FROM lines GROUP BY o",
			added: runsAdded, least: 2,
			prepare: func(rows int) {
				order, value = randomRuns(rows, run), randomInts(rows)
				handKeys, handCounts, handSums = make([]int32, rows), make([]int64, rows), make([]int64, rows)
			},
			row:   func(i int) []driver.Value { return []driver.Value{order[i], value[i]} },
			fresh: func() { newOrders = must(analytics.Orders(order, value, with)) },
			again: func() { check(analytics.OrdersInto(&orders, order, value, with)) },
			own:   func() { check(bench.SumRunsInto(&ownSums, order, value, ownWith)) },
			other: func() { peers.SumRuns(handKeys, handCounts, handSums, order, value, workers) },
			agree: func(db *database) error {
				return same(db, runsAdded, sum(orders.Order), sum(orders.Quantity))
			},
		})
	}
	return append(list, workload{
		name: "Q6", table: "lineitem(shipdate INTEGER, discount DOUBLE, quantity DOUBLE, price DOUBLE)",
		query: revenueQuery, least: 2,
		prepare: randomLineitem,
		row:     func(i int) []driver.Value { return []driver.Value{shipdate[i], discount[i], quantity[i], price[i]} },
		fresh:   func() { revenue = must(analytics.Revenue(shipdate, discount, quantity, price, from, to, with)) },
		again: func() {
			check(analytics.RevenueInto(&revenue, shipdate, discount, quantity, price, from, to, with))
		},
		own: func() {
			check(bench.Q6Into(&ownRevenue, shipdate, discount, quantity, price, from, to, ownWith))
		},
		other: func() { handTotal = peers.Q6(shipdate, discount, quantity, price, from, to, workers) },
		agree: func(db *database) error {
			got, err := db.value(revenueQuery)
			if x, ok := got.(float64); err == nil && (!ok || math.Abs(x-revenue.Revenue) > 1e-9*x) {
				err = fmt.Errorf("revenue %v, DuckDB has %v", revenue.Revenue, got)
			}
			return err
		},
	}, workload{
		name: "plain sum", table: "wide(x BIGINT)",
		query: totalQuery, least: 1,
		prepare: func(rows int) {
			wide = make([]int64, rows)
			for i, x := range randomInts(rows) {
				wide[i] = int64(x)
			}
		},
		row:   func(i int) []driver.Value { return []driver.Value{wide[i]} },
		fresh: func() { total = must(analytics.Total(wide, with)) },
		again: func() { check(analytics.TotalInto(&total, wide, with)) },
		other: func() { handSum(wide) },
		agree: func(db *database) error { return same(db, totalQuery, 0, total.Total) },
	}, workload{
		name: "turnover, 1 worker; gonum", table: "items(price DOUBLE, quantity DOUBLE)",
		query:   turnoverQuery,
		prepare: randomLineitem,
		row:     func(i int) []driver.Value { return []driver.Value{price[i], quantity[i]} },
		fresh:   func() { turnover = must(analytics.Turnover(price, quantity, analytics.WithWorkers(1))) },
		again:   func() { check(analytics.TurnoverInto(&turnover, price, quantity, analytics.WithWorkers(1))) },
		other:   func() { handTotal = floats.Dot(price, quantity) + floats.Sum(quantity) },
		agree: func(db *database) error {
			got, err := db.value(turnoverQuery)
			want := turnover.Turnover + turnover.Items
			if x, ok := got.(float64); err == nil && (!ok || math.Abs(x-want) > 1e-9*x || math.Abs(handTotal-want) > 1e-9*x) {
				err = fmt.Errorf("turnover and items %v, gonum has %v and DuckDB %v", want, handTotal, got)
			}
			return err
		},
	})
}

// same requires that a query of two numbers gives these.
func same(db *database, query string, a, b int64) error {
	var x, y int64
	if err := db.conn.QueryRowContext(context.Background(), query).Scan(&x, &y); err != nil {
		return err
	}
	if x != a || y != b {
		return fmt.Errorf("DuckDB has %d and %d, not %d and %d", x, y, a, b)
	}
	return nil
}

func sum[T int32 | int64](list []T) (total int64) {
	for _, x := range list {
		total += int64(x)
	}
	return total
}

// handSum adds a column up in halves, on two goroutines.
func handSum(x []int64) int64 {
	half := make(chan int64)
	go func() { half <- sum(x[:len(x)/2]) }()
	return sum(x[len(x)/2:]) + <-half
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func must[T any](x T, err error) T {
	check(err)
	return x
}

func randomInts(rows int) []int32 {
	r := rand.New(rand.NewPCG(1, 2))
	list := make([]int32, rows)
	for i := range list {
		list[i] = int32(r.Uint32())
	}
	return list
}

// randomRuns returns ascending keys in runs of run rows on average.
func randomRuns(rows, run int) []int32 {
	r := rand.New(rand.NewPCG(3, 4))
	list := make([]int32, rows)
	k := int32(0)
	for i := range list {
		if r.IntN(run) == 0 {
			k++
		}
		list[i] = k
	}
	return list
}

// randomLineitem makes the columns of Q6 with the distributions of TPC-H.
func randomLineitem(rows int) {
	r := rand.New(rand.NewPCG(5, 6))
	shipdate = make([]int32, rows)
	discount, quantity, price = make([]float64, rows), make([]float64, rows), make([]float64, rows)
	for i := range shipdate {
		shipdate[i] = 8036 + int32(r.IntN(2526))
		discount[i] = float64(r.IntN(11)) / 100
		quantity[i] = float64(1 + r.IntN(50))
		price[i] = float64(90000+r.IntN(10000000)) / 100
	}
}

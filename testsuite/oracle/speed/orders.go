package main

import (
	"bytes"
	"cmp"
	"context"
	"database/sql/driver"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/kgen-go/kgen/generated/tables"
)

// The data and the results of workloads that sort rows.
var (
	texts [][8]byte
	reals []float64

	sortedInts  tables.OrderIntsResult
	sortedWide  tables.OrderWideResult
	sortedTexts tables.OrderTextsResult
	sortedPairs tables.OrderPairsResult
	leastRows   tables.LeastRowsResult

	newRows []int64

	// The memory of intermediate columns stays from call to call of "again".
	sortScratch tables.Scratch
	sortWith    = tables.WithScratch(&sortScratch)
)

// orderWorkloads sort rows by keys of several types, and find the least ones. By hand, the
// standard library sorts numbers of rows.
func orderWorkloads() []workload {
	hand := func(compare func(i, j int64) int) func() {
		return func() { handSort(compare) }
	}
	list := []workload{{
		name: "order of i32", table: "facts(k INTEGER, row BIGINT)", query: "SELECT row FROM facts ORDER BY k",
		prepare: func(rows int) { value = randomInts(rows) },
		row:     func(i int) []driver.Value { return []driver.Value{value[i], int64(i)} },
		fresh:   func() { newRows = must(tables.OrderInts(value, tablesWith)).Row },
		again:   func() { check(tables.OrderIntsInto(&sortedInts, value, tablesWith, sortWith)) },
		other:   hand(func(i, j int64) int { return cmp.Compare(value[i], value[j]) }),
		agree:   func(db *database) error { return sameRows(db, "k, row", sortedInts.Row) },
		least:   4,
	}, {
		name: "order of i64", table: "facts(k BIGINT, row BIGINT)", query: "SELECT row FROM facts ORDER BY k",
		prepare: func(rows int) { wide = randomWide(rows) },
		row:     func(i int) []driver.Value { return []driver.Value{wide[i], int64(i)} },
		fresh:   func() { newRows = must(tables.OrderWide(wide, tablesWith)).Row },
		again:   func() { check(tables.OrderWideInto(&sortedWide, wide, tablesWith, sortWith)) },
		other:   hand(func(i, j int64) int { return cmp.Compare(wide[i], wide[j]) }),
		agree:   func(db *database) error { return sameRows(db, "k, row", sortedWide.Row) },
		least:   4,
	}, {
		name: "order of i32 and f64", table: "facts(k INTEGER, x DOUBLE, row BIGINT)", query: "SELECT row FROM facts ORDER BY k, x",
		prepare: func(rows int) { order, reals = randomKeys(rows, 1000, false), randomFloats(rows) },
		row:     func(i int) []driver.Value { return []driver.Value{order[i], reals[i], int64(i)} },
		fresh:   func() { newRows = must(tables.OrderPairs(order, reals, tablesWith)).Row },
		again:   func() { check(tables.OrderPairsInto(&sortedPairs, order, reals, tablesWith, sortWith)) },
		other: hand(func(i, j int64) int {
			return cmp.Or(cmp.Compare(order[i], order[j]), cmp.Compare(reals[i], reals[j]))
		}),
		agree: func(db *database) error { return sameRows(db, "k, x, row", sortedPairs.Row) },
		least: 4,
	}, {
		name: "order of char8", table: "facts(k VARCHAR, row BIGINT)", query: "SELECT row FROM facts ORDER BY k",
		prepare: func(rows int) { texts = randomTexts(rows) },
		row:     func(i int) []driver.Value { return []driver.Value{string(texts[i][:]), int64(i)} },
		fresh:   func() { newRows = must(tables.OrderTexts(texts, tablesWith)).Row },
		again:   func() { check(tables.OrderTextsInto(&sortedTexts, texts, tablesWith, sortWith)) },
		other:   hand(func(i, j int64) int { return bytes.Compare(texts[i][:], texts[j][:]) }),
		agree:   func(db *database) error { return sameRows(db, "k, row", sortedTexts.Row) },
		least:   8,
	}}
	for i := range list {
		list[i].stored = true
	}
	for _, c := range []struct {
		limit int
		least float64
	}{{10, 1}, {1000, 3.5}, {100_000, 8}, {1_000_000, 11}} {
		limit := int64(c.limit)
		list = append(list, workload{
			name: fmt.Sprintf("order of f64, limit %d", limit), table: "facts(k DOUBLE, row BIGINT)",
			query:   fmt.Sprintf("SELECT row FROM facts ORDER BY k LIMIT %d", limit),
			prepare: func(rows int) { reals = randomFloats(rows) },
			row:     func(i int) []driver.Value { return []driver.Value{reals[i], int64(i)} },
			fresh:   func() { newRows = must(tables.LeastRows(reals, limit, tablesWith)).Row },
			again:   func() { check(tables.LeastRowsInto(&leastRows, reals, limit, tablesWith, sortWith)) },
			agree:   func(db *database) error { return sameRows(db, fmt.Sprintf("k, row LIMIT %d", limit), leastRows.Row) },
			least:   c.least, stored: true,
		})
	}
	return list
}

// handSort sorts the numbers of all rows with the standard library, on one goroutine: the only
// sort that it has.
func handSort(compare func(i, j int64) int) {
	rows := newRows
	for i := range rows {
		rows[i] = int64(i)
	}
	slices.SortStableFunc(rows, compare)
}

// sameRows requires that DuckDB has the rows of facts in the same order, where the number of the
// row breaks ties.
func sameRows(db *database, by string, got []int64) error {
	rows, err := db.conn.QueryContext(context.Background(), "SELECT row FROM facts ORDER BY "+by)
	if err != nil {
		return err
	}
	defer rows.Close()
	i := 0
	for ; rows.Next(); i++ {
		var want int64
		if err := rows.Scan(&want); err != nil {
			return err
		}
		if i < len(got) && got[i] != want {
			return fmt.Errorf("row %d of the order is %d, DuckDB has %d", i, got[i], want)
		}
	}
	if i != len(got) {
		return fmt.Errorf("%d rows, DuckDB has %d", len(got), i)
	}
	return rows.Err()
}

func randomWide(rows int) []int64 {
	r := rand.New(rand.NewPCG(11, 12))
	list := make([]int64, rows)
	for i := range list {
		list[i] = int64(r.Uint64())
	}
	return list
}

func randomFloats(rows int) []float64 {
	r := rand.New(rand.NewPCG(13, 14))
	list := make([]float64, rows)
	for i := range list {
		list[i] = r.Float64()
	}
	return list
}

// randomTexts returns texts of 8 capital letters.
func randomTexts(rows int) [][8]byte {
	r := rand.New(rand.NewPCG(15, 16))
	list := make([][8]byte, rows)
	for i := range list {
		for j := range list[i] {
			list[i][j] = 'A' + byte(r.IntN(26))
		}
	}
	return list
}

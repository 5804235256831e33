package main

import (
	"database/sql/driver"
	"fmt"
	"math/rand/v2"

	"github.com/kgen-go/kgen/generated/tables"
)

// The data and the results of workloads with a table.
var (
	id, weight []int32

	groups    tables.SumGroupsResult
	newGroups tables.SumGroupsResult
	joined    tables.SumJoinedResult
	found     tables.SumFoundResult

	tablesWith = tables.WithWorkers(workers)
)

// pair is what a group adds up.
type pair struct{ count, total int64 }

// Queries of groups and joins. What DuckDB adds up of the groups is what kgen's results are
// compared with.
const (
	groupsQuery = "SELECT k, count(*) AS n, sum(v)::BIGINT AS s FROM facts GROUP BY k"
	groupsAdded = "SELECT sum(n * k)::BIGINT, sum(s)::BIGINT FROM result"
	joinedQuery = "SELECT count(*), sum(v::BIGINT * w)::BIGINT FROM facts JOIN dimension ON k = id"
	foundQuery  = "SELECT count(*), sum(w)::BIGINT FROM facts JOIN dimension ON k = id"
)

// tableWorkloads are groups of rows in any order, joins with rows whose keys are unique or
// not, and finds. Keys are dense, numbers from 0 on, or spread over all 32 bits.
func tableWorkloads() []workload {
	var list []workload
	for _, c := range []struct {
		keys   int
		spread bool
	}{{16, false}, {1 << 10, false}, {1 << 16, false}, {1 << 20, false}, {1 << 24, false}, {1 << 10, true}, {1 << 16, true}, {1 << 20, true}, {1 << 24, true}} {
		list = append(list, workload{
			name: fmt.Sprintf("groups of %s", keysText(c.keys, c.spread)), table: "facts(k INTEGER, v INTEGER)",
			query: groupsQuery, added: groupsAdded,
			prepare: func(rows int) { order, value = randomKeys(rows, c.keys, c.spread), randomInts(rows) },
			row:     func(i int) []driver.Value { return []driver.Value{order[i], value[i]} },
			fresh:   func() { newGroups = must(tables.SumGroups(order, value, tablesWith)) },
			again:   func() { check(tables.SumGroupsInto(&groups, order, value, tablesWith)) },
			other:   func() { handGroups(order, value) },
			agree: func(db *database) error {
				counted := int64(0)
				for i, k := range groups.Key {
					counted += int64(k) * groups.Count[i]
				}
				return same(db, groupsAdded, counted, sum(groups.Total))
			},
		})
	}
	for _, c := range []struct {
		keys, times int // how many rows of the dimension have each key
		spread      bool
	}{{1 << 10, 1, false}, {1 << 20, 1, false}, {1 << 10, 1, true}, {1 << 20, 1, true}, {1 << 24, 1, true}, {1 << 18, 4, false}, {1 << 18, 4, true}} {
		name := "join with " + keysText(c.keys, c.spread)
		if c.times > 1 {
			name = fmt.Sprintf("join with %d rows each of %s", c.times, keysText(c.keys, c.spread))
		}
		list = append(list, workload{
			name: name, table: "facts(k INTEGER, v INTEGER)",
			query: joinedQuery,
			prepare: func(rows int) {
				order, value = randomKeys(rows, c.keys, c.spread), randomInts(rows)
				randomDimension(c.keys, c.times, c.spread)
			},
			row:       func(i int) []driver.Value { return []driver.Value{order[i], value[i]} },
			second:    "dimension(id INTEGER, w INTEGER)",
			secondRow: func(i int) []driver.Value { return []driver.Value{id[i], weight[i]} },
			seconds:   func() int { return len(id) },
			fresh:     func() { joined = must(tables.SumJoined(order, value, id, weight, tablesWith)) },
			again:     func() { check(tables.SumJoinedInto(&joined, order, value, id, weight, tablesWith)) },
			other:     func() { handJoin(order, value, id, weight) },
			agree:     func(db *database) error { return same(db, joinedQuery, joined.Pairs, joined.Total) },
		})
		if c.times > 1 {
			list[len(list)-1].other = nil
		}
	}
	for _, c := range []struct {
		keys   int
		spread bool
	}{{1 << 20, false}, {1 << 24, false}, {1 << 20, true}, {1 << 24, true}} {
		list = append(list, workload{
			name: "find in " + keysText(c.keys, c.spread), table: "facts(k INTEGER)",
			query: foundQuery,
			prepare: func(rows int) {
				order = randomKeys(rows, c.keys, c.spread)
				randomDimension(c.keys, 1, c.spread)
			},
			row:       func(i int) []driver.Value { return []driver.Value{order[i]} },
			second:    "dimension(id INTEGER, w INTEGER)",
			secondRow: func(i int) []driver.Value { return []driver.Value{id[i], weight[i]} },
			seconds:   func() int { return len(id) },
			fresh:     func() { found = must(tables.SumFound(order, id, weight, tablesWith)) },
			again:     func() { check(tables.SumFoundInto(&found, order, id, weight, tablesWith)) },
			agree:     func(db *database) error { return same(db, foundQuery, found.Rows, found.Total) },
		})
	}
	return list
}

func keysText(keys int, spread bool) string {
	if spread {
		return fmt.Sprintf("%d spread keys", keys)
	}
	return fmt.Sprintf("%d dense keys", keys)
}

func keyOf(k int, spread bool) int32 {
	if spread {
		return int32(uint32(k) * 2654435761)
	}
	return int32(k)
}

// randomDimension makes rows of which so many have each of some keys, in any order.
func randomDimension(keys, times int, spread bool) {
	id, weight = make([]int32, keys*times), make([]int32, keys*times)
	for i, k := range rand.New(rand.NewPCG(7, 8)).Perm(len(id)) {
		id[i], weight[i] = keyOf(k%keys, spread), int32(k%1000)
	}
}

func randomKeys(rows, keys int, spread bool) []int32 {
	r := rand.New(rand.NewPCG(9, 10))
	list := make([]int32, rows)
	for i := range list {
		list[i] = keyOf(r.IntN(keys), spread)
	}
	return list
}

// handGroups adds groups up in two of Go's maps, a half of the rows each.
func handGroups(key, value []int32) map[int32]*pair {
	add := func(key, value []int32) map[int32]*pair {
		m := map[int32]*pair{}
		for i, k := range key {
			p := m[k]
			if p == nil {
				p = &pair{}
				m[k] = p
			}
			p.count++
			p.total += int64(value[i])
		}
		return m
	}
	half := len(key) / 2
	first := make(chan map[int32]*pair)
	go func() { first <- add(key[:half], value[:half]) }()
	m := add(key[half:], value[half:])
	for k, p := range <-first {
		if q := m[k]; q != nil {
			q.count, q.total = q.count+p.count, q.total+p.total
		} else {
			m[k] = p
		}
	}
	return m
}

// handJoin looks each key up in one of Go's maps, on two goroutines.
func handJoin(key, value, id, weight []int32) int64 {
	m := make(map[int32]int32, len(id))
	for i, k := range id {
		m[k] = weight[i]
	}
	add := func(key, value []int32) (total int64) {
		for i, k := range key {
			if w, ok := m[k]; ok {
				total += int64(value[i]) * int64(w)
			}
		}
		return total
	}
	half := len(key) / 2
	first := make(chan int64)
	go func() { first <- add(key[:half], value[:half]) }()
	return add(key[half:], value[half:]) + <-first
}

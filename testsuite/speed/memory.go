package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/kgen-go/kgen/generated/bench"
	"github.com/kgen-go/kgen/generated/tables"
	"github.com/kgen-go/kgen/testsuite/internal/peers"
)

// memoryWorkload is a workload in four forms of one worker: emitted Go and a loop that anybody would write, both in
// new memory, and emitted Go and a good loop, both in memory that they have used before.
type memoryWorkload struct {
	name              string
	prepare           func(rows int)
	emitted, appended func()
	into              func(workers int)
	good              func()
	agree             func() error
}

// compareMemory prints a line for each workload, of the least processor time of some rounds.
func compareMemory(w io.Writer, list []memoryWorkload, rows, rounds int, clock func() time.Duration) error {
	fmt.Fprintln(w, "workload\temitted, new\tappend\tratio\temitted, Into\tgood\tratio\tInto, 2 workers\t")
	for _, load := range list {
		load.prepare(rows)
		forms := []func(){load.emitted, load.appended, func() { load.into(1) }, load.good, func() { load.into(2) }}
		least := slices.Repeat([]time.Duration{1 << 62}, len(forms))
		for range rounds {
			for i, form := range forms {
				begun := clock()
				form()
				least[i] = min(least[i], clock()-begun)
			}
		}
		ns := func(i int) float64 { return float64(least[i].Nanoseconds()) / float64(rows) }
		fmt.Fprintf(w, "%s\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t\n", load.name, ns(0), ns(1), ns(0)/ns(1), ns(2), ns(3), ns(2)/ns(3), ns(4))
		if err := load.agree(); err != nil {
			return fmt.Errorf("%s: %w", load.name, err)
		}
	}
	return nil
}

// memoryWorkloads are narrow and wide rows, groups of mixed lengths, and groups of which some are kept.
func memoryWorkloads() []memoryWorkload {
	const limit = 50
	one := tables.WithWorkers(1)
	var (
		bytes                 []uint8
		x, y, z               []int32
		user, at, long, other []int64
		wide                  [4][]int64
		kept                  int
		ints                  []int32
		columns               [4][]int64
		narrow                peers.Groups[int32]
		groups                peers.Groups[int64]
		naiveInts             []int32
		naiveColumns          [4][]int64
		naiveNarrow           peers.Groups[int32]
		naiveGroups           peers.Groups[int64]
	)
	room := func(rows int) {
		ints, columns = make([]int32, rows+1), [4][]int64{}
		for c := range columns {
			columns[c] = make([]int64, rows+1)
		}
		narrow = peers.Groups[int32]{Key: make([]int32, rows+1), Count: make([]int64, rows+1), Total: make([]int64, rows+1)}
		groups = peers.Groups[int64]{Key: make([]int64, rows+1), Count: make([]int64, rows+1), Total: make([]int64, rows+1),
			Begin: make([]int64, rows+1), End: make([]int64, rows+1), Before: make([]int64, rows+1), Share: make([]float64, rows+1)}
	}
	var list []memoryWorkload
	var sessions tables.RichSessionsResult
	list = append(list, memoryWorkload{"sessions that earn enough", func(rows int) { room(rows); user, at, long = randomEvents(rows) },
		func() { must2(tables.RichSessions(user, at, long, pause, 16*500, one)) },
		func() { naiveGroups = peers.AppendSessions(user, at, long, pause, 16*500) },
		func(workers int) {
			must(tables.RichSessionsInto(&sessions, user, at, long, pause, 16*500, tables.WithWorkers(workers), withScratch))
		},
		func() { kept = peers.Sessions(&groups, user, at, long, pause, 16*500) },
		func() error {
			return first(same("users", sessions.User, groups.Key[:kept]), same("totals", sessions.Total, naiveGroups.Total), same("events", sessions.Events, groups.Count[:kept]),
				same("ends", sessions.End, naiveGroups.End), same("sums", sessions.SoFar, groups.Before[:kept]))
		}})
	var frequent tables.FrequentKeysResult
	list = append(list, memoryWorkload{"HAVING, runs of 8", func(rows int) { room(rows); x, y = randomRuns(rows, 8), randomInts(rows) },
		func() { must2(tables.FrequentKeys(x, y, 12, one)) },
		func() { naiveNarrow = peers.AppendFrequent(x, y, 12) },
		func(workers int) {
			must(tables.FrequentKeysInto(&frequent, x, y, 12, tables.WithWorkers(workers), withScratch))
		},
		func() { kept = peers.Frequent(&narrow, x, y, 12) },
		func() error {
			return first(same("keys", frequent.Key, naiveNarrow.Key), same("counts", frequent.Count, narrow.Count[:kept]), same("totals", frequent.Total, narrow.Total[:kept]))
		}})
	var large tables.LargeOrdersResult
	list = append(list, memoryWorkload{"filter, runs, HAVING, scan", func(rows int) {
		room(rows)
		user, at, long = randomEvents(rows)
		x = randomPercent(rows)
	},
		func() { must2(tables.LargeOrders(user, x, long, limit, 16000, one)) },
		func() { naiveGroups = peers.AppendLarge(user, x, long, limit, 16000) },
		func(workers int) {
			must(tables.LargeOrdersInto(&large, user, x, long, limit, 16000, tables.WithWorkers(workers), withScratch))
		},
		func() { kept = peers.Large(&groups, user, x, long, limit, 16000) },
		func() error {
			return first(same("orders", large.Order, groups.Key[:kept]), same("sums", large.SoFar, naiveGroups.Before), same("shares", large.Share, groups.Share[:kept]))
		}})
	var low tables.LowBytesResult
	list = append(list, memoryWorkload{"filter of u8, widened", func(rows int) { room(rows); bytes = randomBytes(rows) },
		func() { must2(tables.LowBytes(bytes, 128, one)) },
		func() { naiveInts = peers.AppendLow(bytes, 128) },
		func(workers int) {
			must(tables.LowBytesInto(&low, bytes, 128, tables.WithWorkers(workers), withScratch))
		},
		func() { kept = peers.Low(ints, bytes, 128) },
		func() error { return first(same("rows", low.X, ints[:kept]), same("rows", low.X, naiveInts)) }})
	var rowsOfFour tables.WideRowsResult
	list = append(list, memoryWorkload{"filter of four i64", func(rows int) {
		room(rows)
		x = randomPercent(rows)
		for c := range wide {
			wide[c] = randomWide(rows, 1<<62)
		}
	},
		func() { must2(tables.WideRows(x, wide[0], wide[1], wide[2], wide[3], limit, one)) },
		func() { naiveColumns = peers.AppendWide(x, wide, limit) },
		func(workers int) {
			must(tables.WideRowsInto(&rowsOfFour, x, wide[0], wide[1], wide[2], wide[3], limit, tables.WithWorkers(workers), withScratch))
		},
		func() { kept = peers.Wide(&columns, x, wide, limit) },
		func() error {
			return first(same("rows", rowsOfFour.A, columns[0][:kept]), same("rows", rowsOfFour.D, naiveColumns[3]))
		}})
	for _, c := range []struct {
		name string
		step func(i int) bool
	}{
		{"COUNT, half in runs of 1", func(i int) bool { return i>>20&1 == 0 || i&(1<<20-1) == 0 }},
		{"COUNT, powers of two", func(i int) bool { return i&(1<<(i>>20%21)-1) == 0 }},
	} {
		var counts bench.CountRunsResult
		list = append(list, memoryWorkload{c.name, func(rows int) { room(rows); x = ascendingAt(rows, c.step) },
			func() { must2(bench.CountRuns(x, bench.WithWorkers(1))) },
			func() { naiveNarrow = peers.AppendRuns(x, nil) },
			func(workers int) { must(bench.CountRunsInto(&counts, x, bench.WithWorkers(workers))) },
			func() { kept = peers.CountRuns(narrow.Key, narrow.Count, x, 1) },
			func() error {
				return first(same("keys", counts.Key, narrow.Key[:kept]), same("counts", counts.Count, naiveNarrow.Count))
			}})
	}
	var column tables.OtherColumnResult
	list = append(list, memoryWorkload{"filter by two columns", func(rows int) {
		room(rows)
		x, z = randomPercent(rows), randomInts(rows)
		y = slices.Clone(x)
		slices.Reverse(y)
	},
		func() { must2(tables.OtherColumn(x, y, z, 70, one)) },
		func() { naiveInts = peers.AppendOther(x, y, z, 70) },
		func(workers int) {
			must(tables.OtherColumnInto(&column, x, y, z, 70, tables.WithWorkers(workers), withScratch))
		},
		func() { kept = peers.Other(ints, x, y, z, 70) },
		func() error { return first(same("rows", column.Z, ints[:kept]), same("rows", column.Z, naiveInts)) }})
	var sums tables.LongSumsResult
	list = append(list, memoryWorkload{"SUM of i64, runs of 16", func(rows int) {
		room(rows)
		user, long = widened(randomRuns(rows, 16)), randomWide(rows, 1<<40)
	},
		func() { must2(tables.LongSums(user, long, one)) },
		func() { naiveGroups = peers.AppendRuns(user, long) },
		func(workers int) {
			must(tables.LongSumsInto(&sums, user, long, tables.WithWorkers(workers), withScratch))
		},
		func() { kept = peers.SumRuns(groups.Key, groups.Count, groups.Total, user, long, 1) },
		func() error {
			return first(same("keys", sums.Key, groups.Key[:kept]), same("sums", sums.Total, naiveGroups.Total))
		}})
	var prefix tables.ScanLongResult
	return append(list, memoryWorkload{"scan i64", func(rows int) {
		room(rows)
		long = randomWide(rows, 1<<40)
	},
		func() { must2(tables.ScanLong(long, one)) },
		func() { other = peers.AppendScan(long) },
		func(workers int) { must(tables.ScanLongInto(&prefix, long, tables.WithWorkers(workers), withScratch)) },
		func() { peers.Scan(groups.Key, long, 1) },
		func() error {
			return first(same("sums", prefix.Total, groups.Key[:len(long)]), same("sums", prefix.Total, other))
		}})
}

// pause ends a session of random events: they follow each other by one unit of time or, one in 21, by
// twice the pause, and one in 64 is of another user.
const pause = 1800

func randomEvents(rows int) (user, at, revenue []int64) {
	r := rand.New(rand.NewPCG(17, 18))
	user, at, revenue = make([]int64, rows), make([]int64, rows), make([]int64, rows)
	who, when := int64(0), int64(0)
	for i := range user {
		when++
		if r.IntN(21) == 0 {
			when += 2 * pause
		}
		if r.IntN(64) == 0 {
			who++
		}
		user[i], at[i], revenue[i] = who, when, r.Int64N(1000)
	}
	return user, at, revenue
}

func randomPercent(rows int) []int32 {
	list := randomInts(rows)
	for i, x := range list {
		list[i] = int32(uint32(x) % 100)
	}
	return list
}

func randomBytes(rows int) []uint8 {
	list := make([]uint8, rows)
	for i, x := range randomInts(rows) {
		list[i] = uint8(x)
	}
	return list
}

func widened(list []int32) []int64 {
	wide := make([]int64, len(list))
	for i, x := range list {
		wide[i] = int64(x)
	}
	return wide
}

// ascendingAt returns keys that ascend at some rows.
func ascendingAt(rows int, step func(i int) bool) []int32 {
	list, k := make([]int32, rows), int32(0)
	for i := range list {
		if step(i) {
			k++
		}
		list[i] = k
	}
	return list
}

func must2[T any](_ T, err error) { must(err) }

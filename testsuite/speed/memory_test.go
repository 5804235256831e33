package main

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/kgen-go/kgen/generated/tables"
	"github.com/kgen-go/kgen/testsuite/internal/peers"
)

// Blocks of emitted Go have 1<<15 rows. Groups end at their edges, within them, and far behind them.
func TestKeptGroups(t *testing.T) {
	const rows = 5<<15 + 17
	for name, length := range map[string]func(i int) int{
		"rows alone":             func(int) int { return 1 },
		"few rows":               func(i int) int { return 1 + i*7919%23 },
		"blocks":                 func(int) int { return 1 << 15 },
		"nearly blocks":          func(i int) int { return 1<<15 - i%3 + 1 },
		"several blocks":         func(i int) int { return 3<<15 - 1000*i },
		"all rows":               func(int) int { return rows },
		"few rows and one group": func(i int) int { return 1 + 70000*(i/1000&1) },
	} {
		key, user, at, amount, value, day := make([]int32, rows), make([]int64, rows), make([]int64, rows), make([]int64, rows), make([]int32, rows), make([]int32, rows)
		for i, group := 0, 0; i < rows; group++ {
			for range min(length(group), rows-i) {
				key[i], user[i], at[i] = int32(group), int64(group/3), int64(i+group*2*pause)
				amount[i], value[i], day[i] = int64(i*31%200), int32(i*17%100-50), int32(i*13%100)
				i++
			}
		}
		for _, n := range []int{0, 1, 2, 1 << 15, 1<<15 + 1, 1 << 17, rows} {
			for workers := 1; workers <= 4; workers++ {
				t.Run(fmt.Sprint(name, n, workers), func(t *testing.T) {
					with := tables.WithWorkers(workers)
					frequent, err := tables.FrequentKeys(key[:n], value[:n], 12, with)
					must(err)
					counts := peers.AppendFrequent(key[:n], value[:n], 12)
					sessions, err := tables.RichSessions(user[:n], at[:n], amount[:n], pause, 900, with)
					must(err)
					rich := peers.AppendSessions(user[:n], at[:n], amount[:n], pause, 900)
					orders, err := tables.LargeOrders(user[:n], day[:n], amount[:n], 50, 900, with)
					must(err)
					large := peers.AppendLarge(user[:n], day[:n], amount[:n], 50, 900)
					if err := first(same("keys", frequent.Key, counts.Key), same("counts", frequent.Count, counts.Count), same("sums", frequent.Total, counts.Total),
						same("users", sessions.User, rich.Key), same("begins", sessions.Begin, rich.Begin), same("ends", sessions.End, rich.End),
						same("events", sessions.Events, rich.Count), same("revenues", sessions.Total, rich.Total), same("running sums", sessions.SoFar, rich.Before),
						same("orders", orders.Order, large.Key), same("lines", orders.Lines, large.Count), same("prices", orders.Total, large.Total),
						same("running prices", orders.SoFar, large.Before), same("shares", orders.Share, large.Share)); err != nil {
						t.Error(err)
					}
				})
			}
		}
	}
}

// Each workload has equal results in all its forms, and a line.
func TestCompareMemory(t *testing.T) {
	var out bytes.Buffer
	list := memoryWorkloads()
	if err := compareMemory(&out, list, 70_000, 1, func() time.Duration { return 1 }); err != nil {
		t.Error(err)
	}
	if lines := bytes.Count(out.Bytes(), []byte("\n")); lines != 1+len(list) {
		t.Errorf("%d lines of %d workloads:\n%s", lines, len(list), &out)
	}
}

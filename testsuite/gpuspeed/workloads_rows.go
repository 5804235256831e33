package main

import (
	"fmt"
	"math/bits"

	"github.com/kgen-go/kgen/plan"
)

// pause ends a session: most events follow the one before by one unit of time, one in 21 by a
// longer pause, and one in 64 is of another user, so that 16 events make a session.
const pause = 1800

// mixedBlock is how many rows of mixed keys have runs of one length.
const mixedBlock = 1 << 20

// byRows are narrow and wide rows, runs of mixed lengths, and groups of which some are kept.
func byRows() []workload {
	kept := func(name, pipeline string, columns []column, limit int32, goal goals, peers ...peer) workload {
		return workload{name: name, pipeline: pipeline, columns: columns, set: map[string]int64{"limit": int64(limit)}, goal: goal, peers: peers}
	}
	narrow := kept("filter of u8, widened", "filter_widened", []column{{"x", "bytes uniform"}}, 128, goals{best: .85})
	narrow.expect = func(a args) answer {
		var d digest
		for _, x := range a.columns[0].Data {
			if x < 128 {
				d.add(int64(x))
			}
		}
		return one(d)
	}
	wide := kept("filter of four i64", "filter_wide", []column{{"x", "percent"}, {"a", "long 1"}, {"b", "long 2"}, {"c", "long 3"}, {"d", "long 4"}}, 50, goals{best: .92})
	wide.expect = func(a args) answer {
		digests := make([]digest, 4)
		for i, x := range ints(a, 0) {
			if x < 50 {
				for c := range digests {
					digests[c].add(elements[int64](a.columns[c+1].Data)[i])
				}
			}
		}
		return several(digests...)
	}
	other := kept("filter by two columns", "filter_other", []column{{"x", "percent"}, {"y", "percent2"}, {"z", "value"}}, 70, goals{best: .93},
		peer{name: "CUB Select::Flagged", command: "filter2 70"})
	other.expect = func(a args) answer {
		var d digest
		y, z := ints(a, 1), ints(a, 2)
		for i, x := range ints(a, 0) {
			if x < 70 && y[i] < 70 {
				d.add(int64(z[i]))
			}
		}
		return one(d)
	}
	counts := func(name, key string) workload {
		return workload{name: name, pipeline: "count_runs", columns: []column{{"key", key}}, goal: goals{best: .90},
			expect: countsOfRuns, peers: []peer{{name: "CUB RunLengthEncode", command: "count"}}}
	}
	return []workload{{
		name: "sessions", pipeline: "sessions", columns: []column{{"user", "user"}, {"time", "time"}, {"amount", "value"}},
		set: map[string]int64{"pause": pause}, goal: goals{best: .75},
		expect: func(a args) answer {
			digests := make([]digest, 5)
			user, time, amount := ints(a, 0), elements[int64](a.columns[1].Data), ints(a, 2)
			for lo := 0; lo < len(user); {
				hi, total := lo+1, int64(amount[lo])
				for hi < len(user) && user[hi] == user[lo] && time[hi]-time[hi-1] <= pause {
					total += int64(amount[hi])
					hi++
				}
				for i, v := range []int64{int64(user[lo]), time[lo], time[hi-1], int64(hi - lo), total} {
					digests[i].add(v)
				}
				lo = hi
			}
			return several(digests...)
		},
	}, {
		name: "HAVING, runs of 8", pipeline: "having", columns: []column{{"key", "key8"}, {"value", "value"}},
		set: map[string]int64{"least": 12}, goal: goals{best: .80},
		expect: func(a args) answer {
			var keys, counts, totals digest
			value := ints(a, 1)
			eachRun(ints(a, 0), func(key int32, lo, hi int) {
				if hi-lo < 12 {
					return
				}
				total := int64(0)
				for _, v := range value[lo:hi] {
					total += int64(v)
				}
				keys.add(int64(key))
				counts.add(int64(hi - lo))
				totals.add(total)
			})
			return several(keys, counts, totals)
		},
	}, narrow, wide, counts("COUNT, half in runs of 1", "key1or1048576"), counts("COUNT, powers of two", "keyPowers"), other, {
		name: "SUM of i64, runs of 16", pipeline: "sum_runs_i64", columns: []column{{"key", "longKey16"}, {"value", "long"}},
		goal: goals{best: .93, lookback: .85},
		expect: func(a args) answer {
			var keys, totals digest
			value := elements[int64](a.columns[1].Data)
			eachRun(elements[int64](a.columns[0].Data), func(key int64, lo, hi int) {
				total := int64(0)
				for _, v := range value[lo:hi] {
					total += v
				}
				keys.add(key)
				totals.add(total)
			})
			return several(keys, totals)
		},
	}, {
		name: "scan i64", pipeline: "scan_i64", columns: []column{{"x", "long"}}, goal: goals{best: .95, cub: 1.2},
		expect: func(a args) answer {
			var d digest
			total := int64(0)
			for _, x := range elements[int64](a.columns[0].Data) {
				total += x
				d.add(total)
			}
			return one(d)
		},
		peers: []peer{{name: "CUB InclusiveSum", command: "scan64"}},
	}}
}

// longRunsBelow has a filter that so many in a hundred rows pass, runs of these rows, and sums of those of three or more.
func longRunsBelow(percent int32) workload {
	const least = 3
	return workload{
		name: fmt.Sprintf("filter %d %%, runs, HAVING", percent), pipeline: "long_runs_below", columns: []column{{"key", "key8"}, {"value", "percent"}},
		set: map[string]int64{"limit": int64(percent), "least": least},
		expect: func(a args) answer {
			var keys, counts, totals digest
			var key, value []int32
			for i, v := range ints(a, 1) {
				if v < percent {
					key, value = append(key, ints(a, 0)[i]), append(value, v)
				}
			}
			eachRun(key, func(key int32, lo, hi int) {
				if hi-lo < least {
					return
				}
				total := int64(0)
				for _, v := range value[lo:hi] {
					total += int64(v)
				}
				keys.add(int64(key))
				counts.add(int64(hi - lo))
				totals.add(total)
			})
			return several(keys, counts, totals)
		},
	}
}

func init() {
	for name, d := range map[string]distribution{
		"percent2": {kind: plan.I32, fill: each(func(i int64) int32 { return int32(random(14, i) % 100) })},
		"key1or1048576": {kind: plan.I32, step: func(i int64) int64 {
			if i/mixedBlock%2 == 0 || i%mixedBlock == 0 {
				return 1
			}
			return 0
		}},
		"keyPowers": {kind: plan.I32, step: func(i int64) int64 {
			if power := i / mixedBlock % int64(bits.Len(mixedBlock)); i&(1<<power-1) == 0 {
				return 1
			}
			return 0
		}},
		"longKey16": {kind: plan.I64, step: ascending(16)},
		"user":      {kind: plan.I32, step: ascending(64)},
		"time": {kind: plan.I64, step: func(i int64) int64 {
			if random(15, i)%21 == 0 {
				return 2 * pause
			}
			return 1
		}},
	} {
		distributions[name] = d
	}
}

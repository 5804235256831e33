package peers

// This file has two loops for each workload in which some rows or groups are kept: one as anybody
// would write it, which appends to new slices, and a good one, which stores into memory used before.

// Groups are results of groups, of the type of their keys.
type Groups[K integer] struct {
	Key                []K
	Count, Total       []int64
	Begin, End, Before []int64
	Share              []float64
}

// AppendFrequent is frequent_keys.
func AppendFrequent(key, value []int32, least int64) (r Groups[int32]) {
	for i := 0; i < len(key); {
		k, count, total := key[i], int64(0), int64(0)
		for ; i < len(key) && key[i] == k; i++ {
			count++
			total += int64(value[i])
		}
		if count >= least {
			r.Key, r.Count, r.Total = append(r.Key, k), append(r.Count, count), append(r.Total, total)
		}
	}
	return r
}

// Frequent is frequent_keys, and returns how many keys are kept. The last place of r may be written over.
func Frequent(r *Groups[int32], key, value []int32, least int64) (kept int) {
	if len(key) == 0 {
		return 0
	}
	value = value[:len(key)]
	outKey, outCount, outTotal := r.Key, r.Count[:len(r.Key)], r.Total[:len(r.Key)]
	k, begin, total := key[0], 0, int64(0)
	for i, next := range key {
		if next != k {
			count := int64(i - begin)
			if uint(kept) < uint(len(outKey)) {
				outKey[kept], outCount[kept], outTotal[kept] = k, count, total
			}
			kept += bit(count >= least)
			k, begin, total = next, i, 0
		}
		total += int64(value[i])
	}
	count := int64(len(key) - begin)
	outKey[kept], outCount[kept], outTotal[kept] = k, count, total
	return kept + bit(count >= least)
}

// AppendSessions is rich_sessions.
func AppendSessions(user, time, revenue []int64, pause, least int64) (r Groups[int64]) {
	soFar := int64(0)
	for i := 0; i < len(user); {
		first, total := i, int64(0)
		for i == first || i < len(user) && user[i] == user[i-1] && time[i]-time[i-1] <= pause {
			total += revenue[i]
			i++
		}
		if total >= least {
			soFar += total
			r.Key, r.Begin, r.End = append(r.Key, user[first]), append(r.Begin, time[first]), append(r.End, time[i-1])
			r.Count, r.Total, r.Before = append(r.Count, int64(i-first)), append(r.Total, total), append(r.Before, soFar)
		}
	}
	return r
}

// Sessions is rich_sessions, and returns how many are kept. The last place of r may be written over.
func Sessions(r *Groups[int64], user, time, revenue []int64, pause, least int64) (kept int) {
	if len(user) == 0 {
		return 0
	}
	time, revenue = time[:len(user)], revenue[:len(user)]
	key := r.Key
	begin, end, count, sum, running := r.Begin[:len(key)], r.End[:len(key)], r.Count[:len(key)], r.Total[:len(key)], r.Before[:len(key)]
	total, soFar, first := int64(0), int64(0), 0
	who, when, since := user[0], time[0], time[0]
	for i, u := range user {
		t := time[i]
		if u != who || t-when > pause {
			if total >= least && uint(kept) < uint(len(key)) {
				soFar += total
				key[kept], begin[kept], end[kept], count[kept], sum[kept], running[kept] = who, since, when, int64(i-first), total, soFar
				kept++
			}
			who, since, first, total = u, t, i, 0
		}
		when = t
		total += revenue[i]
	}
	if total >= least {
		key[kept], begin[kept], end[kept], count[kept], sum[kept], running[kept] = who, since, when, int64(len(user)-first), total, soFar+total
		kept++
	}
	return kept
}

// AppendLarge is large_orders.
func AppendLarge(order []int64, day []int32, price []int64, from int32, least int64) (r Groups[int64]) {
	soFar, count, total, most, open := int64(0), int64(0), int64(0), int64(0), int64(0)
	end := func() {
		if count > 0 && total >= least {
			soFar += total
			r.Key, r.Count, r.Total = append(r.Key, open), append(r.Count, count), append(r.Total, total)
			r.Before, r.Share = append(r.Before, soFar), append(r.Share, float64(most)/float64(total))
		}
	}
	for i, d := range day {
		if d < from {
			continue
		}
		if count == 0 || order[i] != open {
			end()
			open, count, total, most = order[i], 0, 0, price[i]
		}
		count, total, most = count+1, total+price[i], max(most, price[i])
	}
	end()
	return r
}

// Large is large_orders, and returns how many are kept.
func Large(r *Groups[int64], order []int64, day []int32, price []int64, from int32, least int64) (kept int) {
	order, price = order[:len(day)], price[:len(day)]
	key := r.Key
	counts, totals, before, share := r.Count[:len(key)], r.Total[:len(key)], r.Before[:len(key)], r.Share[:len(key)]
	soFar, count, total, most, open := int64(0), int64(0), int64(0), int64(0), int64(0)
	for i, d := range day {
		if d < from {
			continue
		}
		if o := order[i]; o != open || count == 0 {
			if total >= least && count > 0 && uint(kept) < uint(len(key)) {
				soFar += total
				key[kept], counts[kept], totals[kept], before[kept], share[kept] = open, count, total, soFar, float64(most)/float64(total)
				kept++
			}
			open, count, total, most = o, 0, 0, price[i]
		}
		p := price[i]
		count, total, most = count+1, total+p, max(most, p)
	}
	if total >= least && count > 0 {
		key[kept], counts[kept], totals[kept], before[kept], share[kept] = open, count, total, soFar+total, float64(most)/float64(total)
		kept++
	}
	return kept
}

// AppendLow is low_bytes.
func AppendLow(x []uint8, limit int32) (out []int32) {
	for _, y := range x {
		if int32(y) < limit {
			out = append(out, int32(y))
		}
	}
	return out
}

// Low is low_bytes, and returns how many rows are kept; out has a place more than x.
func Low(out []int32, x []uint8, limit int32) (kept int) {
	for _, y := range x {
		if uint(kept) < uint(len(out)) {
			out[kept] = int32(y)
		}
		kept += bit(int32(y) < limit)
	}
	return kept
}

// AppendWide is wide_rows.
func AppendWide(x []int32, in [4][]int64, limit int32) (out [4][]int64) {
	for i, y := range x {
		if y < limit {
			for c := range in {
				out[c] = append(out[c], in[c][i])
			}
		}
	}
	return out
}

// Wide is wide_rows, and returns how many rows are kept; columns of out have a place more than x.
func Wide(out *[4][]int64, x []int32, in [4][]int64, limit int32) (kept int) {
	a, b, c, d := in[0][:len(x)], in[1][:len(x)], in[2][:len(x)], in[3][:len(x)]
	p := out[0]
	q, r, s := out[1][:len(p)], out[2][:len(p)], out[3][:len(p)]
	for i, y := range x {
		if uint(kept) < uint(len(p)) {
			p[kept], q[kept], r[kept], s[kept] = a[i], b[i], c[i], d[i]
		}
		kept += bit(y < limit)
	}
	return kept
}

// AppendOther is other_column.
func AppendOther(x, y, z []int32, limit int32) (out []int32) {
	for i := range x {
		if x[i] < limit && y[i] < limit {
			out = append(out, z[i])
		}
	}
	return out
}

// Other is other_column, and returns how many rows are kept; out has a place more than x.
func Other(out, x, y, z []int32, limit int32) (kept int) {
	y, z = y[:len(x)], z[:len(x)]
	for i, v := range x {
		if uint(kept) < uint(len(out)) {
			out[kept] = z[i]
		}
		kept += bit(v < limit) & bit(y[i] < limit)
	}
	return kept
}

// AppendRuns is sum_runs, but for the key's and the value's types that of long_sums.
func AppendRuns[T integer](key, value []T) (r Groups[T]) {
	for i := 0; i < len(key); {
		k, count, total := key[i], int64(0), int64(0)
		for ; i < len(key) && key[i] == k; i++ {
			count++
			if value != nil {
				total += int64(value[i])
			}
		}
		r.Key, r.Count = append(r.Key, k), append(r.Count, count)
		if value != nil {
			r.Total = append(r.Total, total)
		}
	}
	return r
}

// AppendScan is a prefix sum.
func AppendScan[T integer](in []T) (out []T) {
	total := T(0)
	for _, x := range in {
		total += x
		out = append(out, total)
	}
	return out
}

// Package peers is hand-written Go for the workloads of the benchmarks: what a
// careful programmer would write without unsafe code, assembly or experiments.
// Emitted Go is measured against it.
package peers

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

type integer interface{ ~int32 | ~int64 }

// bit is 1 for true, without a branch.
func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// blockRows is a block of a chain: its rows and results stay in the cache.
const blockRows = 1 << 15

// inOrder hands out blocks of rows in order to workers. work does all that
// needs nothing from the blocks before, then calls turn, in which it has the
// state to itself, in the order of the blocks.
func inOrder(workers, rows int, worker func(next func() (lo, hi int, ok bool), turn func(func()))) {
	var taken, finished atomic.Int64
	var lock sync.Mutex
	ready := sync.NewCond(&lock)
	run := func() {
		var number int64
		next := func() (lo, hi int, ok bool) {
			number = taken.Add(1) - 1
			lo = int(number) * blockRows
			return lo, min(lo+blockRows, rows), lo < rows
		}
		turn := func(body func()) {
			for spins := 0; spins < 220 && finished.Load() != number; spins++ {
				if spins >= 200 {
					runtime.Gosched()
				}
			}
			lock.Lock()
			for finished.Load() != number {
				ready.Wait()
			}
			lock.Unlock()
			body()
			lock.Lock()
			finished.Store(number + 1)
			lock.Unlock()
			ready.Broadcast()
		}
		worker(next, turn)
	}
	var group sync.WaitGroup
	for range workers - 1 {
		group.Go(run)
	}
	run()
	group.Wait()
}

// Scan stores the sums of in up to each row.
func Scan[T integer](out, in []T, workers int) {
	if workers == 1 {
		scan(out, in, 0)
		return
	}
	var prefix T
	inOrder(workers, len(in), func(next func() (int, int, bool), turn func(func())) {
		for lo, hi, ok := next(); ok; lo, hi, ok = next() {
			total := sum(in[lo:hi])
			var before T
			turn(func() { before, prefix = prefix, prefix+total })
			scan(out[lo:hi], in[lo:hi], before)
		}
	})
}

func scan[T integer](out, in []T, total T) {
	out = out[:len(in)]
	for i, v := range in {
		total += v
		out[i] = total
	}
}

func sum[T integer](in []T) T {
	var a, b, c, d T
	for len(in) >= 4 {
		w := (*[4]T)(in)
		in = in[4:]
		a += w[0]
		b += w[1]
		c += w[2]
		d += w[3]
	}
	for _, v := range in {
		a += v
	}
	return a + b + c + d
}

// Filter stores the values below limit, in order, and returns how many they
// are. It stores before it knows: out needs one row more than that.
func Filter(out, in []int32, limit int32, workers int) int {
	if workers == 1 {
		return filter(out, in, limit)
	}
	rows := 0
	inOrder(workers, len(in), func(next func() (int, int, bool), turn func(func())) {
		var scratch [blockRows + 1]int32
		for lo, hi, ok := next(); ok; lo, hi, ok = next() {
			found := filter(scratch[:], in[lo:hi], limit)
			at := 0
			turn(func() { at, rows = rows, rows+found })
			copy(out[at:], scratch[:found])
		}
	})
	return rows
}

func filter(out, in []int32, limit int32) int {
	k := 0
	for len(in) >= 4 {
		w := (*[4]int32)(in)
		in = in[4:]
		a, b, c, d := w[0], w[1], w[2], w[3] // Go would load again after each store
		out[k] = a
		k += bit(a < limit)
		out[k] = b
		k += bit(b < limit)
		out[k] = c
		k += bit(c < limit)
		out[k] = d
		k += bit(d < limit)
	}
	for _, v := range in {
		out[k] = v
		k += bit(v < limit)
	}
	return k
}

// CountRuns stores the key and the length of each run of equal keys and
// returns the number of runs.
func CountRuns[K integer](outKey []K, outCount []int64, key []K, workers int) int {
	if len(key) == 0 {
		return 0
	}
	if workers == 1 {
		last, _ := countRuns(outKey, outCount, key, key[0])
		return last + 1
	}
	slot, open := 0, int64(0)
	inOrder(workers, len(key), func(next func() (int, int, bool), turn func(func())) {
		keys, counts := make([]K, blockRows+1), make([]int64, blockRows+1)
		for lo, hi, ok := next(); ok; lo, hi, ok = next() {
			first := key[max(lo-1, 0)]
			keys[0], counts[0] = first, 0
			closed, rest := countRuns(keys, counts, key[lo:hi], first)
			at, carried := 0, int64(0)
			turn(func() {
				at, carried = slot, open
				slot += closed
				if closed > 0 {
					open = rest
				} else {
					open += rest
				}
			})
			if closed > 0 {
				counts[0] += carried
				copy(outKey[at:], keys[:closed])
				copy(outCount[at:], counts[:closed])
			}
		}
	})
	outKey[slot], outCount[slot] = key[len(key)-1], open
	return slot + 1
}

// countRuns stores every run at its slot, row by row, and returns the last slot
// and its count. Where heads are few, 16 rows without one are done at once.
func countRuns[K integer](outKey []K, outCount []int64, key []K, previous K) (slot int, count int64) {
	outCount = outCount[:len(outKey)]
	dense := true
	for base := 0; base < len(key); base += 1024 {
		w := key[base:min(base+1024, len(key))]
		before := slot
		if !dense {
			for len(w) >= 16 {
				b := (*[16]K)(w)
				w = w[16:]
				if isRun(b, previous) {
					count += 16
					outCount[slot] = count
					continue
				}
				for _, k := range b {
					head := bit(k != previous)
					slot += head
					count = count&(int64(head)-1) + 1
					previous = k
					outKey[slot] = k
					outCount[slot] = count
				}
			}
		}
		for _, k := range w {
			head := bit(k != previous)
			slot += head
			count = count&(int64(head)-1) + 1
			previous = k
			outKey[slot] = k
			outCount[slot] = count
		}
		dense = slot-before > 64
	}
	return slot, count
}

// isRun reports whether all keys are k. It is in halves so that Go inlines it.
func isRun[K integer](b *[16]K, k K) bool { return differLow(b, k)|differHigh(b, k) == 0 }

func differLow[K integer](b *[16]K, k K) K {
	return (b[0] ^ k) | (b[1] ^ k) | (b[2] ^ k) | (b[3] ^ k) | (b[4] ^ k) | (b[5] ^ k) | (b[6] ^ k) | (b[7] ^ k)
}

func differHigh[K integer](b *[16]K, k K) K {
	return (b[8] ^ k) | (b[9] ^ k) | (b[10] ^ k) | (b[11] ^ k) | (b[12] ^ k) | (b[13] ^ k) | (b[14] ^ k) | (b[15] ^ k)
}

// SumRuns stores the key, the length and the sum of each run of equal keys and
// returns the number of runs.
func SumRuns[K, V integer](outKey []K, outCount, outSum []int64, key []K, value []V, workers int) int {
	if len(key) == 0 {
		return 0
	}
	if workers == 1 {
		last, _, _ := sumRuns(outKey, outCount, outSum, key, value, key[0])
		return last + 1
	}
	slot, openCount, openSum := 0, int64(0), int64(0)
	inOrder(workers, len(key), func(next func() (int, int, bool), turn func(func())) {
		keys, counts, sums := make([]K, blockRows+1), make([]int64, blockRows+1), make([]int64, blockRows+1)
		for lo, hi, ok := next(); ok; lo, hi, ok = next() {
			first := key[max(lo-1, 0)]
			keys[0], counts[0], sums[0] = first, 0, 0
			closed, restCount, restSum := sumRuns(keys, counts, sums, key[lo:hi], value[lo:hi], first)
			at, carriedCount, carriedSum := 0, int64(0), int64(0)
			turn(func() {
				at, carriedCount, carriedSum = slot, openCount, openSum
				slot += closed
				if closed > 0 {
					openCount, openSum = restCount, restSum
				} else {
					openCount += restCount
					openSum += restSum
				}
			})
			if closed > 0 {
				counts[0] += carriedCount
				sums[0] += carriedSum
				copy(outKey[at:], keys[:closed])
				copy(outCount[at:], counts[:closed])
				copy(outSum[at:], sums[:closed])
			}
		}
	})
	outKey[slot], outCount[slot], outSum[slot] = key[len(key)-1], openCount, openSum
	return slot + 1
}

func sumRuns[K, V integer](outKey []K, outCount, outSum []int64, key []K, value []V, previous K) (slot int, count, total int64) {
	dense := true
	for base := 0; base < len(key); base += 1024 {
		end := min(base+1024, len(key))
		before := slot
		if dense {
			slot, count, total = sumDense(outKey, outCount, outSum, key[base:end], value[base:end], previous, slot, count, total)
		} else {
			slot, count, total = sumSparse(outKey, outCount, outSum, key[base:end], value[base:end], previous, slot, count, total)
		}
		previous = key[end-1]
		dense = slot-before > 64
	}
	return slot, count, total
}

// sumDense is a function of its own to have the registers to itself.
//
//go:noinline
func sumDense[K, V integer](outKey []K, outCount, outSum []int64, key []K, value []V, previous K, slot int, count, total int64) (int, int64, int64) {
	outCount, outSum, value = outCount[:len(outKey)], outSum[:len(outKey)], value[:len(key)]
	for i, k := range key {
		head := bit(k != previous)
		slot += head
		keep := int64(head) - 1
		count = count&keep + 1
		total = total&keep + int64(value[i])
		previous = k
		outKey[slot] = k
		outCount[slot] = count
		outSum[slot] = total
	}
	return slot, count, total
}

//go:noinline
func sumSparse[K, V integer](outKey []K, outCount, outSum []int64, key []K, value []V, previous K, slot int, count, total int64) (int, int64, int64) {
	outCount, outSum = outCount[:len(outKey)], outSum[:len(outKey)]
	for len(key) >= 16 && len(value) >= 16 {
		b, v := (*[16]K)(key), (*[16]V)(value)
		key, value = key[16:], value[16:]
		if isRun(b, previous) {
			count += 16
			total += int64(v[0]) + int64(v[1]) + int64(v[2]) + int64(v[3]) + (int64(v[4]) + int64(v[5]) + int64(v[6]) + int64(v[7])) +
				(int64(v[8]) + int64(v[9]) + int64(v[10]) + int64(v[11]) + (int64(v[12]) + int64(v[13]) + int64(v[14]) + int64(v[15])))
			outCount[slot] = count
			outSum[slot] = total
			continue
		}
		for i, k := range b {
			head := bit(k != previous)
			slot += head
			keep := int64(head) - 1
			count = count&keep + 1
			total = total&keep + int64(v[i])
			previous = k
			outKey[slot] = k
			outCount[slot] = count
			outSum[slot] = total
		}
	}
	return sumDense(outKey, outCount, outSum, key, value, previous, slot, count, total)
}

// Q6 is TPC-H's sixth query: the sum of price times discount over the rows of
// a year, a range of discounts and small quantities. The year, one comparison
// in Go, selects few rows: the other columns are read for them only.
func Q6(shipdate []int32, discount, quantity, price []float64, from, to int32, workers int) float64 {
	if workers == 1 {
		return q6(shipdate, discount, quantity, price, from, to)
	}
	parts := make([]float64, workers)
	size := (len(shipdate) + workers - 1) / workers
	var group sync.WaitGroup
	for w := range parts {
		lo, hi := min(w*size, len(shipdate)), min((w+1)*size, len(shipdate))
		group.Go(func() { parts[w] = q6(shipdate[lo:hi], discount[lo:hi], quantity[lo:hi], price[lo:hi], from, to) })
	}
	group.Wait()
	total := 0.0
	for _, p := range parts {
		total += p
	}
	return total
}

func q6(shipdate []int32, discount, quantity, price []float64, from, to int32) float64 {
	discount, quantity, price = discount[:len(shipdate)], quantity[:len(shipdate)], price[:len(shipdate)]
	total := 0.0
	for i, d := range shipdate {
		if bit(d >= from)&bit(d < to) != 0 { // one branch is guessed wrong less often than two
			x := discount[i]
			hit := bit(x >= 0.05) & bit(x <= 0.07) & bit(quantity[i] < 24)
			total += math.Float64frombits(math.Float64bits(price[i]*x) & -uint64(hit))
		}
	}
	return total
}

// Argmin returns the first row of the least value: of NaN if there is any, and
// -0.0 is less than 0.0. There is at least one row.
func Argmin(in []float64, workers int) int {
	if workers == 1 {
		return argmin(in)
	}
	rows := make([]int, workers)
	var group sync.WaitGroup
	for w := range rows {
		lo, hi := w*len(in)/workers, (w+1)*len(in)/workers
		group.Go(func() {
			rows[w] = lo
			if lo < hi {
				rows[w] += argmin(in[lo:hi])
			}
		})
	}
	group.Wait()
	best := -1
	for _, row := range rows {
		if row < len(in) && (best < 0 || isLess(in[row], in[best])) {
			best = row
		}
	}
	return best
}

// argmin compares most values once: few are less than all before.
func argmin(in []float64) int {
	row, least := 0, in[0]
	for i, x := range in {
		if !(least < x) && isLess(x, least) {
			row, least = i, x
		}
	}
	return row
}

func isLess(x, y float64) bool {
	switch {
	case x != x || y != y:
		return y == y
	case x == y:
		return math.Signbit(x) && !math.Signbit(y)
	}
	return x < y
}

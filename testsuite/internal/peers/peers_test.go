package peers

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestPeers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 15, 16, 17, 1023, 1024, 1025, blockRows, blockRows + 1, 3*blockRows + 7} {
		for _, run := range []int{1, 8, 128, 65536, 1 << 30} {
			key, value := make([]int32, n), make([]int32, n)
			var wantKey []int32
			var wantCount, wantSum []int64
			var below, scanned []int32
			k, total := int32(r.Int32()), int32(0)
			for i := range key {
				if i > 0 && r.IntN(run) == 0 {
					k += int32(1 + r.IntN(3))
				}
				key[i], value[i] = k, r.Int32()-1<<30
				total += value[i]
				scanned = append(scanned, total)
				if value[i] < 77 {
					below = append(below, value[i])
				}
				if i == 0 || key[i] != key[i-1] {
					wantKey, wantCount, wantSum = append(wantKey, k), append(wantCount, 0), append(wantSum, 0)
				}
				wantCount[len(wantCount)-1]++
				wantSum[len(wantSum)-1] += int64(value[i])
			}
			for workers := 1; workers < 4; workers++ {
				name := fmt.Sprint(n, " rows, runs of ", run, ", ", workers, " workers")
				outKey, outCount, outSum := make([]int32, n), make([]int64, n), make([]int64, n)
				m := CountRuns(outKey, outCount, key, workers)
				if !slices.Equal(outKey[:m], wantKey) || !slices.Equal(outCount[:m], wantCount) {
					t.Fatal(name, ": counts")
				}
				clear(outKey)
				clear(outCount)
				m = SumRuns(outKey, outCount, outSum, key, value, workers)
				if !slices.Equal(outKey[:m], wantKey) || !slices.Equal(outCount[:m], wantCount) || !slices.Equal(outSum[:m], wantSum) {
					t.Fatal(name, ": sums")
				}
				out := make([]int32, n+1)
				if m = Filter(out, value, 77, workers); !slices.Equal(out[:m], below) {
					t.Fatal(name, ": filter")
				}
				Scan(out, value, workers)
				if !slices.Equal(out[:n], scanned) {
					t.Fatal(name, ": scan")
				}
			}
		}
	}
}

func TestQ6(t *testing.T) {
	const n = 10000
	date, discount, quantity, price := make([]int32, n), make([]float64, n), make([]float64, n), make([]float64, n)
	want := 0.0
	for i := range date {
		date[i], discount[i], quantity[i], price[i] = 8700+int32(i%500), float64(i%11)/100, float64(i%50), float64(i)
		if date[i] >= 8766 && date[i] < 9131 && discount[i] >= 0.05 && discount[i] <= 0.07 && quantity[i] < 24 {
			want += price[i] * discount[i]
		}
	}
	for workers := 1; workers < 4; workers++ {
		if got := Q6(date, discount, quantity, price, 8766, 9131, workers); got < want*(1-1e-12) || got > want*(1+1e-12) {
			t.Errorf("%d workers: %v, want %v", workers, got, want)
		}
	}
}

func TestArgmin(t *testing.T) {
	nan, zero := math.NaN(), math.Copysign(0, -1)
	for _, c := range []struct {
		in   []float64
		want int
	}{
		{[]float64{3}, 0}, {[]float64{3, 1, 2, 1}, 1}, {[]float64{0, zero, zero}, 1}, {[]float64{zero, 0}, 0},
		{[]float64{1, nan, math.Inf(-1), nan}, 1}, {[]float64{nan, 1, nan}, 0}, {[]float64{1, 2, nan}, 2},
	} {
		for workers := 1; workers < 5; workers++ {
			if got := Argmin(c.in, workers); got != c.want {
				t.Errorf("%v with %d workers: %d, want %d", c.in, workers, got, c.want)
			}
		}
	}
}

func BenchmarkPeers(b *testing.B) {
	const n = 16 << 20
	r := rand.New(rand.NewPCG(1, 2))
	value, out := make([]int32, n), make([]int32, n+1)
	for i := range value {
		value[i] = int32(r.IntN(1000))
	}
	outCount, outSum := make([]int64, n), make([]int64, n)
	key := make([]int32, n)
	bench := func(name string, f func(workers int)) {
		for workers := 1; workers <= 2; workers++ {
			b.Run(fmt.Sprintf("%s/%d", name, workers), func(b *testing.B) {
				for range b.N {
					f(workers)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
			})
		}
	}
	bench("scan", func(w int) { Scan(out, value, w) })
	for _, limit := range []int32{10, 100, 500, 900} {
		bench(fmt.Sprint("filter", limit/10), func(w int) { Filter(out, value, limit, w) })
	}
	for _, run := range []int{1, 8, 128, 65536} {
		k := int32(0)
		for i := range key {
			if run == 1 || r.IntN(run) == 0 {
				k++
			}
			key[i] = k
		}
		bench(fmt.Sprint("count", run), func(w int) { CountRuns(out[:n], outCount, key, w) })
		bench(fmt.Sprint("sum", run), func(w int) { SumRuns(out[:n], outCount, outSum, key, value, w) })
	}
}

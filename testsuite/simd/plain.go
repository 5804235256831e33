//go:build goexperiment.simd && amd64

package main

// filterRest filters the rows that are fewer than a vector.
func filterRest(out, x []int32, limit int32, at int) int {
	for _, v := range x {
		if v < limit {
			out[at] = v
			at++
		}
	}
	return at
}

func sumRest[T int32 | int64 | float64, S int64 | float64](x []T, sum S) S {
	for _, v := range x {
		sum += S(v)
	}
	return sum
}

func sumLanes[T int64 | float64](lanes []T) T { return sumRest(lanes, T(0)) }

func scanRest(out, x []int32, sum int32) {
	for i, v := range x {
		sum += v
		out[i] = sum
	}
}

// closeRuns finds the runs from row on, and turns rows at which runs begin into
// counts.
func closeRuns(outKey []int32, outCount []int64, key []int32, row, at int) int {
	for ; row < len(key); row++ {
		if key[row] != key[row-1] {
			outKey[at], outCount[at] = key[row], int64(row)
			at++
		}
	}
	starts := outCount[:at]
	for i := 1; i < len(starts); i++ {
		starts[i-1] = starts[i] - starts[i-1]
	}
	starts[at-1] = int64(len(key)) - starts[at-1]
	return at
}

func q6Rest(date []int32, discount, quantity, price []float64, from, to int32, sum float64) float64 {
	for i, d := range date {
		if d >= from && d < to && discount[i] >= 0.05 && discount[i] <= 0.07 && quantity[i] < 24 {
			sum += float64(price[i] * discount[i])
		}
	}
	return sum
}

// sumFour sums in four variables, so that an addition need not wait for the one before.
func sumFour[T int32 | int64 | float64, S int64 | float64](x []T) S {
	var a, b, c, d S
	for ; len(x) >= 4; x = x[4:] {
		rows := (*[4]T)(x)
		a += S(rows[0])
		b += S(rows[1])
		c += S(rows[2])
		d += S(rows[3])
	}
	return sumRest(x, a+b+(c+d))
}
func sumFourInts(x []int32) int64       { return sumFour[int32, int64](x) }
func sumFourLongs(x []int64) int64      { return sumFour[int64, int64](x) }
func sumFourFloats(x []float64) float64 { return sumFour[float64, float64](x) }

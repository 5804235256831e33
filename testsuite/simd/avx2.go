//go:build goexperiment.simd && amd64

package main

import (
	"math/bits"
	"simd/archsimd"
)

// The functions of this file take AVX2, which has no compress: a table has the
// permutation that moves the lanes of each mask to the front.

var toFront [256][8]uint32

func init() {
	for mask := range toFront {
		at := 0
		for lane := range 8 {
			if mask>>lane&1 != 0 {
				toFront[mask][at] = uint32(lane)
				at++
			}
		}
	}
}

func filter2(out, x []int32, limit int32) int {
	below, at := archsimd.BroadcastInt32x8(limit), 0
	for ; len(x) >= 8; x = x[8:] {
		v := archsimd.LoadInt32x8((*[8]int32)(x))
		hit := below.Greater(v).ToBits()
		v.Permute(archsimd.LoadUint32x8(&toFront[hit])).Store((*[8]int32)(out[at:]))
		at += bits.OnesCount8(hit)
	}
	archsimd.ClearAVXUpperBits()
	return filterRest(out, x, limit, at)
}

func sumInts2(x []int32) int64 {
	var a, b, c, d archsimd.Int64x4
	for ; len(x) >= 16; x = x[16:] {
		rows := (*[16]int32)(x)
		a = a.Add(archsimd.LoadInt32x4((*[4]int32)(rows[0:])).ExtendToInt64())
		b = b.Add(archsimd.LoadInt32x4((*[4]int32)(rows[4:])).ExtendToInt64())
		c = c.Add(archsimd.LoadInt32x4((*[4]int32)(rows[8:])).ExtendToInt64())
		d = d.Add(archsimd.LoadInt32x4((*[4]int32)(rows[12:])).ExtendToInt64())
	}
	var lanes [4]int64
	a.Add(b).Add(c.Add(d)).Store(&lanes)
	archsimd.ClearAVXUpperBits()
	return sumRest(x, sumLanes(lanes[:]))
}

func sumLongs2(x []int64) int64 {
	var a, b, c, d archsimd.Int64x4
	for ; len(x) >= 16; x = x[16:] {
		rows := (*[16]int64)(x)
		a = a.Add(archsimd.LoadInt64x4((*[4]int64)(rows[0:])))
		b = b.Add(archsimd.LoadInt64x4((*[4]int64)(rows[4:])))
		c = c.Add(archsimd.LoadInt64x4((*[4]int64)(rows[8:])))
		d = d.Add(archsimd.LoadInt64x4((*[4]int64)(rows[12:])))
	}
	var lanes [4]int64
	a.Add(b).Add(c.Add(d)).Store(&lanes)
	archsimd.ClearAVXUpperBits()
	return sumRest(x, sumLanes(lanes[:]))
}

func sumFloats2(x []float64) float64 {
	var a, b, c, d archsimd.Float64x4
	for ; len(x) >= 16; x = x[16:] {
		rows := (*[16]float64)(x)
		a = a.Add(archsimd.LoadFloat64x4((*[4]float64)(rows[0:])))
		b = b.Add(archsimd.LoadFloat64x4((*[4]float64)(rows[4:])))
		c = c.Add(archsimd.LoadFloat64x4((*[4]float64)(rows[8:])))
		d = d.Add(archsimd.LoadFloat64x4((*[4]float64)(rows[12:])))
	}
	var lanes [4]float64
	a.Add(b).Add(c.Add(d)).Store(&lanes)
	archsimd.ClearAVXUpperBits()
	return sumRest(x, sumLanes(lanes[:]))
}

func scan2(out, x []int32) {
	var from [3][8]int32
	for step := range from {
		for lane := 1 << step; lane < 8; lane++ {
			from[step][lane] = -1
		}
	}
	var by [3][8]uint32
	for step := range by {
		for lane := range 8 {
			by[step][lane] = uint32(max(lane-1<<step, 0))
		}
	}
	by1, by2, by4 := archsimd.LoadUint32x8(&by[0]), archsimd.LoadUint32x8(&by[1]), archsimd.LoadUint32x8(&by[2])
	from1, from2, from4 := archsimd.LoadInt32x8(&from[0]), archsimd.LoadInt32x8(&from[1]), archsimd.LoadInt32x8(&from[2])
	last := archsimd.LoadUint32x8(&[8]uint32{7, 7, 7, 7, 7, 7, 7, 7})
	var carry archsimd.Int32x8
	for ; len(x) >= 8; x, out = x[8:], out[8:] {
		v := archsimd.LoadInt32x8((*[8]int32)(x))
		v = v.Add(v.Permute(by1).And(from1))
		v = v.Add(v.Permute(by2).And(from2))
		v = v.Add(v.Permute(by4).And(from4))
		carry, v = carry.Add(v.Permute(last)), v.Add(carry)
		v.Store((*[8]int32)(out))
	}
	var lanes [8]int32
	carry.Store(&lanes)
	archsimd.ClearAVXUpperBits()
	scanRest(out, x, lanes[0])
}

// countRuns2 is countRuns512 for AVX2.
func countRuns2(outKey []int32, outCount []int64, key []int32) int {
	if len(key) == 0 {
		return 0
	}
	outKey[0], outCount[0] = key[0], 0
	at, row := 1, 1
	lane := archsimd.LoadInt32x8(&[8]int32{0, 1, 2, 3, 4, 5, 6, 7})
	for ; row+8 <= len(key); row += 8 {
		v := archsimd.LoadInt32x8((*[8]int32)(key[row:]))
		found := ^v.Equal(archsimd.LoadInt32x8((*[8]int32)(key[row-1:]))).ToBits()
		if found == 0 {
			continue
		}
		front := archsimd.LoadUint32x8(&toFront[found])
		v.Permute(front).Store((*[8]int32)(outKey[at:]))
		begin := lane.Permute(front)
		base := archsimd.BroadcastInt64x4(int64(row))
		starts := (*[8]int64)(outCount[at:])
		begin.GetLo().ExtendToInt64().Add(base).Store((*[4]int64)(starts[0:]))
		begin.GetHi().ExtendToInt64().Add(base).Store((*[4]int64)(starts[4:]))
		at += bits.OnesCount8(found)
	}
	archsimd.ClearAVXUpperBits()
	return closeRuns(outKey, outCount, key, row, at)
}

func q62(date []int32, discount, quantity, price []float64, from, to int32) float64 {
	before, end := archsimd.BroadcastInt32x8(from-1), archsimd.BroadcastInt32x8(to)
	low, high, small := archsimd.BroadcastFloat64x4(0.05), archsimd.BroadcastFloat64x4(0.07), archsimd.BroadcastFloat64x4(24)
	var a, b archsimd.Float64x4
	discount, quantity, price = discount[:len(date)], quantity[:len(date)], price[:len(date)]
	i := 0
	for ; i+8 <= len(date); i += 8 {
		d := archsimd.LoadInt32x8((*[8]int32)(date[i:]))
		hit := d.Greater(before).And(end.Greater(d))
		if hit.ToBits() == 0 {
			continue
		}
		hits := hit.ToInt32x8()
		discounts, quantities, prices := (*[8]float64)(discount[i:]), (*[8]float64)(quantity[i:]), (*[8]float64)(price[i:])
		x := archsimd.LoadFloat64x4((*[4]float64)(discounts[0:]))
		m := x.GreaterEqual(low).And(x.LessEqual(high)).And(archsimd.LoadFloat64x4((*[4]float64)(quantities[0:])).Less(small)).And(hits.GetLo().ExtendToInt64().ToMask())
		a = a.Add(archsimd.LoadFloat64x4((*[4]float64)(prices[0:])).Mul(x).Masked(m))
		x = archsimd.LoadFloat64x4((*[4]float64)(discounts[4:]))
		m = x.GreaterEqual(low).And(x.LessEqual(high)).And(archsimd.LoadFloat64x4((*[4]float64)(quantities[4:])).Less(small)).And(hits.GetHi().ExtendToInt64().ToMask())
		b = b.Add(archsimd.LoadFloat64x4((*[4]float64)(prices[4:])).Mul(x).Masked(m))
	}
	var lanes [4]float64
	a.Add(b).Store(&lanes)
	archsimd.ClearAVXUpperBits()
	return q6Rest(date[i:], discount[i:], quantity[i:], price[i:], from, to, sumLanes(lanes[:]))
}

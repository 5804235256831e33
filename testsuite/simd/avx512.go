//go:build goexperiment.simd && amd64

package main

import (
	"math/bits"
	"simd/archsimd"
)

// The functions of this file take AVX-512. A vector is stored whole where its
// selected lanes come to lie: a result never has more rows than were read.

func filter512(out, x []int32, limit int32) int {
	below, at := archsimd.BroadcastInt32x16(limit), 0
	for ; len(x) >= 16; x = x[16:] {
		v := archsimd.LoadInt32x16((*[16]int32)(x))
		hit := v.Less(below)
		v.Compress(hit).Store((*[16]int32)(out[at:]))
		at += bits.OnesCount16(hit.ToBits())
	}
	archsimd.ClearAVXUpperBits()
	return filterRest(out, x, limit, at)
}

func sumInts512(x []int32) int64 {
	var a, b, c, d archsimd.Int64x8
	for ; len(x) >= 32; x = x[32:] {
		rows := (*[32]int32)(x)
		a = a.Add(archsimd.LoadInt32x8((*[8]int32)(rows[0:])).ExtendToInt64())
		b = b.Add(archsimd.LoadInt32x8((*[8]int32)(rows[8:])).ExtendToInt64())
		c = c.Add(archsimd.LoadInt32x8((*[8]int32)(rows[16:])).ExtendToInt64())
		d = d.Add(archsimd.LoadInt32x8((*[8]int32)(rows[24:])).ExtendToInt64())
	}
	var lanes [8]int64
	a.Add(b).Add(c.Add(d)).Store(&lanes)
	archsimd.ClearAVXUpperBits()
	return sumRest(x, sumLanes(lanes[:]))
}

func sumLongs512(x []int64) int64 {
	var a, b, c, d archsimd.Int64x8
	for ; len(x) >= 32; x = x[32:] {
		rows := (*[32]int64)(x)
		a = a.Add(archsimd.LoadInt64x8((*[8]int64)(rows[0:])))
		b = b.Add(archsimd.LoadInt64x8((*[8]int64)(rows[8:])))
		c = c.Add(archsimd.LoadInt64x8((*[8]int64)(rows[16:])))
		d = d.Add(archsimd.LoadInt64x8((*[8]int64)(rows[24:])))
	}
	var lanes [8]int64
	a.Add(b).Add(c.Add(d)).Store(&lanes)
	archsimd.ClearAVXUpperBits()
	return sumRest(x, sumLanes(lanes[:]))
}

func sumFloats512(x []float64) float64 {
	var a, b, c, d archsimd.Float64x8
	for ; len(x) >= 32; x = x[32:] {
		rows := (*[32]float64)(x)
		a = a.Add(archsimd.LoadFloat64x8((*[8]float64)(rows[0:])))
		b = b.Add(archsimd.LoadFloat64x8((*[8]float64)(rows[8:])))
		c = c.Add(archsimd.LoadFloat64x8((*[8]float64)(rows[16:])))
		d = d.Add(archsimd.LoadFloat64x8((*[8]float64)(rows[24:])))
	}
	var lanes [8]float64
	a.Add(b).Add(c.Add(d)).Store(&lanes)
	archsimd.ClearAVXUpperBits()
	return sumRest(x, sumLanes(lanes[:]))
}

// shifted are the lanes from which a prefix sum takes its addend in each step: a
// step of 1 adds the lane before, and so on. kept has the lanes that have one.
var (
	shifted [4][16]uint32
	kept    = [4]uint16{0xfffe, 0xfffc, 0xfff0, 0xff00}
)

func init() {
	for step := range shifted {
		for lane := range 16 {
			shifted[step][lane] = uint32(max(lane-1<<step, 0))
		}
	}
}

func scan512(out, x []int32) {
	by1, by2, by4, by8 := archsimd.LoadUint32x16(&shifted[0]), archsimd.LoadUint32x16(&shifted[1]), archsimd.LoadUint32x16(&shifted[2]), archsimd.LoadUint32x16(&shifted[3])
	from1, from2, from4, from8 := archsimd.Mask32x16FromBits(kept[0]), archsimd.Mask32x16FromBits(kept[1]), archsimd.Mask32x16FromBits(kept[2]), archsimd.Mask32x16FromBits(kept[3])
	last := archsimd.BroadcastUint32x16(15)
	var carry archsimd.Int32x16
	for ; len(x) >= 16; x, out = x[16:], out[16:] {
		v := archsimd.LoadInt32x16((*[16]int32)(x))
		v = v.Add(v.Permute(by1).Masked(from1))
		v = v.Add(v.Permute(by2).Masked(from2))
		v = v.Add(v.Permute(by4).Masked(from4))
		v = v.Add(v.Permute(by8).Masked(from8))
		carry, v = carry.Add(v.Permute(last)), v.Add(carry)
		v.Store((*[16]int32)(out))
	}
	var lanes [16]int32
	carry.Store(&lanes)
	archsimd.ClearAVXUpperBits()
	scanRest(out, x, lanes[0])
}

// countRuns512 stores the key of each run and the row at which it begins, and
// then turns these rows into counts.
func countRuns512(outKey []int32, outCount []int64, key []int32) int {
	if len(key) == 0 {
		return 0
	}
	outKey[0], outCount[0] = key[0], 0
	at, row := 1, 1
	var first [16]int32
	for lane := range first {
		first[lane] = int32(lane)
	}
	lane := archsimd.LoadInt32x16(&first)
	for ; row+16 <= len(key); row += 16 {
		v := archsimd.LoadInt32x16((*[16]int32)(key[row:]))
		head := v.NotEqual(archsimd.LoadInt32x16((*[16]int32)(key[row-1:])))
		found := head.ToBits()
		if found == 0 {
			continue
		}
		v.Compress(head).Store((*[16]int32)(outKey[at:]))
		begin := lane.Compress(head)
		base := archsimd.BroadcastInt64x8(int64(row))
		starts := (*[16]int64)(outCount[at:])
		begin.GetLo().ExtendToInt64().Add(base).Store((*[8]int64)(starts[0:]))
		begin.GetHi().ExtendToInt64().Add(base).Store((*[8]int64)(starts[8:]))
		at += bits.OnesCount16(found)
	}
	archsimd.ClearAVXUpperBits()
	return closeRuns(outKey, outCount, key, row, at)
}

func q6512(date []int32, discount, quantity, price []float64, from, to int32) float64 {
	least, end := archsimd.BroadcastInt32x8(from), archsimd.BroadcastInt32x8(to)
	low, high, small := archsimd.BroadcastFloat64x8(0.05), archsimd.BroadcastFloat64x8(0.07), archsimd.BroadcastFloat64x8(24)
	var a, b archsimd.Float64x8
	discount, quantity, price = discount[:len(date)], quantity[:len(date)], price[:len(date)]
	i := 0
	for ; i+16 <= len(date); i += 16 {
		dates := (*[16]int32)(date[i:])
		d, e := archsimd.LoadInt32x8((*[8]int32)(dates[0:])), archsimd.LoadInt32x8((*[8]int32)(dates[8:]))
		hit := d.GreaterEqual(least).And(d.Less(end)).ToBits()
		hit2 := e.GreaterEqual(least).And(e.Less(end)).ToBits()
		discounts, quantities, prices := (*[16]float64)(discount[i:]), (*[16]float64)(quantity[i:]), (*[16]float64)(price[i:])
		if hit != 0 {
			x := archsimd.LoadFloat64x8((*[8]float64)(discounts[0:]))
			m := x.GreaterEqual(low).And(x.LessEqual(high)).And(archsimd.LoadFloat64x8((*[8]float64)(quantities[0:])).Less(small)).And(archsimd.Mask64x8FromBits(hit))
			a = a.Add(archsimd.LoadFloat64x8((*[8]float64)(prices[0:])).Mul(x).Masked(m))
		}
		if hit2 != 0 {
			x := archsimd.LoadFloat64x8((*[8]float64)(discounts[8:]))
			m := x.GreaterEqual(low).And(x.LessEqual(high)).And(archsimd.LoadFloat64x8((*[8]float64)(quantities[8:])).Less(small)).And(archsimd.Mask64x8FromBits(hit2))
			b = b.Add(archsimd.LoadFloat64x8((*[8]float64)(prices[8:])).Mul(x).Masked(m))
		}
	}
	var lanes [8]float64
	a.Add(b).Store(&lanes)
	archsimd.ClearAVXUpperBits()
	return q6Rest(date[i:], discount[i:], quantity[i:], price[i:], from, to, sumLanes(lanes[:]))
}

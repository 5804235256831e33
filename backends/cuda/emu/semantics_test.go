package emu

import (
	"encoding/binary"
	"math"
	"math/bits"
	"testing"
	"time"
)

// TestWarpOperations compares each operation with its definition.
func TestWarpOperations(t *testing.T) {
	const threads, results = 128, 20
	x := make([]int32, threads)
	for i := range x {
		x[i] = int32(i*37%61 + i/32)
	}
	var want []byte
	add := func(v int32) { want = binary.NativeEndian.AppendUint32(want, uint32(v)) }
	for thread := range threads {
		lane, v := thread%32, x[thread]
		warp := x[thread-lane : thread-lane+32]
		block := x[thread/64*64 : thread/64*64+64]
		or := func(in bool, a, b int32) int32 {
			if in {
				return a
			}
			return b
		}
		at := func(i int) int32 { return warp[i&31] }
		fold := func(f func(a, b uint32) uint32, of func(int32) int32) int32 {
			r := uint32(of(warp[0]))
			for _, w := range warp[1:] {
				r = f(r, uint32(of(w)))
			}
			return int32(r)
		}
		same := func(v int32) int32 { return v }
		less := func(v int32) int32 { return v - 100 }
		votes := func(f func(int32) bool) (m int32) {
			for i, w := range warp {
				if f(w) {
					m |= 1 << i
				}
			}
			return m
		}
		add(warp[5])
		add(at(lane&^7 | (lane+1)&7))
		add(or(lane >= 3, at(lane-3), v))
		add(or(lane&7 >= 3, at(lane-3), v))
		add(or(lane+4 < 32, at(lane+4), v))
		add(or(lane&15+4 < 16, at(lane+4), v))
		add(at(lane ^ 9))
		add(votes(func(w int32) bool { return w&1 != 0 }))
		add(2) // warp[7] is one of them, and not all are 0
		add(votes(func(w int32) bool { return w&3 == v&3 }))
		add(-1 + 1) // all are alike: the full mask, and 1
		add(fold(func(a, b uint32) uint32 { return a + b }, same))
		add(fold(func(a, b uint32) uint32 { return uint32(min(int32(a), int32(b))) }, less))
		add(fold(func(a, b uint32) uint32 { return max(a, b) }, less))
		add(fold(func(a, b uint32) uint32 { return a & b }, func(v int32) int32 { return v | 64 }) +
			fold(func(a, b uint32) uint32 { return a | b }, same) + fold(func(a, b uint32) uint32 { return a ^ b }, same))
		evens := int32(0)
		for i := 0; i < 32; i += 2 {
			evens += warp[i]
		}
		add(or(lane%2 == 0, evens+warp[6], 0))
		add(warp[3] * 2)
		add(warp[4] * 2)
		odd, one := int32(0), int32(0)
		for _, w := range block {
			odd += w & 1
			if w == 1 {
				one = 2
			}
		}
		add(odd)
		add(one + 1)
	}
	k := kernelTest{name: "warp", groups: threads / 64, threads: 64, rows: threads, result: "out", want: want,
		columns: []column{{name: "x", in: int32s(threads, func(i int) int32 { return x[i] })}, {name: "out", size: threads * results * 4}}}
	for seed := range uint64(3) {
		for _, check := range []bool{false, true} {
			e := newEmulator(t, Options{Check: check, Seed: seed, Limit: 20 * time.Second})
			if wrong, err := k.run(t.Context(), e, ""); err != nil || wrong != "" {
				t.Errorf("seed %d, check %v: %v %s", seed, check, err, wrong)
			}
		}
	}
}

// TestArithmetic compares what the header defines with CUDA's manual.
func TestArithmetic(t *testing.T) {
	const u, w = uint32(0x80f00001), uint64(0x8000000f00000001)
	high32 := uint64(u) * uint64(u) >> 32
	high64, _ := bits.Mul64(w, 4)
	tenth, five := float32(0.1), float32(0.2)
	numbers := []int64{
		6, 6, 32, 31, 63, 0, 4, 1,
		1 << 31, 1 << 62, int64(high32), -1, int64(high64), -1,
		0x77225500, 0x808080ff, 0x18, 0x180f0000,
		math.MaxInt32, math.MinInt32, 0, -7, 0,
		math.MaxInt64, math.MinInt64, -1, math.MaxInt32 - 1,
		-1, 4, 1, 2, 2, 3, 4,
		8 + 4 + 2 + 1,
		int64((tenth + five) * 1e9), int64(math.Float64bits(math.FMA(0.1, 10, -1))), 4, -2, 2,
		5, 0, 0, 7, 7, 4, 2, 9,
		1, 0x40080000,
	}
	var want []byte
	for _, n := range numbers {
		want = binary.NativeEndian.AppendUint64(want, uint64(n))
	}
	k := kernelTest{name: "arithmetic", groups: 1, threads: 1, rows: 1, result: "out", want: want, columns: []column{{name: "out", size: int64(len(want))}}}
	for _, check := range []bool{false, true} {
		if wrong, err := k.run(t.Context(), newEmulator(t, Options{Check: check}), ""); err != nil || wrong != "" {
			t.Errorf("check %v: %v %s", check, err, wrong)
		}
	}
}

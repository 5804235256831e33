package generate

import (
	"hash/fnv"
	"math/bits"
)

// stream is a sequence of random numbers with random access: SplitMix64
// (Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, 2014)
// from a state that depends on a seed and a name.
type stream uint64

// newStream returns the stream of a seed and a name, such as a column's.
func newStream(seed uint64, name string) stream {
	h := fnv.New64a()
	h.Write([]byte(name))
	return stream(mix(mix(seed+gamma) ^ h.Sum64()))
}

const gamma = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio, odd

// mix is the output function of SplitMix64, a bijection of 64 bits.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// at returns number i.
func (s stream) at(i int64) uint64 { return mix(uint64(s) + (uint64(i)+1)*gamma) }

// below returns number i as an integer from 0 to n - 1. Their probabilities
// differ by less than n / 2^64.
func (s stream) below(i int64, n uint64) uint64 {
	high, _ := bits.Mul64(s.at(i), n)
	return high
}

// permutation is a random order of 0 to n - 1 that takes no memory: a bijection
// of the numbers below the next power of two, applied until the result is below
// n (cycle walking: Black and Rogaway, Ciphers with Arbitrary Finite Domains,
// 2002). That takes fewer than two applications on average.
type permutation struct {
	n, mask uint64
	shift   uint
	keys    [4]uint64
}

// newPermutation returns an order of n numbers; n is at least 1.
func newPermutation(random stream, n int64) permutation {
	width := bits.Len64(uint64(n - 1))
	p := permutation{n: uint64(n), mask: 1<<width - 1, shift: uint(width+1) / 2}
	for i := range p.keys {
		p.keys[i] = random.at(int64(i))
	}
	return p
}

// at returns the number at position i, which is below n.
func (p *permutation) at(i uint64) uint64 {
	for {
		for _, key := range p.keys { // each step can be undone within the mask
			i = (i*(key|1) + key>>32) & p.mask
			i ^= i >> p.shift
		}
		if i < p.n {
			return i
		}
	}
}

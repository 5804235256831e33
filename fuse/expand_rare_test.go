package fuse

import (
	"math/rand/v2"
	"testing"
)

// TestRareKeysTellHowManyThereAre takes hashes of as many keys as users have, and of about as many as are just few enough.
func TestRareKeysTellHowManyThereAre(t *testing.T) {
	const most = groupsPerSample * DefaultSample
	random := rand.New(rand.NewPCG(1, 2))
	zeros := zerosOf(most)
	for _, groups := range []int{3e4, 65536, 1e5, 1 << 18, 1 << 19, 1e6, 1 << 20, most * 4 / 5, most * 5 / 4, 1 << 21, 1 << 22, 1e7} {
		for range 4 {
			var taken [1 << rareBits]bool
			bins := int64(0)
			for range groups {
				hash := random.Uint32()
				if at := hash >> (32 - rareBits); hash<<rareBits>>(32-zeros) == 0 && !taken[at] {
					taken[at] = true
					bins++
				}
			}
			areFew := bins <= binsOfMost(most)
			if areFew != (groups <= most) {
				t.Errorf("%d groups, of which %d bins have a rare one: few %t", groups, bins, areFew)
			}
			if up := bins * mostPerBins << zeros / 2; areFew && (up < int64(groups)*9/8 || up > 4*int64(groups)) {
				t.Errorf("%d groups, of which %d bins have a rare one: up to %d", groups, bins, up)
			}
		}
	}
}

package fuse

import (
	"math/rand/v2"
	"testing"
)

// TestPartitionIsNoChance takes samples of rows of as many groups as users have: powers of two and of
// ten. All samples of some number of groups say the same.
func TestPartitionIsNoChance(t *testing.T) {
	const samples = 16
	random := rand.New(rand.NewPCG(1, 2))
	for _, groups := range []int{1e5, 1 << 17, 1 << 18, 1 << 19, 1e6, 1 << 20, 1 << 21, 1 << 22, 1e7, 1 << 24} {
		worth := 0
		for range samples {
			met := make(map[int]bool, DefaultSample)
			for range DefaultSample {
				met[random.IntN(groups)] = true
			}
			if int64(len(met)) <= mostDistinctOf(DefaultSample) {
				worth++
			}
		}
		want := samples
		if groups > groupsPerSample*DefaultSample {
			want = 0
		}
		if worth != want {
			t.Errorf("%d groups: %d of %d samples say that a partition is worth it", groups, worth, samples)
		}
	}
}

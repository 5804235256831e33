package fuse

import "testing"

// TestWindowsOfSumsHaveFewSlices holds how many bits of 13 for local memory, and more, windows have.
func TestWindowsOfSumsHaveFewSlices(t *testing.T) {
	for _, c := range []struct {
		width, sums, counts int
	}{{16, 13, 15}, {20, 13, 15}, {21, 13, 15}, {22, 14, 15}, {23, 14, 15}, {24, 15, 16}} {
		if sums, counts := bitsPerWindow(13, c.width, false), bitsPerWindow(13, c.width, true); sums != c.sums || counts != c.counts {
			t.Errorf("bins of %d bits: windows of %d for sums and %d for counts, want %d and %d", c.width, sums, counts, c.sums, c.counts)
		}
	}
}

//go:build opencl

package opencl

import "testing"

// Large buffers of a CPU device begin at aligned places, those in a row at different ones of a page; blocks of small ones, and buffers of
// other devices, begin where the driver's memory does.
func TestBuffersBeginApart(t *testing.T) {
	cpu, seen := &apart{align: 128}, map[int64]bool{}
	for range 16 {
		place := cpu.next(apartLeast + 1)
		if place%128 != 0 || place >= pageBytes || seen[place] {
			t.Errorf("a buffer at %d, after others at %v", place, seen)
		}
		seen[place] = true
	}
	if place := cpu.next(apartLeast); place != 0 {
		t.Errorf("a block begins at %d", place)
	}
	if place := new(apart).next(1 << 30); place != 0 {
		t.Errorf("a buffer of another device begins at %d", place)
	}
}

package vector

import (
	"testing"
	"unsafe"
)

// TestHugePages takes memory of sizes around those that lie in huge pages.
func TestHugePages(t *testing.T) {
	for _, bytes := range []int64{0, 1, 9, hugePage/2 - 1, hugePage / 2, hugePage - 8, hugePage, hugePage + 1, 3*hugePage - 1} {
		data := newMemory(bytes)
		if int64(len(data)) != bytes {
			t.Fatalf("%d bytes have length %d", bytes, len(data))
		}
		if at := uintptr(unsafe.Pointer(unsafe.SliceData(data))); bytes > 0 && (at%8 != 0 || bytes >= hugePage/2 && at%hugePage != 0) {
			t.Errorf("%d bytes begin at %x", bytes, at)
		}
		for i := range data {
			if data[i] != 0 {
				t.Fatalf("of %d bytes, byte %d is not 0", bytes, i)
			}
			data[i] = 1
		}
	}
}

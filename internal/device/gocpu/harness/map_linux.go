package harness

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// mapFile maps the first size bytes of a file, or with a name FILE:PLACE those from a place
// on. Memory that is not writable faults at once when a program writes to it.
func mapFile(name string, size int64, writable bool) (data []byte, release func(), err error) {
	mode, protection := os.O_RDONLY, syscall.PROT_READ
	if writable {
		mode, protection = os.O_RDWR, syscall.PROT_READ|syscall.PROT_WRITE
	}
	name, place, placed := strings.Cut(name, ":")
	start := int64(0)
	if placed {
		if start, err = strconv.ParseInt(place, 10, 64); err != nil {
			return nil, nil, fmt.Errorf("%s:%s: %w", name, place, err)
		}
	}
	f, err := os.OpenFile(name, mode, 0)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if info.Size()-start < size || size <= 0 {
		return nil, nil, fmt.Errorf("%s has %d bytes, %d expected", name, info.Size()-start, size)
	}
	mapped, err := syscall.Mmap(int(f.Fd()), 0, int(start+size), protection, syscall.MAP_SHARED)
	if err != nil {
		return nil, nil, fmt.Errorf("mapping %s: %w", name, err)
	}
	return mapped[start:], func() { syscall.Munmap(mapped) }, nil
}

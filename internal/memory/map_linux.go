package memory

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Map maps the first size bytes of those that [Space.Path] named in another process;
// release ends that. Memory that is not writable faults at a write.
func Map(path string, size int64, writable bool) (data []byte, release func(), err error) {
	mode, protection := os.O_RDONLY, unix.PROT_READ
	if writable {
		mode, protection = os.O_RDWR, unix.PROT_READ|unix.PROT_WRITE
	}
	path, place, placed := strings.Cut(path, ":")
	start := int64(0)
	if placed {
		var err error
		if start, err = strconv.ParseInt(place, 10, 64); err != nil {
			return nil, nil, fmt.Errorf("%s:%s: %w", path, place, err)
		}
	}
	f, err := os.OpenFile(path, mode, 0)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if info.Size()-start < size || size <= 0 || size != int64(int(size)) {
		return nil, nil, fmt.Errorf("%s has %d bytes, %d expected", path, info.Size()-start, size)
	}
	mapped, err := unix.Mmap(int(f.Fd()), 0, int(start+size), protection, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, fmt.Errorf("mapping %s: %w", path, err)
	}
	return mapped[start:], func() { unix.Munmap(mapped) }, nil
}

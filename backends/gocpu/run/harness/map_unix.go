//go:build unix

package harness

import (
	"fmt"
	"os"
	"syscall"
)

// mapFile maps the first size bytes of a file, read-only: a program that
// writes to its input faults at once.
func mapFile(name string, size int64) (data []byte, release func(), err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if info.Size() < size {
		return nil, nil, fmt.Errorf("%s has %d bytes, %d expected", name, info.Size(), size)
	}
	if size == 0 {
		return nil, func() {}, nil
	}
	data, err = syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, nil, fmt.Errorf("mapping %s: %w", name, err)
	}
	return data, func() { syscall.Munmap(data) }, nil
}

package harness

import (
	"fmt"
	"os"
	"syscall"
)

// mapFile maps the first size bytes of a file. Memory that is not writable
// faults at once when a program writes to it.
func mapFile(name string, size int64, writable bool) (data []byte, release func(), err error) {
	mode, protection := os.O_RDONLY, syscall.PROT_READ
	if writable {
		mode, protection = os.O_RDWR, syscall.PROT_READ|syscall.PROT_WRITE
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
	if info.Size() < size || size <= 0 {
		return nil, nil, fmt.Errorf("%s has %d bytes, %d expected", name, info.Size(), size)
	}
	data, err = syscall.Mmap(int(f.Fd()), 0, int(size), protection, syscall.MAP_SHARED)
	if err != nil {
		return nil, nil, fmt.Errorf("mapping %s: %w", name, err)
	}
	return data, func() { syscall.Munmap(data) }, nil
}

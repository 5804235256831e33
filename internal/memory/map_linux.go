package memory

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Map maps the first size bytes of the file that [Space.Path] named in another
// process; release ends that. Memory that is not writable faults at a write.
func Map(path string, size int64, writable bool) (data []byte, release func(), err error) {
	mode, protection := os.O_RDONLY, unix.PROT_READ
	if writable {
		mode, protection = os.O_RDWR, unix.PROT_READ|unix.PROT_WRITE
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
	if info.Size() < size || size <= 0 || size != int64(int(size)) {
		return nil, nil, fmt.Errorf("%s has %d bytes, %d expected", path, info.Size(), size)
	}
	data, err = unix.Mmap(int(f.Fd()), 0, int(size), protection, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, fmt.Errorf("mapping %s: %w", path, err)
	}
	return data, func() { unix.Munmap(data) }, nil
}

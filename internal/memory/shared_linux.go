package memory

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// sharedFile is an anonymous file of memory.
type sharedFile struct{ descriptor int }

func newShared(size int64) (*sharedFile, []byte, error) {
	descriptor, err := unix.MemfdCreate("kgen", unix.MFD_CLOEXEC)
	if err == unix.ENOSYS || err == unix.EPERM {
		return nil, nil, unix.ENOTSUP // an old or restricted system: use ordinary memory
	}
	if err != nil {
		return nil, nil, err
	}
	f := &sharedFile{descriptor}
	if err := truncate(descriptor, size); err != nil {
		unix.Close(descriptor)
		return nil, nil, err
	}
	data, err := unix.Mmap(descriptor, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		unix.Close(descriptor)
		return nil, nil, err
	}
	return f, data, nil
}

// truncate sets the size of the file. A limit on file sizes does not limit
// memory: beyond it, ordinary memory is used.
func truncate(descriptor int, size int64) error {
	err := unix.Ftruncate(descriptor, size)
	if err == unix.EFBIG {
		return unix.ENOTSUP
	}
	return err
}

// path names the file for this process's children only.
func (f *sharedFile) path() string { return fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), f.descriptor) }

func (f *sharedFile) resize(data []byte, size int64) ([]byte, error) {
	grow := size > int64(len(data))
	if grow {
		if err := truncate(f.descriptor, size); err != nil {
			return nil, err
		}
	}
	resized, err := unix.Mremap(data, int(size), unix.MREMAP_MAYMOVE)
	if err != nil {
		return nil, err
	}
	if !grow {
		// Bytes that are cut off cost nothing, and are zero if they come back.
		if err := unix.Ftruncate(f.descriptor, size); err != nil {
			return nil, err
		}
	}
	return resized, nil
}

func (f *sharedFile) settle(data []byte) {
	unix.Madvise(data, unix.MADV_DONTNEED) // of a shared mapping: the file keeps the bytes
}

func (f *sharedFile) close(data []byte) {
	unix.Munmap(data)
	unix.Close(f.descriptor)
}

package memory

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// sharedFile is an anonymous file of memory.
type sharedFile struct {
	descriptor int
	start      int64  // of the bytes
	mapped     []byte // all of the file
}

func newShared(size, start int64) (*sharedFile, []byte, error) {
	descriptor, err := unix.MemfdCreate("kgen", unix.MFD_CLOEXEC)
	if err == unix.ENOSYS || err == unix.EPERM {
		return nil, nil, unix.ENOTSUP // an old or restricted system: use ordinary memory
	}
	if err != nil {
		return nil, nil, err
	}
	f := &sharedFile{descriptor: descriptor, start: start}
	if err := truncate(descriptor, start+size); err != nil {
		unix.Close(descriptor)
		return nil, nil, err
	}
	f.mapped, err = unix.Mmap(descriptor, 0, int(start+size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		unix.Close(descriptor)
		return nil, nil, err
	}
	return f, f.data(), nil
}

func (f *sharedFile) data() []byte { return f.mapped[f.start:len(f.mapped):len(f.mapped)] }

// truncate sets the size of the file. A limit on file sizes does not limit
// memory: beyond it, ordinary memory is used.
func truncate(descriptor int, size int64) error {
	err := unix.Ftruncate(descriptor, size)
	if err == unix.EFBIG {
		return unix.ENOTSUP
	}
	return err
}

// path names the bytes for this process's children only.
func (f *sharedFile) path() string {
	path := fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), f.descriptor)
	if f.start > 0 {
		path += fmt.Sprintf(":%d", f.start)
	}
	return path
}

func (f *sharedFile) resize(size int64) ([]byte, error) {
	size += f.start
	grow := size > int64(len(f.mapped))
	if grow {
		if err := truncate(f.descriptor, size); err != nil {
			return nil, err
		}
	}
	resized, err := unix.Mremap(f.mapped, int(size), unix.MREMAP_MAYMOVE)
	if err != nil {
		return nil, err
	}
	f.mapped = resized
	if !grow {
		// Bytes that are cut off cost nothing, and are zero if they come back.
		if err := unix.Ftruncate(f.descriptor, size); err != nil {
			return nil, err
		}
	}
	return f.data(), nil
}

func (f *sharedFile) settle() {
	unix.Madvise(f.mapped, unix.MADV_DONTNEED) // of a shared mapping: the file keeps the bytes
}

func (f *sharedFile) close() {
	unix.Munmap(f.mapped)
	unix.Close(f.descriptor)
}

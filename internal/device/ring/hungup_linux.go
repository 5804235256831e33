package ring

import (
	"os"

	"golang.org/x/sys/unix"
)

// HungUp reports whether all writers of a pipe have closed it, without reading from it.
func HungUp(f *os.File) bool {
	polled := []unix.PollFd{{Fd: int32(f.Fd())}}
	n, err := unix.Poll(polled, 0)
	return err == nil && n == 1 && polled[0].Revents&unix.POLLHUP != 0
}

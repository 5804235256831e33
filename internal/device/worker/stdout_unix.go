//go:build unix

package worker

import (
	"os"

	"golang.org/x/sys/unix"
)

// TakeStdout returns this process's standard output for [Serve]. Whatever else
// is written there from now on, by a driver or the printf of a kernel, goes to
// standard error.
func TakeStdout() (*os.File, error) {
	out, err := unix.Dup(1)
	if err != nil {
		return nil, os.NewSyscallError("dup", err)
	}
	unix.CloseOnExec(out)
	if err := unix.Dup2(2, 1); err != nil {
		return nil, os.NewSyscallError("dup2", err)
	}
	return os.NewFile(uintptr(out), "stdout"), nil
}

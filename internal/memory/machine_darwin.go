package memory

import "golang.org/x/sys/unix"

// OfMachine returns the bytes of memory that the machine has; 0 if that is not known.
func OfMachine() int64 {
	bytes, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return 0
	}
	return int64(bytes)
}

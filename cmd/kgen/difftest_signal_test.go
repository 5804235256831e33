//go:build linux

package main

import (
	"os"
	"strings"
	"syscall"
	"testing"
)

// An interrupt ends a test of devices, and the build that is under way; the
// matrix says what was done until then, and nothing stays behind.
func TestInterruptedDifftest(t *testing.T) {
	enter(t, nil)
	p := command(t, "difftest", "--random", "3", "--runs", "1000000", "--devices", "emulated,gocpu").start()
	waitFor(t, "a folder for a build", func() bool {
		entries, err := os.ReadDir(os.TempDir())
		return err == nil && len(entries) > 0
	})
	p.signal(syscall.SIGINT)
	p.expect("DEVICE", "emulated", " programs, ", "0 differ", "kgen: interrupted")
	if strings.Contains(p.stderr.String(), "3000000 inputs") {
		t.Error("it has not ended early")
	}
}

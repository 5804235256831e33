package gocpu

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/kgen-go/kgen/internal/device/subprocess"
	"github.com/kgen-go/kgen/internal/memory"
)

// waitFor polls until a state is there.
func waitFor(t *testing.T, what string, there func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !there(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("still not: %s", what)
		}
	}
}

// state returns the letter that the system has for what a process does; "" is
// none, Z one that has ended.
func state(pid int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return rest[:1]
}

func ended(pid int) bool { s := state(pid); return s == "" || s == "Z" }

// computing reports whether a process has spent some time on its own.
func computing(pid int) bool {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 12 {
		return false
	}
	ticks, _ := strconv.Atoi(fields[11]) // utime
	return ticks > 5
}

// addressSpace returns how many bytes a process has mapped.
func addressSpace(pid int) uint64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	var pages uint64
	fmt.Sscan(string(text), &pages)
	return pages * uint64(os.Getpagesize())
}

// TestEndDuringACall: however a child ends, the call says how, and the next one works.
func TestEndDuringACall(t *testing.T) {
	w := testWorker(t)
	for _, c := range []struct {
		name        string
		how         int64
		do          func(pid int) error
		want        string
		outOfMemory bool
	}{
		{"SIGKILL", 3, func(pid int) error { return syscall.Kill(pid, syscall.SIGKILL) }, "signal: killed (the system does this when memory runs out)", true},
		{"SIGSEGV", 3, func(pid int) error { return syscall.Kill(pid, syscall.SIGSEGV) }, "SIGSEGV", false},
		{"SIGQUIT", 3, func(pid int) error { return syscall.Kill(pid, syscall.SIGQUIT) }, "SIGQUIT", false},
		{"memory", 7, func(pid int) error {
			size := addressSpace(pid) + 1<<28
			return unix.Prlimit(pid, unix.RLIMIT_AS, &unix.Rlimit{Cur: size, Max: size}, nil)
		}, "the process that ran misbehave has run out of memory", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := w.Run(t.Context(), misbehave(t, 0, 1)); err != nil { // starts a child
				t.Fatal(err)
			}
			pid := w.child.Command.Process.Pid
			failed := make(chan error, 1)
			go func() {
				if c.how == 3 {
					for !computing(pid) {
						time.Sleep(time.Millisecond)
					}
				}
				failed <- c.do(pid)
			}()
			if c.how == 7 {
				if err := <-failed; err != nil {
					t.Fatal(err)
				}
			}
			_, err := w.Run(t.Context(), misbehave(t, c.how, 1))
			var crash *CrashError
			if !errors.As(err, &crash) || !strings.Contains(err.Error(), c.want) || crash.OutOfMemory() != c.outOfMemory {
				t.Errorf("out of memory %v, error %v", crash != nil && crash.OutOfMemory(), err)
			}
			if c.outOfMemory && strings.Contains(err.Error(), "goroutine") {
				t.Errorf("a stack trace in %v", err)
			}
			if len(err.Error()) > 3*subprocess.ExcerptBytes {
				t.Errorf("%d bytes of message", len(err.Error()))
			}
		})
	}
	if _, err := w.Run(t.Context(), misbehave(t, 0, 1)); err != nil {
		t.Error(err)
	}
}

// TestChildIgnoresSignalsOfTheGroup: Ctrl-C and what ends a session reach all
// processes at once, and the runner decides what they mean.
func TestChildIgnoresSignalsOfTheGroup(t *testing.T) {
	w := testWorker(t)
	if _, err := w.Run(t.Context(), misbehave(t, 0, 1)); err != nil {
		t.Fatal(err)
	}
	pid := w.child.Command.Process.Pid
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		if err := syscall.Kill(pid, s); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Run(t.Context(), misbehave(t, 0, 1)); err != nil {
			t.Errorf("a call after %v: %v", s, err)
		}
	}
	if w.child == nil || w.child.Command.Process.Pid != pid {
		t.Error("the child has ended")
	}
}

const hangingCache = "KGEN_TEST_HANGING_CACHE"

// TestHangingRunner is the process that TestChildFollowsAKilledRunner kills.
func TestHangingRunner(t *testing.T) {
	cache := os.Getenv(hangingCache)
	if cache == "" {
		t.Skip("for another test")
	}
	b, err := Build(t.Context(), testSource(t), Options{CacheFolder: cache})
	if err != nil {
		t.Fatal(err)
	}
	w := b.Worker(memory.NewSpace(0))
	if _, err := w.Run(t.Context(), misbehave(t, 0, 1)); err != nil {
		t.Fatal(err)
	}
	fmt.Println(w.child.Command.Process.Pid)
	_, err = w.Run(t.Context(), misbehave(t, 3, 1))
	t.Errorf("the call has ended: %v", err)
}

// TestChildFollowsAKilledRunner: a child that computes does not outlive its runner.
func TestChildFollowsAKilledRunner(t *testing.T) {
	testBinary(t) // in the cache
	runner := exec.Command(os.Args[0], "-test.run", "^TestHangingRunner$")
	runner.Env = append(os.Environ(), hangingCache+"="+cache, "TMPDIR="+t.TempDir())
	runner.Stderr = os.Stderr
	out, err := runner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := runner.Start(); err != nil {
		t.Fatal(err)
	}
	defer runner.Wait()
	defer runner.Process.Kill()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if !ended(child) {
			syscall.Kill(child, syscall.SIGKILL)
		}
	}()
	waitFor(t, "the child computes", func() bool { return computing(child) })
	if err := runner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the child has ended", func() bool { return ended(child) })
}

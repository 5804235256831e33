package memory

import (
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

// TestLimitOfFileSizes: where the system limits the size of files, large bytes
// are ordinary memory.
func TestLimitOfFileSizes(t *testing.T) {
	const limited = "KGEN_TEST_LIMITED"
	if os.Getenv(limited) == "" { // the limit is for a process of its own
		c := exec.Command(os.Args[0], "-test.run", "^TestLimitOfFileSizes$")
		c.Env = append(os.Environ(), limited+"=1")
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	const most = 3 * LeastShared
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: most, Max: most}); err != nil {
		t.Fatal(err)
	}
	s := NewSpace(0)
	defer s.Close()
	s.Paged = true // so that what fits is known
	if data, err := s.New(most + 1); err != nil || len(data) != most+1 {
		t.Errorf("New: %d bytes, %v", len(data), err)
	}
	data, err := s.New(most)
	if err != nil {
		t.Fatal(err)
	}
	if _, shared := s.Path(data); !shared {
		t.Error("what fits into a file is not shared")
	}
	data[0], data[most-1] = 3, 4
	for _, size := range []int64{2 * most, 4 * most, most} {
		if data, err = s.Resize(data, size); err != nil || int64(len(data)) != size || data[0] != 3 || data[most-1] != 4 {
			t.Fatalf("Resize: %d bytes, %v", len(data), err)
		}
	}
	s.Free(data)
	if used := s.Used(); used != most+1 {
		t.Errorf("%d bytes are in use", used)
	}
}

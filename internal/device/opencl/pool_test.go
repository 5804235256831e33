//go:build opencl

package opencl

import (
	"context"
	"os"
	"testing"

	"github.com/kgen-go/kgen/internal/device/devicetest"
	"github.com/kgen-go/kgen/internal/device/worker"
)

// openSession opens the device of the tests in this process.
func openSession(t *testing.T, d *Driver) *session {
	t.Helper()
	s, err := d.Open(context.Background(), devicetest.Number("opencl"), worker.SessionOptions{})
	if err != nil {
		if os.Getenv("KGEN_REQUIRE_OPENCL") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	t.Cleanup(s.Close)
	return s.(*session)
}

func TestBuffersAreUsedAgain(t *testing.T) {
	driver := New()
	s := openSession(t, driver)
	s.device.pool.Trim()
	held := s.device.pool.Held()
	var first *buffer
	for range 3 {
		s := openSession(t, driver)
		m, err := s.Alloc(200_000)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = m.(*buffer)
		}
		if m != first {
			t.Error("another buffer for the same size")
		}
		if n := s.device.pool.Held() - held; n < 200_000 || n > 225_000 {
			t.Errorf("%d bytes held", n)
		}
		s.Free(m)
	}
	// What the pool keeps does not stand in the way of a larger buffer.
	s.device.pool.Limit = s.device.pool.Held() + 1000
	m, err := s.Alloc(201_000)
	if err != nil {
		t.Fatal(err)
	}
	if s.device.pool.Idle() != 0 {
		t.Errorf("%d bytes are idle", s.device.pool.Idle())
	}
	s.Free(m)
	if _, err := s.Alloc(s.device.pool.Limit + 1); err == nil {
		t.Error("more than the device has")
	}
	if _, err := s.Alloc(150_000); err != nil {
		t.Errorf("after a refusal: %v", err)
	}
}

func TestSmallBuffersAtRandom(t *testing.T) {
	devicetest.SmallBuffers(t, openSession(t, New()), 5_000)
}

// Memory reaches to the next multiple of 8, even if buffers are not rounded up.
func TestMemoryReachesToWords(t *testing.T) {
	s := openSession(t, New())
	s.device.pool.Exact = true
	for bytes, want := range map[int64]int64{1: 8, 8: 8, 13: 16} {
		m, err := s.Alloc(bytes)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.(*buffer).Size; got != want {
			t.Errorf("of %d bytes %d are there, want %d", bytes, got, want)
		}
		s.Free(m)
	}
}

func TestCommandsAreRetired(t *testing.T) {
	s := openSession(t, New())
	m, err := s.Alloc(8)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Free(m)
	s.commands.Timed = true // so that fills are recorded, too
	for range 3000 {
		if err := s.Fill(m, []byte{1, 2, 3, 4, 5, 6, 7, 8}, 1); err != nil {
			t.Fatal(err)
		}
	}
	// Those that were still running are kept; a read and Sync leave none.
	if err := s.Read(m, 0, make([]byte, 8)); err != nil || s.commands.Open() != 0 {
		t.Errorf("%d commands open, %v", s.commands.Open(), err)
	}
	if err := s.Fill(m, []byte{1}, 8); err != nil {
		t.Fatal(err)
	}
	if err := s.Sync(); err != nil || s.commands.Open() != 0 {
		t.Errorf("%d commands open, %v", s.commands.Open(), err)
	}
	if s.Busy() != "" {
		t.Errorf("busy with %s", s.Busy())
	}
}

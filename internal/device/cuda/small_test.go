//go:build cuda

package cuda

import (
	"context"
	"os"
	"testing"

	"github.com/kgen-go/kgen/internal/device/devicetest"
	"github.com/kgen-go/kgen/internal/device/worker"
)

func openSession(t *testing.T) *session {
	opened, err := New().Open(context.Background(), devicetest.Number("cuda"), worker.SessionOptions{})
	if err != nil {
		if os.Getenv("KGEN_REQUIRE_CUDA") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	t.Cleanup(opened.Close)
	return opened.(*session)
}

func TestSmallBuffersAtRandom(t *testing.T) {
	s := openSession(t)
	devicetest.SmallBuffers(t, s, 40_000)
	if r := s.device.reporter(); r == nil || r.count == 0 {
		t.Error("no kernel has reported")
	}
}

// Memory that commands wait for is not freed before they went to the driver.
func TestMemoryOfWaitingCommands(t *testing.T) {
	s := openSession(t)
	d := s.device
	d.pool.Trim()
	defer func(limit int64) { d.pool.Limit = limit }(d.pool.Limit)
	d.pool.Limit = d.pool.Held() + 3<<20
	m, err := s.Alloc(2 << 20)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Fill(m, []byte{1, 2, 3, 4}, 1<<19); err != nil {
		t.Fatal(err)
	}
	if len(d.waiting.commands) != 1 {
		t.Fatalf("%d commands wait", len(d.waiting.commands))
	}
	s.Free(m)
	larger, err := s.Alloc(5 << 19) // for which the pool gives up what is free
	if err != nil {
		t.Fatal(err)
	}
	if len(d.waiting.commands) != 0 || d.pool.Idle() != 0 {
		t.Errorf("%d commands wait, %d bytes are idle", len(d.waiting.commands), d.pool.Idle())
	}
	s.Free(larger)
	if err := s.Sync(); err != nil {
		t.Error(err)
	}
}

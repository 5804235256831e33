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
	opened, err := New().Open(context.Background(), 0, worker.SessionOptions{})
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
	if r := s.device.reporter(); r == nil || r.number == 0 {
		t.Error("no kernel has reported")
	}
}

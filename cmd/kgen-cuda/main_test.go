//go:build cuda

package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/device/worker"
)

// It runs where there is a device, or the stand-in of internal/device/cuda.
func TestList(t *testing.T) {
	t.Setenv("KGEN_CACHE", t.TempDir())
	var text bytes.Buffer
	if status := worker.Main(worker.CUDA, open, []string{"devices"}, &text); status != 0 || !strings.HasPrefix(text.String(), "cuda:0  ") ||
		!strings.Contains(text.String(), "compute capability") {
		t.Errorf("status %d:\n%s", status, &text)
	}
}

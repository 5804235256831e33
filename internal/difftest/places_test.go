package difftest

import (
	"runtime/debug"
	"strings"
	"testing"
)

// A panic is placed in kgen by frames of any of its folders, innermost first.
func TestPlaces(t *testing.T) {
	stack := "goroutine 1 [running]:\nruntime.panic()\n\t/usr/local/go/src/runtime/panic.go:1 +0x1\n" +
		"a.b()\n\t/x/kgen/internal/simt/lower.go:57 +0x1\na.c()\n\t/x/kgen/backends/gocpu/emit.go:8 +0x1\na.d()\n\t/x/kgen/build/emit.go:9 +0x1\n"
	if got, want := Places([]byte(stack)), " at internal/simt/lower.go:57, called at backends/gocpu/emit.go:8, called at build/emit.go:9"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Places(debug.Stack()); !strings.Contains(got, "internal/difftest/places_test.go:") {
		t.Errorf("this test is not on its own stack: %q", got)
	}
}

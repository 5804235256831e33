//go:build !cuda

package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestUntaggedSaysWhatIsMissing(t *testing.T) {
	program := filepath.Join(t.TempDir(), "worker.exe")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(program, "serve").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "go install -tags cuda ") {
		t.Errorf("%v: %s", err, out)
	}
}

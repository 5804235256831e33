package main

import (
	"os/exec"
	"strings"
	"testing"
)

// TestCUDAEmulation: the emulation is a device like the others; its checks
// change nothing where the text is right.
func TestCUDAEmulation(t *testing.T) {
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("the emulation needs g++")
	}
	const pipeline, data = "../../examples/grades/grades.kg", "../../examples/grades/students.csv"
	run := func(device string) (code int, stdout, stderr string) {
		return execute("", "run", pipeline, "--in", data, "--fuse", "onepass", "--device", device)
	}
	_, want, _ := run("gocpu")
	for _, device := range []string{"cudaemu", "cudaemu:check", "cudaemu:check:9"} {
		code, got, message := run(device)
		if code != 0 || got != want || want == "" {
			t.Errorf("%s ends with %d, %s, and gives\n%s\nwant\n%s", device, code, message, got, want)
		}
	}
	for _, device := range []string{"cudaemu:", "cudaemu:chek", "cudaemu:check:x", "cudaemu:check:-1", "cudaemu:0"} {
		code, _, message := run(device)
		if code != 2 || !strings.Contains(message, "there are cudaemu, cudaemu:check") {
			t.Errorf("%s ends with %d: %s", device, code, message)
		}
	}
}

// A kernel that takes longer than it may is reported with its place.
func TestCUDAEmulationTimeLimit(t *testing.T) {
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("the emulation needs g++")
	}
	writeFiles(t, map[string]string{
		"sums.kg": "pipeline sums(x: [n]i32) {\n\treturn sums: scan(add, i64(x))\n}\n",
		"x.csv":   "x\n" + strings.Repeat("1\n", 1_000_000),
	})
	code, _, message := execute("", "run", "sums.kg", "--in", "x.csv", "--device", "cudaemu:check", "--time-limit", "1ms")
	if code != 1 || !strings.Contains(message, "timeout: ") || !strings.Contains(message, "1ms") {
		t.Errorf("with 1 ms it ends with %d: %s", code, message)
	}
}

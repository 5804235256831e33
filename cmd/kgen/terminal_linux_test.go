package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"

	"github.com/kgen-go/kgen/internal/device/worker"
)

// onTerminal runs kgen with standard error on a pseudo-terminal, and returns all
// that was shown there.
func onTerminal(t *testing.T, environment []string, args ...string) string {
	t.Helper()
	terminal, end, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	var shown bytes.Buffer
	read := make(chan struct{})
	go func() {
		io.Copy(&shown, terminal) // until the last process has closed its end
		close(read)
	}()
	command := exec.Command("kgen", args...)
	command.Env, command.Stderr = append(os.Environ(), environment...), end
	err = command.Run()
	end.Close()
	<-read
	if err != nil {
		t.Logf("%v", err)
	}
	return shown.String()
}

// expectShown requires texts on a terminal, and that the last line was removed
// before rest.
func expectShown(t *testing.T, shown, rest string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(shown, clearLine+text) {
			t.Errorf("the terminal did not show %q: %q", text, shown)
		}
	}
	if _, last, _ := cutLast(shown, clearLine); strings.ReplaceAll(last, "\r\n", "\n") != rest {
		t.Errorf("the terminal is left with %q, want %q", last, rest)
	}
}

func cutLast(text, mark string) (before, after string, found bool) {
	i := strings.LastIndex(text, mark)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(mark):], true
}

// A build that takes long is shown, and what is read.
func TestTerminal(t *testing.T) {
	goCommand, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	writeFiles(t, map[string]string{"doubled.kg": doubled, "data.csv": "x\n" + strings.Repeat("123456789\n", 4<<20)})
	script(t, "go", fmt.Sprintf("[ $1 != build ] || sleep 1\nexec %s \"$@\"\n", goCommand))
	cache := "KGEN_CACHE=" + t.TempDir()
	expectShown(t, onTerminal(t, []string{cache}, "run", "doubled.kg", "--in", "data.csv", "--out", "out.csv"), "",
		"compiling the emitted Go, 1 s", "compiling the emitted Go, 2 s", "read ", "write ")
	shown := onTerminal(t, []string{cache}, "run", "doubled.kg", "--in", "data.csv", "--out", "out.parquet")
	expectShown(t, shown, "", "read ")
	if strings.Contains(shown, "compiling") || !strings.Contains(shown, " of 41.9 MB") {
		t.Errorf("with the cache: %q", shown)
	}
}

// So is a device that is probed, and one that is busy.
func TestTerminalWorker(t *testing.T) {
	path, err := exec.LookPath("hanging-worker")
	if err != nil {
		t.Fatal(err)
	}
	writeFiles(t, map[string]string{"doubled.kg": doubled, "data.csv": "x\n1\n"})
	environment := []string{worker.OpenCL.Variable + "=" + path, capsVariable + "=atomics.i64 progress.ticket", probeVariable + "=1s"}
	shown := onTerminal(t, environment, "run", "doubled.kg", "--in", "data.csv", "--device", "opencl:0", "--time-limit", "3s")
	expectShown(t, shown, "the device did not end within 3s; it was busy with a kernel\n  --time-limit gives a run more time\n",
		"waiting for the probe of the device, 1 s", "waiting for a kernel, 1 s")
}

// A compiler that the emulation starts is shown.
func TestTerminalEmulation(t *testing.T) {
	compiler, err := exec.LookPath("g++")
	if err != nil {
		t.Skip(err)
	}
	writeFiles(t, map[string]string{"doubled.kg": doubled, "data.csv": "x\n1\n"})
	script(t, "g++", fmt.Sprintf("[ \"$1\" = --version ] || sleep 0.5\nexec %s \"$@\"\n", compiler))
	folder, err := filepath.Abs("cache")
	if err != nil {
		t.Fatal(err)
	}
	shown := onTerminal(t, []string{"KGEN_CACHE=" + folder}, "run", "doubled.kg", "--in", "data.csv", "--device", "cudaemu", "--out", "out.csv")
	expectShown(t, shown, "", "compiling the CUDA emulation, 1 s", `compiling kernel "doubled_kernel1", 1 s`)
}

package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// lines is what a command has printed so far.
type lines struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.Write(p)
}

// wait waits until the output contains a text, and forgets what it holds.
func (l *lines) wait(t *testing.T, want string) string {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		l.mutex.Lock()
		got := l.text.String()
		if strings.Contains(got, want) {
			l.text.Reset()
			l.mutex.Unlock()
			return got
		}
		l.mutex.Unlock()
		if time.Now().After(end) {
			t.Fatalf("no %q in %q", want, got)
		}
	}
}

// TestWatch saves a file in the ways of editors; the emitted file follows.
func TestWatch(t *testing.T) {
	const before, after = "pipeline p(x: [n]i64) { return y: 2 * x }\n", "pipeline p(x: [n]i64) { return y: 3 * x }\n"
	writeFiles(t, map[string]string{"real.kg": before})
	if err := os.Symlink("real.kg", "p.kg"); err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var stdout, stderr lines
	ended := make(chan error, 1)
	go func() {
		root, _ := newRoot()
		root.SetArgs([]string{"emit", "p.kg", "-o", "out", "--watch"})
		root.SetOut(&stdout)
		root.SetErr(&stderr)
		_, err := root.ExecuteContextC(ctx)
		ended <- err
	}()
	stderr.wait(t, "watching p.kg; Ctrl-C ends\n")
	expect := func(text string) {
		t.Helper()
		stdout.wait(t, "kgen_support.go\n")
		emitted, err := os.ReadFile("out/p.go")
		if err != nil || !strings.Contains(string(emitted), text) {
			t.Errorf("no %q in the emitted file, %v", text, err)
		}
	}
	save := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	expect("2 * x")

	save("p.kg", after)
	expect("3 * x")

	save("new.kg", before) // in its place
	if err := os.Rename("new.kg", "real.kg"); err != nil {
		t.Fatal(err)
	}
	expect("2 * x")

	save("p.kg", "pipeline p(x: [n]i64) { return y: z }\n")
	if text := stderr.wait(t, "z"); !strings.Contains(text, "p.kg:1:35: ") {
		t.Errorf("the error is %q", text)
	}
	if emitted, err := os.ReadFile("out/p.go"); err != nil || !strings.Contains(string(emitted), "2 * x") {
		t.Errorf("the file of the last good text is gone: %v", err)
	}
	if err := os.Remove("real.kg"); err != nil {
		t.Fatal(err)
	}
	stderr.wait(t, "no such file")
	save("real.kg", after)
	expect("3 * x")

	// A file that grows is left alone until it has its end.
	stderr.wait(t, "")
	for i := range len(before) {
		save("p.kg", before[:i+1])
		time.Sleep(watchInterval / 2)
	}
	expect("2 * x")
	if text := stderr.wait(t, ""); strings.Count(text, "p.kg:1:") > 5 { // a few, where the machine is busy
		t.Errorf("what was saved by half was emitted: %s", text)
	}

	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestWatchInterrupted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be interrupted")
	}
	writeFiles(t, map[string]string{"orders.kg": orders})
	command := exec.Command("kgen", "emit", "orders.kg", "-o", "out", "--watch")
	var stderr lines
	command.Stderr = &stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { command.Process.Kill() })
	stderr.wait(t, "watching orders.kg")
	if err := command.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := command.Wait(); err != nil || stderr.wait(t, "") != "" {
		t.Error(err)
	}
}

func TestWatchUsage(t *testing.T) {
	writeFiles(t, map[string]string{"p.kg": orders})
	for _, c := range []struct {
		args, want string
		code       int
	}{
		{"-e pipeline", "leave out -e and --check", exitUsage},
		{"p.kg -o out --check", "leave out -e and --check", exitUsage},
		{"p.kg", "-o FOLDER", exitUsage},
		{"p.kg#q -o out", "p.kg has no pipeline q", exitUsage},
		{". -o out", "--watch: . is not a file", exitUsage},
		{"missing.kg -o out", "no such file", exitFailed},
	} {
		code, _, stderr := execute("", append([]string{"emit", "--watch"}, strings.Fields(c.args)...)...)
		if code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit code %d, %s", c.args, code, stderr)
		}
	}
}

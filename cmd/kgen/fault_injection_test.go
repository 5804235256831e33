//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The fault-injection tests run kgen as a process of its own, in a folder of its
// own, and wait for states that they can see.

const doubled = "pipeline doubled(x: [n]i64) { return y: 2 * x }\n"

// both has two tables, n and m.
const both = "pipeline both(x: [n]i64, y: [m]i64) { return x: 2 * x, y: 2 * y }\n"

// process is a running kgen.
type process struct {
	*exec.Cmd
	t           *testing.T
	environment []string // beside the test's own
	stderr      bytes.Buffer
}

// enter makes a folder of files the current one, and an empty folder beside it
// that of temporary files.
func enter(t *testing.T, files map[string]string) {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	writeFiles(t, files)
	t.Cleanup(func() {
		if names := list(t, os.TempDir()); len(names) > 0 {
			t.Errorf("temporary files are left: %v", names)
		}
	})
}

// list returns the names in a folder.
func list(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// expectSame checks that the current folder holds what it held at first, and
// that out.csv is the old one, if it is there.
func expectSame(t *testing.T, first []string) {
	t.Helper()
	if now := list(t, "."); !slices.Equal(now, first) {
		t.Errorf("the folder holds %q, want %q", now, first)
	}
	if text, err := os.ReadFile("out.csv"); err == nil && string(text) != "old" {
		t.Errorf("out.csv holds %.40q", text)
	}
}

// command makes a process of kgen, which writes no file of more than 4 GiB: should
// the test die, it does not fill the disk.
func command(t *testing.T, args ...string) *process {
	p := &process{Cmd: exec.Command("limited", args...), t: t}
	p.Stderr = &p.stderr
	return p.under(limitFiles, 4<<30)
}

// under sets a limit, or another variable of p's environment.
func (p *process) under(name string, value any) *process {
	p.environment = append(p.environment, fmt.Sprintf("%s=%v", name, value))
	return p
}

func (p *process) start() *process {
	p.t.Helper()
	p.Env = append(os.Environ(), p.environment...)
	if err := p.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { p.Process.Kill() })
	return p
}

// finish waits for the end and returns the exit code, -1 for a signal.
func (p *process) finish() int {
	p.t.Helper()
	timer := time.AfterFunc(time.Minute, func() {
		p.t.Error("kgen has not ended")
		p.Process.Kill()
	})
	defer timer.Stop()
	p.Wait()
	return p.ProcessState.ExitCode()
}

// expect waits for the end of a run that fails, with parts of its message.
func (p *process) expect(parts ...string) {
	p.t.Helper()
	code, stderr := p.finish(), p.stderr.String()
	for _, part := range parts {
		if !strings.Contains(stderr, part) {
			p.t.Errorf("no %q in standard error", part)
		}
	}
	if code != exitFailed || strings.Contains(stderr, "goroutine ") || p.t.Failed() {
		p.t.Errorf("%v; standard error: %s", p.ProcessState, stderr)
	}
}

func (p *process) signal(s os.Signal) {
	p.t.Helper()
	if err := p.Process.Signal(s); err != nil {
		p.t.Error(err)
	}
}

// expectInterrupted ends p by a signal.
func (p *process) expectInterrupted(s os.Signal) {
	p.t.Helper()
	p.signal(s)
	if code := p.finish(); code != exitFailed || p.stderr.String() != "kgen: interrupted\n" {
		p.t.Errorf("%v; standard error: %s", p.ProcessState, p.stderr.String())
	}
}

// waitFor polls until a state is there.
func waitFor(t *testing.T, what string, there func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !there(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("still not: %s", what)
		}
	}
}

// waitForLines waits until a file has n lines and returns them as numbers.
func waitForLines(t *testing.T, name string, n int) (numbers []int) {
	t.Helper()
	waitFor(t, name, func() bool {
		text, _ := os.ReadFile(name)
		return bytes.Count(text, []byte("\n")) >= n
	})
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Fields(string(text)) {
		number, err := strconv.Atoi(line)
		if err != nil {
			t.Fatal(err)
		}
		numbers = append(numbers, number)
	}
	return numbers
}

// expectEnded waits until none of the processes is left.
func expectEnded(t *testing.T, processes []int) {
	t.Helper()
	for _, pid := range processes {
		t.Cleanup(func() { syscall.Kill(pid, syscall.SIGKILL) })
		waitFor(t, fmt.Sprintf("process %d has ended", pid), func() bool {
			stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
			return err != nil || strings.Contains(string(stat), ") Z ")
		})
	}
}

// script puts a shell script on PATH, before all others.
func script(t *testing.T, name, text string) {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, name), []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
}

func makePipe(t *testing.T, name string) {
	t.Helper()
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
}

// temporaryOf returns the file under which name is being written.
func temporaryOf(name string) (path string, size int64) {
	matches, _ := filepath.Glob("." + name + ".kgen-*")
	for _, m := range matches {
		if info, err := os.Stat(m); err == nil {
			return m, info.Size()
		}
	}
	return "", -1
}

// The command limited runs kgen with its arguments, under limits from its
// environment: of the size of files and of the address space, in bytes, and
// without root's right to pass over permissions.
const (
	limitFiles   = "KGEN_TEST_LIMIT_FILES"
	limitAddress = "KGEN_TEST_LIMIT_ADDRESS"
	obey         = "KGEN_TEST_OBEY"
)

func init() { commands["limited"] = limited }

func limited() {
	runtime.LockOSThread()
	for name, resource := range map[string]int{limitFiles: unix.RLIMIT_FSIZE, limitAddress: unix.RLIMIT_AS} {
		if size, err := strconv.ParseUint(os.Getenv(name), 10, 64); err == nil {
			if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: size, Max: size}); err != nil {
				panic(err)
			}
		}
	}
	if os.Getenv(obey) != "" && os.Getuid() == 0 {
		for _, capability := range []uintptr{unix.CAP_DAC_OVERRIDE, unix.CAP_DAC_READ_SEARCH} {
			if err := unix.Prctl(unix.PR_CAPBSET_DROP, capability, 0, 0, 0); err != nil {
				panic(err)
			}
		}
	}
	path, err := exec.LookPath("kgen")
	if err == nil {
		err = syscall.Exec(path, append([]string{"kgen"}, os.Args[1:]...), os.Environ())
	}
	panic(err)
}

// plant makes a shell script the program that is in the cache for the only
// pipeline that was built there.
func plant(t *testing.T, cache, text string) {
	t.Helper()
	programs, _ := filepath.Glob(filepath.Join(cache, "gocpu", "*", "program"))
	if len(programs) != 1 {
		t.Fatalf("programs in the cache: %v", programs)
	}
	program := []byte("#!/bin/sh\n" + text)
	err := errors.Join(os.WriteFile(programs[0], program, 0o700), os.WriteFile(filepath.Join(filepath.Dir(programs[0]), "sha256"), sum(program), 0o600))
	if err != nil {
		t.Fatal(err)
	}
}

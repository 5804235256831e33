//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// hangingCompiler puts a g++ on PATH that hangs when it compiles, as hangingGo
// does, with a file where compilers have theirs.
func hangingCompiler(t *testing.T) {
	t.Helper()
	script(t, "g++", `[ "$1" != --version ] || { echo g++ 1; exit; }
mktemp "${TMPDIR:-/tmp}/ccXXXXXX.s" > /dev/null
echo $$ >> "$PIDS"
sh -c 'echo $$ >> "$PIDS"; exec sleep 300'
`)
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PIDS", filepath.Join(folder, "pids"))
}

// TestEndDuringABuild: however kgen ends, what it has started ends too; its
// files are removed at once, or by the next build where kgen was killed.
func TestEndDuringABuild(t *testing.T) {
	for _, c := range []struct {
		device, folder string
		hang           func(t *testing.T)
	}{
		{"cudaemu", "scratch-*", hangingCompiler},
		{"gocpu", "build-*", func(t *testing.T) { hangingGo(t, "build", "") }},
	} {
		for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL} {
			t.Run(fmt.Sprintf("%s/%v", c.device, s), func(t *testing.T) {
				enter(t, map[string]string{"doubled.kg": doubled, "data.csv": "x\n1\n"})
				cache := t.TempDir()
				t.Setenv("KGEN_CACHE", cache)
				c.hang(t)
				folders := func() []string {
					names, err := filepath.Glob(filepath.Join(cache, c.device, c.folder))
					if err != nil {
						t.Fatal(err)
					}
					return names
				}
				begin := func() (*process, []int) {
					os.Remove("pids")
					p := command(t, "run", "doubled.kg", "--in", "data.csv", "--device", c.device).start()
					return p, waitForLines(t, "pids", 2)
				}
				p, started := begin()
				if s == syscall.SIGKILL {
					p.signal(s)
					p.finish()
					expectEnded(t, started)
					killed := folders()
					p, started = begin()
					if now := folders(); len(killed) != 1 || len(now) != 1 || slices.Equal(killed, now) {
						t.Errorf("a killed build left %v; then there are %v", killed, now)
					}
					s = syscall.SIGINT
				}
				p.expectInterrupted(s)
				expectEnded(t, started)
				if left := folders(); len(left) > 0 {
					t.Errorf("folders left: %v", left)
				}
			})
		}
	}
}

// TestNoFolderForTemporaryFiles: what kgen builds has a place of its own, and
// where it has none the message says which folder is missing.
func TestNoFolderForTemporaryFiles(t *testing.T) {
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("the emulation needs g++")
	}
	writeFiles(t, map[string]string{"doubled.kg": doubled, "data.csv": "x\n1\n", "file": ""})
	run := func() (int, string) {
		code, _, stderr := execute("", "run", "doubled.kg", "--in", "data.csv", "--device", "cudaemu")
		return code, stderr
	}
	t.Setenv("TMPDIR", "/missing/folder")
	if code, stderr := run(); code != exitOK {
		t.Errorf("without a folder of temporary files: %s", stderr)
	}
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("KGEN_CACHE", filepath.Join(folder, "file", "cache"))
	if code, stderr := run(); code != exitFailed || !strings.Contains(stderr, "not a directory (KGEN_CACHE can name another)") {
		t.Errorf("without a cache: %d %s", code, stderr)
	}
}

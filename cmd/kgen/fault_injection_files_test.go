//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestOutputsThatCannotBeWritten: the error names the file and the reason, what
// was there stays, and no table of the run appears.
func TestOutputsThatCannotBeWritten(t *testing.T) {
	obeying := func(args ...string) func(*testing.T) *process {
		return func(t *testing.T) *process { return command(t, args...).under(obey, true) }
	}
	full := func(size int, args ...string) func(*testing.T) *process {
		return func(t *testing.T) *process { return command(t, args...).under(limitFiles, size) }
	}
	for _, c := range []struct {
		name  string
		run   func(*testing.T) *process
		parts []string
	}{
		{"missing folder", obeying(runBoth("n=out.csv", "m=missing/m.csv")...), []string{"missing/m.csv", "no such file or directory"}},
		{"folder", obeying(runBoth("n=out.csv", "m=folder.csv")...), []string{"folder.csv", "this is a folder"}},
		{"file as folder", obeying(runBoth("n=out.csv", "m=data.csv/m.csv")...), []string{"data.csv/m.csv", "not a directory"}},
		{"unwritable folder", obeying(runBoth("n=out.csv", "m=closed/m.csv")...), []string{"closed/m.csv", "no new file in its folder", "permission denied"}},
		{"unwritable file", obeying(runBoth("n=out.csv", "m=readonly.csv")...), []string{"readonly.csv", "permission denied"}},
		{"full disk", full(100000, runBoth("n=out.csv")...), []string{"writing out.csv", "file too large"}},
		{"full disk, later", full(600000, runBoth("n=out.csv", "m=m.npy")...), []string{"writing m.npy", "file too large"}},
		{"full disk, data", full(100000, "data", "ints", "--rows", "1e9", "--out", "out.csv"), []string{"writing out.csv", "file too large"}},
		{"full disk, Parquet data", full(100000, "data", "ints", "--rows", "1e9", "--out", "new.parquet"), []string{"writing new.parquet", "file too large"}},
		{"full device", obeying(runBoth("n=out.csv", "m=full.csv")...), []string{"full.csv", "no space left on device"}},
		{"full standard output", func(t *testing.T) *process {
			p := command(t, runBoth("n=out.csv", "m=-")...)
			device, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
			if err != nil {
				t.Skip(err)
			}
			t.Cleanup(func() { device.Close() })
			p.Stdout = device
			return p
		}, []string{"/dev/stdout", "no space left on device"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			enter(t, map[string]string{"both.kg": both, "data.csv": "x\n1\n", "out.csv": "old", "readonly.csv": "old",
				"large.csv": "x,y\n" + strings.Repeat("1,2\n", 1<<17)})
			for _, err := range []error{os.Mkdir("folder.csv", 0o700), os.Mkdir("closed", 0o500), os.Chmod("readonly.csv", 0o400), os.Symlink("/dev/full", "full.csv")} {
				if err != nil {
					t.Fatal(err)
				}
			}
			first := list(t, ".")
			c.run(t).start().expect(c.parts...)
			expectSame(t, first)
			for _, folder := range []string{"folder.csv", "closed"} {
				if names := list(t, folder); len(names) > 0 {
					t.Errorf("%s holds %v", folder, names)
				}
			}
		})
	}
}

// TestFullStandardOutput: no command takes what it could not print for done.
func TestFullStandardOutput(t *testing.T) {
	enter(t, map[string]string{"doubled.kg": doubled, "ugly.kg": "pipeline a(x:[n]i64){return x}\n", "bad.kg": "pipeline a() {\n", "data.csv": "x\n1\n"})
	t.Setenv("KGEN_CACHE", t.TempDir())
	tried := map[string]bool{"vet": true} // prints nothing there
	for _, line := range []string{
		"run doubled.kg --in data.csv --device interp", "run doubled.kg --in data.csv --device interp --json", "run doubled.kg --in data.csv --device interp --out -",
		"explain doubled.kg", "explain doubled.kg --format json", "explain doubled.kg --format dot", "explain doubled.kg --format html",
		"explore doubled.kg --rows 10 --levels auto --quick",
		"tune doubled.kg --rows 10 --measure 1ms -o tuned.json",
		"emit doubled.kg -o emitted", "emit doubled.kg --backend cuda -o emitted",
		"emit doubled.kg --after=verify", "emit doubled.kg --after=lower", "emit doubled.kg --after=fuse", "emit doubled.kg --after=tile",
		"emit doubled.kg --after=plan", "emit doubled.kg --after=loop",
		"fmt ugly.kg", "fmt -l ugly.kg", "fmt -d ugly.kg", "fmt -l ugly.kg bad.kg", "fmt ugly.kg ugly.kg",
		"devices", "devices --json", "cache", "cache --json", "cache clean", "data ints --rows 2 --out ints.csv", "data ints --rows 2 --out ints.csv --json", "data ints --rows 2 --out -",
		"difftest doubled.kg --devices gocpu --runs 1", "lsp", "version", "help", "help run", "help scan", "--help", "run --help", "data ints --help",
	} {
		t.Run(line, func(t *testing.T) {
			p := command(t, strings.Fields(line)...)
			device, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
			if err != nil {
				t.Skip(err)
			}
			defer device.Close()
			p.Stdout = device
			if line == "lsp" { // speaks when it is asked
				p.Stdin = strings.NewReader(frame(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`))
			}
			p.start().expect("write /dev/stdout: no space left on device")
			if n := strings.Count(p.stderr.String(), "no space left"); n != 1 {
				t.Errorf("reported %d times", n)
			}
		})
		tried[strings.Fields(line)[0]] = true
	}
	root, _ := newRoot()
	for _, command := range root.Commands() {
		if !tried[command.Name()] {
			t.Errorf("kgen %s is not tried", command.Name())
		}
	}
}

// TestOddInputs has files that are hardly any, and some that only look so.
func TestOddInputs(t *testing.T) {
	interp := func(args ...string) []string {
		return append([]string{"run", "doubled.kg", "--device", "interp", "--in"}, args...)
	}
	enter(t, map[string]string{"doubled.kg": doubled, "data.csv": "x\n1\n2\n", "secret.csv": "x\n1\n", "odd 'name'\n\"%s=.csv": "x\n1\n"})
	for _, err := range []error{os.Mkdir("folder.csv", 0o700), os.Mkdir("folder.parquet", 0o700), os.Symlink(os.DevNull, "null.parquet"), os.Symlink(os.DevNull, "null.csv"), os.Chmod("secret.csv", 0)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	first := list(t, ".")
	for path, part := range map[string]string{
		"folder.csv":     "folder.csv: this is a folder",
		"folder.parquet": "folder.parquet: this is a folder",
		"null.csv":       "null.csv: the file is empty",
		"null.parquet":   "null.parquet: ",
		"secret.csv":     "open secret.csv: permission denied",
		"-":              "standard input: the file is empty", // it is closed
	} {
		t.Run(path, func(t *testing.T) {
			command(t, interp(path)...).under(obey, true).start().expect(part)
		})
	}
	t.Run("standard input is closed", func(t *testing.T) {
		p := command(t)
		p.Path, p.Args = "/bin/sh", []string{"sh", "-c", "exec kgen run doubled.kg --device interp --in - <&-"}
		p.start().expect("standard input")
	})
	for _, path := range []string{"./odd 'name'\n\"%s=.csv", "data.csv"} { // read and written
		code, _, stderr := execute("", interp(path, "--bind", "x=x", "--out", path)...)
		if code != exitOK {
			t.Errorf("%q onto itself: %s", path, stderr)
		}
		if text, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(text), "y\n2\n") {
			t.Errorf("%q holds %q (%v)", path, text, err)
		}
	}
	if now := list(t, "."); !slices.Equal(now, first) {
		t.Errorf("the folder holds %q, want %q", now, first)
	}
}

// TestManyAtOnce: runs that begin together with a cold cache and write the same
// file build once and do not disturb each other.
func TestManyAtOnce(t *testing.T) {
	const rows = 1 << 14
	enter(t, map[string]string{"doubled.kg": doubled, "data.csv": "x\n" + strings.Repeat("21\n", rows)})
	goCommand, err := exec.LookPath("go")
	if err != nil {
		t.Skip(err)
	}
	builds := filepath.Join(t.TempDir(), "builds")
	script(t, "go", fmt.Sprintf("[ $1 != build ] || echo 1 >> %s\nexec %s \"$@\"\n", builds, goCommand))
	cache := t.TempDir()
	var processes []*process
	for range 8 {
		p := command(t, "run", "doubled.kg", "--in", "data.csv", "--out", "out.csv").under("KGEN_CACHE", cache)
		processes = append(processes, p.start())
	}
	for _, p := range processes {
		if code := p.finish(); code != exitOK {
			t.Errorf("%v; standard error: %s", p.ProcessState, p.stderr.String())
		}
	}
	if text, err := os.ReadFile("out.csv"); err != nil || string(text) != "y\n"+strings.Repeat("42\n", rows) {
		t.Errorf("out.csv holds %d bytes, %.40q, %v", len(text), text, err)
	}
	if n := waitForLines(t, builds, 1); len(n) != 1 {
		t.Errorf("%d builds", len(n))
	}
	if names := list(t, "."); !slices.Equal(names, []string{"data.csv", "doubled.kg", "out.csv"}) {
		t.Errorf("the folder holds %q", names)
	}
}

// TestCacheThatFails: the message names the variable that chooses another.
func TestCacheThatFails(t *testing.T) {
	enter(t, map[string]string{"doubled.kg": doubled, "data.csv": "x\n1\n"})
	cache := t.TempDir()
	run := func(cache string) *process {
		return command(t, "run", "doubled.kg", "--in", "data.csv").under("KGEN_CACHE", cache)
	}
	if err := os.Mkdir(filepath.Join(cache, "closed"), 0o500); err != nil {
		t.Fatal(err)
	}
	run(filepath.Join(cache, "closed")).under(obey, true).start().expect("KGEN_CACHE", "permission denied")
	run(filepath.Join(cache, "full")).under(limitFiles, 10000).start().expect("KGEN_CACHE", "file too large")
	if names := list(t, filepath.Join(cache, "full", "gocpu")); !slices.Equal(names, []string{"lock"}) {
		t.Errorf("the cache holds %q", names)
	}
}

// TestProgramsThatFail: a child that dies is reported as such, and where memory
// may be the reason the user hears what to do.
func TestProgramsThatFail(t *testing.T) {
	enter(t, map[string]string{"doubled.kg": doubled, "data.csv": "x\n1\n", "out.csv": "old",
		"bins.kg": "pipeline bins(x: [n]i64, size: i64) { return count: count(by: bins(x, size)) }\n"})
	first := list(t, ".")
	cache := t.TempDir()
	t.Setenv("KGEN_CACHE", cache)
	args := []string{"run", "doubled.kg", "--in", "data.csv"}
	if code, _, stderr := execute("", args...); code != exitOK {
		t.Fatal(stderr)
	}
	args = append(args, "--out", "out.csv")
	for _, c := range []struct{ program, part, advice string }{
		{"kill -9 $$", "the process that ran doubled ended early: signal: killed (the system does this when memory runs out)", "fewer rows"},
		{"echo 'fatal error: runtime: out of memory' >&2; echo >&2; echo goroutine 1 >&2; exit 2", "the process that ran doubled has run out of memory\nfatal error", "--memory-limit"},
		{"kill -SEGV $$", "ended early: signal: segmentation fault", ""},
		{"exit 3", "ended early: exit status 3", ""},
		{"echo nonsense; exec sleep 300", "ended early: ", ""},
	} {
		plant(t, cache, c.program+"\n")
		p := command(t, args...).start()
		p.expect(c.part, c.advice)
		if c.advice == "" && strings.Contains(p.stderr.String(), "memory") {
			t.Errorf("%s is no matter of memory: %s", c.program, p.stderr.String())
		}
	}
	p := command(t, "run", "bins.kg", "--in", "data.csv", "--set", "size=1000000000", "--out", "out.csv")
	p.under(limitAddress, 4<<30).start().expect("the process that ran bins has run out of memory", "--memory-limit")
	expectSame(t, first)
}

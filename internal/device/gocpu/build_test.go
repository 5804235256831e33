package gocpu

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kgen-go/kgen/internal/memory"
)

// tinySource builds fast and differs from every other source of the tests.
func tinySource(salt string) Source {
	text := "package tiny // " + salt + `

type Option func()

func WithWorkers(int) Option { return func() {} }

type Scratch struct{}

func WithScratch(*Scratch) Option { return func() {} }

type CheckError struct{ Site, Row int64 }

func (*CheckError) Error() string { return "check" }

type OneResult struct{ X int64 }

func OneInto(out *OneResult, x int64, opts ...Option) error {
	out.X = x + 1
	return nil
}
`
	one := []Field{{"X", "i64", true}}
	return Source{
		Packages: []Package{{Name: "tiny", Files: map[string][]byte{"one.go": []byte(text)}}},
		Entries:  []Entry{{Program: "one", Into: "OneInto", Result: "OneResult", Params: one, Results: one}},
	}
}

func checkRuns(t *testing.T, b *Binary) {
	t.Helper()
	w := b.Worker(memory.NewSpace(0))
	defer w.Close()
	r, err := w.Run(t.Context(), Call{Program: "one", Params: [][]byte{encode(t, int64(41))}})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "x", decodeInts(t, r.Columns[0]), []int64{42})
}

func TestCache(t *testing.T) {
	options := Options{CacheFolder: t.TempDir()}
	build := func(wantCached bool) *Binary {
		t.Helper()
		b, err := Build(t.Context(), tinySource(t.Name()), options)
		if err != nil {
			t.Fatal(err)
		}
		if b.Cached != wantCached {
			t.Errorf("cached: %v, want %v", b.Cached, wantCached)
		}
		checkRuns(t, b)
		return b
	}
	b := build(false)
	if again := build(true); again.Path != b.Path {
		t.Errorf("path changed from %s to %s", b.Path, again.Path)
	}
	if left, _ := filepath.Glob(filepath.Join(options.CacheFolder, "gocpu", buildPrefix+"*")); len(left) > 0 {
		t.Errorf("build folders left: %v", left)
	}

	entry := filepath.Dir(b.Path)
	damage := map[string]func() error{
		"truncated": func() error { return os.Truncate(b.Path, 1000) },
		"changed":   func() error { return os.WriteFile(b.Path, []byte("not a program"), 0o700) },
		"no sum":    func() error { return os.Remove(filepath.Join(entry, sumName)) },
		"other sum": func() error { return os.WriteFile(filepath.Join(entry, sumName), []byte("1234"), 0o600) },
		"gone":      func() error { return os.Remove(b.Path) },
		"not executable": func() error {
			if runtime.GOOS == "windows" {
				return os.Remove(b.Path)
			}
			return os.Chmod(b.Path, 0o600)
		},
		"a folder as program": func() error { return errors.Join(os.Remove(b.Path), os.Mkdir(b.Path, 0o700)) },
		"empty":               func() error { return errors.Join(os.RemoveAll(entry), os.Mkdir(entry, 0o700)) },
		"a file":              func() error { return errors.Join(os.RemoveAll(entry), os.WriteFile(entry, nil, 0o600)) },
	}
	for name, do := range damage {
		t.Run(name, func(t *testing.T) {
			if err := do(); err != nil {
				t.Fatal(err)
			}
			build(false)
		})
	}

	other, err := Build(t.Context(), tinySource("other text"), options)
	if err != nil {
		t.Fatal(err)
	}
	if other.Path == b.Path || other.Cached {
		t.Errorf("another source got the same program %s", other.Path)
	}
}

// TestRemovedProgramIsBuiltAgain: another process may remove a program between
// its build and its start, and while a worker lives that must start it anew.
func TestRemovedProgramIsBuiltAgain(t *testing.T) {
	options := Options{CacheFolder: t.TempDir()}
	b, err := Build(t.Context(), tinySource(t.Name()), options)
	if err != nil {
		t.Fatal(err)
	}
	remove := func() {
		if err := os.RemoveAll(filepath.Dir(b.Path)); err != nil {
			t.Fatal(err)
		}
	}
	remove()
	checkRuns(t, b)
	remove()
	t.Setenv("PATH", "")
	w := b.Worker(memory.NewSpace(0))
	defer w.Close()
	var missing *NoToolchainError
	if _, err := w.Run(t.Context(), Call{Program: "one", Params: [][]byte{encode(t, int64(41))}}); !errors.As(err, &missing) {
		t.Errorf("without a toolchain: error %v", err)
	}
}

func TestTidyRemovesWhatIsUnused(t *testing.T) {
	options := Options{CacheFolder: t.TempDir()}
	gocpu := filepath.Join(options.CacheFolder, "gocpu")
	old, left := filepath.Join(gocpu, "old"), filepath.Join(gocpu, buildPrefix+"left")
	for _, f := range []string{old, left} {
		if err := os.MkdirAll(f, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	past := time.Now().Add(-2 * keepUnused)
	if err := os.Chtimes(old, past, past); err != nil {
		t.Fatal(err)
	}
	b, err := Build(t.Context(), tinySource(t.Name()), options)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{old, left} {
		if _, err := os.Stat(f); err == nil {
			t.Errorf("%s is still there", f)
		}
	}
	checkRuns(t, b)
}

func TestConcurrentBuilds(t *testing.T) {
	options := Options{CacheFolder: t.TempDir()}
	binaries := make([]*Binary, 6)
	var group sync.WaitGroup
	for i := range binaries {
		group.Go(func() {
			b, err := Build(t.Context(), tinySource(t.Name()), options)
			if err != nil {
				t.Error(err)
				return
			}
			binaries[i] = b
		})
	}
	group.Wait()
	built := 0
	for _, b := range binaries {
		if b == nil {
			t.FailNow()
		}
		if !b.Cached {
			built++
		}
		checkRuns(t, b)
	}
	if built != 1 {
		t.Errorf("built %d times", built)
	}
}

func TestCancelBuild(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Build(ctx, tinySource(t.Name()), Options{CacheFolder: t.TempDir()}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestNoToolchain(t *testing.T) {
	t.Setenv("PATH", "")
	_, err := Build(t.Context(), tinySource(t.Name()), Options{CacheFolder: t.TempDir()})
	var missing *NoToolchainError
	if !errors.As(err, &missing) || !strings.Contains(err.Error(), "not on PATH") {
		t.Errorf("error %v", err)
	}
}

// Without a toolchain, only executables in the cache run.
func TestCacheWithoutToolchain(t *testing.T) {
	options := Options{CacheFolder: t.TempDir()}
	built, err := Build(t.Context(), tinySource(t.Name()), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", "")
	again, err := Build(t.Context(), tinySource(t.Name()), options)
	if err != nil {
		t.Fatal(err)
	}
	if !again.Cached || again.Path != built.Path {
		t.Errorf("got %+v, want that of %s", again, built.Path)
	}
	checkRuns(t, again)
	var missing *NoToolchainError
	if _, err := Build(t.Context(), tinySource("another text"), options); !errors.As(err, &missing) {
		t.Errorf("another source: error %v", err)
	}
	if err := os.Truncate(built.Path, 1000); err != nil {
		t.Fatal(err)
	}
	if _, err := Build(t.Context(), tinySource(t.Name()), options); !errors.As(err, &missing) {
		t.Errorf("a damaged program: error %v", err)
	}
}

func TestBrokenToolchain(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "go"), []byte("#!/bin/sh\necho broken >&2\nexit 3\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder)
	_, err := FindGo(t.Context())
	var missing *NoToolchainError
	if !errors.As(err, &missing) || !strings.Contains(err.Error(), "broken") {
		t.Errorf("error %v", err)
	}
}

func TestOldToolchain(t *testing.T) {
	for version, fits := range map[string]bool{"go1.22.9": false, "go1.9": false, "go1.23": true, "go1.23rc1": true, "go1.26.8 X:jsonv2": true, "devel go1.28-0123abc": true} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "go"), []byte("#!/bin/sh\necho '"+version+"'\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", folder)
		_, err := FindGo(t.Context())
		var missing *NoToolchainError
		if fits != (err == nil) || !fits && (!errors.As(err, &missing) || !strings.Contains(err.Error(), "emitted Go needs 1.23 or later")) {
			t.Errorf("%s: error %v", version, err)
		}
	}
}

func TestMalformedEnvironment(t *testing.T) {
	for name, value := range map[string]string{"GOFLAGS": "-mod=vendor", "GOWORK": "/missing/go.work", "GOOS": "plan9",
		"GOARCH": "mips", "GO111MODULE": "off", "CGO_ENABLED": "1", "CC": "/missing/cc"} {
		t.Setenv(name, value)
	}
	b, err := Build(t.Context(), tinySource(t.Name()), Options{CacheFolder: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	checkRuns(t, b)
}

// TestCacheFails: what the system refuses is no bug of kgen, and the user hears
// what to change.
func TestCacheFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	locked := t.TempDir()
	if err := os.MkdirAll(filepath.Join(locked, "gocpu", "lock"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, cache := range []string{file, locked} {
		_, err := Build(t.Context(), tinySource(t.Name()), Options{CacheFolder: cache})
		if err == nil || !strings.Contains(err.Error(), cache) || !strings.Contains(err.Error(), "KGEN_CACHE") {
			t.Errorf("error %v", err)
		}
	}

	if runtime.GOOS == "windows" {
		t.Skip("a shell script is no command here")
	}
	folder := t.TempDir()
	script := "#!/bin/sh\n[ $1 = env ] && echo go1.23 && exit\necho '# kgenrun/p0'\necho 'compile: writing output: no space left on device' >&2\nexit 1\n"
	if err := os.WriteFile(filepath.Join(folder, "go"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder)
	_, err := Build(t.Context(), tinySource(t.Name()), Options{CacheFolder: t.TempDir()})
	var bug *BuildError
	if err == nil || errors.As(err, &bug) || !strings.Contains(err.Error(), "no space left on device") || !strings.Contains(err.Error(), "KGEN_CACHE") {
		t.Errorf("error %v", err)
	}
}

func TestBadSource(t *testing.T) {
	broken := tinySource(t.Name())
	broken.Packages[0].Files["two.go"] = []byte("package tiny\n\nvar x int = \"text\"\n")
	var failed *BuildError
	if _, err := Build(t.Context(), broken, Options{CacheFolder: cache}); !errors.As(err, &failed) || !strings.Contains(err.Error(), "two.go:3") {
		t.Errorf("compile error: %v", err)
	}

	for want, spoil := range map[string]func(*Source){
		"is no name of a Go file":  func(s *Source) { s.Packages[0].Files["../main.go"] = nil },
		`two programs are called`:  func(s *Source) { s.Entries = append(s.Entries, s.Entries[0]) },
		"no package 1":             func(s *Source) { s.Entries[0].Package = 1 },
		`has the unknown kind "x"`: func(s *Source) { s.Entries[0].Params = []Field{{"p", "x", false}} },
	} {
		s := tinySource(t.Name())
		spoil(&s)
		if _, err := Build(t.Context(), s, Options{CacheFolder: cache}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

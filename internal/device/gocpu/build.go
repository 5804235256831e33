package gocpu

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	caches "github.com/kgen-go/kgen/internal/device/cache"
	"github.com/kgen-go/kgen/internal/device/tree"
)

// Options of Build. The zero value is ready for use.
type Options struct {
	// CacheFolder holds the executables; the default is KGEN_CACHE, else the
	// folder kgen in the user's cache.
	CacheFolder string
	// Race builds for the race detector, which ends the process at a race: the
	// call then returns a [CrashError]. It needs gcc.
	Race bool
	// SIMD builds with Go's experiment of vectors, so that functions of vectors run
	// where the processor has them.
	SIMD bool
	// Building is called before the toolchain builds what the cache lacks; it may
	// be nil.
	Building func()
}

// Binary is a built executable.
type Binary struct {
	Path    string
	Cached  bool // it was built before
	source  Source
	options Options
}

// BuildError is a compile error in emitted Go: a fault of kgen, not of its
// user.
type BuildError struct{ Output string }

func (e *BuildError) Error() string {
	return "the emitted Go does not build (a bug of kgen, please report it):\n" + e.Output
}

// keepUnused is how long the cache keeps an executable that nobody runs.
const keepUnused = 30 * 24 * time.Hour

// Build returns the executable of s, from the cache if it is there and whole.
// Any number of processes may build at once. Without a toolchain, it uses a
// cache that was filled on a system of the same kind with one.
func Build(ctx context.Context, s Source, options Options) (*Binary, error) {
	files, err := s.files()
	if err != nil {
		return nil, err
	}
	limit, err := caches.Limit()
	if err != nil {
		return nil, err
	}
	folder, err := cacheFolder(options)
	if err != nil {
		return nil, err
	}
	b := &Binary{source: s, options: options}
	arguments, environment := buildArguments(options)
	cached := func(entry string) bool {
		b.Path, b.Cached = filepath.Join(entry, executableName()), isWhole(entry)
		return b.Cached
	}
	name := hashSource(files, slices.Concat(arguments, environment)) + "-"
	toolchain, err := FindGo(ctx)
	var missing *NoToolchainError
	if errors.As(err, &missing) {
		entries, _ := os.ReadDir(folder)
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), name) && cached(filepath.Join(folder, e.Name())) {
				return b, nil
			}
		}
	}
	if err != nil {
		return nil, err
	}
	entry := filepath.Join(folder, name+hashToolchain(toolchain))
	now := time.Now()
	os.Chtimes(entry, now, now) // marks it as used, so that no process removes it; not worth failing for
	if cached(entry) {
		return b, nil
	}
	lock := flock.New(filepath.Join(folder, "lock"))
	if _, err := lock.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, cacheError(folder, err)
	}
	defer lock.Unlock()
	if cached(entry) { // built while this process waited
		return b, nil
	}
	tidy(folder)
	if options.Building != nil {
		options.Building()
	}
	err = build(ctx, toolchain, arguments, environment, files, folder, entry)
	if err == nil {
		caches.Trim(filepath.Dir(folder), limit) // not worth failing for
	}
	var bug *BuildError
	if err != nil && ctx.Err() == nil && !errors.As(err, &bug) {
		err = cacheError(folder, err)
	}
	return b, err
}

// cacheError says what the user can do if the system cannot write the cache.
func cacheError(folder string, err error) error {
	return fmt.Errorf("no program can be built in %s (KGEN_CACHE can name another folder): %w", folder, err)
}

func cacheFolder(options Options) (string, error) {
	root, err := filepath.Abs(options.CacheFolder)
	if options.CacheFolder == "" {
		root, err = caches.Root()
	}
	if err != nil {
		return "", err
	}
	folder := filepath.Join(root, "gocpu")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", cacheError(folder, err)
	}
	return folder, nil
}

// buildArguments are the arguments of the go command, and what they add to its
// environment. Without options, none makes Go compile its own packages again, as
// -trimpath would, so its build cache is used.
func buildArguments(options Options) (arguments, environment []string) {
	arguments = []string{"build", "-ldflags=-s -w"}
	if options.Race {
		arguments, environment = append(arguments, "-race"), append(environment, "CGO_ENABLED=1")
	}
	if options.SIMD {
		environment = append(environment, "GOEXPERIMENT=simd")
	}
	return arguments, environment
}

// hashToolchain and hashSource together name everything that the executable
// depends on.
func hashToolchain(toolchain Toolchain) string {
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%q", toolchain.target)))[:8]
}

func hashSource(files map[string][]byte, arguments []string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q\n", runtime.GOOS, runtime.GOARCH, arguments)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(h, "%q %x\n", name, sha256.Sum256(files[name]))
	}
	return hex.EncodeToString(h.Sum(nil))[:32]
}

func executableName() string {
	if runtime.GOOS == "windows" {
		return "program.exe"
	}
	return "program"
}

const sumName = "sha256"

// isWhole reports whether a cache entry is complete and unchanged.
func isWhole(entry string) bool {
	want, err := os.ReadFile(filepath.Join(entry, sumName))
	if err != nil {
		return false
	}
	executable := filepath.Join(entry, executableName())
	info, err := os.Stat(executable)
	if err != nil || runtime.GOOS != "windows" && info.Mode()&0o100 == 0 {
		return false
	}
	got, err := fileSum(executable)
	return err == nil && bytes.Equal(want, got)
}

func fileSum(name string) ([]byte, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	return []byte(hex.EncodeToString(sum[:])), nil
}

const buildPrefix = "build-"

// tidy removes files of killed builds and executables that have long been
// unused. The caller holds the lock, so no build is running.
func tidy(cache string) {
	entries, err := os.ReadDir(cache)
	if err != nil {
		return
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !e.IsDir() {
			continue
		}
		if strings.HasPrefix(e.Name(), buildPrefix) || time.Since(info.ModTime()) > keepUnused {
			os.RemoveAll(filepath.Join(cache, e.Name()))
		}
	}
}

// compileError is a position in emitted Go. A build that fails without a
// position failed because of the system: a full disk, or a Go cache that it
// cannot write.
var compileError = regexp.MustCompile(`(?m)^\S+\.go:\d+:\d+: `)

// build compiles files and moves the result to entry in one step.
func build(ctx context.Context, toolchain Toolchain, arguments, environment []string, files map[string][]byte, cache, entry string) error {
	folder, err := os.MkdirTemp(cache, buildPrefix)
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	source, done := filepath.Join(folder, "source"), filepath.Join(folder, "done")
	for name, text := range files {
		path := filepath.Join(source, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			return err
		}
	}
	temporary := filepath.Join(folder, "temporary") // for the go command; tidy finds it if all processes are killed
	if err := os.Mkdir(temporary, 0o700); err != nil {
		return err
	}
	executable := filepath.Join(done, executableName())
	command := exec.CommandContext(ctx, toolchain.Path, append(slices.Clone(arguments), "-o", executable, ".")...)
	command.Dir, command.Env = source, append(append(buildEnvironment(), "GOTMPDIR="+temporary), environment...)
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	err = tree.Run(ctx, command)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && compileError.Match(out.Bytes()) {
		return &BuildError{strings.TrimSpace(out.String())}
	}
	if err != nil {
		return fmt.Errorf("%s build: %w%s", toolchain.Path, err, below(out.Bytes()))
	}
	sum, err := fileSum(executable)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(done, sumName), sum, 0o600); err != nil {
		return err
	}
	if err := os.RemoveAll(entry); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("replacing a damaged program: %w", err)
	}
	return os.Rename(done, entry)
}

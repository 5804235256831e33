package run

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// Options of Build. The zero value is ready for use.
type Options struct {
	// CacheFolder holds the executables; the default is KGEN_CACHE, else the
	// folder kgen in the user's cache.
	CacheFolder string
}

// Binary is a built executable.
type Binary struct {
	Path   string
	Cached bool // it was built before
	source Source
}

// BuildError is a compile error of emitted Go: a fault of kgen, not of its user.
type BuildError struct{ Output string }

func (e *BuildError) Error() string {
	return "the emitted Go does not build (a bug of kgen, please report it):\n" + e.Output
}

// keepUnused is how long the cache keeps an executable that nobody runs.
const keepUnused = 30 * 24 * time.Hour

// Build returns the executable of s, from the cache if it is there and whole.
// Any number of processes may build at once.
func Build(ctx context.Context, s Source, options Options) (*Binary, error) {
	toolchain, err := FindGo(ctx)
	if err != nil {
		return nil, err
	}
	files, err := s.files()
	if err != nil {
		return nil, err
	}
	cache, err := cacheFolder(options)
	if err != nil {
		return nil, err
	}
	entry := filepath.Join(cache, hash(toolchain, files))
	b := &Binary{Path: filepath.Join(entry, executableName()), source: s}
	if isWhole(entry) {
		now := time.Now()
		os.Chtimes(entry, now, now) // marks it as used; not worth failing for
		b.Cached = true
		return b, nil
	}
	lock := flock.New(filepath.Join(cache, "lock"))
	if _, err := lock.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("locking %s: %w", lock.Path(), err)
	}
	defer lock.Unlock()
	if isWhole(entry) { // built while this process waited
		b.Cached = true
		return b, nil
	}
	tidy(cache)
	return b, build(ctx, toolchain, files, cache, entry)
}

func cacheFolder(options Options) (string, error) {
	folder := options.CacheFolder
	if folder == "" {
		folder = os.Getenv("KGEN_CACHE")
	}
	if folder == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("%w (KGEN_CACHE can name a folder for built programs)", err)
		}
		folder = filepath.Join(user, "kgen")
	}
	folder, err := filepath.Abs(filepath.Join(folder, "gocpu"))
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", fmt.Errorf("no folder for built programs: %w (KGEN_CACHE can name another)", err)
	}
	return folder, nil
}

var buildArguments = []string{"build", "-trimpath", "-ldflags=-s -w"}

// hash names everything that the executable depends on.
func hash(toolchain Toolchain, files map[string][]byte) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q\n", toolchain.target, buildArguments)
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
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

// isWhole reports whether a cache entry is what the build left there.
func isWhole(entry string) bool {
	want, err := os.ReadFile(filepath.Join(entry, sumName))
	if err != nil {
		return false
	}
	got, err := fileSum(filepath.Join(entry, executableName()))
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

// tidy removes what killed builds left and what has long been unused. The
// caller holds the lock, so no build is under way.
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

// build compiles files and moves the result to entry in one step.
func build(ctx context.Context, toolchain Toolchain, files map[string][]byte, cache, entry string) error {
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
	executable := filepath.Join(done, executableName())
	command := exec.CommandContext(ctx, toolchain.Path, append(slices.Clone(buildArguments), "-o", executable, ".")...)
	command.Dir, command.Env = source, buildEnvironment()
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) } // lets go end its own children
	command.WaitDelay = 3 * time.Second
	out, err := command.CombinedOutput()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return &BuildError{strings.TrimSpace(string(out))}
	}
	if err != nil {
		return fmt.Errorf("starting %s: %w", toolchain.Path, err)
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

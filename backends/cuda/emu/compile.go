package emu

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/kgen-go/kgen/internal/device/cache"
	"github.com/kgen-go/kgen/internal/device/tree"
	"github.com/kgen-go/kgen/internal/device/worker"
)

//go:embed runtime/*
var runtimeFiles embed.FS

// compiler is g++ with the files that it needs in addition to a text.
type compiler struct {
	path    string
	version string
	cache   *cache.Cache
	own     *cache.Cache   // of what is the same for all texts
	scratch *cache.Scratch // holds the runtime's source, and what g++ writes
	source  string         // all of it, for keys of the cache

	compiling func(what string) // as in Options
	compiled  func(took time.Duration, cached bool)
}

// MissingError says why this machine cannot run the emulation.
type MissingError struct{ err error }

// Error says what is missing.
func (e *MissingError) Error() string {
	return fmt.Sprintf("the CUDA emulation needs g++: %v", e.err)
}

// find returns the path of g++ and its version text.
func find(ctx context.Context) (path, version string, err error) {
	if runtime.GOOS != "linux" {
		return "", "", &MissingError{errors.New("it runs on Linux only")}
	}
	if path, err = exec.LookPath("g++"); err != nil {
		return "", "", &MissingError{fmt.Errorf("%w (Debian, Ubuntu: apt-get install g++)", err)}
	}
	command := exec.CommandContext(ctx, path, "--version")
	var said bytes.Buffer
	command.Stdout = &said
	err = tree.Run(ctx, command)
	if ctx.Err() != nil {
		return "", "", ctx.Err() // says nothing about g++
	}
	if err != nil {
		return "", "", &MissingError{fmt.Errorf("%s --version: %w", path, err)}
	}
	return path, said.String(), nil
}

// Compiler returns the first line of the version text of g++. The error is a
// [MissingError] if there is no g++.
func Compiler(ctx context.Context) (string, error) {
	_, version, err := find(ctx)
	return firstLine(version), err
}

// newCompiler finds g++ and writes the runtime to a folder of its own.
func newCompiler(ctx context.Context, c *cache.Cache) (*compiler, error) {
	found, version, err := find(ctx)
	if err != nil {
		return nil, err
	}
	own := c
	if own == nil {
		if _, err := cache.Limit(); err != nil {
			return nil, err
		}
		own, _ = cache.Open("cudaemu") // without a folder all is built anew, in seconds
	}
	scratch, err := own.Scratch(ctx)
	if err != nil {
		return nil, fmt.Errorf("the CUDA emulation: %w", err)
	}
	k := &compiler{path: found, version: version, cache: c, own: own, scratch: scratch}
	files, err := fs.Glob(runtimeFiles, "runtime/*")
	for _, name := range files {
		if err != nil {
			break
		}
		var text []byte
		text, err = runtimeFiles.ReadFile(name)
		k.source += path.Base(name) + "\n" + string(text)
		err = errors.Join(err, os.WriteFile(filepath.Join(scratch.Path, path.Base(name)), text, 0o600))
	}
	if err != nil {
		k.close()
		return nil, err
	}
	return k, nil
}

func (k *compiler) close() { k.scratch.Remove() }

// build returns the output of g++ for the arguments and the input, from the cache
// c if it has it; refused makes an error of the compiler's messages about what it
// compiles.
func (k *compiler) build(ctx context.Context, c *cache.Cache, what string, arguments []string, input string, refused func(log string) error) ([]byte, error) {
	var binary []byte
	cached, begun := true, time.Now()
	key := cache.Key(append(arguments, k.version, k.source, input)...)
	err := c.Do(ctx, key, func(data []byte) error {
		binary = data
		return nil
	}, func() ([]byte, error) {
		cached = false
		if k.compiling != nil {
			k.compiling(what)
		}
		out := filepath.Join(k.scratch.Path, key)
		defer os.Remove(out)
		command := exec.CommandContext(ctx, k.path, append(arguments, "-o", out)...)
		command.Dir = k.scratch.Path
		command.Env = append(os.Environ(), "TMPDIR="+k.scratch.Path)
		command.Stdin = strings.NewReader(input)
		var log bytes.Buffer
		command.Stdout, command.Stderr = &log, &log
		err := tree.Run(ctx, command)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, refused(log.String())
		}
		binary, err = os.ReadFile(out)
		return binary, err
	})
	if binary == nil {
		return nil, err
	}
	if k.compiled != nil {
		k.compiled(time.Since(begun), cached)
	}
	return binary, nil // even if it could not be cached
}

// host builds the program that runs modules; flags are for tests.
func (k *compiler) host(ctx context.Context, flags ...string) ([]byte, error) {
	sources, err := filepath.Glob(filepath.Join(k.scratch.Path, "*.cc"))
	if err != nil {
		return nil, err
	}
	arguments := append([]string{"-std=c++17", "-O2", "-fno-exceptions", "-rdynamic"}, flags...)
	for _, s := range sources {
		arguments = append(arguments, filepath.Base(s))
	}
	return k.build(ctx, k.own, "the CUDA emulation", append(arguments, "-ldl"), "", func(log string) error {
		return fmt.Errorf("g++ (%s) cannot build the CUDA emulation:\n%s", firstLine(k.version), log)
	})
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// The text is compiled to compute as a GPU does: nothing is contracted or
// reordered by type, and shared variables keep their order in their section. Each
// page of a frame is touched in order, so that a frame that is too large hits the
// guard page of the stack. Calls use no stubs, because a launch that is stopped
// in a stub would have no line.
var textFlags = []string{"-x", "c++", "-std=c++17", "-O1", "-g1", "-w", "-fPIC", "-shared", "-fvisibility=hidden",
	"-ffp-contract=off", "-fno-math-errno", "-fno-strict-aliasing", "-fno-toplevel-reorder",
	"-fno-exceptions", "-fno-rtti", "-fno-stack-protector", "-fno-plt",
	"-fstack-clash-protection", "--param", "stack-clash-protection-guard-size=12", "-include", "cudaemu.h"}

// With checks, a hook is called before every access; without, in every basic
// block, so that a waiting thread lets others run. The libraries that usually
// define the hooks are not linked.
var (
	checkFlags = []string{"-fsanitize=thread", "--param", "tsan-distinguish-volatile=1", "--param", "tsan-instrument-func-entry-exit=0"}
	plainFlags = []string{"-fsanitize-coverage=trace-pc"}
	linkFlags  = []string{"-", "-nodefaultlibs", "-lm", "-lc"}
)

var (
	kernelPattern  = regexp.MustCompile(`__global__\s+(?:__launch_bounds__\s*\(([^)]*)\)\s*)?void\s+(?:__launch_bounds__\s*\(([^)]*)\)\s*)?(\w+)\s*\(`)
	launchPattern  = regexp.MustCompile(`\b(\w+)<<<([^;]*?)>>>\(`)
	dynamicPattern = regexp.MustCompile(`extern\s+__shared__\s+(?:__align__\s*\(\s*\d+\s*\)\s*|alignas\s*\(\s*\d+\s*\)\s*)?([\w ]+?)\s*\b(\w+)\s*\[\s*\]\s*;`)
)

// module builds a text; constants are its macros, as NAME=VALUE.
func (k *compiler) module(ctx context.Context, kernel, file, text string, constants []string, check bool) (*module, error) {
	arguments := append(append([]string{}, textFlags...), plainFlags...)
	if check {
		arguments = append(append([]string{}, textFlags...), checkFlags...)
	}
	for _, c := range constants {
		arguments = append(arguments, "-D"+c)
	}
	kernels, bounds := kernelsOf(text)
	input, err := unit(file, text, kernels)
	if err != nil {
		return nil, err
	}
	binary, err := k.build(ctx, k.cache, fmt.Sprintf("kernel %q", kernel), append(arguments, linkFlags...), input, func(log string) error {
		return worker.NewBuildError(kernel, file, firstLine(k.version), log, text)
	})
	if err != nil {
		return nil, err
	}
	m, err := newModule(file, text, binary, kernels)
	if err != nil {
		return nil, err
	}
	m.bounds = bounds
	return m, nil
}

// unit is the input of g++: the text, in which dynamic shared memory, launches and
// inline PTX are replaced because g++ cannot express them, and the table of kernels.
func unit(file, text string, kernels []string) (string, error) {
	text, err := replacePTX(path.Base(file), text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "#line 1 %q\n", path.Base(file))
	text = dynamicPattern.ReplaceAllString(text, "$1 *const $2 = ($1 *)cudaemu_dynamic_shared();")
	b.WriteString(launchPattern.ReplaceAllString(text, "cudaemu_launch($1, $2)("))
	b.WriteString("\nCUDAEMU_MODULE\n")
	for _, name := range kernels {
		fmt.Fprintf(&b, "CUDAEMU_KERNEL(%s)\n", name)
	}
	return b.String(), nil
}

// kernelsOf returns the kernels of a text with the maximum of threads per block
// of each; 0 if the text does not give it as a number.
func kernelsOf(text string) (names []string, bounds map[string]int64) {
	bounds = map[string]int64{}
	for _, m := range kernelPattern.FindAllStringSubmatch(text, -1) {
		names = append(names, m[3])
		bound, _, _ := strings.Cut(m[1]+m[2], ",")
		bounds[m[3]], _ = strconv.ParseInt(strings.TrimSpace(bound), 10, 64)
	}
	return names, bounds
}

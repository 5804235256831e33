package emitted

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/backends/gocpu"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/gotest"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/testsuite"
	"github.com/kgen-go/kgen/testsuite/sample"
)

// The tests that kgen emits for the corpus and its partials pass, as one package.
func TestEmittedTests(t *testing.T) {
	entries, err := testsuite.Load("../corpus")
	if err != nil {
		t.Fatal(err)
	}
	sample.Log(t)
	var pipelines []*ir.Pipeline
	for i, entry := range entries {
		if sample.Takes(i) {
			pipelines = append(pipelines, entry.Pipeline)
		}
	}
	special, err := testsuite.Load("testdata/partials")
	if err != nil {
		t.Fatal(err)
	}
	for i, entry := range special {
		if sample.Takes(i) {
			pipelines = append(pipelines, entry.Pipeline)
		}
	}
	folder := newModule(t)
	tested, partials := emitWithTests(t, folder, "corpus", fuse.LevelAuto, pipelines)
	if tested < sample.Least(140) || partials < sample.Least(45) {
		t.Errorf("only %d pipelines have tests, and %d partials have", tested, partials)
	}
	goCommand(t, folder, "vet", "./...")
	tool := os.Getenv("KGEN_STATICCHECK")
	if tool == "" { // .ci/run has a shard for the rest
		goCommand(t, folder, "test", "-short", "./...")
		return
	}
	goCommand(t, folder, "run", tool, "./...")
	goCommand(t, folder, "test", "-bench=.", "-benchtime=1x", "./...")
}

// newModule makes a folder for a module of emitted packages, with the oldest Go
// that docs/go-generate.md promises.
func newModule(t *testing.T) string {
	folder := t.TempDir()
	write(t, filepath.Join(folder, "go.mod"), []byte("module emitted\n\ngo 1.23\n"))
	return folder
}

// emitWithTests writes a package with the functions and tests of the pipelines
// that compile, and with the partials of the pipelines that have them, and
// returns the number of partials.
func emitWithTests(t *testing.T, folder, pkg, level string, pipelines []*ir.Pipeline) (tested, partials int) {
	t.Helper()
	var programs []*backends.Program
	var compiled []*ir.Pipeline
	for _, p := range pipelines {
		program, _, err := compile.Compile(p, compile.Options{Level: level})
		if err != nil {
			t.Fatal(err)
		}
		var refused ir.Error
		if program.Partial, err = compile.Partial(p, compile.Options{Level: level}); err == nil {
			partials++
		} else if !errors.As(err, &refused) {
			t.Fatal(err)
		}
		programs, compiled = append(programs, program), append(compiled, p)
	}
	options := backends.Options{Package: pkg}
	out, err := gocpu.Emitter{}.Emit(programs, options)
	if err != nil {
		t.Fatal(err)
	}
	tests, err := gotest.Emit(compiled, out, options)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(out.Files, tests...) {
		write(t, filepath.Join(folder, pkg, file.Name), file.Text)
	}
	return len(programs), partials
}

// goCommand runs the go command in a folder, of the toolchain that
// KGEN_EMITTED_GO names, such as go1.23.0.
func goCommand(t *testing.T, folder string, arguments ...string) {
	t.Helper()
	command := exec.Command("go", arguments...)
	command.Dir = folder
	if toolchain := os.Getenv("KGEN_EMITTED_GO"); toolchain != "" {
		command.Env = append(os.Environ(), "GOTOOLCHAIN="+toolchain)
	}
	if output, err := command.CombinedOutput(); err != nil {
		t.Errorf("go %s: %v\n%s", arguments, err, output)
	}
}

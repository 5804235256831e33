package emitted

import (
	"bytes"
	"go/format"
	"os"
	"path/filepath"
	"testing"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/backends/gocpu"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/testsuite"
	"github.com/kgen-go/kgen/testsuite/sample"
)

// The emitted Go of the corpus, at every level, is formatted by gofmt, has no
// state, and passes go vet; and staticcheck, which .ci/run names in
// KGEN_STATICCHECK.
func TestEmittedCode(t *testing.T) {
	entries, err := testsuite.Load("../corpus")
	if err != nil {
		t.Fatal(err)
	}
	sample.Log(t)
	folder := newModule(t)
	for _, level := range fuse.Levels {
		var programs []*backends.Program
		for i, entry := range entries {
			if !sample.TakesMore(i) {
				continue
			}
			source, err := os.ReadFile(entry.Path)
			if err != nil {
				t.Fatal(err)
			}
			program, _, err := compile.Compile(entry.Pipeline, compile.Options{Level: level, Source: source, Options: fuse.Options{Hash: gocpu.Hash, Cores: true}})
			if err != nil {
				t.Fatal(err)
			}
			programs = append(programs, program)
		}
		out, err := gocpu.Emitter{}.Emit(programs, backends.Options{Package: level})
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range out.Files {
			formatted, err := format.Source(file.Text)
			if err != nil || !bytes.Equal(formatted, file.Text) {
				t.Errorf("%s at level %s is not as gofmt would have it; error %v", file.Name, level, err)
			}
			refuseState(t, file)
			write(t, filepath.Join(folder, level, file.Name), file.Text)
		}
	}
	goCommand(t, folder, "vet", "./...")
	if tool := os.Getenv("KGEN_STATICCHECK"); tool != "" {
		goCommand(t, folder, "run", tool, "./...")
	}
}

// refuseState requires that emitted Go has no package variables and no init.
func refuseState(t *testing.T, file backends.File) {
	t.Helper()
	for _, declaration := range []string{"\nvar ", "\nfunc init("} {
		if bytes.Contains(file.Text, []byte(declaration)) {
			t.Errorf("%s declares a variable of the package, or init", file.Name)
		}
	}
}

// write writes a file and the folder that it is in.
func write(t *testing.T, path string, text []byte) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o777)
	if err == nil {
		err = os.WriteFile(path, text, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

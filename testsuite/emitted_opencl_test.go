package testsuite

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/backends/opencl"
	"github.com/kgen-go/kgen/backends/simt"
	"github.com/kgen-go/kgen/compile"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// emitOpenCL returns what the pipeline of a file is emitted as, by the names of
// files; nil where a level does not support it. The source says that it lies
// at path.
func emitOpenCL(t *testing.T, path string, source []byte, level, scheme string) map[string][]byte {
	t.Helper()
	pipelines, errs := ir.Load(path, source)
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	program, _, err := compile.Compile(pipelines[0], compile.Options{Level: level, Source: source})
	var unsupported *fuse.Unsupported
	if errors.As(err, &unsupported) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	out, err := opencl.Emitter().Emit([]*backends.Program{program}, backends.Options{Schedule: plan.Schedule{Scheme: scheme}})
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, f := range out.Files {
		files[f.Name] = f.Text
	}
	return files
}

// What the corpus is emitted as in OpenCL C, at every level and by every
// scheme, is the same again, wherever the source lies and however many
// threads there are; and clang has no warning for it. Equal texts are
// compiled once.
func TestEmittedOpenCL(t *testing.T) {
	entries, err := Load("corpus")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	var texts []string
	seen := map[string]bool{}
	threads := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(threads)
	for i, entry := range entries {
		source, err := os.ReadFile(entry.Path)
		if err != nil {
			t.Fatal(err)
		}
		for _, level := range fuse.Levels {
			for _, scheme := range []string{simt.SchemeLookback, simt.SchemePublished} {
				runtime.GOMAXPROCS(threads)
				files := emitOpenCL(t, entry.Path, source, level, scheme)
				runtime.GOMAXPROCS(1)
				elsewhere := filepath.Join(string(filepath.Separator), "else where", "..", filepath.Base(entry.Path))
				if again := emitOpenCL(t, elsewhere, source, level, scheme); !maps.EqualFunc(files, again, bytes.Equal) {
					t.Errorf("%s, %s, %s: emitted again, the text differs", entry.Name, level, scheme)
				}
				for _, name := range slices.Sorted(maps.Keys(files)) {
					if filepath.Ext(name) != ".cl" || seen[string(files[name])] {
						continue
					}
					seen[string(files[name])] = true
					path := filepath.Join(folder, fmt.Sprintf("%d-%s-%s-%s", i, level, scheme, name))
					write(t, path, files[name])
					texts = append(texts, path)
				}
			}
		}
	}
	runtime.GOMAXPROCS(threads)
	if len(texts) < len(entries) {
		t.Fatalf("only %d texts", len(texts))
	}
	checkOpenCL(t, texts)
}

// checkOpenCL has clang read texts, some at a time.
func checkOpenCL(t *testing.T, texts []string) {
	t.Helper()
	clang, err := exec.LookPath("clang")
	if err != nil {
		t.Skipf("no clang to read %d texts", len(texts))
	}
	batches := make(chan []string)
	var readers sync.WaitGroup
	for range runtime.NumCPU() {
		readers.Go(func() {
			for batch := range batches {
				arguments := append(strings.Fields("-cl-std=CL1.2 -target spir64 -Wall -Wextra -Werror -fsyntax-only -x cl"), batch...)
				if out, err := exec.Command(clang, arguments...).CombinedOutput(); err != nil {
					t.Errorf("clang: %v\n%s", err, out)
				}
			}
		})
	}
	for batch := range slices.Chunk(texts, 32) {
		batches <- batch
	}
	close(batches)
	readers.Wait()
	t.Logf("%d texts", len(texts))
}

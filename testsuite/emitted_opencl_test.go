package testsuite_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kgen-go/kgen/backends/opencl"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
	"github.com/kgen-go/kgen/testsuite/sample"
)

// clang has no warning about any text of the corpus in OpenCL C.
func TestEmittedOpenCL(t *testing.T) {
	sample.Log(t)
	folder := t.TempDir()
	var paths []string
	for name, text := range kerneltest.EmittedTexts(t, "corpus", opencl.Emitter(), fuse.Levels) {
		path := filepath.Join(folder, name)
		write(t, path, text)
		paths = append(paths, path)
	}
	slices.Sort(paths)
	checkOpenCL(t, paths)
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

// write writes a file.
func write(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
}

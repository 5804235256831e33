package opencl_test

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
	"github.com/kgen-go/kgen/internal/kernels"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
	"github.com/kgen-go/kgen/testsuite/sample"
)

// clang has no warning about any text of the corpus in OpenCL C.
func TestEmittedOpenCL(t *testing.T) {
	checkEmittedOpenCL(t, opencl.Emitter(), "-target", "spir64")
}

// Nor about those with PTX in them, whose instructions it gives to the backend of NVIDIA's devices.
func TestEmittedOpenCLWithPTX(t *testing.T) {
	ofNVIDIA := plan.Machine{Caps: map[plan.Cap]plan.Evidence{plan.CapInlinePTX: plan.Probed}}
	checkEmittedOpenCL(t, opencl.Emitter().On(ofNVIDIA), "-target", "nvptx64",
		"-Xclang", "-cl-ext=+cl_khr_int64_base_atomics,+cl_khr_int64_extended_atomics") // which clang believes it lacks
}

func checkEmittedOpenCL(t *testing.T, emitter kernels.Emitter, target ...string) {
	sample.Log(t)
	folder := t.TempDir()
	var paths []string
	for name, text := range kerneltest.EmittedTexts(t, "../corpus", emitter, fuse.Levels) {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	slices.Sort(paths)
	checkOpenCL(t, paths, target)
}

// checkOpenCL has clang read texts, some at a time.
func checkOpenCL(t *testing.T, texts, target []string) {
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
				arguments := slices.Concat(strings.Fields("-cl-std=CL1.2 -Wall -Wextra -Werror -fsyntax-only -x cl"), target, batch)
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

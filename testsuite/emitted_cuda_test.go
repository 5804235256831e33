package testsuite

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kgen-go/kgen/backends/cuda"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite/cudacompile"
)

// cudaCompilers returns the compilers of CUDA C++ of this machine. In CI there
// must be one.
func cudaCompilers(t *testing.T) []cudacompile.Compiler {
	t.Helper()
	found, missing := cudacompile.Available()
	for _, reason := range missing {
		t.Log(reason)
	}
	if len(found) == 0 {
		if os.Getenv("KGEN_REQUIRE_CUDA_COMPILER") != "" {
			t.Fatal("nothing here compiles CUDA C++")
		}
		t.Skip("nothing here compiles CUDA C++")
	}
	return found
}

// All texts of the corpus in CUDA C++ compile to code for the H200, and no
// compiler has a warning for one. KGEN_CUDA_LEVELS chooses some levels.
func TestEmittedCUDA(t *testing.T) {
	compilers := cudaCompilers(t)
	levels := fuse.Levels
	if chosen := os.Getenv("KGEN_CUDA_LEVELS"); chosen != "" {
		levels = strings.Split(chosen, ",")
	}
	texts := emittedTexts(t, cuda.Emitter(), levels)
	maps.Copy(texts, textsOfOccupancy(t))
	names := make(chan string)
	var readers sync.WaitGroup
	for range runtime.NumCPU() {
		readers.Go(func() {
			for name := range names {
				for _, c := range compilers {
					if err := c.Check(texts[name], architectureFor(c, texts[name])); err != nil {
						t.Errorf("%s: %v", name, err)
					}
				}
			}
		})
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		names <- name
	}
	close(names)
	readers.Wait()
	for _, c := range compilers {
		notAssembled := 0
		for _, text := range texts {
			if architectureFor(c, text) != realArchitecture {
				notAssembled++
			}
		}
		t.Logf("%s: %d texts, %d of them to PTX", c.Name, len(texts), notAssembled)
	}
}

// textsOfOccupancy returns some texts that ask for room for as many groups as there
// may be, which compilers keep by storing registers elsewhere.
func textsOfOccupancy(t *testing.T) map[string][]byte {
	t.Helper()
	texts := map[string][]byte{}
	for _, name := range []string{"ordered_aggregation", "picked_rows", "prefix_scans"} {
		entry, err := LoadEntry("corpus/" + name + ".kg")
		if err != nil {
			t.Fatal(err)
		}
		for _, workgroup := range []int{64, 256, 1024} {
			made := makeKernels(t, cuda.Emitter(), entry, fuse.LevelOnePass, plan.Schedule{Workgroup: workgroup, Occupancy: 32})
			for file, text := range made.Texts() {
				if bounds := fmt.Sprintf("__launch_bounds__(%d, %d)", workgroup, 2048/workgroup); !strings.Contains(text, bounds) {
					t.Errorf("%s has no %s", file, bounds)
				}
				texts[fmt.Sprintf("%s-occupancy-%d-%s", name, workgroup, file)] = []byte(text)
			}
		}
	}
	return texts
}

// realArchitecture is that of the H200.
const realArchitecture = "sm_90"

// architectureFor returns what a text is compiled for: machine code, or PTX
// where a compiler knows no bulk copies, which are of CUDA 12.
func architectureFor(c cudacompile.Compiler, text []byte) string {
	if 0 < c.CUDA && c.CUDA < 12 && bytes.Contains(text, []byte("cp.async.bulk")) {
		return "compute_90"
	}
	return realArchitecture
}

// A compiler finds what is wrong, and what it only warns of.
func TestCUDACompilersRefuse(t *testing.T) {
	for _, c := range cudaCompilers(t) {
		for _, architecture := range []string{"compute_60", "sm_90"} {
			if err := c.Check([]byte("extern \"C\" __global__ void k(int *x) { x[threadIdx.x] = 1; }\n"), architecture); err != nil {
				t.Errorf("%s, %s: %v", c.Name, architecture, err)
			}
		}
		for body, want := range map[string]string{
			"x[0] = unheard_of;":                            "unheard_of",
			"int never = x[1];":                             "never",
			"__dmul_rn(1.0, 2.0, 3.0);":                     "__dmul_rn|too many arguments",
			"__shared__ int big[100]; x = 0 ? big : \"x\";": "incompatible|type",
		} {
			err := c.Check([]byte("extern \"C\" __global__ void k(int *x) {\n\tx[1] = 0;\n\t"+body+"\n}\n"), "sm_90")
			if err == nil || !slices.ContainsFunc(strings.Split(want, "|"), func(w string) bool { return strings.Contains(err.Error(), w) }) {
				t.Errorf("%s, %s: %v", c.Name, body, err)
			}
		}
	}
}

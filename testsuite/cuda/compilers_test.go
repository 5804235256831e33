package cuda

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kgen-go/kgen/backends/cuda"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/cudacompile"
	"github.com/kgen-go/kgen/internal/device"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
	"github.com/kgen-go/kgen/testsuite/sample"
)

// cudaCompilers returns and logs the CUDA C++ compilers of this machine. In CI
// there must be one.
func cudaCompilers(t *testing.T) []cudacompile.Compiler {
	t.Helper()
	found, missing := cudacompile.Available()
	for _, reason := range missing {
		t.Log(reason)
	}
	if len(found) == 0 {
		notCompiled(t, "nothing here compiles CUDA C++")
	}
	for _, c := range found {
		if c.CUDA == 0 {
			t.Logf("%s only reads", c.Name)
		} else {
			t.Logf("%s makes the PTX of CUDA %d", c.Name, c.CUDA)
		}
	}
	return found
}

// notCompiled skips a test for which a compiler is missing. In CI the test
// fails.
func notCompiled(t *testing.T, reason string) {
	t.Helper()
	if os.Getenv("KGEN_REQUIRE_CUDA_COMPILER") != "" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}

// All texts of the corpus in CUDA C++ compile to code for the H200, and no
// compiler has a warning for one. KGEN_CUDA_LEVELS chooses some levels.
func TestEmittedCUDA(t *testing.T) {
	compilers := cudaCompilers(t)
	levels := fuse.Levels
	if sample.Log(t); !sample.Everything() {
		levels = []string{fuse.LevelOnePass}
	}
	if chosen := os.Getenv("KGEN_CUDA_LEVELS"); chosen != "" {
		levels = strings.Split(chosen, ",")
	}
	texts := kerneltest.EmittedTexts(t, "../corpus", cuda.Emitter(), levels)
	maps.Copy(texts, textsOfOccupancy(t))
	alone := kernelsAlone(t, texts)
	names := make(chan string)
	var readers sync.WaitGroup
	for range runtime.NumCPU() {
		readers.Go(func() {
			for name := range names {
				for _, c := range compilers {
					for _, text := range [][]byte{texts[name], alone[name]} {
						if err := c.Check(text, c.Architecture(text)); err != nil {
							t.Errorf("%s: %v", name, err)
						}
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
		count := map[string]int{}
		for _, text := range texts {
			count[c.Architecture(text)]++
		}
		t.Logf("%s: of %d texts %d to machine code, %d to PTX, %d read only", c.Name, len(texts), count["sm_90"], count["compute_90"], count["compute_60"])
	}
	t.Run("bulk copies", func(t *testing.T) {
		bulk := 0
		for name, text := range texts {
			toolkit := "11.8 or later and compute capability 6.0 or"
			if cudacompile.HasBulkCopies(text) {
				bulk++
			}
			if strings.Contains(string(text), "asm volatile") { // persistent kernels have such, even without copies
				toolkit = "12.0 or later and compute capability 9.0 or"
			}
			if !strings.Contains(string(text), "// CUDA C++ for NVRTC or nvcc "+toolkit+"\n// later;") {
				t.Errorf("%s does not say that it needs %s", name, toolkit)
			}
		}
		if bulk == 0 && slices.Contains(levels, fuse.LevelOnePass) && os.Getenv("KGEN_TEST_TURN") == "" {
			t.Error("no text has any: no kernel is persistent")
		}
		if !slices.ContainsFunc(compilers, func(c cudacompile.Compiler) bool { return c.CUDA >= 12 }) {
			notCompiled(t, fmt.Sprintf("nothing here makes PTX 8 of the %d texts that need it: Debian has the package clang-19", bulk))
		}
	})
}

var heads = regexp.MustCompile(`(?m)^extern "C" __global__ .*?(\w+)\((?:[^()]*\) \{)?$`)

// kernelsAlone returns one kernel of each text, as a worker compiles it.
func kernelsAlone(t *testing.T, texts map[string][]byte) map[string][]byte {
	t.Helper()
	alone := map[string][]byte{}
	for name, text := range texts {
		kernels := heads.FindAllSubmatch(text, -1)
		chosen := string(kernels[len(text)%len(kernels)][1])
		alone[name] = []byte(device.NewText(string(text)).Alone(chosen))
		if left := heads.FindAllSubmatch(alone[name], -1); len(left) != 1 || string(left[0][1]) != chosen {
			t.Errorf("%s: %d kernels in the text of %s alone", name, len(left), chosen)
		}
	}
	return alone
}

// textsOfOccupancy returns some texts that request the highest occupancy, for
// which compilers must spill registers.
func textsOfOccupancy(t *testing.T) map[string][]byte {
	t.Helper()
	texts := map[string][]byte{}
	for i, name := range []string{"ordered_aggregation", "picked_rows", "prefix_scans"} {
		entry, err := testsuite.LoadEntry("../corpus/" + name + ".kg")
		if err != nil {
			t.Fatal(err)
		}
		for j, workgroup := range []int{64, 256, 1024} {
			if sample.Everything() && !sample.TakesSetting(i*sample.Step, j, 4) {
				continue
			}
			made := kerneltest.Make(t, cuda.Emitter(), entry, fuse.LevelOnePass, plan.Schedule{Workgroup: workgroup, Occupancy: 32})
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

// A compiler reports errors and warnings, whatever the architecture for which
// it compiles a text.
func TestCUDACompilersRefuse(t *testing.T) {
	for _, c := range cudaCompilers(t) {
		architectures := []string{"compute_60", c.Architecture(nil), c.Architecture([]byte("cp.async.bulk"))}
		slices.Sort(architectures)
		for _, architecture := range slices.Compact(architectures) {
			kernel := func(body string) error {
				return c.Check([]byte("extern \"C\" __global__ void k(int *x) {\n\tx[1] = threadIdx.x;\n\t"+body+"\n}\n"), architecture)
			}
			if err := kernel(""); err != nil {
				t.Errorf("%s, %s: %v", c.Name, architecture, err)
			}
			for body, want := range map[string]string{
				"x[0] = unheard_of;":                            "unheard_of",
				"int never = x[1];":                             "never",
				"__dmul_rn(1.0, 2.0, 3.0);":                     "__dmul_rn|too many arguments",
				"__shared__ int big[100]; x = 0 ? big : \"x\";": "incompatible|type",
				`asm("abs.s32 %0, %4;" : "=r"(x[0]) : "r"(1));`: "invalid operand number|asm operand index",
			} {
				refused(t, c.Name+", "+architecture+", "+body, kernel(body), want)
			}
		}
	}
}

// Errors in the instructions of persistent kernels are found when the text is
// compiled to PTX. Only NVRTC finds operands that are too wide, and only an assembler finds
// wrong names of instructions.
func TestCUDACompilersRefusePersistent(t *testing.T) {
	entry, err := testsuite.LoadEntry("../corpus/ordered_aggregation.kg")
	if err != nil {
		t.Fatal(err)
	}
	var text string
	for _, made := range kerneltest.Make(t, cuda.Emitter(), entry, fuse.LevelOnePass, plan.Schedule{Scheme: simt.SchemePersistent}).Texts() {
		if cudacompile.HasBulkCopies([]byte(made)) {
			text = made
		}
	}
	tried := 0
	for _, c := range cudaCompilers(t) {
		if c.CUDA == 0 {
			continue
		}
		tried = max(tried, c.CUDA)
		architecture := c.Architecture([]byte(text))
		for _, fault := range []struct {
			old, planted, want string
			assembles          bool // only compilers that assemble find it
		}{
			{old: `"r"(bytes)`, planted: `"r"(bytes)`}, // none: the text as it is
			{old: `"r"(bytes)`, planted: `"n"(bytes)`, want: "integer constant expression|integral constant expression"},
			{old: "(unsigned)__cvta_generic_to_shared(", planted: "__cvta_generic_to_shared(", want: "does not match", assembles: true},
			{old: "[%0], [%1], %2, [%3];", planted: "[%0], [%1], %2, [%4];", want: "invalid operand number|asm operand index"},
			{old: "unsigned passed;", planted: "unsigned passed, never;", want: "never"},
		} {
			if fault.assembles && !c.Assembles {
				continue
			}
			what := fmt.Sprintf("%s, %s, %s", c.Name, architecture, fault.planted)
			changed := strings.Replace(text, fault.old, fault.planted, 1)
			if !strings.Contains(text, fault.old) {
				t.Fatalf("%s: nothing to plant it at", what)
			}
			if err := c.Check([]byte(changed), architecture); fault.want != "" {
				refused(t, what, err, fault.want)
			} else if err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
	if tried < 12 {
		notCompiled(t, "nothing here makes PTX 8: Debian has the package clang-19")
	}
}

// refused fails if a compiler accepts an invalid text. The compiler's log must
// have one of the messages separated by |.
func refused(t *testing.T, what string, err error, want string) {
	t.Helper()
	if err == nil || !slices.ContainsFunc(strings.Split(want, "|"), func(w string) bool { return strings.Contains(err.Error(), w) }) {
		t.Errorf("%s: %v", what, err)
	}
}

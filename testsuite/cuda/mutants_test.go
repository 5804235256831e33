package cuda

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kgen-go/kgen/backends/cuda"
	"github.com/kgen-go/kgen/backends/cuda/emu"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/internal/kernels"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/testsuite"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
	"github.com/kgen-go/kgen/testsuite/sample"
)

// mutations are bugs to plant in emitted CUDA C++: each match of a pattern is
// replaced, one at a time.
var mutations = []struct {
	name, with string
	pattern    *regexp.Regexp
}{
	{"barrier dropped", "", regexp.MustCompile(`__syncthreads\(\);`)},
	{"fence dropped", "", regexp.MustCompile(`__threadfence(_block)?\(\);`)},
	{"block number for ticket", "blockIdx.x", regexp.MustCompile(`atomicAdd\(&\w+_tickets\[0\], 1u\)`)},
	{"guard one too far", "<= count", regexp.MustCompile(`< count\b`)},
	{"store for exchange", "$1 = ($2)", regexp.MustCompile(`atomicExch\(&(.*\]), (.*)\)`)},
	{"load not volatile", "*($1", regexp.MustCompile(`\*\(volatile ([^)]*\))`)},
	{"update not atomic", "$1 = $1 + ($2)", regexp.MustCompile(`atomicAdd\(\((?:unsigned long long) \*\)&(shared_\w*\[.*\]), (.*)\)`)},
}

// mutant is a text with one bug.
type mutant struct {
	name string // with its line
	text string
}

func mutantsOf(text string) (list []mutant) {
	for _, m := range mutations {
		for _, at := range m.pattern.FindAllStringSubmatchIndex(text, -1) {
			with := string(m.pattern.ExpandString(nil, m.with, text, at))
			line := 1 + strings.Count(text[:at[0]], "\n")
			list = append(list, mutant{fmt.Sprintf("%s at line %d", m.name, line), text[:at[0]] + with + text[at[1]:]})
		}
	}
	return list
}

// TestCUDAMutants plants bugs in emitted kernels and requires that the
// emulation reports a fault or a wrong result for most of them. Survivors are
// listed: a barrier may be there for the reader of the text, not for the data.
// KGEN_CUDA_MUTANTS=all plants all, KGEN_TEST_ALL every seventh, else few.
func TestCUDAMutants(t *testing.T) {
	step := 29
	if sample.Everything() {
		step = 7
	}
	if os.Getenv("KGEN_CUDA_MUTANTS") == "all" {
		step = 1
	}
	entries, err := testsuite.Load("../corpus")
	if err != nil {
		t.Fatal(err)
	}
	e := newEmulator(t, emu.Options{Check: true, Seed: 3, Limit: 5 * time.Second})
	planted, killed := 0, 0
	var survivors []string
	for _, name := range []string{"ordered_aggregation", "filter_two_columns", "histogram_bytes"} {
		at := slices.IndexFunc(entries, func(e testsuite.Entry) bool { return e.Name == name })
		if at < 0 {
			t.Fatalf("the corpus has no %s", name)
		}
		made := kerneltest.Make(t, cuda.Emitter(), entries[at], fuse.LevelOnePass, cudaSchedule)
		file := made.Files[0].Name
		for i, m := range mutantsOf(string(made.Files[0].Text)) {
			if i%step != 0 {
				continue
			}
			planted++
			if how := kill(e, entries[at].Pipeline, made, file, m.text); how != "" {
				killed++
				t.Logf("%s, %s: %s", name, m.name, how)
			} else {
				survivors = append(survivors, name+", "+m.name)
			}
		}
	}
	t.Logf("%d of %d mutants killed; survivors:\n%s", killed, planted, strings.Join(survivors, "\n"))
	if planted == 0 || 2*killed < planted {
		t.Error("less than half of them")
	}
}

// kill runs a mutant on several sizes and says what revealed it, or "".
func kill(e *emu.Emulator, p *ir.Pipeline, made *kernels.Program, file, text string) string {
	texts := made.Texts()
	texts[file] = text
	tile := kerneltest.LargestTile(made.Plan)
	for k, rows := range []int{1, tile + 1, 20*tile + 7} {
		in := testsuite.RandomData{Rows: rows, Shape: testsuite.Shapes()[k%len(testsuite.Shapes())], Seed: uint64(k), Whole: true}.Columns(p)
		want, err := testsuite.Expect(p, in)
		if err != nil {
			return err.Error()
		}
		got, err := testsuite.RunPlan(p, made.Plan, func(in exec.Inputs) (*exec.Result, error) {
			return e.Run(context.Background(), emu.Request{Plan: made.Plan, Texts: texts, Inputs: in})
		}, in)
		var fault *emu.FaultError
		var build *worker.BuildError
		switch {
		case errors.As(err, &fault):
			return fault.Faults[0].String()
		case errors.As(err, &build):
			return "no mutant: " + build.Error()
		}
		if difference := want.Differ(got, err); difference != "" {
			return difference
		}
	}
	return ""
}

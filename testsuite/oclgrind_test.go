//go:build opencl

package testsuite

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/backends/kernels"
	"github.com/kgen-go/kgen/backends/opencl"
	"github.com/kgen-go/kgen/backends/simt"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/plan"
	planexec "github.com/kgen-go/kgen/plan/exec"
	"github.com/kgen-go/kgen/table"
)

// grind runs programs under Oclgrind, a simulator of OpenCL devices that
// reports data races, accesses out of bounds, and barriers that only some
// work-items of a group reach.
type grind struct {
	worker, folder string
	environment    []string
}

func newGrind(t *testing.T) *grind {
	t.Helper()
	simulator, err := exec.LookPath("oclgrind")
	if err != nil {
		if os.Getenv("KGEN_REQUIRE_OPENCL") != "" {
			t.Fatal(err)
		}
		t.Skip("no oclgrind to run the texts under")
	}
	user, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	g := &grind{worker: buildWorker(t), folder: t.TempDir()}
	g.environment = []string{
		"KGEN_CACHE=" + filepath.Join(user, "kgen-oclgrind"), // programs built with other options are not to be met again
		"OCLGRIND_BUILD_OPTIONS=-cl-opt-disable",             // optimized texts have intrinsics that it does not know
	}
	script := fmt.Sprintf("#!/bin/sh\nexec %q %q \"$@\"\n", simulator, g.worker)
	g.worker = filepath.Join(g.folder, "worker")
	write(t, g.worker, []byte(script))
	if err := os.Chmod(g.worker, 0o755); err != nil {
		t.Fatal(err)
	}
	// Once, before all run at once, and without the search for races, which
	// takes minutes here.
	probe := openDevice(t, g.worker, g.environment...)
	requireDevice(t, probe)
	probe.Close()
	// Its search for uninitialized values is left out: the plug-in (21.10)
	// crashes now and then, and knows nothing of atomics.
	g.environment = append(g.environment, "OCLGRIND_DATA_RACES=1", "OCLGRIND_MAX_ERRORS=10000")
	return g
}

// use runs a test with a worker of its own, and returns what the simulator had
// to say about its kernels.
func (g *grind) use(t *testing.T, name string, test func(openCLDevice)) []string {
	t.Helper()
	log := filepath.Join(g.folder, name+".log")
	device := openDevice(t, g.worker, append(slices.Clone(g.environment), "OCLGRIND_LOG="+log)...)
	test(device)
	device.Close()
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	return reports(string(text))
}

// reports splits a log; a report begins with the only line that is not indented.
func reports(log string) (list []string) {
	for line := range strings.Lines(log) {
		switch {
		case strings.TrimSpace(line) == "":
		case line[0] != '\t' || len(list) == 0:
			list = append(list, line)
		default:
			list[len(list)-1] += line
		}
	}
	return list
}

// isAtomicPair reports whether a report is about a volatile load of a word that
// others change by an atomic: tiles that wait for each other, and updates that
// try again. A word holds all that belongs together, so any order of the two
// will do; the simulator takes every load that is no atomic for a race.
func isAtomicPair(report string) bool {
	return strings.HasPrefix(report, "Read-write data race at ") &&
		len(volatileLoad.FindAllString(report, -1)) == 1 && len(atomicCall.FindAllString(report, -1)) == 1
}

var (
	volatileLoad = regexp.MustCompile(` = load volatile i(32|64), `)
	atomicCall   = regexp.MustCompile(` call spir_func i(32|64) @_Z\d+atom(ic)?_\w+PU3AS[13]V`)
)

// grindSchedule has tiles of 24 rows. The driver's buffers are multiples of 256
// bytes: of 32 rows of 8 bytes, and 64 of 4, nothing is behind the last, which
// is not the last of a tile.
var (
	grindSchedule = plan.Schedule{Workgroup: 8, Items: 3}
	grindRows     = []int{0, 1, 25, 32, 64}
)

// agree runs a program on few rows and compares the results.
func (g *grind) agree(t *testing.T, entry Entry, made *kernels.Program, what string) []string {
	return g.use(t, what, func(device openCLDevice) {
		for k, rows := range grindRows {
			data := RandomData{Rows: rows, Shape: Shapes()[k%len(Shapes())], Seed: uint64(k), Whole: true}
			agreeOn(t, made.Plan, device.runner(made), entry.Pipeline, fmt.Sprintf("%s, %+v", what, data), data.Columns(entry.Pipeline))
		}
	})
}

// TestOclgrind runs the corpus in a simulator, at every level by both schemes,
// equal texts once. Nothing may be reported but pairs of atomics.
func TestOclgrind(t *testing.T) {
	g := newGrind(t)
	entries, err := Load("corpus")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("corpus", func(t *testing.T) {
		for _, entry := range entries {
			t.Run(entry.Name, func(t *testing.T) {
				t.Parallel()
				var done []*kernels.Program
				for _, level := range fuse.Levels {
					for _, scheme := range []string{simt.SchemeLookback, simt.SchemePublished} {
						schedule := grindSchedule
						schedule.Scheme = scheme
						made := makeKernels(t, opencl.Emitter(), entry, level, schedule)
						if slices.ContainsFunc(done, func(p *kernels.Program) bool { return isSame(t, p, made) }) {
							continue
						}
						done = append(done, made)
						what := fmt.Sprintf("%s-%s-%s", entry.Name, level, scheme)
						for _, report := range g.agree(t, entry, made, what) {
							if !isAtomicPair(report) {
								t.Fatalf("%s: %s", what, report)
							}
						}
					}
				}
			})
		}
	})
}

// TestOclgrindCatches takes one thing out of a text that is right: the first
// barrier, or the first test of the end of the rows.
func TestOclgrindCatches(t *testing.T) {
	g := newGrind(t)
	entries, err := Load("corpus")
	if err != nil {
		t.Fatal(err)
	}
	entry := entries[slices.IndexFunc(entries, func(e Entry) bool { return e.Name == "filter_two_columns" })]
	schedule := grindSchedule
	schedule.Scheme = simt.SchemePublished
	run := func(what, text string) []string {
		made := makeKernels(t, opencl.Emitter(), entry, fuse.LevelOnePass, schedule)
		made.Files[0].Text = []byte(text)
		return g.use(t, what, func(device openCLDevice) {
			in := planexec.Inputs{Columns: map[string]planexec.Column{}}
			for i, c := range (RandomData{Rows: 64, Shape: Small, Whole: true}).Columns(entry.Pipeline) {
				port := made.Plan.Ports[i]
				in.Columns[port.Name] = planexec.Column{Kind: port.Kind, Data: table.Bytes(c)}
			}
			if _, err := device.runner(made)(in); err != nil {
				t.Logf("%s: %v", what, err)
			}
		})
	}
	text := string(makeKernels(t, opencl.Emitter(), entry, fuse.LevelOnePass, schedule).Files[0].Text)
	if reports := run("unchanged", text); len(reports) > 0 {
		t.Fatal(reports[0])
	}
	for _, c := range []struct {
		line              *regexp.Regexp
		instead, reported string
	}{
		{regexp.MustCompile(`\bbarrier\([A-Z_ |]*\);`), "", "data race"},
		{regexp.MustCompile(`\bif \(at < count\) `), "", "Invalid"},
	} {
		at := c.line.FindStringIndex(text)
		if at == nil {
			t.Fatalf("there is no %s in\n%s", c.line, text)
		}
		reports := run(strings.Fields(c.reported)[0], text[:at[0]]+c.instead+text[at[1]:])
		if !slices.ContainsFunc(reports, func(r string) bool { return strings.Contains(r, c.reported) && !isAtomicPair(r) }) {
			t.Errorf("%s is missing, and the simulator says %q", text[at[0]:at[1]], reports)
		}
	}
}

// What is no atomic on one side, and no volatile load on the other, is a race.
func TestAtomicPairs(t *testing.T) {
	const (
		volatile = "\n\tFirst entity:  Global(8,0,0)\n\t  %1 = load volatile i64, i64 addrspace(1)* %0, align 8"
		load     = "\n\tFirst entity:  Global(8,0,0)\n\t  %1 = load i64, i64 addrspace(1)* %0, align 8"
		atomic   = "\n\tSecond entity: Global(0,0,0)\n\t  %call = call spir_func i64 @_Z9atom_xchgPU3AS1Vmm(i64 addrspace(1)* %0, i64 %2)"
		store    = "\n\tSecond entity: Global(0,0,0)\n\t  store i64 %2, i64 addrspace(1)* %0, align 8"
	)
	for report, want := range map[string]bool{
		"Read-write data race at global memory address 0x1" + volatile + atomic: true,
		"Read-write data race at global memory address 0x1" + load + atomic:     false,
		"Read-write data race at global memory address 0x1" + volatile + store:  false,
		"Write-write data race at global memory address 0x1" + atomic + store:   false,
		"Invalid read of size 8 at global memory address 0x1" + volatile:        false,
	} {
		if isAtomicPair(report) != want {
			t.Errorf("%v, want %v: %s", !want, want, report)
		}
	}
}

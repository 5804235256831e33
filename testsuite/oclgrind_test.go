//go:build opencl

package testsuite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/backends/opencl"
	"github.com/kgen-go/kgen/fuse"
	planexec "github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/device/oclgrind"
	"github.com/kgen-go/kgen/internal/kernels"
	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
)

// grind runs programs under Oclgrind.
type grind struct {
	worker, folder string
	environment    []string
}

func newGrind(t *testing.T) *grind {
	t.Helper()
	g := &grind{folder: t.TempDir()}
	var err error
	if g.worker, err = oclgrind.Wrap(g.folder, buildWorker(t)); err != nil {
		if os.Getenv("KGEN_REQUIRE_OPENCL") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	user, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	g.environment = []string{"KGEN_CACHE=" + filepath.Join(user, "kgen-oclgrind")} // programs built with other options are not to be met again
	// Once, before all run at once, and without the search for races, which
	// takes minutes here.
	probe := openDevice(t, g.worker, append(oclgrind.Environment(""), g.environment...)...)
	requireDevice(t, probe)
	probe.Close()
	return g
}

// use runs a test with a worker of its own, and returns what the simulator had
// to say about its kernels.
func (g *grind) use(t *testing.T, name string, test func(openCLDevice)) []string {
	t.Helper()
	log := filepath.Join(g.folder, name+".log")
	device := openDevice(t, g.worker, append(oclgrind.Environment(log), g.environment...)...)
	test(device)
	device.Close()
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	return oclgrind.Reports(string(text))
}

// grindSchedule has tiles of 24 rows. The driver's buffers are multiples of 256
// bytes: of 32 rows of 8 bytes, and 64 of 4, nothing is behind the last, which
// is not the last of a tile.
var (
	grindSchedule = plan.Schedule{Workgroup: 8, Items: 3}
	grindRows     = []int{0, 1, 25, 32, 64}
)

// agree runs a program on few rows and compares the results.
func (g *grind) agree(t *testing.T, entry testsuite.Entry, made *kernels.Program, what string) []string {
	return g.use(t, what, func(device openCLDevice) {
		for k, rows := range grindRows {
			data := testsuite.RandomData{Rows: min(rows, kerneltest.MostRows(entry.Pipeline)/4), Shape: testsuite.Shapes()[k%len(testsuite.Shapes())], Seed: uint64(k), Whole: true}
			kerneltest.Agree(t, made.Plan, device.Runner(made), entry.Pipeline, fmt.Sprintf("%s, %+v", what, data), data.Columns(entry.Pipeline))
		}
	})
}

// TestOclgrind runs the corpus in a simulator, at every level by both schemes,
// equal texts once. Nothing may be reported but pairs of atomics.
func TestOclgrind(t *testing.T) {
	g := newGrind(t)
	entries, err := testsuite.Load("corpus")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("corpus", func(t *testing.T) {
		for i, entry := range entries {
			t.Run(entry.Name, func(t *testing.T) {
				t.Parallel()
				var done []*kernels.Program
				for j, level := range fuse.Levels {
					if kerneltest.SkipsLevel(entry.Pipeline, i, j) {
						continue
					}
					for _, scheme := range []string{simt.SchemeLookback, simt.SchemePublished} {
						schedule := grindSchedule
						schedule.Scheme = scheme
						made := kerneltest.Make(t, opencl.Emitter(), entry, level, schedule)
						if slices.ContainsFunc(done, func(p *kernels.Program) bool { return kerneltest.IsSame(t, p, made) }) {
							continue
						}
						done = append(done, made)
						what := fmt.Sprintf("%s-%s-%s", entry.Name, level, scheme)
						for _, report := range g.agree(t, entry, made, what) {
							t.Fatalf("%s: %s", what, report)
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
	entries, err := testsuite.Load("corpus")
	if err != nil {
		t.Fatal(err)
	}
	entry := entries[slices.IndexFunc(entries, func(e testsuite.Entry) bool { return e.Name == "filter_two_columns" })]
	schedule := grindSchedule
	schedule.Scheme = simt.SchemePublished
	run := func(what, text string) []string {
		made := kerneltest.Make(t, opencl.Emitter(), entry, fuse.LevelOnePass, schedule)
		made.Files[0].Text = []byte(text)
		return g.use(t, what, func(device openCLDevice) {
			in := planexec.Inputs{Columns: map[string]planexec.Column{}}
			for i, c := range (testsuite.RandomData{Rows: 64, Shape: testsuite.Small, Whole: true}).Columns(entry.Pipeline) {
				port := made.Plan.Ports[i]
				in.Columns[port.Name] = planexec.Column{Kind: port.Kind, Data: raw.Bytes(c)}
			}
			if _, err := device.Runner(made)(in); err != nil {
				t.Logf("%s: %v", what, err)
			}
		})
	}
	text := string(kerneltest.Make(t, opencl.Emitter(), entry, fuse.LevelOnePass, schedule).Files[0].Text)
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
		if !slices.ContainsFunc(reports, func(r string) bool { return strings.Contains(r, c.reported) }) {
			t.Errorf("%s is missing, and the simulator says %q", text[at[0]:at[1]], reports)
		}
	}
}

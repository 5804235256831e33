package testsuite_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/backends/cuda"
	"github.com/kgen-go/kgen/backends/opencl"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/kernels"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite"
	"github.com/kgen-go/kgen/testsuite/docs"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
	"github.com/kgen-go/kgen/testsuite/sample"
)

const hostFolder = "../examples/host-python"

// hostEntries are the pipelines of the corpus that the host in Python runs.
var hostEntries = strings.Fields(`
	aggregate_of_aggregate aggregates_by_bins aggregates_by_runs align_domains bins_by_column bool_columns casts
	char8_codes check_bins check_division_of_filter check_empty_bin check_index check_lowest check_scalar_index
	date_arithmetic date_months decimal_casts decimals empty_input filter_all_or_nothing filter_of_filter float_double float_single
	gather_lookup histogram_bytes neighbours_of_filter runs_of_runs scalar_parameters scan_operations several_domains
	signed_widths text_columns timestamps date_units sessions_of_events tpch_q6 unordered_filter unsigned_widths`)

// hostPython returns the Python that has PyOpenCL with a device, and skips the
// test if there is none. With KGEN_HOST_PYTHON=1, which .ci/run sets, the test
// fails instead, and tests that take minutes run too.
func hostPython(t *testing.T) (path string, all bool) {
	t.Helper()
	all = os.Getenv("KGEN_HOST_PYTHON") != ""
	var reasons []string
	for _, candidate := range []string{"python3", "/usr/bin/python3"} { // the first may be one without Debian's packages
		command := exec.Command(candidate, "-c", "import pyopencl; pyopencl.create_some_context(interactive=False)")
		out, err := command.CombinedOutput()
		if err == nil {
			found, err := exec.LookPath(candidate)
			if err != nil {
				t.Fatal(err)
			}
			return found, all
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		reasons = append(reasons, fmt.Sprintf("%s: %v %s", candidate, err, lines[len(lines)-1]))
	}
	if all {
		t.Fatalf("no Python runs OpenCL; Debian's packages are python3-pyopencl and pocl-opencl-icd\n%s", strings.Join(reasons, "\n"))
	}
	t.Skip("no Python runs OpenCL: ", strings.Join(reasons, "; "))
	return "", false
}

// onGPU is whether the CuPy host runs on a GPU, with CuPy itself.
var onGPU = os.Getenv("KGEN_HOST_CUPY") == "gpu"

// runHost runs the example; its errors have what it printed.
func runHost(python, program string, arguments ...string) (string, error) {
	command := exec.Command(python, append([]string{"-B", filepath.Join(hostFolder, program)}, arguments...)...)
	command.Env = append(os.Environ(), "PYOPENCL_NO_CACHE=1", "POCL_MAX_PTHREAD_COUNT=2")
	if !onGPU {
		command.Env = append(command.Env, "PYTHONPATH=testdata/cupy")
	}
	var out, log bytes.Buffer
	command.Stdout, command.Stderr = &out, &log
	if err := command.Run(); err != nil {
		return "", fmt.Errorf("%w: %s", err, log.String())
	}
	if onGPU && log.Len() > 0 { // it gave up
		return "", fmt.Errorf("it tells %s", log.String())
	}
	return out.String(), nil
}

// The corpus runs from the files that kgen emits and nothing else.
func TestHostPython(t *testing.T) {
	python, all := hostPython(t)
	entries, err := testsuite.Load("corpus")
	if err != nil {
		t.Fatal(err)
	}
	chosen, levels := hostEntries, []string{"onepass", "none"}
	switch {
	case os.Getenv("KGEN_HOST_PYTHON") == "corpus":
		chosen = nil
	case !all:
		chosen, levels = []string{"several_domains"}, levels[:1]
	}
	ran := map[string]bool{}
	for i, entry := range entries {
		if chosen != nil && !slices.Contains(chosen, entry.Name) {
			continue
		}
		ran[entry.Name] = true
		for j, level := range levels {
			if sample.Everything() && !sample.TakesSetting(i, j, len(levels)) {
				continue
			}
			t.Run(entry.Name+"/"+level, func(t *testing.T) {
				t.Parallel()
				host := openCLHost
				host.schedule.Part = int64((i + j) % 2) // 1 is parts of a tile
				hostAgrees(t, python, host, entry, level)
			})
		}
	}
	for _, name := range chosen {
		if !ran[name] {
			t.Errorf("the corpus has no %s", name)
		}
	}
}

// A text of another language is refused before anything is built.
func TestHostPythonRefuses(t *testing.T) {
	python, _ := hostPython(t)
	folder := t.TempDir()
	write(t, filepath.Join(folder, "hand.plan.json"), []byte(strings.ReplaceAll(handPlan, "hand.cl", "hand.cu")))
	write(t, filepath.Join(folder, "x.csv"), []byte("x\n1\n"))
	_, err := runHost(python, "run_plan.py", filepath.Join(folder, "hand.plan.json"), filepath.Join(folder, "x.csv"), `code="A"`)
	if err == nil || strings.Contains(err.Error(), "Traceback") || !strings.Contains(err.Error(), "run_plan_cupy.py those of CUDA") {
		t.Errorf("%v", err)
	}
}

// host is a program in Python and what it runs.
type host struct {
	program  string
	emitter  kernels.Emitter
	schedule plan.Schedule
}

var (
	openCLHost = host{"run_plan.py", opencl.Emitter(), plan.Schedule{Workgroup: 32, Items: 4}}
	// The stand-in for CuPy has one thread per work-group; launches take two
	// tiles.
	cuPyHost = host{"run_plan_cupy.py", cuda.Emitter(), plan.Schedule{Workgroup: 1, Items: 4, Part: 11}}
)

// gpuSchedules are those that the host over CuPy runs on a GPU. None may fall back.
var gpuSchedules = []plan.Schedule{{}, {IDs: plan.Static}, {Scheme: simt.SchemePublished}, {Scheme: simt.SchemePersistent}, {Workgroup: 64, Items: 4, Part: 600}}

// The host over CuPy runs some of the corpus on a stand-in for CuPy, or with
// KGEN_HOST_CUPY=gpu all of it on a GPU.
func TestHostCuPy(t *testing.T) {
	var python string
	for _, candidate := range []string{"python3", "/usr/bin/python3"} {
		if python == "" && exec.Command(candidate, "-c", "import numpy").Run() == nil {
			python = candidate
		}
	}
	if _, err := exec.LookPath("g++"); err != nil || python == "" {
		t.Skip("no Python with numpy, or no g++")
	}
	entries, err := testsuite.Load("corpus")
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Fields("bool_columns char8_codes check_bins check_scalar_index float_double scalar_parameters several_domains tpch_q6")
	choices := kerneltest.LevelChoices([]string{fuse.LevelOnePass, fuse.LevelNone}, cuPyHost.schedule)(0, testsuite.Entry{})
	if onGPU {
		names, choices = nil, nil
		for _, entry := range entries {
			names = append(names, entry.Name)
		}
		for _, schedule := range gpuSchedules {
			choices = append(choices, kerneltest.Choice{Level: fuse.LevelOnePass, Schedule: schedule})
		}
	}
	ran := 0
	for _, entry := range entries {
		if !slices.Contains(names, entry.Name) {
			continue
		}
		ran++
		for i, c := range choices {
			if !onGPU && !sample.Everything() && i != ran%len(choices) {
				continue
			}
			t.Run(fmt.Sprintf("%s/%s-%d", entry.Name, c.Level, i), func(t *testing.T) {
				t.Parallel()
				h := cuPyHost
				h.schedule = c.Schedule
				hostAgrees(t, python, h, entry, c.Level)
			})
		}
	}
	if ran != len(names) {
		t.Errorf("%d entries ran, of %d", ran, len(names))
	}
}

// hostAgrees runs an entry of the corpus at a level and compares what the
// host prints with the expected results.
func hostAgrees(t *testing.T, python string, h host, entry testsuite.Entry, level string) {
	program, _, err := compile.Compile(entry.Pipeline, compile.Options{Level: level, Options: fuse.Options{Short: true}})
	if err != nil {
		t.Fatal(err)
	}
	out, err := h.emitter.Emit([]*backends.Program{program}, backends.Options{Schedule: h.schedule})
	if kerneltest.RefusesPersistent(err) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	folder, arguments := t.TempDir(), []string(nil)
	for _, file := range out.Files {
		write(t, filepath.Join(folder, file.Name), file.Text)
		if strings.HasSuffix(file.Name, ".plan.json") {
			arguments = append(arguments, filepath.Join(folder, file.Name))
		}
	}
	for _, in := range entry.Flags.In {
		arguments = append(arguments, in[strings.Index(in, "=")+1:])
	}
	got, runError := runHost(python, h.program, append(arguments, entry.Flags.Set...)...)
	golden, err := os.ReadFile(entry.Golden)
	if err != nil {
		t.Fatal(err)
	}
	want := string(golden)
	if m := regexp.MustCompile(`^# check \d+ at (\d+:\d+) fails\ndomain,row\n(\w+),(\d+)\n$`).FindStringSubmatch(want); m != nil {
		where := fmt.Sprintf(", row %s of domain %s\n", m[3], m[2])
		if m[2] == "scalar" {
			where = "\n"
		}
		if runError == nil || !strings.Contains(runError.Error(), ":"+m[1]+": ") || !strings.HasSuffix(runError.Error(), where) ||
			strings.Contains(runError.Error(), "Traceback") {
			t.Errorf("got %q and error %v, want the check at %s to fail%s", got, runError, m[1], where)
		}
		return
	}
	if runError != nil {
		t.Fatal(runError)
	}
	if strings.Count(want, "\n# ") == 0 { // the name of a single table is not printed
		_, want, _ = strings.Cut(want, "\n")
	}
	// A domain that no statement names has a name of its own in the plan.
	titles := regexp.MustCompile(`(?m)^# .*$`)
	got, want = titles.ReplaceAllString(got, "#"), titles.ReplaceAllString(want, "#")
	if entry.Pipeline.Unordered {
		got, want = sortedLines(got), sortedLines(want)
	}
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// handPlan has features that no emitted plan has: loops, parts with carries,
// other arguments for a launch, build constants, and variants that the device
// cannot run. The plan before it gives up.
const handPlan = `{
	"version": 1, "pipeline": "hand",
	"ports": [
		{"name": "x", "direction": "in", "kind": "i64", "domain": "n", "buffer": "x"},
		{"name": "code", "direction": "in", "kind": "char8", "scalar": "code", "default": "\"\\x41\\u00e9\\xff\""},
		{"name": "y", "direction": "out", "kind": "i64", "domain": "n", "buffer": "y"},
		{"name": "codes", "direction": "out", "kind": "char8", "domain": "n", "buffer": "codes"},
		{"name": "rounds", "direction": "out", "kind": "i64", "scalar": "rounds"},
		{"name": "small", "direction": "out", "kind": "i64", "scalar": "small"}
	],
	"domains": [{"name": "n", "ordered": true}],
	"scalars": [{"name": "code", "kind": "char8"}, {"name": "rounds", "kind": "i64"}, {"name": "small", "kind": "i64"}],
	"buffers": [
		{"name": "x", "kind": "i64", "role": "input"},
		{"name": "y", "kind": "i64", "length": {"len": "n"}, "role": "output"},
		{"name": "codes", "kind": "char8", "length": {"len": "n"}, "role": "output"},
		{"name": "abort", "kind": "u32", "length": 1, "role": "abort"}
	],
	"kernels": [{"name": "stop", "variants": [{"schedule": {}, "entry": "stop", "file": "hand.cl", "grid": 1,
		"args": [{"name": "abort", "buffer": "abort", "access": "write"}]}]}],
	"steps": [
		{"alloc": {"buffer": "y"}}, {"alloc": {"buffer": "codes"}}, {"alloc": {"buffer": "abort"}}, {"init": {"buffer": "abort"}},
		{"launch": {"kernel": "stop", "rows": 1}}, {"checkErrors": {}}, {"return": {}}
	],
	"fallback": {
		"version": 1, "pipeline": "hand",
		"ports": [
			{"name": "x", "direction": "in", "kind": "i64", "domain": "n", "buffer": "x"},
			{"name": "code", "direction": "in", "kind": "char8", "scalar": "code", "default": "\"\\x41\\u00e9\\xff\""},
			{"name": "y", "direction": "out", "kind": "i64", "domain": "n", "buffer": "y"},
			{"name": "codes", "direction": "out", "kind": "char8", "domain": "n", "buffer": "codes"},
			{"name": "rounds", "direction": "out", "kind": "i64", "scalar": "rounds"},
			{"name": "small", "direction": "out", "kind": "i64", "scalar": "small"}
		],
		"domains": [{"name": "n", "ordered": true}],
		"scalars": [{"name": "code", "kind": "char8"}, {"name": "rounds", "kind": "i64", "init": "1"}, {"name": "row0", "kind": "i64"},
			{"name": "rows", "kind": "i64"}, {"name": "small", "kind": "i64"}],
		"buffers": [
			{"name": "x", "kind": "i64", "role": "input"},
			{"name": "y", "kind": "i64", "length": {"len": "n"}, "role": "output"},
			{"name": "codes", "kind": "char8", "length": {"len": "n"}, "role": "output"},
			{"name": "before", "kind": "i64", "length": 1, "role": "temporary", "fill": "100"},
			{"name": "after", "kind": "i64", "length": 1, "role": "temporary"}
		],
		"kernels": [{"name": "sum", "variants": [
			{"needs": ["progress.resident"], "schedule": {}, "entry": "none", "args": [{"name": "factor", "value": 1}]},
			{"schedule": {"workgroup": 4}, "entry": "sum", "file": "hand.cl", "grid": 1, "spec": [{"name": "STEP", "value": 1000}],
				"args": [{"name": "x", "buffer": "x"}, {"name": "y", "buffer": "y", "access": "write"},
					{"name": "codes", "buffer": "codes", "access": "write"}, {"name": "code", "scalar": "code"},
					{"name": "before", "buffer": "before"}, {"name": "after", "buffer": "after", "access": "write"},
					{"name": "factor", "value": 1}]}]}],
		"steps": [
			{"alloc": {"buffer": "y"}}, {"alloc": {"buffer": "codes"}},
			{"alloc": {"buffer": "before"}}, {"init": {"buffer": "before"}}, {"alloc": {"buffer": "after"}},
			{"parts": {"len": {"len": "n"}, "row0": "row0", "rows": "rows", "limit": 3, "multiple": 2, "carries": [{"in": "before", "out": "after"}],
				"steps": [{"launch": {"kernel": "sum", "rows": "rows", "row0": "row0", "bind": [{"name": "factor", "value": {"mul": [2, {"rows": true}]}}]}}]}},
			{"read": {"buffer": "before", "scalars": ["small"]}},
			{"while": {"cond": {"lt": ["rounds", 20]}, "max": 3, "steps": [{"set": {"scalar": "rounds", "value": {"shl": ["rounds", 1]}}}],
				"else": [{"set": {"scalar": "rounds", "value": {"sub": [0, "rounds"]}}}]}},
			{"if": {"cond": {"and": [{"eq": ["rounds", -8]}, {"lt": [{"pow2": [5]}, 9]}]}, "then": [{"return": {}}]}},
			{"set": {"scalar": "rounds", "value": 0}}, {"return": {}}
		]
	}
}`

const handText = `
__kernel void stop(long row0, long rows, __global uint *abort) { abort[0] = 1; }
#ifdef STEP
__kernel void sum(long row0, long rows, __global const long *x, __global long *y, __global ulong *codes, ulong code,
	__global const long *before, __global long *after, long factor) {
	if (get_local_id(0) > 0) return;
	long total = before[0];
	for (long row = row0; row < row0 + rows; row++) {
		total += x[row];
		y[row] = total + STEP * factor;
		codes[row] = code;
	}
	after[0] = total;
}
#endif
`

func TestHostPythonByHand(t *testing.T) {
	python, _ := hostPython(t)
	if _, err := plan.Decode([]byte(handPlan)); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	path := filepath.Join(folder, "hand.plan.json")
	write(t, path, []byte(handPlan))
	write(t, filepath.Join(folder, "hand.cl"), []byte(handText))
	write(t, filepath.Join(folder, "x.csv"), []byte("unused,x\nq,1\nq,2\nq,3\n"))
	column := filepath.Join(folder, "x.npy")
	if out, err := exec.Command(python, "-c", "import numpy, sys; numpy.save(sys.argv[1], numpy.array([1, 2, 3], 'i2'))", column).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, test := range []struct{ file, code, shown string }{
		{"x.csv", "", "A\u00e9\xff"}, {"x.csv", "code=a,\"b", `"a,""b"`}, {"x.npy", "code=", ""},
	} {
		arguments := []string{path, filepath.Join(folder, test.file)}
		if test.code != "" {
			arguments = append(arguments, test.code)
		}
		got, err := runHost(python, openCLHost.program, arguments...)
		want := fmt.Sprintf("# n\ny,codes\n4101,%[1]s\n4103,%[1]s\n2106,%[1]s\n\n# scalars\nrounds,small\n-8,106\n", test.shown)
		if err != nil || got != want {
			t.Errorf("%v\ngot\n%s\nwant\n%s", err, got, want)
		}
	}
	for _, test := range []struct{ argument, want string }{
		{"x=", "int"}, {"nosuch=1", "nosuch"}, {"code=123456789", "char8"}, {filepath.Join(folder, "nosuch.csv"), "No such file"},
	} {
		got, err := runHost(python, openCLHost.program, path, filepath.Join(folder, "x.csv"), test.argument)
		if err == nil || strings.Contains(err.Error(), "Traceback") || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %q and error %v, want one with %q", test.argument, got, err, test.want)
		}
	}
}

// The commands of the example's README do what it says.
func TestHostPythonREADME(t *testing.T) {
	python, all := hostPython(t)
	if !all {
		t.Skip("takes a minute: KGEN_HOST_PYTHON=1 runs it")
	}
	readme, err := os.ReadFile(filepath.Join(hostFolder, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	commands := docs.Commands(string(readme))
	if len(commands) != 3 {
		t.Fatalf("%d commands", len(commands))
	}
	if _, err := os.Stat("../out"); os.IsNotExist(err) {
		t.Cleanup(func() { os.RemoveAll("../out") })
	}
	for _, c := range commands {
		command := exec.Command("bash", "-c", c.Text)
		command.Dir = ".."
		command.Env = append(os.Environ(), "PATH="+filepath.Dir(python)+":"+os.Getenv("PATH"))
		out, err := command.CombinedOutput()
		if err != nil || !docs.OutputPattern(c.Output).MatchString(string(out)) {
			t.Errorf("%s: %v\nshown\n%s\nprinted\n%s", c.Text, err, c.Output, out)
		}
	}
}

func sortedLines(text string) string {
	lines := strings.Split(text, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

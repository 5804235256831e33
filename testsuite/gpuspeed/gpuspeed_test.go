package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/backends/cuda/emu"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/internal/kernels"
	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/plan"
)

// peersVariable makes the test program stand in for the peers: it answers copy
// and scan, and with the value "wrong" a sum that is wrong.
const peersVariable = "GPUSPEED_TEST_PEERS"

func TestMain(m *testing.M) {
	mode := os.Getenv(peersVariable)
	if mode == "" {
		os.Exit(m.Run())
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		fields := strings.Fields(in.Text())
		m := measured{Times: []int64{100, 200, 300}}
		switch fields[0] {
		case "copy":
		case "scan":
			data, err := os.ReadFile(fields[3])
			if err != nil {
				m.Error = err.Error()
				break
			}
			var rows int
			fmt.Sscan(fields[2], &rows)
			var d digest
			total := int32(0)
			for _, x := range elements[int32](data)[:rows] {
				total += x
				d.add(int64(total))
			}
			if mode == "wrong" {
				d.Sum++
			}
			m.Columns = []digest{d}
		default:
			m.Error = "no such command"
		}
		json.NewEncoder(os.Stdout).Encode(m)
	}
}

// emulation is the emulated device, which all runners of a test share.
func emulation(t *testing.T) device {
	t.Helper()
	d, err := openDevice(t.Context(), "cudaemu", nil)
	var missing *emu.MissingError
	if errors.As(err, &missing) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.close)
	return unclosed{d}
}

type unclosed struct{ device }

func (unclosed) close() {}

// run measures on a device; it returns what is printed.
func run(t *testing.T, d device, arguments ...string) (*report, string, error) {
	t.Helper()
	s, err := parse(append([]string{"-device", "cudaemu", "-repeat", "1"}, arguments...))
	if err != nil {
		t.Fatal(err)
	}
	r := newRunner(s)
	r.open = func(context.Context, string, *memory.Space) (device, error) { return d, nil }
	var out, log bytes.Buffer
	err = r.measure(t.Context(), &out, &log)
	t.Log(log.String(), out.String())
	return r.report, out.String(), err
}

// emulatedWorkloads leaves out all but one of the distributions of each table, and
// tables of which few rows leave most empty.
// Order and groups compile for long: one of each key.
const emulatedWorkloads = "^(incl|filter|COUNT|MIN|Q6|three|segm|two|sess|HAV|SUM|scan i64)|bytes, uniform|sum by 1024 bins, sorted|avg by 1024 bins, constant|max by 1024 bins, skewed|order of (f64$|i32, limit 1000$)|by (1024|16 spread) groups($| of)"

// The emitted kernels of every workload return the result of its plain loop.
func TestWorkloads(t *testing.T) {
	r, out, err := run(t, emulation(t), "-n", "11", "-peers", "none", "-run", emulatedWorkloads)
	if err != nil {
		t.Fatal(err)
	}
	want := 0
	for _, w := range workloads() {
		if regexp.MustCompile(emulatedWorkloads).MatchString(w.name) {
			want++
		}
	}
	if len(r.Rates) != want || strings.Count(out, "\n2^11 ") != want || len(r.Goals) > 0 {
		t.Errorf("%d rates of %d, goals %v", len(r.Rates), want, r.Goals)
	}
	for _, x := range r.Rates {
		if x.Bytes < 1<<11 || x.Time <= 0 || x.Scheme != "lookback" && x.Workload != "Q6" && !strings.Contains(x.Workload, " b") {
			t.Errorf("%+v", x)
		}
	}
}

// wrong is a device whose results are changed.
type wrong struct {
	device
	change func(*exec.Result)
}

func (w wrong) run(ctx context.Context, made *kernels.Program, in exec.Inputs, repeat repetitions) (*outcome, error) {
	result, err := w.device.run(ctx, made, in, repeat)
	if err == nil {
		w.change(result.Result)
	}
	return result, err
}

// A wrong result has no time, and fails the run.
func TestWrongResults(t *testing.T) {
	d := emulation(t)
	column := func(name string, change func(data []byte) []byte) func(*exec.Result) {
		return func(r *exec.Result) {
			c := r.Columns[name]
			r.Columns[name] = exec.Column{Kind: c.Kind, Data: change(slices.Clone(c.Data))}
		}
	}
	for _, c := range []struct {
		workload, want string
		change         func(*exec.Result)
	}{
		{"inclusive scan", "values of result 1 are wrong", column("total", func(data []byte) []byte { data[1000] ^= 1; return data })},
		{"filter 50 %", "values of result 1 are wrong", column("x", func(data []byte) []byte {
			list := elements[int32](data)
			i := 1 + slices.IndexFunc(list[1:], func(x int32) bool { return x != list[0] })
			list[0], list[i] = list[i], list[0]
			return data
		})},
		{"COUNT, runs of 8", "result 2 has ", column("count", func(data []byte) []byte { return data[8:] })},
		{"order of i32, limit 1000", "values of result 1 are wrong", column("row", func(data []byte) []byte {
			list := elements[int64](data)
			list[0], list[1] = list[1], list[0]
			return data
		})},
		{"Q6", "the result is ", func(r *exec.Result) { r.Scalars["revenue"] = exec.Value{Kind: plan.F64, Bits: 0x3ff << 52} }},
		{"two scans", "the plan gave up: no luck", func(r *exec.Result) { r.GaveUp = []exec.GiveUpError{{Reason: "no luck"}} }},
	} {
		r, out, err := run(t, wrong{d, c.change}, "-n", "11", "-peers", "none", "-run", "^"+c.workload+"$")
		if err == nil || !strings.Contains(err.Error(), c.workload+", default: "+c.want) || !strings.Contains(out, c.want) {
			t.Errorf("%s: error %v, want %q", c.workload, err, c.want)
		}
		if len(r.Rates) != 1 || r.Rates[0].Time != 0 || r.Rates[0].Rate != 0 {
			t.Errorf("%s has a rate: %+v", c.workload, r.Rates)
		}
	}
}

// The peers read the same columns; their results are compared, too.
func TestPeers(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("columns have no files on " + runtime.GOOS)
	}
	d := emulation(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(peersVariable, "right")
	path := filepath.Join(t.TempDir(), "speed.json")
	r, out, err := run(t, d, "-n", "12", "-peers", self, "-run", "^inclusive", "-json", path)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Rates) != 2 || r.Rates[1].Time != 200 || r.Rates[1].Bytes != 8<<12 || r.Copy != 2<<30/200. || r.Rates[1].Share == 0 {
		t.Errorf("%+v", r)
	}
	if !strings.Contains(out, "CUB InclusiveSum") {
		t.Errorf("CUB is not told")
	}
	text, err := os.ReadFile(path)
	var written report
	if err != nil || json.Unmarshal(text, &written) != nil || !reflect.DeepEqual(written.Rates, r.Rates) {
		t.Errorf("%v: %s", err, text)
	}
	t.Setenv(peersVariable, "wrong")
	r, _, err = run(t, d, "-n", "12", "-peers", self, "-run", "^inclusive")
	if err == nil || err.Error() != "inclusive scan, CUB InclusiveSum: values of result 1 are wrong" || r.Rates[0].Time == 0 || r.Rates[1].Time != 0 {
		t.Errorf("%v", err)
	}
}

func TestMarkdown(t *testing.T) {
	one := func(name string, rows, time int64, device, form string, share float64) rate {
		return rate{Workload: name, Rows: rows, Device: device, Form: form, Scheme: "lookback", Time: time, Rate: 8e9 / float64(time), Share: share}
	}
	r := &report{Device: "cuda:0", Goals: []goal{{"scan", "best", .92, .95, true}, {"scan", "CUB", 1.25, 1.1, false}},
		Rates: []rate{one("scan", 8, 2e6, "cuda:0", "default", .95), one("scan", 8, 2200000, "", "CUB", .86), one("scan", 8, 4e6, "opencl:1", "OpenCL", .5), one("Q6", 8, 1e6, "cuda:0", "items=4", 1)}}
	var out bytes.Buffer
	r.markdown(&out)
	for _, want := range []string{"| workload | ms | GB/s | of copy | goal | look-back | CUB, ms | ratio | goal | OpenCL | best schedule |\n",
		"| scan | 2.0000 | 4000 | 0.95 | 0.92 | 0.95 | 2.2000 | 1.10 | **1.25** | 0.50 | default |\n", "| Q6 | 1.0000 | 8000 | 1.00 |  | 1.00 |  |  |  |  | items=4 |\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no line %sin\n%s", want, &out)
		}
	}
	out.Reset()
	r.Rates = append(r.Rates, one("scan", 1024, 4e6, "cuda:0", "default", .5))
	r.markdown(&out)
	if want := "| rows | scan: µs | GB/s | CUB: µs | ratio | Q6: µs | GB/s | CUB: µs | ratio |\n"; !strings.HasPrefix(out.String(), want) ||
		!strings.Contains(out.String(), "| 2^3 | 2000.0 | 4000 | 2200.0 | 1.10 | 1000.0 | 8000 |  |  |\n| 2^10 | 4000.0 | 2000 |  |  |  |  |  |  |\n") {
		t.Error(out.String())
	}
}

// Goals apply to 2^28 rows and to the fastest form.
func TestGoals(t *testing.T) {
	r := &report{Device: "cuda:0", Copy: 4000}
	one := func(device, form, scheme string, gbs float64) rate {
		return rate{Workload: "w", Rows: goalRows, Device: device, Form: form, Scheme: scheme, Time: 1, Rate: gbs, Share: gbs / 4000}
	}
	w := &workload{name: "w", goal: goals{best: .9, lookback: .8, cub: 2, opencl: .6}}
	var out bytes.Buffer
	r.add(&out, w, []rate{one("cuda:0", "a", "lookback", 3000), one("cuda:0", "b", "persistent", 3700), one("cuda:0", "c", "lookback", 3190),
		one("opencl:1", "OpenCL", "lookback", 2300), one("", "CUB", "", 1900), one("", "CUB of another kind", "", 1800)})
	want := []goal{{"w", "best", .9, .925, true}, {"w", "CUB", 2, 3700. / 1900, false}, {"w", "look-back", .8, .7975, true}, {"w", "OpenCL", .6, .575, false}}
	if !slices.Equal(r.Goals, want) {
		t.Errorf("%+v\n%s", r.Goals, &out)
	}
	r.summary(&out)
	if text := out.String(); !strings.Contains(text, "best 0.90 met, CUB 2.00 missed") || !strings.Contains(text, "2 of 4 goals met") ||
		!strings.Contains(text, "missed: w, OpenCL 0.57 of 0.60") {
		t.Error(text)
	}
}

// timed is a device that tells what each launch takes where it is asked.
type timed struct{ device }

func (d timed) run(ctx context.Context, made *kernels.Program, in exec.Inputs, repeat repetitions) (*outcome, error) {
	result, err := d.device.run(ctx, made, in, repeat)
	if err == nil && repeat.launches {
		for _, k := range made.Plan.Kernels {
			result.launches = append(result.launches, worker.LaunchTime{Kernel: k.Name, Time: 1_234_500})
		}
	}
	return result, err
}

// The launches of a workload follow its line.
func TestLaunches(t *testing.T) {
	d := timed{emulation(t)}
	for _, c := range []struct {
		flags []string
		want  bool
	}{{nil, false}, {[]string{"-launches"}, true}} {
		r, out, err := run(t, d, append(c.flags, "-n", "12", "-peers", "none", "-run", "^inclusive")...)
		if err != nil {
			t.Fatal(err)
		}
		if got := regexp.MustCompile(`(?m)^ +\w+_kernel1 +1\.2345 *$`).MatchString(out); got != c.want || got != (len(r.Rates[0].Launches) > 0) {
			t.Errorf("%v: %+v\n%s", c.flags, r.Rates, out)
		}
	}
}

// nvcc compiles the peers once; its log says why it could not.
func TestBuildPeers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for nvcc is a shell script")
	}
	tools, folder := t.TempDir(), filepath.Join(t.TempDir(), "new")
	t.Setenv("PATH", tools+string(os.PathListSeparator)+os.Getenv("PATH"))
	nvcc := func(script string) {
		if err := os.WriteFile(filepath.Join(tools, "nvcc"), []byte("#!/bin/sh\n"+script), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	nvcc("echo peers.cu: no luck >&2; exit 1\n")
	if _, err := buildPeers(t.Context(), folder); err == nil || !strings.Contains(err.Error(), "nvcc: exit status 1\npeers.cu: no luck\n") {
		t.Error(err)
	}
	nvcc("for last; do :; done; while [ $1 != -o ]; do shift; done; cp $last $2\n")
	path, err := buildPeers(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || !bytes.Equal(text, peersText) {
		t.Errorf("%v, %d bytes", err, len(text))
	}
	nvcc("exit 1\n")
	if again, err := buildPeers(t.Context(), folder); again != path || err != nil {
		t.Error(again, err)
	}
	if left, _ := os.ReadDir(folder); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

func TestRefusedArguments(t *testing.T) {
	for _, arguments := range [][]string{{"-n", "31"}, {"-most", "9"}, {"-repeat", "0"}, {"-run", "("}, {"-schedule", "scheme=none"}, {"-opencl-schedule", "items=4"}, {"fast"}} {
		if _, err := parse(arguments); err == nil {
			t.Errorf("%q is taken", arguments)
		}
	}
	for _, name := range []string{"gpu", "cuda", "cuda:x"} {
		if _, err := openDevice(t.Context(), name, nil); err == nil || !strings.Contains(err.Error(), "there are cuda:0") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Keys ascend by one at each head, and heads have the intended frequency.
func TestRuns(t *testing.T) {
	const rows = 1 << 20
	for name, mean := range map[string]int{"key8": 8, "key128": 128, "key65536": 65536} {
		space := memory.NewSpace(0)
		c, err := newColumns(space, rows).get(name)
		if err != nil {
			t.Fatal(err)
		}
		key := elements[int32](c.Data)
		for i := 1; i < rows; i++ {
			if step := key[i] - key[i-1]; step != 0 && step != 1 {
				t.Fatalf("%s: %d after %d", name, key[i], key[i-1])
			}
		}
		if got, want := float64(key[rows-1]+1), rows/float64(mean); got < want/2 || got > want*2 {
			t.Errorf("%s: %v runs, want about %v", name, got, want)
		}
		var d digest
		for _, k := range key {
			d.add(int64(k))
		}
		if got, err := digestOf(c); got != d || err != nil {
			t.Errorf("%s: digest %v, want %v", name, got, d)
		}
		space.Close()
	}
}

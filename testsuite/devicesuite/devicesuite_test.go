package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/internal/difftest"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/plan"
)

// The test binary also stands in for kgen and for the suite.
func TestMain(m *testing.M) {
	switch {
	case strings.HasPrefix(filepath.Base(os.Args[0]), "kgen"):
		os.Exit(fakeKgen(os.Args[1:]))
	case os.Getenv("DEVICESUITE_FOLDER") != "":
		os.Args = slices.Concat(os.Args[:1], []string{"-folder", os.Getenv("DEVICESUITE_FOLDER")}, os.Args[1:])
		main()
	}
	os.Exit(m.Run())
}

// fakeKgen records its call and follows a script, both in files that the suite
// ignores.
func fakeKgen(arguments []string) int {
	mode, _ := os.ReadFile("gocpu/mode")
	said := strings.Fields(string(mode))
	if arguments[0] == "devices" {
		cuda := `{"name": "cuda", "available": false, "detail": "no driver"}`
		if slices.Contains(said, "cuda") {
			cuda = `{"name": "cuda:0", "available": true, "detail": "a GPU"}`
		}
		fmt.Printf(`{"devices": [{"name": "gocpu", "available": false, "detail": "no Go"}, %s,
			{"name": "opencl:0", "available": true, "detail": "a CPU", "device": {"platform": "Portable Computing Language", "machine": {"driver": %q}}}]}`,
			cuda, os.Getenv("DEVICESUITE_DRIVER"))
		return 0
	}
	flags := map[string]string{}
	for i := 2; i+1 < len(arguments); i += 2 {
		flags[arguments[i]] = arguments[i+1]
	}
	name := strings.Join([]string{flags["--devices"], flags["--levels"], flags["--schedule"]}, " ")
	calls, _ := os.OpenFile("gocpu/calls", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	fmt.Fprintln(calls, name)
	calls.Close()
	cell := difftest.Cell{Device: flags["--devices"], Level: flags["--levels"], Runs: 7, Absent: map[string]int{"not run: there is no such thing": 2}}
	report := difftest.Report{Executions: 7, Cells: []*difftest.Cell{&cell}}
	switch {
	case len(said) == 2 && !strings.Contains(name, said[1]):
	case slices.Contains(said, "cuda"):
		if err := exec.Command(os.Getenv("KGEN_CUDA_WORKER"), "serve").Run(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
	case slices.Contains(said, "slow"):
		time.Sleep(100 * time.Millisecond)
	case slices.Contains(said, "crash"):
		fmt.Fprintln(os.Stderr, "oh no")
		return 2
	case slices.Contains(said, "differ"):
		cell.Mismatches = 2
		report.Mismatches = []difftest.Mismatch{{Program: "corpus/p.kg", Difference: "x[3] is 4, want 5", Repeat: "kgen difftest corpus --case 1.2"}}
	case slices.Contains(said, "fallback"):
		cell.GaveUp = map[string]int{"it is weak": 3}
	case slices.Contains(said, "closed"):
		cell.Runs, report.Executions = 0, 0
		cell.Absent = map[string]int{difftest.ErrNotOpen.Error() + ": no memory": 5}
	case slices.Contains(said, "nothing"):
		cell.Runs, report.Executions = 0, 0
	}
	text, _ := json.Marshal(report)
	os.WriteFile(flags["--report"], text, 0o600)
	if cell.Mismatches > 0 || report.Executions == 0 {
		return 1
	}
	return 0
}

// fake is a folder of the suite with a kgen that follows a script.
type fake struct {
	t           *testing.T
	folder, out string
}

func newFake(t *testing.T, mode string) fake {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a symbolic link may need rights there")
	}
	f := fake{t, t.TempDir(), t.TempDir()}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(f.folder, "kgen")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(f.folder, "gocpu"), 0o700); err != nil {
		t.Fatal(err)
	}
	f.say(mode)
	return f
}

func (f fake) say(mode string) {
	if err := os.WriteFile(filepath.Join(f.folder, "gocpu", "mode"), []byte(mode), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

func (f fake) calls() (list []string) {
	text, _ := os.ReadFile(filepath.Join(f.folder, "gocpu", "calls"))
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// output is safe for concurrent use.
type output struct {
	mutex sync.Mutex
	bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.Buffer.Write(p)
}

// run runs the suite and expects an exit code.
func (f fake) run(want int, change func(*suite)) string {
	f.t.Helper()
	var out output
	s := suite{folder: f.folder, out: f.out, limit: time.Minute, jobs: 3, all: true, stdout: &out, stderr: &out}
	if change != nil {
		change(&s)
	}
	code, err := s.run(f.t.Context())
	if err != nil {
		fmt.Fprintln(&out, err)
	}
	if code != want {
		f.t.Errorf("exit code %d, want %d:\n%s", code, want, out.String())
	}
	return out.String()
}

func (f fake) contains(text string, wants ...string) {
	f.t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			f.t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

// Every cell runs once, and the report says what is absent and why.
func TestSuite(t *testing.T) {
	f := newFake(t, "")
	core := 0
	for _, c := range choices() {
		if c.isCore {
			core++
		}
	}
	few := f.run(0, func(s *suite) { s.all, s.out = false, t.TempDir() })
	f.contains(few, fmt.Sprintf("%d of %d cells done", 5*core+5, 5*core+5), fmt.Sprintf("without -all: %d cells are left out", 5*(len(choices())-core)))
	before := len(f.calls())
	cells := 5*len(choices()) + 5
	text := f.run(0, nil)
	f.contains(text, fmt.Sprintf("%d of %d cells done, %d runs compared, 0 differ, 0 cells failed", cells, cells, 7*cells),
		"cuda:0 is absent: kgen devices lists cuda: no driver",
		"nvidia is absent: kgen devices lists opencl:0: a CPU",
		"pocl is opencl:0: a CPU",
		fmt.Sprintf("not run: %d in %d cells, there is no such thing", 10*len(choices()), 5*len(choices())))
	if n := len(f.calls()) - before; n != cells {
		t.Errorf("%d calls, want %d", n, cells)
	}
	again := f.run(0, nil)
	if n := len(f.calls()) - before; n != cells {
		t.Errorf("%d calls after the second run, want %d", n, cells)
	}
	f.contains(again, fmt.Sprintf("%d of %d cells done", cells, cells))
	if text, err := os.ReadFile(filepath.Join(f.out, "matrix.txt")); err != nil || string(text) != again {
		t.Errorf("matrix.txt: %v\n%s", err, text)
	}
}

// Cells run in parallel, except cells with many rows, which have their device
// to themselves.
func TestEachCell(t *testing.T) {
	var rows []*row
	for _, name := range []string{"cuda:0", "nvidia"} {
		r := &row{name: name}
		for i := range 12 {
			r.cells = append(r.cells, &cell{row: r, seed: i, long: i%3 == 0})
		}
		rows = append(rows, r)
	}
	var mutex sync.Mutex
	now, most, done := 0, 0, 0
	eachCell(rows, 3, func(c *cell) {
		mutex.Lock()
		now++
		most = max(most, now)
		if c.long && now > 1 {
			t.Errorf("cell %d of %s runs beside another", c.seed, c.row.name)
		}
		mutex.Unlock()
		time.Sleep(10 * time.Millisecond)
		mutex.Lock()
		now--
		done++
		mutex.Unlock()
	})
	if done != 24 || most < 2 || most > 6 {
		t.Errorf("%d cells of 24 are done, %d at a time", done, most)
	}
}

// A suite that is killed loses only the cells that are running.
func TestKilledSuite(t *testing.T) {
	f := newFake(t, "slow")
	self, _ := os.Executable()
	command := exec.Command(self, "-out", f.out, "-devices", "pocl", "-all")
	command.Env = append(os.Environ(), "DEVICESUITE_FOLDER="+f.folder)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	for len(f.calls()) < 4 {
		time.Sleep(5 * time.Millisecond)
	}
	command.Process.Kill()
	command.Wait()
	time.Sleep(300 * time.Millisecond) // its child writes into a folder that goes
	done, _ := filepath.Glob(filepath.Join(f.out, "cells", "*.json"))
	before := len(f.calls())
	if len(done) < 3 || len(done) > before {
		t.Fatalf("%d cells are done after %d calls", len(done), before)
	}
	f.say("")
	cells := 5 * len(choices())
	f.run(0, func(s *suite) { s.devices = "pocl" })
	if n := len(f.calls()) - before; n != cells-len(done) {
		t.Errorf("%d cells were done of %d, and %d were run then", len(done), cells, n)
	}
	if left, _ := filepath.Glob(filepath.Join(f.out, "running-*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// When the time ends, the remaining cells are reported, and do not count as
// agreement.
func TestLeftCells(t *testing.T) {
	f := newFake(t, "slow")
	text := f.run(exitLeft, func(s *suite) { s.limit = 700 * time.Millisecond })
	f.contains(text, "not run yet", ", 0 differ, 0 cells failed")
	f.say("")
	f.run(0, nil)
}

// Every fault is reported, and sets the exit code of later calls, too. Failed
// cells are tried again.
func TestFaults(t *testing.T) {
	f := newFake(t, "differ chunk=3")
	text := f.run(exitFailed, nil)
	f.contains(text, "7, 2 differ", "10 differ, 0 cells failed", "pocl onepass workgroup=64,items=4,scheme=published,chunk=3: 2 differ: kgen difftest corpus",
		"x[3] is 4, want 5", "kgen difftest corpus --case 1.2")
	f.run(exitFailed, nil)

	f = newFake(t, "crash variant=direct")
	f.contains(f.run(exitFailed, nil), "failed: exit status 2: oh no", "5 cells failed")
	f.say("")
	f.contains(f.run(0, nil), " 0 cells failed")

	f = newFake(t, "nothing")
	f.contains(f.run(exitFailed, nil), "cells done, 0 runs compared")

	// A device that was there before is not absent but failed.
	f = newFake(t, "closed scheme=persistent")
	f.contains(f.run(exitFailed, nil), "scheme=persistent failed: not run: it does not open: no memory", "10 cells failed")
	f.say("")
	f.contains(f.run(0, nil), " 0 cells failed")
}

// Results of a fallback agree, but do not count as runs of the schedule.
func TestFallback(t *testing.T) {
	f := newFake(t, "fallback chunk=3")
	f.contains(f.run(0, nil), "chunk=3            7, 3 by a fallback  7, 3 by a fallback", "results of a fallback: 15 in 5 cells, it is weak")
}

// Results of another device are not taken for this device's.
func TestAnotherDevice(t *testing.T) {
	f := newFake(t, "")
	f.run(0, func(s *suite) { s.devices = "pocl" })
	before := len(f.calls())
	t.Setenv("DEVICESUITE_DRIVER", "newer")
	f.run(0, func(s *suite) { s.devices = "pocl" })
	if n := len(f.calls()); n != 2*before {
		t.Errorf("%d calls, want %d and as many again", n, before)
	}
}

// Invalid settings are refused.
func TestRefused(t *testing.T) {
	f := newFake(t, "")
	f.contains(f.run(exitUsage, func(s *suite) { s.out = "" }), "-out FOLDER is missing")
	f.contains(f.run(exitUsage, func(s *suite) { s.levels = "paper4" }), `there is no level "paper4"`)
	f.contains(f.run(exitUsage, func(s *suite) { s.tool = "gdb" }), "-tool gdb: compute-sanitizer has memcheck")
	only := func(devices, text string) func(*suite) {
		return func(s *suite) { s.all, s.devices, s.only, s.out = false, devices, text, t.TempDir() }
	}
	f.contains(f.run(exitUsage, only("pocl", "scheme=magic")), "-only scheme=magic: no cell has that in its name")
	f.contains(f.run(exitFailed, only("", "cuda:0 onepass")), "cuda:0 is absent: kgen devices lists cuda: no driver")
	f.contains(f.run(exitFailed, only("pocl", "onepass workgroup=64,items=4,variant=direct")), "without -all: 1 cells are left out")
	f.contains(f.run(exitFailed, func(s *suite) { s.folder = t.TempDir() }), "kgen devices: ")
	f.contains(f.run(0, func(s *suite) { s.out, s.dry, s.devices = "", true, "pocl" }), "pocl onepass workgroup=256,scheme=lookback\n")
	f.contains(f.run(exitFailed, func(s *suite) { s.out, s.devices = t.TempDir(), "pocl,nvidia" }), "nvidia  absent", " 0 differ, 0 cells failed")
	f.run(0, nil)
	if err := os.WriteFile(filepath.Join(f.folder, "kgen-opencl"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f.contains(f.run(exitFailed, nil), "has the results of another build")
	other := suite{folder: f.folder, out: t.TempDir()}
	closed, err := other.open()
	if err != nil {
		t.Fatal(err)
	}
	defer closed()
	f.contains(f.run(exitFailed, func(s *suite) { s.out = other.out }), "another suite writes into")
	if _, err := os.Stat(filepath.Join(f.out, "cells")); err != nil {
		t.Error(err)
	}
}

// Every scheme and every variant is a row, as flags that kgen takes.
func TestChoices(t *testing.T) {
	var all []string
	for _, c := range append(choices(), toolChoices()...) {
		if _, err := build.ParseSchedule(c.schedule); err != nil {
			t.Error(err)
		}
		if _, err := difftest.ParseInputs(c.inputs); err != nil {
			t.Error(err)
		}
		all = append(all, c.schedule)
	}
	text := strings.Join(all, "\n")
	for _, scheme := range simt.Schemes() {
		if !strings.Contains(text, "scheme="+scheme.Name) {
			t.Errorf("no scheme %s", scheme.Name)
		}
	}
	for _, variant := range plan.Variants {
		if variant != plan.Segmented && !strings.Contains(text, "variant="+variant) {
			t.Errorf("no variant %s", variant)
		}
	}
	seen := map[string]bool{}
	for _, c := range choices() {
		name := (&cell{row: &row{name: "cuda:0"}, level: "onepass", schedule: c.schedule}).file()
		if seen[name] {
			t.Errorf("two cells are %s", name)
		}
		seen[name] = true
	}
}

func TestFindings(t *testing.T) {
	const good = "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n"
	logs := map[string]struct {
		text  string
		found string // "" for nothing
	}{
		"clean":    {good, ""},
		"race":     {"========= COMPUTE-SANITIZER\n========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n", ""},
		"errors":   {"========= COMPUTE-SANITIZER\n========= Invalid __global__ read of size 4 bytes\n========= ERROR SUMMARY: 12 errors\n", "Invalid __global__ read"},
		"one":      {"========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 1 error\n", "1 error"},
		"hazard":   {"========= Error: Race reported between Write access at\n========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n", "Race reported"},
		"cut off":  {"========= COMPUTE-SANITIZER\n", "without a summary"},
		"nothing":  {"", "without a summary"},
		"very big": {strings.Repeat("========= Invalid\n", 500) + "========= ERROR SUMMARY: 500 errors\n", "500 errors"},
	}
	for name, c := range logs {
		folder := t.TempDir()
		for file, text := range map[string]string{"1.log": good, "2.log": c.text} {
			if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		found, err := findings(folder)
		if err != nil || len(found) > 1 || (len(found) == 1) != (c.found != "") || !strings.Contains(strings.Join(found, ""), c.found) {
			t.Errorf("%s: %v, %q", name, err, found)
		}
	}
	if _, err := findings(t.TempDir()); err == nil {
		t.Error("no log is no error")
	}
}

// fakeSanitizer puts a tool on PATH that runs a command and writes a log.
func fakeSanitizer(t *testing.T, summary string) {
	t.Helper()
	tools := t.TempDir()
	// The log is what follows --log-file, and the command what follows that.
	script := `#!/bin/sh
while [ "$1" != --log-file ]; do arguments="$arguments $1"; shift; done
log=$(echo "$2" | sed s/%p/$$/); shift 2
"$@"
echo "========= $arguments" > "$log"
echo "========= ` + summary + `" >> "$log"
`
	if err := os.WriteFile(filepath.Join(tools, sanitizer), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", tools+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// The worker runs under the tool, with its arguments, input and output.
func TestWrappedWorker(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a shell script is no command there")
	}
	folder := filepath.Join(t.TempDir(), "a folder")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "kgen-cuda"), []byte("#!/bin/sh\nread line\necho $KGEN_CUDA_EXACT_BUFFERS $1 $line\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	fakeSanitizer(t, "ERROR SUMMARY: 0 errors")
	s := suite{folder: folder, out: t.TempDir(), tool: "racecheck"}
	if err := s.wrapWorker(); err != nil {
		t.Fatal(err)
	}
	where := filepath.Join(t.TempDir(), "some logs")
	if err := os.Mkdir(where, 0o700); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(s.wrapped(), "serve")
	command.Env = append(os.Environ(), logFolder+"="+where)
	command.Stdin = strings.NewReader("hello\n")
	if out, err := command.Output(); err != nil || string(out) != "1 serve hello\n" {
		t.Errorf("%v, %q", err, out)
	}
	if found, err := findings(where); err != nil || len(found) > 0 {
		t.Errorf("%v, %q", err, found)
	}
	logs, _ := filepath.Glob(filepath.Join(where, "*.log"))
	if text, err := os.ReadFile(logs[0]); err != nil || !strings.Contains(string(text), "--tool racecheck") {
		t.Errorf("%v: %s", err, text)
	}
}

// A GPU has all schedules at one level, and the core schedules at the others.
func TestCells(t *testing.T) {
	f := newFake(t, "cuda")
	text := f.run(0, func(s *suite) { s.all, s.dry, s.devices = false, true, "cuda:0" })
	counts := map[string]int{}
	for line := range strings.Lines(text) {
		if !strings.Contains(line, "rows=") {
			counts[strings.Fields(line)[1]]++
		}
	}
	if counts["onepass"] != len(choices()) || counts["none"] != 4 || counts["auto"] != 4 {
		t.Errorf("%v", counts)
	}
}

// A finding of a tool is a difference, even if all results agree.
func TestTool(t *testing.T) {
	f := newFake(t, "cuda")
	synccheck := func(s *suite) { s.tool = "synccheck" }
	fakeSanitizer(t, "ERROR SUMMARY: 0 errors")
	cells := 5 * len(toolChoices())
	f.contains(f.run(0, synccheck), fmt.Sprintf("%d of %d cells done, %d runs compared, 0 differ", cells, cells, 7*cells))

	f = newFake(t, "cuda")
	fakeSanitizer(t, "ERROR SUMMARY: 3 errors")
	f.contains(f.run(exitFailed, synccheck), fmt.Sprintf("%d runs compared, %d differ", 7*cells, cells), "7, 1 differ", "ERROR SUMMARY: 3 errors")
	f.run(exitFailed, synccheck)
}

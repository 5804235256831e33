package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// commands are what tests find on PATH.
var commands = map[string]func(){"kgen": main}

func TestMain(m *testing.M) { testscript.Main(m, commands) }

func TestScripts(t *testing.T) {
	goCache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	programs := t.TempDir() // shared by all scripts: a program is built once
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(env *testscript.Env) error {
			env.Setenv("GOCACHE", strings.TrimSpace(string(goCache)))
			env.Setenv("KGEN_CACHE", programs)
			return nil
		},
	})
}

// execute runs kgen in this process.
func execute(stdin string, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = Main(args, strings.NewReader(stdin), &out, &errs)
	return code, out.String(), errs.String()
}

func writeFiles(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

const orders = "pipeline orders(key: [n]i64, quantity: [n]i64) {\n\tg = runs(key)\n" +
	"\treturn key: first(key, by: g), total: sum(quantity, by: g)\n}\n"

// TestExitCodes has a row for every way to fail.
func TestExitCodes(t *testing.T) {
	t.Setenv("KGEN_CACHE", t.TempDir())
	writeFiles(t, map[string]string{
		"orders.kg": orders,
		"two.kg":    "pipeline a(x: [n]i64) { return x }\n\npipeline b(x: [n]i64, y: [m]i64, k: i64) { return x: x + k, y, k }\n",
		"bad.kg":    "pipeline a(x: [n]i64) { return y }\n",
		"divide.kg": "pipeline divide(x: [n]i64) {\n\tm = x != 7\n\treturn q: 10 / x[m]\n}\n",
		"empty.kg":  "// nothing\n",
		"join.kg":   "pipeline joined(x: [n]i64, y: [m]i64) {\n\tj = join(x, y)\n\treturn x[j.left]\n}\n",
		"data.csv":  "key,quantity,x\n1,5,1\n1,7,0\n2,1,7\n",
		"bad.csv":   "key,quantity\n1,2\n3,abc\n",
	})
	interp := func(args ...string) []string { return append(args, "--device", "interp") }
	for _, c := range []struct {
		args   []string
		code   int
		stderr string // a part of it
	}{
		{[]string{}, exitOK, ""},
		{[]string{"--help"}, exitOK, ""},
		{[]string{"help"}, exitOK, ""},
		{[]string{"help", "run"}, exitOK, ""},
		{[]string{"help", "frobnicate"}, exitUsage, "neither a command nor an operator"},
		{[]string{"frobnicate"}, exitUsage, `unknown command "frobnicate"`},
		{[]string{"run"}, exitUsage, "kgen run needs one pipeline"},
		{[]string{"run", "a.kg", "b.kg"}, exitUsage, "not also b.kg"},
		{[]string{"run", "--frobnicate"}, exitUsage, "Run 'kgen run --help' for usage."},
		{[]string{"version"}, exitOK, ""},
		{[]string{"version", "x"}, exitUsage, "takes no arguments"},
		{[]string{"vet"}, exitUsage, "needs files or folders"},
		{[]string{"vet", "orders.kg", "two.kg"}, exitOK, ""},
		{[]string{"vet", "bad.kg"}, exitFailed, "bad.kg:1:32"},
		{[]string{"vet", "missing.kg"}, exitFailed, "no such file"},
		{[]string{"fmt", "-w"}, exitUsage, "-w needs a file"},
		{[]string{"fmt", "-d", "orders.kg"}, exitOK, ""},
		{[]string{"fmt", "missing.kg"}, exitFailed, "no such file"},

		{interp("run", "orders.kg", "--in", "data.csv"), exitOK, ""},
		{interp("run", "missing.kg"), exitFailed, "no such file"},
		{interp("run", "empty.kg"), exitFailed, "empty.kg: there is no pipeline in it"},
		{interp("run", "bad.kg"), exitFailed, "\n                               ^"},
		{interp("run", "two.kg", "--in", "data.csv"), exitUsage, "two.kg has the pipelines a, b: choose one, as in two.kg#a"},
		{interp("run", "two.kg#a", "--in", "data.csv"), exitOK, ""},
		{interp("run", "two.kg#c", "--in", "data.csv"), exitUsage, "two.kg has no pipeline c; it has a, b"},
		{interp("run", "orders.kg"), exitUsage, "add --in FILE"},
		{interp("run", "orders.kg", "--in", "missing.csv"), exitFailed, "no such file"},
		{interp("run", "orders.kg", "--in", "bad.csv"), exitFailed, `bad.csv:3: column "quantity", row 1: "abc" is not an integer (i64)`},
		{interp("run", "orders.kg", "--in", "data.csv", "--bind", "key=q"), exitFailed, "no column q for parameter key; the file has key, quantity, x"},
		{interp("run", "orders.kg", "--in", "data.csv", "--bind", "q=key"), exitUsage, "no column parameter q"},
		{interp("run", "orders.kg", "--in", "data.csv", "--set", "q=1"), exitUsage, "no scalar parameter q"},
		{interp("run", "orders.kg", "--in", "data.csv", "--workers", "-1"), exitUsage, "--workers -1"},
		{interp("run", "orders.kg", "--in", "data.csv", "--workers", "2"), exitUsage, "device interp takes no number of cores: leave out --workers"},
		{interp("run", "orders.kg", "--in", "data.csv", "--repeat", "3"), exitUsage, "--repeat 3: a number above 0, with --time or --json"},
		{interp("run", "orders.kg", "--in", "data.csv", "--repeat", "-1", "--time"), exitUsage, "--repeat -1: a number above 0"},
		{interp("run", "orders.kg", "--in", "data.csv", "--repeat", "3", "--time"), exitUsage, "device interp has no clock"},
		{[]string{"run", "orders.kg", "--in", "data.csv", "--repeat", "3", "--json"}, exitUsage, "device gocpu has no clock"},
		{[]string{"run", "orders.kg", "--in", "data.csv", "--device", "vector", "--repeat", "3", "--json"}, exitUsage, "device vector has no clock"},
		{[]string{"run", "orders.kg", "--in", "data.csv", "--device", "vector", "--time-limit", "3s"}, exitUsage, "device vector has no driver that could hang"},
		{[]string{"run", "orders.kg", "--in", "data.csv", "--device", "vector", "--schedule", "items=4"}, exitUsage, "device vector"},
		{[]string{"run", "orders.kg", "--in", "data.csv", "--device", "vector:1"}, exitUsage, "unknown device vector:1"},
		{[]string{"run", "divide.kg", "--in", "data.csv", "--device", "vector"}, exitFailed, "divide.kg:3:15: "},
		{interp("run", "orders.kg", "--in", "data.csv", "--out", "o.xyz"), exitUsage, "unknown file format .xyz; known: .csv"},
		{interp("run", "orders.kg", "--in", "data.csv", "--out", "h=o.csv"), exitUsage, "returns no table h; it returns g"},
		{interp("run", "orders.kg", "--in", "data.csv", "--out", "o.csv", "--out", "p.csv"), exitUsage, "g already goes to o.csv"},
		{interp("run", "orders.kg", "--in", "data.csv", "--out", "missing/o.csv"), exitFailed, "missing/o.csv"},
		{interp("run", "two.kg#b", "--in", "n=data.csv", "--in", "m=data.csv", "--bind", "y=x"), exitUsage, "add --set k=VALUE"},
		{interp("run", "two.kg#b", "--in", "n=data.csv", "--in", "m=data.csv", "--bind", "y=x", "--set", "k=1", "--out", "o.csv"), exitUsage,
			"returns the tables n, m, scalars; write --out n=FILE"},
		{interp("run", "two.kg#b", "--in", "n=data.csv", "--in", "m=data.csv", "--bind", "y=x", "--set", "k=1", "--out", "n=o.csv", "--out", "m=o.csv"), exitUsage,
			"n already goes there"},
		{[]string{"run", "orders.kg", "--in", "data.csv", "--fuse", "paper2"}, exitOK, ""},
		{[]string{"run", "orders.kg", "--in", "data.csv", "--fuse", "most"}, exitUsage, "none, paper3, paper2, onepass, auto"},
		{[]string{"run", "orders.kg", "--in", "data.csv", "--fuse", "mask | map"}, exitUsage, "the stages are "},
		{interp("run", "orders.kg", "--in", "data.csv", "--fuse", "none"), exitUsage, "leave out --fuse"},
		{[]string{"run", "join.kg", "--in", "n=data.csv", "--in", "m=data.csv", "--bind", "y=x"}, exitOK, ""},
		{[]string{"run", "divide.kg", "--in", "data.csv"}, exitFailed, "divide.kg:3:15: "},
		{[]string{"explain", "orders.kg"}, exitOK, ""},
		{[]string{"explain", "two.kg"}, exitUsage, "choose one"},
		{[]string{"explain", "join.kg"}, exitOK, ""},
		{[]string{"explain", "orders.kg", "--fuse", "best"}, exitUsage, "none, paper3, paper2, onepass, auto"},
		{[]string{"explain", "orders.kg", "--format", "svg"}, exitUsage, "unknown format svg; there are text, json, dot"},
		{[]string{"emit", "orders.kg"}, exitUsage, "-o FOLDER"},
		{[]string{"emit", "orders.kg", "-o", "out"}, exitOK, ""},
		{[]string{"emit", "orders.kg", "-o", "out", "--backend", "fortran"}, exitUsage, "unknown backend fortran; there are gocpu"},
		{[]string{"emit", "orders.kg", "-o", "out", "--package", "a-b"}, exitUsage, "--package a-b"},
		{[]string{"emit", "orders.kg", "--after", "lunch"}, exitUsage, "there is no pass lunch; there are verify, lower, fuse, tile, plan"},
		{[]string{"emit", "orders.kg", "-o", "out", "--check"}, exitOK, ""},
		{[]string{"emit", "two.kg#a", "-o", "out", "--check"}, exitFailed, "stale or missing: 1 of 2 files"},
		{[]string{"emit", "orders.kg", "--after", "verify", "--check"}, exitUsage, "leave out one of them"},
		{[]string{"emit", "join.kg", "-o", "out"}, exitOK, ""},
		{[]string{"run", "orders.kg", "--in", "data.csv", "--device", "gpu"}, exitUsage, "unknown device gpu; there are "},
		{interp("run", "divide.kg", "--in", "data.csv"), exitFailed, "divide.kg:3:15: "},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			code, _, stderr := execute("", c.args...)
			if code != c.code || !strings.Contains(stderr, c.stderr) || (code == exitOK) != (stderr == "") {
				t.Errorf("exit code %d, want %d; standard error:\n%s\nwant %s", code, c.code, stderr, c.stderr)
			}
		})
	}
}

// TestNoGo: without Go a pipeline runs on device vector, which kgen says, unless the user has
// asked for a device.
func TestNoGo(t *testing.T) {
	writeFiles(t, map[string]string{"orders.kg": orders, "data.csv": "key,quantity\n1,5\n"})
	code, want, stderr := execute("", "run", "orders.kg", "--in", "data.csv", "--device", "vector")
	if code != exitOK || stderr != "" {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	t.Setenv("PATH", "")
	for _, args := range [][]string{nil, {"--workers", "2"}, {"--memory-limit", "1MB"}, {"--fuse", "none"}} {
		code, stdout, stderr := execute("", append([]string{"run", "orders.kg", "--in", "data.csv"}, args...)...)
		if code != exitOK || stdout != want || stderr != "kgen: no Go toolchain: the go command is not on PATH: running on device vector, which compiles nothing and takes one core\n" {
			t.Errorf("%v: exit code %d\n%s%s", args, code, stdout, stderr)
		}
	}
	code, stdout, stderr := execute("", "run", "orders.kg", "--in", "data.csv", "--device", "gocpu")
	if code != exitFailed || stdout != "" || !strings.Contains(stderr, "the go command is not on PATH") || !strings.Contains(stderr, "or run on device vector, which compiles nothing\n") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	code, stdout, _ = execute("", "devices", "--json")
	if code != exitOK || !strings.Contains(stdout, `{"name":"gocpu","available":false,"detail":"no Go toolchain: the go command is not on PATH"}`) {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
}

// TestInterrupt checks that Ctrl-C ends kgen at once and leaves no file.
func TestInterrupt(t *testing.T) {
	writeFiles(t, map[string]string{"orders.kg": orders, "out.csv": "old"})
	command := exec.Command("kgen", "run", "orders.kg", "--in", "-", "--out", "out.csv", "--device", "interp")
	stdin, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	var stderr bytes.Buffer
	command.Stderr = &stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	// More than a pipe holds: kgen is reading when this returns.
	io.WriteString(stdin, "key,quantity\n"+strings.Repeat("1,1\n", 1<<18))
	if err := command.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(time.Minute, func() { command.Process.Kill() })
	defer timer.Stop()
	err = command.Wait()
	if command.ProcessState.ExitCode() != exitFailed || stderr.String() != "kgen: interrupted\n" {
		t.Errorf("%v; standard error: %s", err, stderr.String())
	}
	if got, err := os.ReadFile("out.csv"); string(got) != "old" {
		t.Errorf("the output holds %q (%v)", got, err)
	}
	if files, _ := filepath.Glob(".*"); len(files) > 0 {
		t.Errorf("files left: %v", files)
	}
}

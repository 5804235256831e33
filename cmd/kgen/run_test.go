package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kgen-go/kgen/ir"
)

// Two tables may not go to one place, however it is spelled.
func TestOutputsDiffer(t *testing.T) {
	pipelines, errs := ir.Load("p.kg", []byte("pipeline p(x: [a]i64, y: [b]i64) { return x, y }\n"))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	t.Chdir(folder)
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"x.csv", "x.csv", true},
		{"x.csv", "./x.csv", true},
		{"x.csv", "sub/../x.csv", true},
		{"x.csv", filepath.Join(folder, "x.csv"), true},
		{"new/", "./new//", true},
		{".", "./", true}, // a folder that is there needs no / at its end
		{"-", "-", true},
		{"x.csv", "y.csv", false},
		{"x.csv", "sub/x.csv", false},
		{"new/", "newer/", false},
		{"-", "x.csv", false},
	} {
		_, err := parseOutputs(pipelines[0], []string{"a=" + c.a, "b=" + c.b})
		if same := err != nil && strings.Contains(err.Error(), "--out b="+c.b+": a already goes there"); same != c.same || same != (err != nil) {
			t.Errorf("%s and %s: %v", c.a, c.b, err)
		}
	}
}

func TestPrintTimes(t *testing.T) {
	var out bytes.Buffer
	if err := printTimes(&out, nil); err != nil || out.Len() > 0 {
		t.Error(err, out.String())
	}
	err := printTimes(&out, []time.Duration{3 * time.Millisecond, time.Millisecond, 1500 * time.Microsecond})
	if want := "fills and kernels again, 3 times: median 1.500 ms, least 1.000, most 3.000\n"; err != nil || out.String() != want {
		t.Error(err, out.String())
	}
}

// TestBytesThatJSONCannotHold: a char8 that is not UTF-8 is no other text, and
// neither a part of the results nor their files appear.
func TestBytesThatJSONCannotHold(t *testing.T) {
	writeFiles(t, map[string]string{
		"both.kg":  "pipeline both(x: [n]char8, y: [m]f64) { return same: x, zero: -y }\n",
		"data.csv": "x,y\na,0\n\xff,0\n",
	})
	run := func(args ...string) (int, string, string) {
		return execute("", append([]string{"run", "both.kg", "--device", "interp", "--in", "n=data.csv", "--in", "m=data.csv"}, args...)...)
	}
	const fault = `column "same", row 1: "\xff" is not UTF-8, and JSON is; .csv, .parquet and .npy hold any bytes` + "\n"
	for want, args := range map[string][]string{
		"--json: n: " + fault:       {"--json", "--out", "m=m.csv"},
		"writing n.jsonl: " + fault: {"--out", "n=n.jsonl", "--out", "m=m.csv"},
	} {
		if code, stdout, stderr := run(args...); code != exitFailed || stdout != "" || stderr != want {
			t.Errorf("%v: exit code %d\n%s%s", args, code, stdout, stderr)
		}
		for _, name := range []string{"n.jsonl", "m.csv"} {
			if _, err := os.Stat(name); err == nil {
				t.Errorf("%v: %s is there", args, name)
			}
		}
	}
	if code, stdout, stderr := run("--json", "--out", "n=n.csv"); code != exitOK || !strings.Contains(stdout, `"values":[-0.0,-0.0]`) {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

package main

import (
	"bytes"
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

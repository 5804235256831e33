package calibrate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/plan"
)

// A file is found again for the device and driver that it was kept for, and for no other.
func TestKeep(t *testing.T) {
	t.Setenv("KGEN_CACHE", t.TempDir())
	m := plan.Machine{Device: "a chip", Driver: "1"}
	if f, err := Find("cuda:0", m); f != nil || err != nil || Any() {
		t.Fatalf("%v, %v before anything was kept", f, err)
	}
	kept := &File{Version: formatVersion, Name: "cuda:0", Machine: plan.Machine{Rates: map[string]float64{plan.RateMemory: 1e12, plan.RateLaunch: 4e-6}}}
	if _, err := kept.Keep(m); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name  string
		m     plan.Machine
		found bool
	}{
		{"cuda:0", m, true},
		{"cuda:1", m, true}, // of the same kind
		{"opencl:0", m, false},
		{"cuda:0", plan.Machine{Device: "a chip", Driver: "2"}, false},
		{"cuda:0", plan.Machine{Device: "b chip", Driver: "1"}, false},
	} {
		f, err := Find(test.name, test.m)
		if err != nil || (f != nil) != test.found || f != nil && f.Machine.Rates[plan.RateMemory] != 1e12 {
			t.Errorf("%s, %+v: %+v, %v", test.name, test.m, f, err)
		}
	}
	if !Any() {
		t.Error("nothing was kept")
	}
}

func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"x":              "not a file of kgen devices --calibrate",
		`{"version":9}`:  "not a file of kgen devices --calibrate of version 1",
		`{"version": 1}`: "it lacks the rates memory and launch",
	} {
		path := filepath.Join(t.TempDir(), "m.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, not %q", text, err, want)
		}
	}
}

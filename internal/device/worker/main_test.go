package worker_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/device/worker"
)

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }

// TestFullStandardOutput: a list that could not be printed is no success.
func TestFullStandardOutput(t *testing.T) {
	for _, arguments := range [][]string{{"--help"}, {"devices"}, {"devices", "--json"}} {
		if status := worker.Main(worker.Program{Name: "kgen-test"}, func() worker.Driver { return fake{} }, arguments, full{}); status != 1 {
			t.Errorf("%v: status %d", arguments, status)
		}
	}
}

// TestMalformedLimit: a setting that nobody can read does not turn the cache off
// without a word.
func TestMalformedLimit(t *testing.T) {
	t.Setenv("KGEN_CACHE_LIMIT", "much")
	open := func() worker.Driver {
		t.Error("the driver is opened")
		return fake{}
	}
	for arguments, want := range map[string]int{"devices": 1, "--help": 0} {
		if status := worker.Main(worker.OpenCL, open, []string{arguments}, io.Discard); status != want {
			t.Errorf("%s: status %d", arguments, status)
		}
	}
	_, err := worker.Open(context.Background(), options(""))
	var start *worker.StartError
	if !errors.As(err, &start) || !strings.Contains(err.Error(), "KGEN_CACHE_LIMIT=much: a size like 500MB or 4GiB is needed") {
		t.Errorf("error %v", err)
	}
}

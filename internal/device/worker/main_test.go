package worker_test

import (
	"errors"
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

package emitted

import (
	"github.com/kgen-go/kgen/testsuite/sample"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// sharedDestination does what the comment of an emitted Into function forbids.
const sharedDestination = `package analytics

import (
	"sync"
	"testing"
)

func TestShared(t *testing.T) {
	x := make([]int32, 1000)
	var destinations [2]BelowResult
	var calls sync.WaitGroup
	for i := range 2 {
		calls.Add(1)
		go func() {
			defer calls.Done()
			if err := BelowInto(&destinations[i*SHARE], x, 1, WithWorkers(1)); err != nil {
				t.Error(err)
			}
		}()
	}
	calls.Wait()
}
`

// Two goroutines that share a destination are a race that the race detector
// finds; two goroutines with separate destinations are no race.
func TestEmittedSharedDestination(t *testing.T) {
	if !sample.Everything() {
		t.Skip("builds Go's packages for the race detector: KGEN_TEST_ALL=1 runs it")
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("the race detector needs gcc")
	}
	folder := newModule(t)
	for _, name := range []string{"below.go", "kgen_support.go"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "examples", "consumer", "analytics", name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(folder, name), text)
	}
	run := func(share string) (string, error) {
		write(t, filepath.Join(folder, "shared_test.go"), []byte(strings.ReplaceAll(sharedDestination, "SHARE", share)))
		command := exec.Command("go", "test", "-race", ".")
		command.Dir, command.Env = folder, append(os.Environ(), "CGO_ENABLED=1")
		output, err := command.CombinedOutput()
		return string(output), err
	}
	if output, err := run("1"); err != nil {
		t.Errorf("a destination each: %v\n%s", err, output)
	}
	if output, err := run("0"); err == nil || !strings.Contains(output, "WARNING: DATA RACE") || !strings.Contains(output, "BelowInto") {
		t.Errorf("one destination: error %v, and no race in\n%s", err, output)
	}
}

package exec_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/plan"
)

// inert is a device whose kernels leave memory as it is.
type inert struct{ *fake }

func (inert) Launch(context.Context, *exec.Launch) error { return nil }

// Whatever Validate lets pass runs to an end on a device whose kernels leave
// rubbish, without a panic or a leak.
func FuzzRun(f *testing.F) {
	paths, err := filepath.Glob("../../../plan/testdata/*.json")
	if err != nil || len(paths) == 0 {
		f.Fatal("no plans", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text, uint8(5))
	}
	f.Fuzz(func(t *testing.T, text []byte, rows uint8) {
		p, err := plan.Decode(text)
		if err != nil {
			return
		}
		inputs := exec.Inputs{Columns: map[string]exec.Column{}, Scalars: map[string]exec.Value{}}
		for _, port := range p.Ports {
			switch {
			case port.Direction == plan.Out:
			case port.Scalar != "":
				inputs.Scalars[port.Name] = exec.Value{Kind: port.Kind, Bits: uint64(rows)}
			default:
				inputs.Columns[port.Name] = exec.Column{Kind: port.Kind, Data: make([]byte, int(rows)*port.Kind.Size())}
			}
		}
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		device := newFake(nil)
		start := time.Now()
		result, err := exec.Run(ctx, inert{device}, p, inputs, exec.Options{Memory: 1 << 20, PartRows: 3})
		if (result == nil) == (err == nil) {
			t.Errorf("result %v and error %v", result, err)
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("took %v", took)
		}
		device.verify(t)
	})
}

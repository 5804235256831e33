//go:build opencl

package testsuite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/backends/opencl"
	"github.com/kgen-go/kgen/backends/worker"
	"github.com/kgen-go/kgen/compile"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/memory"
	"github.com/kgen-go/kgen/plan"
	planexec "github.com/kgen-go/kgen/plan/exec"
)

// TestOpenCL runs the corpus on the first OpenCL device, at every level, on a
// tile or less and on several. KGEN_OPENCL_LEVELS chooses some levels.
func TestOpenCL(t *testing.T) {
	levels := fuse.Levels
	if chosen := os.Getenv("KGEN_OPENCL_LEVELS"); chosen != "" {
		levels = strings.Split(chosen, ",")
	}
	entries, err := Load("corpus")
	if err != nil {
		t.Fatal(err)
	}
	space := memory.NewSpace(0)
	defer space.Close()
	client, err := worker.Open(t.Context(), worker.Options{Program: worker.OpenCL, Path: buildWorker(t), Space: space})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for i, entry := range entries {
		t.Run(entry.Name, func(t *testing.T) {
			for j, level := range levels {
				program, _, err := compile.Compile(entry.Pipeline, compile.Options{Level: level})
				var unsupported *fuse.Unsupported
				if errors.As(err, &unsupported) {
					t.Skip(err)
				}
				if err != nil {
					t.Fatal(err)
				}
				made, err := opencl.Make(program, plan.Schedule{Workgroup: 32, Items: 4})
				if err != nil {
					t.Fatal(err)
				}
				run := func(in planexec.Inputs) (*planexec.Result, error) {
					result, err := client.Run(context.Background(), worker.Request{Plan: made.Plan, Texts: made.Texts(), Build: made.Options, Inputs: in})
					if err != nil {
						return nil, err
					}
					for name, c := range result.Columns {
						copied := planexec.Column{Kind: c.Kind, Data: slices.Clone(c.Data)}
						space.Free(c.Data)
						result.Columns[name] = copied
					}
					return &result.Result, nil
				}
				agreeOn(t, made.Plan, run, entry.Pipeline, level+", own data", entry.Columns)
				for k, rows := range []int{0, 1, 129, 1000} {
					shape := Shapes()[(i+2*j+k)%len(Shapes())]
					data := RandomData{Rows: rows, Shape: shape, Seed: uint64(k), Whole: true, Careless: k == 2}
					agreeOn(t, made.Plan, run, entry.Pipeline, fmt.Sprintf("%s, %+v", level, data), data.Columns(entry.Pipeline))
				}
			}
		})
	}
}

// buildWorker builds the program that links OpenCL.
func buildWorker(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "kgen-opencl")
	command := exec.Command("go", "build", "-tags", "opencl", "-o", path, "../cmd/kgen-opencl")
	command.Env = append(os.Environ(), "CGO_ENABLED=1")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

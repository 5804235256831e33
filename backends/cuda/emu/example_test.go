package emu_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	osexec "os/exec"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/backends/cuda/emu"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/plan"
)

// TestMain leaves examples out where there is no g++, which they cannot do
// themselves.
func TestMain(m *testing.M) {
	flag.Parse()
	if _, err := osexec.LookPath("g++"); err != nil && os.Getenv("KGEN_REQUIRE_CUDAEMU") == "" {
		fmt.Println("examples are skipped:", err)
		flag.Set("test.skip", "^Example")
	}
	os.Exit(m.Run())
}

// A kernel written by hand, whose author forgot atomicAdd. The first two
// parameters of every kernel are the first row of a launch and its rows.
func Example() {
	const text = `extern "C" __global__ void total(long long row0, long long rows, const int *x, int *sum)
{
	long long row = row0 + blockIdx.x * blockDim.x + threadIdx.x;
	if (row < rows)
		*sum += x[row];
}
`
	ctx := context.Background()
	emulator, err := emu.New(ctx, emu.Options{Check: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer emulator.Close()
	err = emulator.Use(ctx, map[string]string{"total.cu": text}, func(d *emu.Device) error {
		x, err := d.Import(make([]byte, 4*100))
		if err != nil {
			return err
		}
		sum, err := d.Alloc(4)
		if err != nil {
			return err
		}
		if err := d.Fill(sum, []byte{0, 0, 0, 0}, 1); err != nil {
			return err
		}
		err = d.Launch(ctx, &exec.Launch{
			Kernel: &plan.Kernel{Name: "total"},
			Variant: &plan.Variant{Entry: "total", File: "total.cu", Schedule: plan.Schedule{Workgroup: 64},
				Args: []plan.Arg{{Name: "x"}, {Name: "sum"}}}, // what reports call them
			Workgroups: 2, Rows: 100, Args: []exec.Arg{{Memory: x}, {Memory: sum}},
		})
		if err != nil {
			return err
		}
		return d.Read(sum, 0, make([]byte, 4))
	})
	var found *emu.FaultError
	if errors.As(err, &found) { // which as text has the threads, too
		fault := found.Faults[0]
		fmt.Printf("%s:%d: %s: %s", fault.File, fault.Line, fault.Kind, strings.TrimSpace(fault.Text))
	}
	// Output: total.cu:5: race: *sum += x[row];
}

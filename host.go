package kgen

import (
	"context"
	"fmt"
	"runtime"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/plan"
)

// hostMemory is the part of a driver whose device works on memory of the host: columns lie
// in the device's space, which its processes map.
type hostMemory struct{ device *Device }

func (h hostMemory) upload(_ context.Context, size int64, fill func([]byte) error) (exec.Column, error) {
	held, err := h.device.space.New(size)
	if err != nil {
		return exec.Column{}, err
	}
	if err := fill(held); err != nil {
		h.device.space.Free(held)
		return exec.Column{}, err
	}
	return exec.Column{Data: held}, nil
}

// machine is that of the host.
func (hostMemory) machine(context.Context) (plan.Machine, error) {
	return plan.Machine{Device: fmt.Sprintf("%s/%s, %d cores", runtime.GOOS, runtime.GOARCH, runtime.NumCPU()), Units: runtime.NumCPU(), Subgroup: 1, MaxWorkgroup: 1}, nil
}

// download is not called: readers see the memory.
func (h hostMemory) download(_ context.Context, c exec.Column) ([]byte, error) { return c.Data, nil }

func (h hostMemory) free(c exec.Column) { h.device.space.Free(c.Data) }

func (h hostMemory) close() {}

// consumed frees the columns of a call that may be freed.
func (d *Device) consumed(c call) {
	for _, column := range c.columns {
		if c.consume && column.Resident == nil {
			d.space.Free(column.Data)
		}
	}
}

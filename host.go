package kgen

import (
	"context"

	"github.com/kgen-go/kgen/internal/device/exec"
)

// hostMemory is the part of a driver whose device works on memory of the host: columns lie
// in the device's space, which its processes map.
type hostMemory struct{ device *Device }

func (h hostMemory) upload(_ context.Context, data []byte) (exec.Column, error) {
	held, err := h.device.space.New(int64(len(data)))
	copy(held, data)
	return exec.Column{Data: held}, err
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

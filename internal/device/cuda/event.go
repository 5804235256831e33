//go:build cuda

package cuda

import (
	"time"

	"gorgonia.org/cu"

	shared "github.com/kgen-go/kgen/internal/device"
)

// buffer is memory of the device.
type buffer = shared.Buffer[cu.DevicePtr]

func newPool(limit int64) shared.Pool[cu.DevicePtr] {
	return shared.Pool[cu.DevicePtr]{
		Limit:    limit,
		Allocate: cu.MemAlloc,
		Release:  func(p cu.DevicePtr) { cu.MemFree(p) },
		IsFull:   isMemory,
		Describe: describe,
	}
}

func newBlocks(pool *shared.Pool[cu.DevicePtr]) shared.Blocks[cu.DevicePtr] {
	return shared.Blocks[cu.DevicePtr]{
		Pool: pool, Align: 256,
		Part: func(block cu.DevicePtr, at, _ int64) (cu.DevicePtr, error) { return block + cu.DevicePtr(at), nil },
		Fill: func(block cu.DevicePtr, at, bytes int64, with byte) error {
			return cu.MemsetD8Async(block+cu.DevicePtr(at), with, bytes, cu.NoStream)
		},
	}
}

// event is the driver's mark after a command, and before it if it is timed.
type event struct {
	device     *device
	start, end cu.Event
	timed      bool
}

// State may be called from any thread.
func (e event) State() (done bool, err error) { return queryEvent(e.device.context, e.end) }

func (e event) Took() time.Duration {
	if !e.timed {
		return 0
	}
	milliseconds, err := e.start.Elapsed(e.end)
	if err != nil {
		return 0
	}
	return time.Duration(milliseconds * float64(time.Millisecond))
}

func (e event) Release() {
	if !e.timed {
		e.device.marks = append(e.device.marks, e.end)
		return
	}
	cu.DestroyEvent(&e.start)
	cu.DestroyEvent(&e.end)
}

// mark puts a mark into the queue. To make one takes as long as that, so those without a time
// are used again.
func (d *device) mark(timed bool) (e cu.Event, err error) {
	last := len(d.marks) - 1
	switch {
	case timed:
		e, err = cu.MakeEvent(cu.DefaultEvent)
	case last >= 0:
		e, d.marks = d.marks[last], d.marks[:last]
	default:
		e, err = cu.MakeEvent(cu.DisableTiming)
	}
	if err == nil {
		err = e.Record(cu.NoStream)
	}
	return e, err
}

// Alone reports that each command has its own mark.
func (e event) Alone() bool { return true }

//go:build cuda

package cuda

import (
	"time"

	"gorgonia.org/cu"

	shared "github.com/kgen-go/kgen/internal/device"
)

// buffer is memory of the device.
type buffer = shared.Buffer[cu.DevicePtr]

func newPool(limit int64, release func(cu.DevicePtr)) shared.Pool[cu.DevicePtr] {
	return shared.Pool[cu.DevicePtr]{
		Limit:    limit,
		Allocate: cu.MemAlloc,
		Release:  release,
		IsFull:   isMemory,
		Describe: describe,
	}
}

// event is the driver's mark after a command, and before it if it is timed.
type event struct {
	device     *device
	start, end cu.Event
	timed      bool
	others     bool // commands behind this one have the same mark
}

// State may be called from any thread.
func (e event) State() (done bool, err error) { return queryEvent(e.device.context, e.end) }

// Alone is false of a kernel of a graph that is not its last one.
func (e event) Alone() bool { return !e.others }

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
	if e.others {
		return
	}
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
	d.idle = false
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

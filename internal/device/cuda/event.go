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

// event is the driver's mark after a command, and before it if it is timed.
type event struct {
	context    cu.CUContext
	start, end cu.Event
	timed      bool
}

// State may be called from any thread.
func (e event) State() (done bool, err error) { return queryEvent(e.context, e.end) }

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
	if e.timed {
		cu.DestroyEvent(&e.start)
	}
	cu.DestroyEvent(&e.end)
}

// mark puts a mark into the queue.
func mark(timed bool) (cu.Event, error) {
	flags := cu.DisableTiming
	if timed {
		flags = cu.DefaultEvent
	}
	e, err := cu.MakeEvent(flags)
	if err == nil {
		err = e.Record(cu.NoStream)
	}
	return e, err
}

//go:build opencl

package opencl

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/jgillich/go-opencl/cl"

	shared "github.com/kgen-go/kgen/internal/device"
)

// buffer is memory of the device. It must stay reachable while a kernel that
// has it as an argument is queued; the session sees to that.
type buffer = shared.Buffer[*cl.MemObject]

func newPool(context *cl.Context, limit int64) shared.Pool[*cl.MemObject] {
	return shared.Pool[*cl.MemObject]{
		Limit: limit,
		Allocate: func(bytes int64) (*cl.MemObject, error) {
			m, err := context.CreateEmptyBuffer(cl.MemReadWrite, int(bytes))
			if err == nil {
				runtime.SetFinalizer(m, nil) // the pool releases it, behind its parts
			}
			return m, err
		},
		Release:     (*cl.MemObject).Release,
		ReleasePart: (*cl.MemObject).Release,
		IsFull:      isMemory,
		Describe:    describe,
	}
}

func isMemory(err error) bool {
	return errors.Is(err, cl.ErrMemObjectAllocationFailure) || errors.Is(err, cl.ErrInvalidBufferSize) || errors.Is(err, cl.ErrOutOfResources) || errors.Is(err, cl.ErrOutOfHostMemory)
}

// event is the driver's event of a command, or none.
type event struct {
	mark
	span *span // that the command is part of, or nil
}

// span is the time of several commands, in nanoseconds of the device's clock.
type span struct{ start, end int64 }

func (e event) State() (done bool, err error) {
	if e.isNone() {
		return false, nil
	}
	state := e.status()
	if state < 0 {
		err = fmt.Errorf("OpenCL error %d", state)
	}
	return state == 0, err
}

// Alone is false of a command without an event.
func (e event) Alone() bool { return !e.isNone() }

func (e event) Took() time.Duration {
	if e.isNone() {
		return 0
	}
	start, end, ok := e.times()
	if !ok {
		return 0
	}
	if e.span != nil {
		if e.span.end == 0 {
			e.span.start = start
		}
		e.span.end = end
	}
	return time.Duration(end - start)
}

func (e event) Release() {
	if !e.isNone() {
		e.release()
	}
}

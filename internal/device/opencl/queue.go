//go:build opencl

package opencl

/*
#ifdef __APPLE__
#include <OpenCL/opencl.h>
#else
#include <CL/cl.h>
#endif
#include <stdlib.h>
#include <string.h>

// So many bytes of each value, which stay.
static unsigned char *filled(int with, size_t bytes) {
	static unsigned char *all[256];
	if (!all[with] && (all[with] = malloc(bytes)))
		memset(all[with], with, bytes);
	return all[with];
}
*/
import "C"

import (
	"runtime"
	"unsafe"

	"github.com/jgillich/go-opencl/cl"
)

// Commands of a queue. Unlike go-opencl's they make an event only where one is asked for, which
// costs as much as a command.

// mark is the driver's event of a command.
type mark struct{ event C.cl_event }

// asked returns where the driver puts the event, or nil.
func (m *mark) asked() *C.cl_event {
	if m == nil {
		return nil
	}
	return &m.event
}

func (m mark) isNone() bool { return m.event == nil }

func (m mark) release() { C.clReleaseEvent(m.event) }

// status returns CL_COMPLETE (0), a positive state before it, or an error.
func (m mark) status() int {
	var state C.cl_int
	code := C.clGetEventInfo(m.event, C.CL_EVENT_COMMAND_EXECUTION_STATUS, C.size_t(unsafe.Sizeof(state)), unsafe.Pointer(&state), nil)
	if code != C.CL_SUCCESS {
		return int(code)
	}
	return int(state)
}

// times returns when the command started and ended, by the device's clock in nanoseconds.
func (m mark) times() (start, end int64, ok bool) {
	var times [2]C.cl_ulong
	for i, what := range []C.cl_profiling_info{C.CL_PROFILING_COMMAND_START, C.CL_PROFILING_COMMAND_END} {
		if C.clGetEventProfilingInfo(m.event, what, C.size_t(unsafe.Sizeof(times[i])), unsafe.Pointer(&times[i]), nil) != C.CL_SUCCESS {
			return 0, 0, false
		}
	}
	return int64(times[0]), int64(times[1]), times[1] >= times[0]
}

func clMemory(m *cl.MemObject) C.cl_mem { return C.cl_mem(handle(m)) }

// failed turns a code of the driver into an error of the binding's.
func failed(code C.cl_int) error {
	switch code {
	case C.CL_SUCCESS:
		return nil
	case C.CL_MEM_OBJECT_ALLOCATION_FAILURE:
		return cl.ErrMemObjectAllocationFailure
	case C.CL_OUT_OF_RESOURCES:
		return cl.ErrOutOfResources
	case C.CL_OUT_OF_HOST_MEMORY:
		return cl.ErrOutOfHostMemory
	case C.CL_INVALID_ARG_SIZE:
		return cl.ErrInvalidArgSize
	}
	return cl.ErrOther(code)
}

func enqueueWrite(q *cl.CommandQueue, to *cl.MemObject, data []byte, m *mark) error {
	return failed(C.clEnqueueWriteBuffer(clQueue(q), clMemory(to), C.CL_TRUE, 0, C.size_t(len(data)), unsafe.Pointer(&data[0]), 0, nil, m.asked()))
}

// enqueueRead waits for the end unless it is told not to.
func enqueueRead(q *cl.CommandQueue, from *cl.MemObject, at int64, to []byte, wait bool, m *mark) error {
	blocking := C.cl_bool(C.CL_FALSE)
	if wait {
		blocking = C.CL_TRUE
	}
	return failed(C.clEnqueueReadBuffer(clQueue(q), clMemory(from), blocking, C.size_t(at), C.size_t(len(to)), unsafe.Pointer(&to[0]), 0, nil, m.asked()))
}

func enqueueCopy(q *cl.CommandQueue, to, from *cl.MemObject, bytes int64, m *mark) error {
	return failed(C.clEnqueueCopyBuffer(clQueue(q), clMemory(from), clMemory(to), 0, 0, C.size_t(bytes), 0, nil, m.asked()))
}

func enqueueFill(q *cl.CommandQueue, to *cl.MemObject, element []byte, at, bytes int64, m *mark) error {
	return failed(C.clEnqueueFillBuffer(clQueue(q), clMemory(to), unsafe.Pointer(&element[0]), C.size_t(len(element)), C.size_t(at), C.size_t(bytes), 0, nil, m.asked()))
}

// writtenBytes is up to how many bytes a write of what lies ready takes less time than a fill.
const writtenBytes = 64 << 10

// enqueueBytes fills a part of a buffer with a byte.
func enqueueBytes(q *cl.CommandQueue, to *cl.MemObject, with byte, at, bytes int64) error {
	if bytes <= writtenBytes {
		if from := C.filled(C.int(with), writtenBytes); from != nil {
			return failed(C.clEnqueueWriteBuffer(clQueue(q), clMemory(to), C.CL_FALSE, C.size_t(at), C.size_t(bytes), unsafe.Pointer(from), 0, nil, nil))
		}
	}
	return enqueueFill(q, to, fourOf(with), at, bytes, nil)
}

// partOf returns a part of a buffer, which its owner releases while no command is queued. NVIDIA's
// driver crashes where a part is released as its own thread works on commands, be it on the
// thread that has queued them.
func partOf(whole *cl.MemObject, at, bytes int64) (*cl.MemObject, error) {
	var code C.cl_int
	part := C.clCreateSubBuffer(clMemory(whole), C.CL_MEM_READ_WRITE, C.CL_BUFFER_CREATE_TYPE_REGION,
		unsafe.Pointer(&C.cl_buffer_region{C.size_t(at), C.size_t(bytes)}), &code)
	if code != C.CL_SUCCESS {
		return nil, failed(code)
	}
	m := new(cl.MemObject)
	*(*unsafe.Pointer)(unsafe.Pointer(m)) = unsafe.Pointer(part)
	return m, nil
}

// mapped returns memory of the host that the device copies to without help; empty if there is
// none.
func mapped(ctx *cl.Context, q *cl.CommandQueue, bytes int) []byte {
	m, err := ctx.CreateEmptyBuffer(cl.MemReadWrite|cl.MemAllocHostPtr, bytes)
	if err != nil {
		return []byte{}
	}
	var code C.cl_int
	at := C.clEnqueueMapBuffer(clQueue(q), clMemory(m), C.CL_TRUE, C.CL_MAP_READ|C.CL_MAP_WRITE, 0, C.size_t(bytes), 0, nil, nil, &code)
	if code != C.CL_SUCCESS {
		return []byte{}
	}
	runtime.SetFinalizer(m, nil) // it stays
	return unsafe.Slice((*byte)(at), bytes)
}

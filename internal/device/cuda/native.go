//go:build cuda

package cuda

/*
#cgo LDFLAGS: -lcuda
#cgo CFLAGS: -D_GNU_SOURCE
#include <cuda.h>
#include <dlfcn.h>

static int eventState(CUcontext context, CUevent event) {
	CUcontext former;
	CUresult result = cuCtxPushCurrent(context);
	if (result != CUDA_SUCCESS)
		return result;
	result = cuEventQuery(event);
	cuCtxPopCurrent(&former);
	return result;
}

// How many parameters a kernel has, or -1 where the driver, one before CUDA 12.4,
// does not tell.
static int countParameters(CUfunction function) {
	CUresult (*info)(CUfunction, size_t, size_t *, size_t *);
	size_t offset, size;
	int count = 0;
	*(void **)&info = dlsym(RTLD_DEFAULT, "cuFuncGetParamInfo");
	if (!info)
		return -1;
	while (info(function, count, &offset, &size) == CUDA_SUCCESS)
		count++;
	return count;
}

// Arguments are 8 bytes each.
static int launch(CUfunction function, unsigned groups, unsigned size, unsigned local, int count, unsigned long long *arguments, int together) {
	void *places[count];
	for (int i = 0; i < count; i++)
		places[i] = &arguments[i];
	if (together)
		return cuLaunchCooperativeKernel(function, groups, 1, 1, size, 1, 1, local, 0, places);
	return cuLaunchKernel(function, groups, 1, 1, size, 1, 1, local, 0, places, 0);
}
*/
import "C"

import (
	"errors"
	"fmt"
	"reflect"
	"unsafe"

	"gorgonia.org/cu"
)

// Calls that gorgonia.org/cu lacks. Each of its structs is a handle of the
// driver.

func function(f cu.Function) C.CUfunction { return *(*C.CUfunction)(unsafe.Pointer(&f)) }

// code is an error code of the driver.
type code int

// result turns a code of the driver into an error.
func result(answer C.CUresult) error {
	if answer == C.CUDA_SUCCESS {
		return nil
	}
	return code(answer)
}

// codeOf returns the number in an error of package cu, whose type is hidden, or
// of this one; 0 if there is none.
func codeOf(err error) code {
	for ; err != nil; err = errors.Unwrap(err) {
		if v := reflect.ValueOf(err); v.Kind() == reflect.Int {
			return code(v.Int())
		}
	}
	return 0
}

func (c code) Error() string {
	var name, text *C.char
	if C.cuGetErrorName(C.CUresult(c), &name) != C.CUDA_SUCCESS || C.cuGetErrorString(C.CUresult(c), &text) != C.CUDA_SUCCESS {
		return fmt.Sprintf("CUDA error %d", int(c))
	}
	return fmt.Sprintf("%s (%s)", C.GoString(text), C.GoString(name))
}

// describe says what an error of package cu means.
func describe(err error) string {
	if c := codeOf(err); c != 0 {
		return c.Error()
	}
	return err.Error()
}

// described is an error of package cu that says what it means.
type described struct{ error }

func (d described) Error() string { return describe(d.error) }

func (d described) Unwrap() error { return d.error }

func isMemory(err error) bool { return codeOf(err) == C.CUDA_ERROR_OUT_OF_MEMORY }

// isLost reports whether an error leaves the process without the device: the
// driver answers every call with it from then on.
func isLost(err error) bool {
	switch codeOf(err) {
	case C.CUDA_ERROR_ILLEGAL_ADDRESS, C.CUDA_ERROR_LAUNCH_TIMEOUT, C.CUDA_ERROR_ASSERT, C.CUDA_ERROR_HARDWARE_STACK_ERROR,
		C.CUDA_ERROR_ILLEGAL_INSTRUCTION, C.CUDA_ERROR_MISALIGNED_ADDRESS, C.CUDA_ERROR_INVALID_ADDRESS_SPACE, C.CUDA_ERROR_INVALID_PC,
		C.CUDA_ERROR_LAUNCH_FAILED, C.CUDA_ERROR_ECC_UNCORRECTABLE, C.CUDA_ERROR_CONTEXT_IS_DESTROYED, C.CUDA_ERROR_UNKNOWN:
		return true
	}
	return false
}

// queryEvent asks for the state of an event, from any thread.
func queryEvent(context cu.CUContext, event cu.Event) (done bool, err error) {
	err = result(C.CUresult(C.eventState(*(*C.CUcontext)(unsafe.Pointer(&context)), *(*C.CUevent)(unsafe.Pointer(&event)))))
	if codeOf(err) == C.CUDA_ERROR_NOT_READY {
		return false, nil
	}
	return err == nil, err
}

// countParameters returns -1 if the driver does not know.
func countParameters(f cu.Function) int { return int(C.countParameters(function(f))) }

// allowLocal lets a kernel be launched with more dynamic shared memory than 48 KiB.
func allowLocal(f cu.Function, bytes int64) error {
	return result(C.cuFuncSetAttribute(function(f), C.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, C.int(bytes)))
}

// launch launches a grid. Together, its work-groups all run at once, or it fails.
func launch(f cu.Function, groups, size, local int64, arguments []argument, together bool) error {
	kind := C.int(0)
	if together {
		kind = 1
	}
	return result(C.CUresult(C.launch(function(f), C.uint(groups), C.uint(size), C.uint(local), C.int(len(arguments)),
		(*C.ulonglong)(unsafe.Pointer(&arguments[0])), kind)))
}

// pinnedBytes returns memory of the host that the device copies to without help; empty if
// there is none.
func pinnedBytes(size int) []byte {
	var at unsafe.Pointer
	if C.cuMemAllocHost(&at, C.size_t(size)) != C.CUDA_SUCCESS {
		return []byte{}
	}
	return unsafe.Slice((*byte)(at), size)
}

// access says how the device uses memory of the host.
type access C.uint

const (
	writes access = 0
	reads  access = C.CU_MEMHOSTREGISTER_READ_ONLY // the host may have no right to write there
)

// pin keeps memory of the host in its place, so that the device copies it
// without help. If the system refuses, copies are only slower.
func pin(data []byte, a access) (unpin func()) {
	if len(data) < pinFrom {
		return func() {}
	}
	start := unsafe.Pointer(&data[0])
	register := func(a access) bool {
		return C.cuMemHostRegister(start, C.size_t(len(data)), C.uint(a)) == C.CUDA_SUCCESS
	}
	if !register(a) && !(a == reads && register(writes)) { // not every device knows reads
		return func() {}
	}
	return func() { C.cuMemHostUnregister(start) }
}

// pinFrom is the size from which pinning is cheaper than the driver's own copy.
const pinFrom = 16 << 20

// localOptIn returns how much shared memory a work-group may opt in to.
func localOptIn(d cu.Device) int64 {
	var bytes C.int
	if C.cuDeviceGetAttribute(&bytes, C.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, C.CUdevice(d)) != C.CUDA_SUCCESS {
		return 0
	}
	return int64(bytes)
}

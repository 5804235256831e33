//go:build opencl

package opencl

/*
#cgo linux pkg-config: OpenCL
#cgo darwin LDFLAGS: -framework OpenCL
#cgo windows LDFLAGS: -lOpenCL
#cgo linux LDFLAGS: -ldl
#cgo CFLAGS: -DCL_TARGET_OPENCL_VERSION=120
#ifdef __APPLE__
#include <OpenCL/opencl.h>
#else
#include <CL/cl.h>
#endif
#include <stdlib.h>

static cl_program programFromBinary(cl_context c, cl_device_id d, const unsigned char *binary, size_t size, cl_int *e) {
	cl_int status = CL_SUCCESS;
	cl_program p = clCreateProgramWithBinary(c, 1, &d, &size, &binary, &status, e);
	if (*e == CL_SUCCESS && status != CL_SUCCESS) *e = status;
	return p;
}
static cl_int programBinary(cl_program p, unsigned char *binary) {
	return clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof binary, &binary, 0);
}

// Sets arguments of at most 8 bytes each that have a size, and local memory behind them if there
// is any; wrong is the argument that the driver refuses, or -1.
static cl_int launch(cl_command_queue q, cl_kernel k, int count, const cl_ulong *values, const unsigned char *sizes, size_t local,
	size_t global, size_t group, cl_event *e, int *wrong) {
	cl_int code;
	for (*wrong = 0; *wrong < count; ++*wrong)
		if (sizes[*wrong] && (code = clSetKernelArg(k, *wrong, sizes[*wrong], &values[*wrong])))
			return code;
	if (local && (code = clSetKernelArg(k, count, local, 0)))
		return code;
	*wrong = -1;
	return clEnqueueNDRangeKernel(q, k, 1, 0, &global, &group, 0, 0, e);
}
*/
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"unsafe"

	"github.com/jgillich/go-opencl/cl"
)

// Calls that go-opencl lacks or gets wrong. Each of its structs begins with the
// OpenCL handle.

func handle[T any](object *T) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(object)) }

func clDevice(d *cl.Device) C.cl_device_id          { return C.cl_device_id(handle(d)) }
func clProgram(p *cl.Program) C.cl_program          { return C.cl_program(handle(p)) }
func clQueue(q *cl.CommandQueue) C.cl_command_queue { return C.cl_command_queue(handle(q)) }

// status turns a code into an error of the binding's.
func status(what string, code C.cl_int) error {
	if code == C.CL_SUCCESS {
		return nil
	}
	return fmt.Errorf("%s: OpenCL error %d", what, int(code))
}

// describe removes the binding's prefix from an error.
func describe(err error) string { return strings.TrimPrefix(err.Error(), "cl: ") }

// deviceString reads a string of any length.
func deviceString(d *cl.Device, what C.cl_device_info) string {
	var size C.size_t
	if C.clGetDeviceInfo(clDevice(d), what, 0, nil, &size) != C.CL_SUCCESS || size == 0 {
		return ""
	}
	text := make([]byte, size)
	if C.clGetDeviceInfo(clDevice(d), what, size, unsafe.Pointer(&text[0]), nil) != C.CL_SUCCESS {
		return ""
	}
	return strings.TrimSpace(strings.TrimRight(string(text), "\x00"))
}

func platformString(p *cl.Platform, what C.cl_platform_info) string {
	id := C.cl_platform_id(handle(p))
	var size C.size_t
	if C.clGetPlatformInfo(id, what, 0, nil, &size) != C.CL_SUCCESS || size == 0 {
		return ""
	}
	text := make([]byte, size)
	if C.clGetPlatformInfo(id, what, size, unsafe.Pointer(&text[0]), nil) != C.CL_SUCCESS {
		return ""
	}
	return strings.TrimSpace(strings.TrimRight(string(text), "\x00"))
}

// deviceNumber reads a number of any width; 0 if the driver has none.
func deviceNumber(d *cl.Device, what C.cl_device_info) int64 {
	var value C.cl_ulong
	var size C.size_t
	if C.clGetDeviceInfo(clDevice(d), what, C.size_t(unsafe.Sizeof(value)), unsafe.Pointer(&value), &size) != C.CL_SUCCESS {
		return 0
	}
	if size == 4 {
		return int64(*(*C.cl_uint)(unsafe.Pointer(&value)))
	}
	return int64(value)
}

// facts are the properties of a device that its driver reports.
type facts struct {
	name, vendor, version, driver, platform string
	extensions                              string
	isCPU, available, compiles              bool
	units, maxWorkgroup, addressBits        int64
	localBytes, memory, maxAlloc            int64
	fp64, dividesExactly                    bool
}

func queryFacts(p *cl.Platform, d *cl.Device) facts {
	return facts{
		name: deviceString(d, C.CL_DEVICE_NAME), vendor: deviceString(d, C.CL_DEVICE_VENDOR),
		version: deviceString(d, C.CL_DEVICE_VERSION), driver: deviceString(d, C.CL_DRIVER_VERSION),
		platform:   platformString(p, C.CL_PLATFORM_NAME) + ", " + platformString(p, C.CL_PLATFORM_VERSION),
		extensions: deviceString(d, C.CL_DEVICE_EXTENSIONS),
		isCPU:      deviceNumber(d, C.CL_DEVICE_TYPE)&C.CL_DEVICE_TYPE_CPU != 0,
		available:  deviceNumber(d, C.CL_DEVICE_AVAILABLE) != 0, compiles: deviceNumber(d, C.CL_DEVICE_COMPILER_AVAILABLE) != 0,
		units: deviceNumber(d, C.CL_DEVICE_MAX_COMPUTE_UNITS), maxWorkgroup: deviceNumber(d, C.CL_DEVICE_MAX_WORK_GROUP_SIZE),
		addressBits: deviceNumber(d, C.CL_DEVICE_ADDRESS_BITS),
		localBytes:  deviceNumber(d, C.CL_DEVICE_LOCAL_MEM_SIZE), memory: deviceNumber(d, C.CL_DEVICE_GLOBAL_MEM_SIZE),
		maxAlloc:       deviceNumber(d, C.CL_DEVICE_MAX_MEM_ALLOC_SIZE),
		fp64:           deviceNumber(d, C.CL_DEVICE_DOUBLE_FP_CONFIG) != 0,
		dividesExactly: deviceNumber(d, C.CL_DEVICE_SINGLE_FP_CONFIG)&C.CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT != 0,
	}
}

// programFromBinary makes a program from the result of binaryOf.
func programFromBinary(ctx *cl.Context, d *cl.Device, binary []byte) (*cl.Program, error) {
	if len(binary) == 0 {
		return nil, errors.New("an empty binary")
	}
	data := C.CBytes(binary)
	defer C.free(data)
	var code C.cl_int
	p := C.programFromBinary(C.cl_context(handle(ctx)), clDevice(d), (*C.uchar)(data), C.size_t(len(binary)), &code)
	runtime.KeepAlive(ctx)
	if code != C.CL_SUCCESS {
		return nil, status("loading a program", code)
	}
	program := new(cl.Program)
	*(*unsafe.Pointer)(unsafe.Pointer(program)) = unsafe.Pointer(p)
	return program, nil
}

// binaryOf returns the driver's binary of a built program.
func binaryOf(p *cl.Program) ([]byte, error) {
	var size C.size_t
	if err := status("the size of a program", C.clGetProgramInfo(clProgram(p), C.CL_PROGRAM_BINARY_SIZES, C.size_t(unsafe.Sizeof(size)), unsafe.Pointer(&size), nil)); err != nil {
		return nil, err
	}
	if size == 0 {
		return nil, errors.New("the driver gives no binary")
	}
	data := C.malloc(size)
	defer C.free(data)
	if err := status("the binary of a program", C.programBinary(clProgram(p), (*C.uchar)(data))); err != nil {
		return nil, err
	}
	runtime.KeepAlive(p)
	return C.GoBytes(data, C.int(size)), nil
}

// buildProgram compiles, and returns the driver's log if that fails.
func buildProgram(p *cl.Program, d *cl.Device, options string) (log string, err error) {
	text := C.CString(options)
	defer C.free(unsafe.Pointer(text))
	id := clDevice(d)
	err = status("building", C.clBuildProgram(clProgram(p), 1, &id, text, nil, nil))
	if err == nil {
		return "", nil
	}
	var size C.size_t
	if C.clGetProgramBuildInfo(clProgram(p), id, C.CL_PROGRAM_BUILD_LOG, 0, nil, &size) != C.CL_SUCCESS || size == 0 {
		return "", err
	}
	buffer := make([]byte, size)
	C.clGetProgramBuildInfo(clProgram(p), id, C.CL_PROGRAM_BUILD_LOG, size, unsafe.Pointer(&buffer[0]), nil)
	runtime.KeepAlive(p)
	return strings.TrimRight(string(buffer), "\x00"), err
}

// flush submits queued commands; the binding's Flush waits for them to end.
func flush(q *cl.CommandQueue) error { return status("submitting work", C.clFlush(clQueue(q))) }

// launch enqueues a kernel with arguments of at most 8 bytes each, and with local memory behind
// them if there is any. If the driver refuses an argument, wrong is its number, else -1.
func launch(q *cl.CommandQueue, k *cl.Kernel, values []uint64, sizes []byte, local, global, group int64, m *mark) (wrong int, err error) {
	at := C.int(-1)
	code := C.launch(clQueue(q), C.cl_kernel(handle(k)), C.int(len(values)), (*C.cl_ulong)(unsafe.SliceData(values)), (*C.uchar)(unsafe.SliceData(sizes)),
		C.size_t(local), C.size_t(global), C.size_t(group), m.asked(), &at)
	return int(at), failed(code)
}

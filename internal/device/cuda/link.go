//go:build cuda

package cuda

/*
#include <cuda.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

// Links an object of a text with a library. The caller frees what it gets, or the log.
static int linkWith(void *object, size_t size, int isPTX, const char *library, void **made, size_t *madeSize, char *log, size_t logSize) {
	CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
	void *values[] = {log, (void *)logSize};
	CUlinkState state;
	void *image;
	CUresult result = cuLinkCreate(2, options, values, &state);
	if (result != CUDA_SUCCESS)
		return result;
	result = cuLinkAddData(state, isPTX ? CU_JIT_INPUT_PTX : CU_JIT_INPUT_CUBIN, object, size, "kernels", 0, 0, 0);
	if (result == CUDA_SUCCESS)
		result = cuLinkAddFile(state, CU_JIT_INPUT_LIBRARY, library, 0, 0, 0);
	if (result == CUDA_SUCCESS)
		result = cuLinkComplete(state, &image, madeSize);
	if (result == CUDA_SUCCESS && !(*made = malloc(*madeSize)))
		result = CUDA_ERROR_OUT_OF_MEMORY;
	if (result == CUDA_SUCCESS)
		memcpy(*made, image, *madeSize);
	cuLinkDestroy(state);
	return result;
}

// The file that a function is loaded from, or "".
static const char *fileOf(void *function) {
	Dl_info info;
	return dladdr(function, &info) && info.dli_fname ? info.dli_fname : "";
}
*/
import "C"

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"unsafe"
)

// Kernels that launch kernels call the device's part of the runtime, which is a library of the
// toolkit. The driver's linker adds it, each time that such a text is loaded.

// relocatable is the option of NVRTC by which texts can be linked.
const relocatable = "--relocatable-device-code=true"

// deviceRuntime finds libcudadevrt.a: where KGEN_CUDADEVRT says, beside NVRTC, or in a toolkit.
var deviceRuntime = sync.OnceValues(func() (string, error) {
	const name = "libcudadevrt.a"
	if path := os.Getenv("KGEN_CUDADEVRT"); path != "" {
		_, err := os.Stat(path)
		return path, err
	}
	var folders []string
	if compiler, err := loadNVRTC(); err == nil {
		file := C.GoString(C.fileOf(unsafe.Pointer(compiler.library.Version)))
		if real, err := filepath.EvalSymlinks(file); err == nil {
			file = real
		}
		folders = append(folders, filepath.Dir(file))
	}
	for _, toolkit := range []string{os.Getenv("CUDA_HOME"), os.Getenv("CUDA_PATH"), "/usr/local/cuda"} {
		if toolkit != "" {
			folders = append(folders, filepath.Join(toolkit, "lib64"), filepath.Join(toolkit, "targets/x86_64-linux/lib"), filepath.Join(toolkit, "targets/sbsa-linux/lib"))
		}
	}
	for _, folder := range folders {
		if path := filepath.Join(folder, name); isFile(path) {
			return path, nil
		}
	}
	return "", fmt.Errorf("kernels that launch kernels need %s of the CUDA toolkit, which is neither beside NVRTC nor in /usr/local/cuda: "+
		"install NVIDIA's package cuda-cudart-dev, or set KGEN_CUDADEVRT to the file", name)
})

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// link adds the device's runtime to an object: machine code or PTX.
func link(object []byte) ([]byte, error) {
	library, err := deviceRuntime()
	if err != nil {
		return nil, err
	}
	input := C.CBytes(append(bytes.Clone(object), 0))
	defer C.free(input)
	size, isPTX := len(object), C.int(0)
	if !bytes.HasPrefix(object, []byte("\x7fELF")) {
		size, isPTX = size+1, 1 // text ends in 0
	}
	const logSize = 4 << 10
	log := (*C.char)(C.calloc(1, logSize))
	defer C.free(unsafe.Pointer(log))
	var made unsafe.Pointer
	var madeSize C.size_t
	var status C.int
	withCString(library, func(library *C.char) {
		status = C.linkWith(input, C.size_t(size), isPTX, library, &made, &madeSize, log, logSize)
	})
	if err := result(C.CUresult(status)); err != nil {
		return nil, fmt.Errorf("linking with %s: %w: %s", library, err, C.GoString(log))
	}
	defer C.free(made)
	return C.GoBytes(made, C.int(madeSize)), nil
}

//go:build cuda

package start

/*
#cgo LDFLAGS: -lcuda
#include <cuda.h>

// What keeps the driver from being used, or "".
static const char *obstacle(int *code) {
	const char *text = "";
	int count = 0;
	*code = cuInit(0);
	if (*code == CUDA_SUCCESS)
		*code = cuDeviceGetCount(&count);
	if (*code == CUDA_SUCCESS && count == 0)
		*code = CUDA_ERROR_NO_DEVICE;
	if (*code != CUDA_SUCCESS && cuGetErrorString(*code, &text) != CUDA_SUCCESS)
		text = "an unknown error";
	return text;
}
*/
import "C"

import (
	"fmt"
	"os"
)

func init() {
	var code C.int
	if reason := C.GoString(C.obstacle(&code)); reason != "" {
		fmt.Fprintf(os.Stderr, "NVIDIA's driver is there, but has no device for this process: %s (CUDA error %d; see nvidia-smi)\n", reason, code)
		os.Exit(1)
	}
}

//go:build !opencl

package main

import (
	"fmt"
	"os"

	"github.com/kgen-go/kgen/internal/device/worker"
)

func main() {
	fmt.Fprintln(os.Stderr, "this kgen-opencl was built without the tag opencl, so it can drive no device; "+worker.OpenCL.Install())
	os.Exit(2)
}

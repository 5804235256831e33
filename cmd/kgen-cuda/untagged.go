//go:build !cuda

package main

import (
	"fmt"
	"os"

	"github.com/kgen-go/kgen/internal/device/worker"
)

func main() {
	fmt.Fprintln(os.Stderr, "this kgen-cuda was built without the tag cuda, so it can drive no device; "+worker.CUDA.Install())
	os.Exit(2)
}

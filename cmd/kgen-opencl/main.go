//go:build opencl

package main

import (
	"os"

	"github.com/kgen-go/kgen/backends/opencl/run"
	"github.com/kgen-go/kgen/backends/worker"
)

func main() {
	os.Exit(worker.Main(worker.OpenCL, open, os.Args[1:], os.Stdout))
}

func open() worker.Driver { return run.New() }

//go:build cuda

package main

import (
	"os"

	"github.com/kgen-go/kgen/backends/cuda/run"
	"github.com/kgen-go/kgen/backends/worker"
)

func main() {
	os.Exit(worker.Main(worker.CUDA, open, os.Args[1:], os.Stdout))
}

func open() worker.Driver { return run.New() }

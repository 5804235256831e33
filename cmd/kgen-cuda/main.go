//go:build cuda

package main

import (
	"os"

	run "github.com/kgen-go/kgen/internal/device/cuda"
	"github.com/kgen-go/kgen/internal/device/worker"
)

func main() {
	os.Exit(worker.Main(worker.CUDA, open, os.Args[1:], os.Stdout))
}

func open() worker.Driver { return run.New() }

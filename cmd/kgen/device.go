package main

import (
	"context"
	"fmt"

	"github.com/kgen-go/kgen/backends/cuda/emu"
	"github.com/kgen-go/kgen/internal/device/gocpu"
	"github.com/kgen-go/kgen/plan"
)

// defaultDevice is where pipelines run unless the user says; if it is unavailable, no other
// device replaces it.
const defaultDevice = "gocpu"

// local is a device without a driver program.
type local struct {
	name    string
	probe   func(context.Context) (detail string, err error)
	machine plan.Machine // its properties, for plans that use some
}

// locals lists the devices without a driver program; [drivers] has the others.
var locals = []local{
	{name: "gocpu", probe: probeGoCPU},
	{name: "interp", probe: probeInterp},
	{name: "cudaemu", probe: probeCUDAEmulation, machine: emu.Machine(emu.Options{})},
}

func probeGoCPU(ctx context.Context) (string, error) {
	toolchain, err := gocpu.FindGo(ctx)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("emitted Go, built by %s (%s)", toolchain.Version, toolchain.Path), nil
}

func probeInterp(context.Context) (string, error) {
	return "the reference interpreter: all operators, one at a time, slowly", nil
}

func probeCUDAEmulation(ctx context.Context) (string, error) {
	compiler, err := emu.Compiler(ctx)
	if err != nil {
		return "", err
	}
	return "emitted CUDA C++ on the CPU, by " + compiler + "; cudaemu:check reports races and other faults, cudaemu:check:7 in the order of seed 7", nil
}

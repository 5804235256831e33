package main

import (
	"context"
	"fmt"

	"github.com/kgen-go/kgen/backends/cuda/emu"
	"github.com/kgen-go/kgen/internal/device/gocpu"
	"github.com/kgen-go/kgen/plan"
)

// defaultDevice is where pipelines run unless the user says. Without a Go toolchain that is
// deviceWithoutGo, with a note; nothing else replaces a device.
const (
	defaultDevice   = "gocpu"
	deviceWithoutGo = "vector"
)

// local is a device without a driver program.
type local struct {
	name    string
	probe   func(context.Context) (detail string, err error)
	machine plan.Machine // its properties, for plans that use some
}

// locals lists the devices without a driver program; [drivers] has the others.
var locals = []local{
	{name: "gocpu", probe: probeGoCPU},
	{name: "vector", probe: probeVector},
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

func probeVector(context.Context) (string, error) {
	return "batches of rows in this process, on one core; needs no compiler", nil
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

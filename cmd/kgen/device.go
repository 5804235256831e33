package main

import (
	"context"
	"strings"
	"time"

	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/ir/interp"
)

// device is a place where pipelines run.
type device struct {
	name  string
	probe func(context.Context) (detail string, err error)
	run   func(context.Context, job) (outcome, error)
}

// job is what a device shall do.
type job struct {
	pipeline *ir.Pipeline
	level    string
	workers  int
	in       []ir.Column
}

// outcome is what a device did.
type outcome struct {
	columns []ir.Column
	level   string   // that ran; "" where the device has none
	kernels []kernel // that ran
	elapsed time.Duration
}

// kernel names a kernel of the plan that ran.
type kernel struct {
	Name   string   `json:"name"`
	Stages []string `json:"stages"`
}

// devices are all devices. The first is the default, and never replaced by
// another when it is unavailable.
var devices = []device{
	{name: "interp", probe: probeInterp, run: runInterp},
}

func deviceByName(name string) (*device, error) {
	var names []string
	for i := range devices {
		if devices[i].name == name {
			return &devices[i], nil
		}
		names = append(names, devices[i].name)
	}
	return nil, usageErrorf("unknown device %s; there are %s", name, strings.Join(names, ", "))
}

func probeInterp(context.Context) (string, error) {
	return "the reference interpreter: all operators, one at a time, slowly", nil
}

// runInterp runs the interpreter, which cannot be stopped: when ctx ends, its
// result is no longer waited for.
func runInterp(ctx context.Context, j job) (outcome, error) {
	type answer struct {
		columns []ir.Column
		err     error
	}
	start := time.Now()
	done := make(chan answer, 1)
	go func() {
		columns, err := interp.Run(j.pipeline, j.in)
		done <- answer{columns, err}
	}()
	select {
	case a := <-done:
		return outcome{columns: a.columns, elapsed: time.Since(start)}, a.err
	case <-ctx.Done():
		return outcome{}, ctx.Err()
	}
}

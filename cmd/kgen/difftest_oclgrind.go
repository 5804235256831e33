package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/kgen-go/kgen/internal/device/oclgrind"
	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/internal/difftest"
)

// simulatorDevice is emitted OpenCL C under a simulator that reports races,
// accesses out of bounds and barriers that not all work-items reach.
const simulatorDevice = "oclgrind"

// newSimulatorTester opens the simulator device.
func newSimulatorTester(ctx context.Context) *workerTester {
	const rows = 200 // it interprets each work-item
	t := &workerTester{name: simulatorDevice, driver: &drivers[0], rows: rows, log: true}
	if err := t.simulate(ctx); err != nil {
		t.absent = fmt.Errorf("%w: %v", difftest.ErrNotOpen, err)
	}
	return t
}

// simulate starts the workers under the simulator.
func (t *workerTester) simulate(ctx context.Context) (err error) {
	options := worker.Options{Program: t.driver.program}
	if options.Path, err = options.Program.Find(); err != nil {
		return err
	}
	if t.folder, err = os.MkdirTemp("", "kgen-oclgrind-"); err != nil {
		return err
	}
	if options.Path, err = oclgrind.Wrap(t.folder, options.Path); err != nil {
		return err
	}
	// The findings of a probe are cached, so that the reporting workers need none.
	probing := options
	probing.Environment = oclgrind.Environment("")
	client, err := worker.Open(ctx, probing)
	if err == nil {
		err = t.check(ctx, client)
		client.Close()
	}
	if err != nil {
		return err
	}
	options.Environment = []string{"KGEN_OPENCL_EXACT_BUFFERS=1"}
	t.open(ctx, options)
	return nil
}

// simulatorLog is the log that the simulator writes for a worker.
type simulatorLog struct {
	path string // "" if there is none
	read int    // bytes read so far
}

// fault returns the reports since the last call.
func (l *simulatorLog) fault() error {
	if l.path == "" {
		return nil
	}
	text, err := os.ReadFile(l.path)
	if err != nil {
		return err
	}
	reports := oclgrind.Reports(string(text[min(l.read, len(text)):]))
	l.read = len(text)
	if len(reports) == 0 {
		return nil
	}
	fault := difftest.Fault("out of bounds")
	switch {
	case strings.Contains(reports[0], "data race"):
		fault = difftest.FaultRace
	case strings.Contains(reports[0], "divergence"):
		fault = "barrier"
	}
	return &difftest.FaultError{Fault: fault, Err: errors.New(strings.TrimSpace(reports[0]))}
}

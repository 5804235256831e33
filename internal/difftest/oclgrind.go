package difftest

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/kgen-go/kgen"
	"github.com/kgen-go/kgen/internal/device/oclgrind"
	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/internal/tuning"
)

// simulatorDevice is emitted OpenCL C under a simulator that reports races,
// accesses out of bounds and barriers that not all work-items reach. It interprets each
// work-item.
const simulatorDevice = "oclgrind"

// simulate writes a script into a folder that runs a worker under the simulator.
func simulate(ctx context.Context, folder string) (script string, err error) {
	path, err := worker.OpenCL.Find()
	if err != nil {
		return "", err
	}
	if script, err = oclgrind.Wrap(folder, path); err != nil {
		return "", err
	}
	// The findings of a probe are cached, so that the reporting workers need none.
	d, err := kgen.Open(ctx, "opencl:0", kgen.TuneDevice(tuning.Device{Worker: func(o *worker.Options) {
		o.Path, o.Environment = script, oclgrind.Environment("")
	}}))
	if err != nil {
		return "", err
	}
	defer d.Close()
	_, err = d.Info(ctx)
	return script, err
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
	fault := Fault("out of bounds")
	switch {
	case strings.Contains(reports[0], "data race"):
		fault = FaultRace
	case strings.Contains(reports[0], "divergence"):
		fault = "barrier"
	}
	return &FaultError{Fault: fault, Err: errors.New(strings.TrimSpace(reports[0]))}
}

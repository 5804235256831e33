package kgen

import "github.com/kgen-go/kgen/internal/tuning"

// These options are for the differential tester of this module: their types are internal.

// TuneDevice changes how a device is opened.
func TuneDevice(t tuning.Device) DeviceOption { return func(o *deviceOptions) { o.tuning = t } }

// TuneProgram has a device run what is compiled already.
func TuneProgram(t tuning.Program) Setting {
	return func(s *settings) error {
		s.tuning = t
		return nil
	}
}

// TuneRun changes how a program runs.
func TuneRun(t tuning.Run) RunOption { return func(o *runOptions) { o.tuning = t } }

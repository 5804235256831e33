package kgen

import (
	"errors"
	"fmt"

	"github.com/kgen-go/kgen/backends/cuda/emu"
	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/device/gocpu"
	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/ir"
)

// CheckError is a check of the language that the data fails, as the division by zero in
// some row.
type CheckError struct {
	Site *ir.Site
	Row  int64 // in Site.Domain; 0 for a scalar

	source *build.Source
}

// Error returns the position, the line of the pipeline, what is wrong, and in which row.
func (e *CheckError) Error() string {
	message := e.Site.Message
	if e.Site.Domain != nil {
		message += fmt.Sprintf(", row %d of domain %s", e.Row, e.Site.Domain)
	}
	return e.source.ErrorAt(e.Site.Pos, message, "").Error()
}

// Unwrap returns the error as the interpreter and emitted Go report it.
func (e *CheckError) Unwrap() error { return &ir.CheckError{Site: e.Site, Row: e.Row} }

// ArgumentError is an argument, or the name of a result, that does not fit a pipeline.
type ArgumentError struct {
	Name    string // of the parameter or result
	Problem string // what is wrong, and what would be right
}

func (e *ArgumentError) Error() string { return e.Name + ": " + e.Problem }

// SettingError is a setting that a device does not have.
type SettingError struct {
	Device  string
	Setting string // memory limit, time limit, level, workers, repetitions
	Reason  string // what the device is or does instead
}

func (e *SettingError) Error() string {
	return fmt.Sprintf("device %s %s: leave out the %s", e.Device, e.Reason, e.Setting)
}

// ClosedError is a device that has been closed.
type ClosedError struct{ Device string }

func (e *ClosedError) Error() string { return "device " + e.Device + ": the device has been closed" }

// limited returns an error of memory of the host beyond a limit as that of a run.
func limited(err error) error {
	var beyond *memory.LimitError
	var known *AllocError
	if !errors.As(err, &beyond) || errors.As(err, &known) {
		return err
	}
	return &AllocError{Buffer: "column", Bytes: beyond.Needed - beyond.InUse, InUse: beyond.InUse, Limit: beyond.Limit, Err: err}
}

// usage returns the error of a name or setting that no device would take.
func usage(format string, args ...any) error {
	return &UsageError{Err: fmt.Errorf(format, args...)}
}

// refuse returns the error for a setting that a device does not have.
func (d *Device) refuse(reason, setting string) error { return &SettingError{d.name, setting, reason} }

func (d *Device) refuseRepetitions() error {
	return d.refuse("has no clock of its own that this could read", "repetitions")
}

func (d *Device) refuseTimeLimit() error {
	return d.refuse("has no driver that could hang, and ends by its context", "time limit")
}

func (d *Device) refuseWorkers() error { return d.refuse("takes no number of cores", "workers") }

// Errors of programs and devices.
type (
	// UsageError is a name that is not there, such as that of a pipeline or a device, or a setting that
	// no device has.
	UsageError = build.UsageError
	// MissingError is a driver program, such as kgen-opencl, that is not installed.
	MissingError = worker.MissingError
	// StartError is a driver program that does not start, as without its library.
	StartError = worker.StartError
	// NoToolchainError is device gocpu on a machine without Go.
	NoToolchainError = gocpu.NoToolchainError
	// AllocError is memory that a run needs and the device, or the limit, does not have.
	AllocError = exec.AllocError
	// GiveUpError is a plan that this device, or this data, cannot finish.
	GiveUpError = exec.GiveUpError
	// BuildError is an emitted kernel that the driver's compiler refuses: a fault of kgen or
	// of the driver.
	BuildError = worker.BuildError
	// GoBuildError is emitted Go that the toolchain refuses: a fault of kgen.
	GoBuildError = gocpu.BuildError
	// TimeoutError is a device that did not end in time.
	TimeoutError = worker.TimeoutError
	// CrashError is the end, during a call, of the process that drives the device.
	CrashError = worker.CrashError
	// GoCrashError is the end, during a call, of the process that runs emitted Go.
	GoCrashError = gocpu.CrashError
	// ColumnError is a column that has been freed, was lost with the process that held it,
	// or lies on another device.
	ColumnError = worker.MemoryError
	// KernelFaultError is what the emulation found wrong in a kernel, such as a race: a fault
	// of kgen.
	KernelFaultError = emu.FaultError
	// DeviceError is any other error of a driver.
	DeviceError = worker.DeviceError
)

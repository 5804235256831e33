package worker

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/plan"
)

// MissingError reports a worker program that is not installed.
type MissingError struct {
	Program Program
	Reason  string // "" if there is no such file
}

func (e *MissingError) Error() string {
	reason := e.Reason
	if reason == "" {
		reason = fmt.Sprintf("%s is neither beside kgen nor on PATH", e.Program.Name)
	}
	return reason + ": " + e.Program.Install()
}

// StartError reports a worker that ended before the first request.
type StartError struct {
	Path   string
	Status string
	Stderr string
	Hint   string // what to install, if that is the reason
}

func (e *StartError) Error() string {
	text := fmt.Sprintf("%s does not start: %s", e.Path, e.Status)
	if e.Stderr != "" {
		text = fmt.Sprintf("%s does not start: %s", e.Path, e.Stderr)
	}
	if e.Hint != "" {
		text += "\n" + e.Hint
	}
	return text
}

// CrashError is the end of a worker during a call.
type CrashError struct {
	Program string
	Status  string // as in "exit status 2" or "signal: killed"
	Stderr  string // the start and the end of what it wrote
}

func (e *CrashError) Error() string {
	text := fmt.Sprintf("%s, which drives the device, ended early: %s", e.Program, e.Status)
	if strings.Contains(e.Status, "killed") {
		text += " (the system does this when memory runs out)"
	}
	if e.Stderr != "" {
		text += "\n" + e.Stderr
	}
	return text
}

// TimeoutError reports a device that did not finish in time; the worker was
// killed.
type TimeoutError struct {
	Limit time.Duration
	Busy  string // what it was doing, or ""
}

func (e *TimeoutError) Error() string {
	text := fmt.Sprintf("the device did not end within %v", e.Limit)
	if e.Busy != "" {
		text += "; it was busy with " + e.Busy
	}
	return text
}

// DeviceError is any other error of a driver or the executor, as text.
type DeviceError struct{ Message string }

func (e *DeviceError) Error() string { return e.Message }

// LostError is the error of a [Driver] whose device this process cannot use any
// more. kgen then starts the worker again.
type LostError struct{ Err error }

func (e *LostError) Error() string { return e.Err.Error() }

func (e *LostError) Unwrap() error { return e.Err }

// failure is an error in a message; its type survives.
type failure struct {
	Check   *checkFailure     `json:"check,omitzero"`
	GiveUp  *exec.GiveUpError `json:"giveUp,omitzero"`
	Input   *exec.InputError  `json:"input,omitzero"`
	Alloc   *allocFailure     `json:"alloc,omitzero"`
	Build   *BuildError       `json:"build,omitzero"`
	Timeout *timeoutFailure   `json:"timeout,omitzero"`
	Text    string            `json:"text,omitzero"`
	Lost    bool              `json:"lost,omitzero"` // the worker cannot be used any more
}

type checkFailure struct {
	Site plan.Site `json:"site"`
	Row  int64     `json:"row"`
}

type allocFailure struct {
	Buffer string `json:"buffer"`
	Bytes  int64  `json:"bytes"`
	InUse  int64  `json:"inUse"`
	Limit  int64  `json:"limit"`
	Reason string `json:"reason,omitzero"`
}

type timeoutFailure struct {
	Limit int64  `json:"limit"`
	Busy  string `json:"busy"`
}

func newFailure(err error) *failure {
	var check *exec.CheckError
	var alloc *exec.AllocError
	var f failure
	switch {
	case errors.As(err, &check):
		f.Check = &checkFailure{check.Site, check.Row}
	case errors.As(err, &alloc):
		f.Alloc = &allocFailure{Buffer: alloc.Buffer, Bytes: alloc.Bytes, InUse: alloc.InUse, Limit: alloc.Limit}
		if alloc.Err != nil {
			f.Alloc.Reason = alloc.Err.Error()
		}
	case errors.As(err, &f.GiveUp), errors.As(err, &f.Input), errors.As(err, &f.Build):
	default:
		f.Text = err.Error()
	}
	var lost *LostError
	f.Lost = errors.As(err, &lost)
	return &f
}

func (f *failure) error() error {
	switch {
	case f.Check != nil:
		return &exec.CheckError{Site: f.Check.Site, Row: f.Check.Row}
	case f.Alloc != nil:
		alloc := &exec.AllocError{Buffer: f.Alloc.Buffer, Bytes: f.Alloc.Bytes, InUse: f.Alloc.InUse, Limit: f.Alloc.Limit}
		if f.Alloc.Reason != "" {
			alloc.Err = &DeviceError{f.Alloc.Reason}
		}
		return alloc
	case f.GiveUp != nil:
		return f.GiveUp
	case f.Input != nil:
		return f.Input
	case f.Build != nil:
		return f.Build
	case f.Timeout != nil:
		return &TimeoutError{time.Duration(f.Timeout.Limit), f.Timeout.Busy}
	}
	return &DeviceError{f.Text}
}

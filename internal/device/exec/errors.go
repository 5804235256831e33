package exec

import (
	"fmt"
	"strings"

	"github.com/kgen-go/kgen/plan"
)

// CheckError reports that the data breaks a rule of the language.
type CheckError struct {
	Site plan.Site
	Row  int64 // in Site.Domain; 0 for a scalar check
}

func (e *CheckError) Error() string {
	if e.Site.Domain == "" {
		return fmt.Sprintf("%s: %s", e.Site.Position, e.Site.Message)
	}
	return fmt.Sprintf("%s: %s (row %d of %s)", e.Site.Position, e.Site.Message, e.Row, e.Site.Domain)
}

// AllocError reports a buffer for which there is not enough memory.
type AllocError struct {
	Buffer string
	Bytes  int64
	InUse  int64 // bytes of all other buffers
	Limit  int64 // bytes that may be in use; 0 if the device itself refused
	Err    error // the device's reason, or nil
}

func (e *AllocError) Error() string {
	text := fmt.Sprintf("buffer %q: no memory for %d bytes beside the %d in use", e.Buffer, e.Bytes, e.InUse)
	if e.Limit > 0 {
		text += fmt.Sprintf(" (limit %d)", e.Limit)
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

func (e *AllocError) Unwrap() error { return e.Err }

// FullError is the error of a [Device] that has not enough memory. If Import or
// Alloc returns it, Run returns an [AllocError]. A driver that allocates memory
// at its first use may also return it from a fill or a launch.
type FullError struct {
	Reason string
}

func (e *FullError) Error() string { return e.Reason }

// GiveUpError reports a plan that cannot be finished on this device or data. Run
// returns it only if the last fallback gave up, too.
type GiveUpError struct {
	Level  string
	Reason string
}

func (e *GiveUpError) Error() string {
	name := "the plan"
	if e.Level != "" {
		name += " " + e.Level
	}
	return name + " gave up, and there is no fallback: " + e.Reason
}

// InputError reports an argument that does not fit the plan's ports.
type InputError struct {
	Port    string
	Problem string
}

func (e *InputError) Error() string { return fmt.Sprintf("input %q: %s", e.Port, e.Problem) }

// unrunnable says why the device can run no variant of a kernel.
func unrunnable(kernel string, machine plan.Machine, reasons []string) string {
	return fmt.Sprintf("kernel %q has no variant for %s: %s", kernel, machine.Device, strings.Join(reasons, "; "))
}

package worker

import (
	"context"
	"time"

	"github.com/kgen-go/kgen/internal/device"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/plan"
)

// Listing has the devices that a worker finds on its machine.
type Listing struct {
	Devices []Device `json:"devices"`
	Notes   []string `json:"notes,omitzero"` // drivers that are installed and cannot be used, with the reason
}

// Device describes one device.
type Device struct {
	Name     string       `json:"name"` // as --device takes it: opencl:0
	Platform string       `json:"platform"`
	Vendor   string       `json:"vendor"`
	Version  string       `json:"version"` // of the interface that the driver implements
	Machine  plan.Machine `json:"machine"`
	Findings []Finding    `json:"findings,omitzero"`
	Problem  string       `json:"problem,omitzero"` // why it cannot be used
}

// Finding is a property of a device and how it is known.
type Finding struct {
	Name     string        `json:"name"`
	Value    string        `json:"value"`
	Evidence plan.Evidence `json:"evidence"`
	Detail   string        `json:"detail,omitzero"`
}

// Step is a part of a run.
type Step struct {
	Step       string `json:"step"` // as in exec.Event, or one of those below
	Name       string `json:"name,omitzero"`
	Workgroups int64  `json:"workgroups,omitzero"`
	Rows       int64  `json:"rows,omitzero"`
	Bytes      int64  `json:"bytes,omitzero"`
	Reason     string `json:"reason,omitzero"` // of a fallback
	Host       int64  `json:"host"`            // nanoseconds until the step had ended
	Device     int64  `json:"device,omitzero"` // nanoseconds of the device's own clock
}

// StepOf returns a step of the executor, without the time that compilers took in it.
func StepOf(e exec.Event, compiled time.Duration) Step {
	return Step{Step: e.Step, Name: e.Name, Workgroups: e.Workgroups, Rows: e.Rows, Bytes: e.Bytes, Reason: e.Reason, Host: max(e.Duration-compiled, 0).Nanoseconds()}
}

// Steps before and between those of exec.
const (
	StepOpen    = "open"             // of the device
	StepProbe   = "probe"            // the same with a probe
	StepCompile = "compile"          // of kernels
	StepCached  = "compile (cached)" // the cache had them
	StepTurn    = "turn"             // waiting for other processes that measure
)

// Driver is what a worker program links.
type Driver interface {
	// List describes all devices; those that cannot be used have a Problem.
	List(context.Context) (Listing, error)
	// Open prepares a device for one run.
	Open(ctx context.Context, device int, options SessionOptions) (Session, error)
}

// SessionOptions are the options of one run on a device.
type SessionOptions struct {
	Sources *device.Sources // of the plan that will run; nil for none
	Build   []string        // options of the driver's compiler
	Passing bool            // built kernels need not be kept for other processes
	Timed   bool            // Elapsed or Spans will be called

	// Probing is called before a device is probed, which is done once on a machine.
	Probing func()
	// Compiled is called when a kernel has been compiled, or found in a cache.
	Compiled func(took time.Duration, cached bool)
}

// Session is a device for runs of one program. Import copies: what it returns outlives the data.
type Session interface {
	exec.Device
	exec.Copier
	exec.Gatherer
	// Elapsed returns the time on the device's own clock of all commands that
	// have ended since the last call.
	Elapsed() time.Duration
	// Spans queues work repeatedly, one repetition after the other, and waits for
	// all of them. It returns the time of each on the device's own clock, from the
	// start of its first command to the end of its last.
	Spans(times int, work func() error) ([]time.Duration, error)
	// Busy says what the device is doing, or "". It may be called while
	// another call of the session waits.
	Busy() string
	Close()
}

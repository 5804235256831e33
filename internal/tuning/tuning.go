// Package tuning has what the differential tester sets of the library's devices, programs and
// runs, and users do not.
package tuning

import (
	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/internal/kernels"
)

// Device is how a device is opened.
type Device struct {
	Worker   func(*worker.Options) // changes how the process that drives it starts; may be nil
	Uncached bool                  // what compilers make is not kept for other processes
}

// Program is a pipeline that is compiled already.
type Program struct {
	Tiles   *backends.Program // for device vector
	Kernels *kernels.Program  // for devices of kernels
	Passing bool              // its texts will not be met again, by any process
}

// Run is how a program runs, which must not affect its results.
type Run struct {
	Batch   int // rows of a batch on device vector; 0 is its default
	Workers int // of device vector; 0 is those of the setting
}

//go:build cuda

package cuda

import (
	"context"
	"fmt"
	"runtime"

	"gorgonia.org/cu"

	"github.com/kgen-go/kgen/internal/device/cache"
	_ "github.com/kgen-go/kgen/internal/device/cuda/start" // before cu, whose start reports no reason
	"github.com/kgen-go/kgen/internal/device/worker"
)

// Driver drives all CUDA devices of this machine. It is used by one goroutine,
// which stays on its thread: calls of CUDA refer to the thread's context.
type Driver struct {
	cache   *cache.Cache // nil if there is no folder
	devices map[int]*device
}

// New returns the driver.
func New() *Driver {
	c, err := cache.Open("cuda")
	if err != nil {
		c = nil // there is no folder: everything works without, only slower
	}
	return &Driver{cache: c, devices: map[int]*device{}}
}

// List describes all devices, and says why texts cannot be compiled.
func (d *Driver) List(ctx context.Context) (worker.Listing, error) {
	count, err := cu.NumDevices()
	if err != nil {
		return worker.Listing{}, fmt.Errorf("the number of devices: %w", described{err})
	}
	var listing worker.Listing
	if _, err := loadNVRTC(); err != nil {
		listing.Notes = append(listing.Notes, err.Error())
	}
	for i := range count {
		described := worker.Device{Name: fmt.Sprintf("cuda:%d", i), Platform: "CUDA", Vendor: "NVIDIA"}
		if opened, err := d.open(ctx, i); err != nil {
			described.Problem = err.Error()
		} else {
			described.Machine, described.Findings, described.Version = opened.machine, opened.findings, opened.version
		}
		listing.Devices = append(listing.Devices, described)
	}
	return listing, nil
}

// Open readies a device for one run.
func (d *Driver) Open(ctx context.Context, number int, options worker.SessionOptions) (worker.Session, error) {
	opened, err := d.open(ctx, number)
	if err != nil {
		return nil, err
	}
	return &session{device: opened, sources: options.Sources, options: options.Build, timed: options.Timed, gathers: !options.Timed && !opened.pool.Exact, commands: opened.commands(options.Timed), compiled: options.Compiled}, nil
}

// open returns a device whose context is the thread's.
func (d *Driver) open(ctx context.Context, number int) (*device, error) {
	runtime.LockOSThread()
	opened := d.devices[number]
	if opened == nil {
		count, err := cu.NumDevices()
		if err != nil {
			return nil, fmt.Errorf("the number of devices: %w", described{err})
		}
		if number < 0 || number >= count {
			return nil, fmt.Errorf("there is no device cuda:%d; there are %d, from cuda:0 on", number, count)
		}
		if opened, err = newDevice(ctx, d.cache, number); err != nil {
			return nil, fmt.Errorf("cuda:%d: %w", number, err)
		}
		d.devices[number] = opened
	}
	if err := cu.SetCurrentContext(opened.context); isLost(err) { // by a run that did not wait for its kernels
		return nil, &worker.LostError{Err: fmt.Errorf("cuda:%d was lost before: %w; it is opened anew", number, described{err})}
	} else if err != nil {
		return nil, fmt.Errorf("cuda:%d: its context: %w", number, described{err})
	}
	return opened, nil
}

//go:build opencl

package opencl

import (
	"context"
	"errors"
	"fmt"

	"github.com/jgillich/go-opencl/cl"

	"github.com/kgen-go/kgen/internal/device/cache"
	"github.com/kgen-go/kgen/internal/device/worker"
)

// Driver drives all OpenCL devices of this machine, numbered across all
// platforms. It is used by one call at a time.
type Driver struct {
	cache   *cache.Cache // nil if there is no folder
	devices map[int]*device
}

// New returns the driver. Nothing is loaded until it is used.
func New() *Driver {
	c, err := cache.Open("opencl")
	if err != nil {
		c = nil // there is no folder: everything works without, only slower
	}
	return &Driver{cache: c, devices: map[int]*device{}}
}

// found is a device that a platform has.
type found struct {
	platform *cl.Platform
	device   *cl.Device
}

// find lists the devices, and the reasons why others are not listed.
func find() (all []found, notes []string, err error) {
	notes, folder := vendorNotes()
	platforms, err := cl.GetPlatforms()
	if err != nil || len(platforms) == 0 {
		reason := "no driver is installed"
		if len(notes) > 0 {
			reason = "no driver can be loaded"
		}
		err := fmt.Errorf("no OpenCL platform: %s in %s", reason, folder)
		for _, note := range notes {
			err = fmt.Errorf("%w\n%s", err, note)
		}
		return nil, notes, err
	}
	for _, p := range platforms {
		devices, err := p.GetDevices(cl.DeviceTypeAll)
		if err != nil && !errors.Is(err, cl.ErrDeviceNotFound) {
			notes = append(notes, fmt.Sprintf("platform %s: %s", p.Name(), describe(err)))
		}
		if len(devices) == 0 {
			notes = append(notes, fmt.Sprintf("platform %s has no device", p.Name()))
		}
		for _, d := range devices {
			all = append(all, found{p, d})
		}
	}
	return all, notes, nil
}

// List describes all devices. No platform is a note, not an error.
func (d *Driver) List(ctx context.Context) (worker.Listing, error) {
	all, notes, err := find()
	if err != nil {
		return worker.Listing{Notes: append([]string{err.Error()}, notes...)}, nil
	}
	listing := worker.Listing{Notes: notes}
	for i, f := range all {
		facts := queryFacts(f.platform, f.device)
		described := worker.Device{Name: fmt.Sprintf("opencl:%d", i), Platform: facts.platform, Vendor: facts.vendor, Version: facts.version}
		described.Machine = facts.machine()
		if opened, err := d.open(ctx, i, nil); err != nil {
			described.Problem = err.Error()
		} else {
			described.Machine, described.Findings = opened.machine, opened.findings
		}
		listing.Devices = append(listing.Devices, described)
	}
	return listing, nil
}

// Open readies a device for one run.
func (d *Driver) Open(ctx context.Context, number int, options worker.SessionOptions) (worker.Session, error) {
	opened, err := d.open(ctx, number, options.Probing)
	if err != nil {
		return nil, err
	}
	return opened.session(options)
}

// open returns a device, probed.
func (d *Driver) open(ctx context.Context, number int, probing func()) (*device, error) {
	if opened := d.devices[number]; opened != nil {
		return opened, nil
	}
	all, _, err := find()
	if err != nil {
		return nil, err
	}
	if number < 0 || number >= len(all) {
		return nil, fmt.Errorf("there is no device opencl:%d; there are %d, from opencl:0 on", number, len(all))
	}
	opened, err := newDevice(ctx, d.cache, all[number], probing)
	if err != nil {
		return nil, fmt.Errorf("opencl:%d: %w", number, err)
	}
	d.devices[number] = opened
	return opened, nil
}

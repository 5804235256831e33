package kgen

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/backends/cuda/emu"
	"github.com/kgen-go/kgen/internal/device/gocpu"
	"github.com/kgen-go/kgen/internal/device/worker"
)

// Info describes a device, or says why it is not there.
type Info struct {
	Name      string       `json:"name"`
	Available bool         `json:"available"`
	Detail    string       `json:"detail"`           // in a line what it is, or what is missing
	Device    *Description `json:"device,omitempty"` // of devices that run kernels
}

// Description has what was probed or declared of a device, with the evidence.
type Description = worker.Device

// DeviceNames returns the name of the first device of each kind, whether it is there or not.
func DeviceNames() (names []string) {
	for _, k := range kinds {
		if k.probe == nil {
			names = append(names, k.name+":0")
		} else {
			names = append(names, k.name)
		}
	}
	return names
}

// Devices describes the devices of this machine, and for each kind without one says why. It
// starts the programs that drive devices, and the first time on a machine probes what they
// find, which takes seconds. looking, if it is not nil, is called with what this waits for.
func Devices(ctx context.Context, looking func(what string)) (list []Info) {
	if looking == nil {
		looking = func(string) {}
	}
	for _, k := range kinds {
		if k.probe == nil {
			looking("starting " + workers[k.name].program.Name)
			list = append(list, listWorker(ctx, k.name, looking)...)
			continue
		}
		looking("looking for " + k.name)
		info, err := k.info(ctx, k.name)
		if err != nil {
			info.Detail = err.Error()
		}
		list = append(list, info)
	}
	looking("")
	return list
}

// Info describes the device. The error says why it cannot be used.
func (d *Device) Info(ctx context.Context) (Info, error) {
	if err := d.use(); err != nil {
		return Info{}, err
	}
	w, ok := d.driver.(*workerDevice)
	if !ok {
		return kindOf(d.name).info(ctx, d.name)
	}
	description, err := w.description(ctx)
	d.options.waiting("")
	if err != nil {
		return Info{}, err
	}
	info := infoOf(description)
	if !info.Available {
		return info, fmt.Errorf("device %s: %w", d.name, errors.New(info.Detail))
	}
	return info, nil
}

// info describes a device that has no driver program.
func (k kind) info(ctx context.Context, name string) (Info, error) {
	detail, err := k.probe(ctx)
	info := Info{Name: name, Available: err == nil, Detail: detail}
	if err == nil && k.machine.Device != "" {
		info.Device = &Description{Name: name, Machine: k.machine}
	}
	return info, err
}

// kindOf returns the kind of a device by the name of that.
func kindOf(name string) *kind {
	prefix, _, _ := strings.Cut(name, ":")
	if i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == prefix }); i >= 0 {
		return &kinds[i]
	}
	return nil
}

// listWorker describes the devices of a driver program. If there are none, one says why.
func listWorker(ctx context.Context, name string, looking func(string)) (list []Info) {
	none := func(reason string) []Info {
		return []Info{{Name: name, Detail: strings.ReplaceAll(reason, "\n", "; ")}}
	}
	client, err := worker.Open(ctx, worker.Options{Program: workers[name].program, Doing: func(what string) { looking(name + ": " + what) }})
	if err != nil {
		return none(err.Error())
	}
	defer client.Close()
	listing, err := client.List(ctx)
	if err != nil {
		return none(err.Error())
	}
	for _, d := range listing.Devices {
		list = append(list, infoOf(d))
	}
	for _, note := range listing.Notes {
		list = append(list, none(note)...)
	}
	return list
}

func infoOf(d Description) Info {
	info := Info{Name: d.Name, Available: d.Problem == "", Detail: d.Problem, Device: &d}
	if info.Available {
		info.Detail = inLine(d)
	}
	return info
}

// inLine describes a device in a line.
func inLine(d Description) string {
	platform, _, _ := strings.Cut(d.Platform, ",")
	var has, lacks []string
	for _, f := range d.Findings {
		switch f.Value {
		case "yes":
			has = append(has, f.Name)
		case "no":
			lacks = append(lacks, f.Name)
		}
	}
	text := fmt.Sprintf("%s (%s): %d units; has %s", d.Machine.Device, platform, d.Machine.Units, strings.Join(has, " "))
	if len(lacks) > 0 {
		text += "; lacks " + strings.Join(lacks, " ")
	}
	return text
}

func probeGo(ctx context.Context) (string, error) {
	toolchain, err := gocpu.FindGo(ctx)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("emitted Go, built by %s (%s)", toolchain.Version, toolchain.Path), nil
}

func probeVector(context.Context) (string, error) {
	return "batches of rows in this process, on all cores; needs no compiler", nil
}

func probeInterpreter(context.Context) (string, error) {
	return "the reference interpreter: all operators, one at a time, slowly", nil
}

func probeEmulation(ctx context.Context) (string, error) {
	compiler, err := emu.Compiler(ctx)
	if err != nil {
		return "", err
	}
	return "emitted CUDA C++ on the CPU, by " + compiler + "; cudaemu:check reports races and other faults, cudaemu:check:7 in the order of seed 7", nil
}

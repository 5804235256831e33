package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kgen-go/kgen/backends/cuda"
	"github.com/kgen-go/kgen/backends/opencl"
	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/internal/kernels"
)

// driver describes the devices NAME:0, NAME:1, ... of a worker program.
type driver struct {
	name    string
	program worker.Program
	emitter kernels.Emitter
	quick   []string // options for faster compilation of slower code
	keeps   string   // the environment variable of the driver's own cache folder; "" is none
}

// drivers lists every driver. A new driver is a new line.
var drivers = []driver{
	{"opencl", worker.OpenCL, opencl.Emitter(), []string{"-cl-opt-disable"}, "POCL_CACHE_DIR"},
	{"cuda", worker.CUDA, cuda.Emitter(), nil, ""},
}

// driverByDevice returns the driver of the device called name, and its number
// there, or nil if the part before the colon is no driver's name.
func driverByDevice(name string) (d *driver, number int, err error) {
	prefix, text, ok := strings.Cut(name, ":")
	i := slices.IndexFunc(drivers, func(d driver) bool { return ok && d.name == prefix })
	if i < 0 {
		return nil, 0, nil
	}
	number, err = strconv.Atoi(text)
	if err != nil || number < 0 {
		return nil, 0, usageErrorf("device %s: %s:0 is the first, as kgen devices lists them", name, prefix)
	}
	return &drivers[i], number, nil
}

// list returns a row for each device of the worker. If there are none, one row
// says why.
func (d *driver) list(ctx context.Context, waiting *waiting) []deviceRow {
	none := func(reason string) []deviceRow {
		return []deviceRow{{Name: d.name, Detail: strings.ReplaceAll(reason, "\n", "; ")}}
	}
	client, err := worker.Open(ctx, worker.Options{Program: d.program, Doing: func(what string) {
		waiting.on(d.name + ": " + what)
	}})
	if err != nil {
		return none(err.Error())
	}
	defer client.Close()
	listing, err := client.List(ctx)
	if err != nil {
		return none(err.Error())
	}
	var rows []deviceRow
	for _, d := range listing.Devices {
		row := deviceRow{Name: d.Name, Available: d.Problem == "", Detail: d.Problem, Device: &d}
		if row.Available {
			row.Detail = describeDevice(d)
		}
		rows = append(rows, row)
	}
	for _, note := range listing.Notes {
		rows = append(rows, none(note)...)
	}
	return rows
}

// describeDevice describes a device in a line.
func describeDevice(d worker.Device) string {
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

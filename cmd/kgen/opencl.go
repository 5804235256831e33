package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/kgen-go/kgen/backends/worker"
)

// listOpenCL describes the OpenCL devices as their worker sees them; where
// there is none, one row says why.
func listOpenCL(ctx context.Context) []deviceRow {
	none := func(reason string) []deviceRow {
		return []deviceRow{{Name: "opencl", Detail: strings.ReplaceAll(reason, "\n", "; ")}}
	}
	client, err := worker.Open(ctx, worker.Options{Program: worker.OpenCL})
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
			row.Detail = describeOpenCL(d)
		}
		rows = append(rows, row)
	}
	for _, note := range listing.Notes {
		rows = append(rows, none(note)...)
	}
	return rows
}

// describeOpenCL is a device in a line.
func describeOpenCL(d worker.Device) string {
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

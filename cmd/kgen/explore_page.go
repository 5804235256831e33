package main

import (
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/explore"
	"github.com/kgen-go/kgen/internal/explore/page"
	"github.com/kgen-go/kgen/plan"
)

// writePage writes the page of a report, with the paths of searches.
func (r *exploreRunner) writePage(out io.Writer, report *explore.Report, paths []page.Path) error {
	p := &page.Page{Report: report, Paths: paths}
	var names, known []string
	for _, g := range report.Header.Grids {
		for _, argument := range g.Pipelines {
			if one := r.pipelines[argument]; !slices.Contains(known, argument) {
				known, names = append(known, argument), append(names, one.pipeline.Name)
				p.Pipelines = append(p.Pipelines, one.forPage())
			}
		}
	}
	p.Title = "Fusion of " + strings.Join(names, ", ")
	seen := map[explore.Configuration]bool{}
	for _, x := range report.Results {
		device := r.devices[x.Device]
		key := x.Configuration
		key.Schedule = structural(x.Schedule)
		if seen[key] || device == nil {
			continue
		}
		seen[key] = true
		// The text is that of the fastest schedule with these stages.
		fastest := x
		for _, other := range report.Results {
			same := other.Configuration
			same.Schedule = structural(other.Schedule)
			if same == key && other.Status == explore.Agrees && (fastest.Status != explore.Agrees || other.Median < fastest.Median) {
				fastest = other
			}
		}
		known := fuse.Known{Lengths: map[string]int64{}}
		for _, l := range fastest.Lengths {
			if l.Measured {
				known.Lengths[l.Domain] = l.Rows
			}
		}
		for _, k := range fastest.Kernels {
			known.Ran = append(known.Ran, k.Name)
		}
		p.Plans = append(p.Plans, r.pipelines[x.Pipeline].planForPage(planRequest{device: x.Device, backend: device.backend(), hardware: device.hardware(), machine: device.machine(), deciding: device.deciding(),
			level: x.Level, schedule: fastest.Schedule, data: x.Data, rows: x.Rows, known: known}))
	}
	return p.Write(out)
}

var structuralSettings = []string{"variant", "groups", "probe", "radix", "sources"}

// structural returns the settings of a schedule that change stages, as page.js does.
func structural(schedule string) string {
	var parts []string
	for part := range strings.SplitSeq(schedule, ",") {
		if key, _, _ := strings.Cut(part, "="); slices.Contains(structuralSettings, key) {
			parts = append(parts, part)
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, ",")
}

// forPage returns the text of the pipeline.
func (e *explored) forPage() page.Pipeline {
	return page.Pipeline{Argument: e.argument, Name: e.pipeline.Name, File: filepath.Base(e.argument), Source: string(e.source.Text)}
}

// planRequest says what a level makes of a pipeline, for whom.
type planRequest struct {
	device, backend string
	machine         plan.Machine
	hardware        plan.Machine // for which text is emitted; the zero value for any
	deciding        plan.Machine // by whose rates level auto chooses
	level, schedule string
	known           fuse.Known
	data            string // of which it is known
	rows            int64
}

// planForPage compiles a pipeline for the page.
func (e *explored) planForPage(r planRequest) page.Plan {
	made := page.Plan{Pipeline: e.argument, Device: r.device, Level: r.level, Schedule: structural(r.schedule), Data: r.data, Rows: r.rows}
	schedule, err := build.ParseSchedule(r.schedule)
	if err != nil {
		made.Refused = err.Error()
		return made
	}
	program, fused, err := build.CompileOver(e.source, e.pipeline, r.known.Lengths, r.deciding, r.backend, r.level, schedule)
	if err != nil {
		made.Refused = err.Error()
		return made
	}
	if made.Explanation, err = explainFor(fused, r.machine, r.known); err != nil {
		made.Refused = err.Error()
		return made
	}
	output, err := emitterFor(r.backend, r.hardware).Emit([]*backends.Program{program}, backends.Options{Schedule: build.ShapeFor(r.level, r.known.Lengths, r.deciding, schedule)})
	if err != nil { // the explanation holds all the same
		return made
	}
	for _, f := range output.Files {
		if ext := filepath.Ext(f.Name); ext != ".json" && ext != ".h" && !strings.HasPrefix(f.Name, "kgen_support") && !strings.Contains(f.Name, ".fallback.") {
			made.Texts = append(made.Texts, page.Text{File: f.Name, Text: string(f.Text)})
		}
	}
	return made
}

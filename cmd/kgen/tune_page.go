package main

import (
	"context"
	"io"

	"github.com/kgen-go/kgen/internal/explore"
	"github.com/kgen-go/kgen/internal/explore/page"
	"github.com/kgen-go/kgen/internal/table"
	"github.com/kgen-go/kgen/internal/tune"
)

// writePage writes what was tried as a page of kgen explore: an experiment per set of columns,
// whose heat maps have the paths of the searches.
func (t *tuning) writePage(ctx context.Context, entries []*tune.Entry) error {
	report := &explore.Report{Header: t.header}
	report.Header.Grids = nil
	report.SetDevice(t.device.info())
	var paths []page.Path
	for _, e := range entries {
		d := e.Default.Configuration
		g := explore.Grid{Title: d.Data + ", " + explore.Count(d.Rows) + " rows", Pipelines: []string{d.Pipeline}, Data: []string{d.Data}, Rows: []int64{d.Rows}, Devices: []string{d.Device}}
		for _, a := range e.Space.Axes {
			if a.Key == levelKey {
				g.Levels = a.Values
				continue
			}
			g.Sweeps = append(g.Sweeps, explore.Sweep{Key: a.Key, Values: a.Values})
		}
		report.Header.Grids, report.Header.Limits = append(report.Header.Grids, g), e.Limits
		report.Results = append(append(report.Results, e.Default), e.Results...)
		for _, s := range e.Searches {
			if len(s.Moves) > 0 {
				paths = append(paths, page.Path{DataSet: d.DataSet(), Device: d.Device, Search: s.Search, Moves: s.Moves})
			}
		}
	}
	return table.WriteFile(ctx, t.flags.page, func(out io.Writer) error { return t.runner.writePage(out, report, paths) })
}

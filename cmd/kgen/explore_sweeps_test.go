package main

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/internal/explore"
	"github.com/kgen-go/kgen/internal/interp"
	"github.com/kgen-go/kgen/internal/memory"
)

// Every folder of experiments can be run: its pipelines are there, its columns pass all checks, and
// kgen compiles each level and shape.
func TestSweepFiles(t *testing.T) {
	paths, err := filepath.Glob("../../examples/*/*/" + explore.SweepFileName)
	more, _ := filepath.Glob("../../examples/*/" + explore.SweepFileName)
	if paths = append(paths, more...); err != nil || len(paths) < 6 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		folder := filepath.Dir(path)
		t.Run(filepath.Base(folder), func(t *testing.T) {
			compiled := map[explore.Configuration]bool{}
			for _, quick := range []bool{false, true} {
				flags := exploreFlags{quick: quick, seed: 1}
				c := &cobra.Command{}
				x, err := newExploration(c, []string{folder}, &flags)
				if err != nil {
					t.Fatal(err)
				}
				r := &exploreRunner{command: c, flags: &flags, space: memory.NewSpace(0)}
				defer r.close()
				for _, g := range x.grids {
					if quick && len(g.Configurations(isShaped)) > 12 {
						t.Errorf("%s: %d configurations are not quick", g.Title, len(g.Configurations(isShaped)))
					}
					checkSweep(t, x, r, g, compiled)
				}
			}
		})
	}
}

func isShaped(device string) bool { return device != defaultDevice }

// checkSweep makes few rows of an experiment's columns, and compiles what it compares.
func checkSweep(t *testing.T, x *exploration, r *exploreRunner, g explore.Grid, compiled map[explore.Configuration]bool) {
	t.Helper()
	for _, c := range g.Configurations(isShaped) {
		var one *explored
		for _, p := range x.pipelines {
			if p.argument == c.Pipeline {
				one = p
			}
		}
		made := explore.Configuration{Pipeline: c.Pipeline, Data: c.Data}
		if !compiled[made] {
			compiled[made] = true
			in, err := r.generated(t.Context(), one.pipeline, explore.DataSet{Pipeline: c.Pipeline, Data: c.Data, Rows: min(c.Rows, 100)})
			if err != nil {
				t.Fatalf("%s: %s: %v", g.Title, c.Data, err)
			}
			var tooMany *interp.ArgumentError
			if _, err := interp.Run(one.pipeline, in, interp.RowLimit(1<<16)); err != nil && !errors.As(err, &tooMany) {
				t.Errorf("%s: %s of %s: %v", g.Title, c.Data, c.Pipeline, err)
			}
		}
		backend, _, _ := strings.Cut(c.Device, ":")
		shape := explore.Configuration{Pipeline: c.Pipeline, Level: c.Level, Schedule: c.Schedule}
		if compiled[shape] {
			continue
		}
		compiled[shape] = true
		schedule, err := build.ParseSchedule(c.Schedule)
		if err == nil {
			_, _, err = build.Compile(one.source, one.pipeline, backend, c.Level, schedule)
		}
		if err != nil {
			t.Errorf("%s: %v: %v", g.Title, c, err)
		}
	}
}

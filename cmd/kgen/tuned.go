package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kgen-go/kgen"
	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/internal/tune"
	"github.com/kgen-go/kgen/internal/version"
	"github.com/kgen-go/kgen/ir"
)

// tunedFlag declares --tuned.
func tunedFlag(c *cobra.Command, path *string) {
	c.Flags().StringVar(path, "tuned", "", "take level and schedule from `FILE` of kgen tune, and say where they were not measured")
}

// onlyTuned refuses settings beside those of --tuned.
func onlyTuned(c *cobra.Command) error {
	if c.Flags().Changed("tuned") && (c.Flags().Changed("schedule") || c.Flags().Changed("fuse")) {
		return usageErrorf("--tuned has the level and the schedule: leave out --fuse and --schedule")
	}
	return nil
}

// chooseTuned returns the settings for a use, and tells where they come from.
func chooseTuned(c *cobra.Command, path string, file *tune.File, use tune.Use) (tune.Chosen, error) {
	use.Kgen = version.Kgen()
	chosen := file.Choose(use)
	for _, note := range chosen.Notes {
		fmt.Fprintf(c.ErrOrStderr(), "kgen: %s: %s\n", path, note)
	}
	if _, err := build.ParseSchedule(chosen.Schedule); err != nil {
		return chosen, fmt.Errorf("%s: %w", path, err)
	}
	return chosen, nil
}

// tunedUse says where a pipeline runs, for settings of a file.
func tunedUse(ctx context.Context, device *kgen.Device, p *ir.Pipeline) (tune.Use, error) {
	kind, _, _ := strings.Cut(device.Name(), ":")
	if kind == deviceWithoutGo {
		kind = defaultDevice
	}
	m, err := device.Machine(ctx)
	backend := build.BackendOf(kind, m)
	if backend == "" {
		return tune.Use{}, usageErrorf("device %s has no settings: leave out --tuned", device.Name())
	}
	return tune.Use{Pipeline: p, Backend: backend, Device: &tune.Device{Name: device.Name(), Backend: backend, Hardware: m.Device, Driver: m.Driver}}, err
}

package main

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/explore"
	"github.com/kgen-go/kgen/internal/kernels"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/internal/tune"
	"github.com/kgen-go/kgen/plan"
)

// levelKey is the key of the axis of fusion levels. All other keys are settings of
// schedules.
const levelKey = "level"

// usualAxes are the settings that are tried unless the user says. - is what kgen chooses.
func usualAxes() []tune.Axis {
	schemes := []string{explore.Default}
	for _, t := range simt.Schemes() {
		schemes = append(schemes, t.Name)
	}
	return []tune.Axis{
		{Key: "workgroup", Values: []string{"32", "64", "128", "256", "512", "1024"}, Ordered: true},
		{Key: "items", Values: []string{"1", "2", "4", "8", "16", "32"}, Ordered: true},
		{Key: "scheme", Values: schemes},
		{Key: "variant", Values: append([]string{explore.Default}, plan.Variants...)},
		{Key: "table", Values: []string{explore.Default, plan.Local, plan.Global}},
		{Key: "groups", Values: append([]string{explore.Default}, plan.GroupWays...)},
		{Key: "probe", Values: []string{explore.Default, plan.Linear, plan.Cuckoo, plan.Sort}}, // loops would take hours for large data
	}
}

// chooseSpace makes an axis of each setting that changes the kernels, and one of levels. It
// starts at what kgen chooses. An axis of --sweep is taken as it is.
func (t *tuning) chooseSpace(levels, asked []string, sweeps []explore.Sweep) error {
	if len(levels) == 0 {
		levels = []string{fuse.LevelAuto}
		if !t.device.shaped() {
			levels = fuse.Levels
		}
	}
	if len(asked) > 0 && !t.device.shaped() {
		return usageErrorf("--sweep: device %s has no work-group kernels, so levels are all that can be tuned", t.flags.device)
	}
	plain, err := t.text(levels[0], "")
	if err != nil {
		return err
	}
	t.space = tune.Space{Axes: []tune.Axis{t.distinct(tune.Axis{Key: levelKey, Values: levels}, func(level string) (string, error) { return t.text(level, "") })}}
	start := map[string]string{levelKey: levels[0]}
	if slices.Contains(t.space.Axes[0].Values, fuse.LevelAuto) {
		start[levelKey] = fuse.LevelAuto
	}
	if t.device.shaped() {
		chosen := t.chosen(levels[0])
		for _, a := range usualAxes() {
			if slices.ContainsFunc(sweeps, func(s explore.Sweep) bool { return s.Key == a.Key }) {
				continue
			}
			if value := chosen[a.Key]; a.Ordered && value != "" {
				a = withValue(a, value)
				start[a.Key] = value
			}
			of := func(value string) (string, error) {
				if value == explore.Default {
					return plain, nil
				}
				return t.text(levels[0], a.Key+"="+value)
			}
			if a = t.distinct(a, of); len(a.Values) > 1 {
				t.space.Axes = append(t.space.Axes, a)
			}
		}
		for _, s := range sweeps {
			a := tune.Axis{Key: s.Key, Values: s.Values, Ordered: true}
			for _, value := range s.Values {
				if _, err := strconv.Atoi(value); err != nil {
					a.Ordered = false
				}
			}
			if value := chosen[s.Key]; value != "" {
				start[s.Key] = value
			}
			t.space.Axes = append(t.space.Axes, a)
		}
	}
	t.start = t.space.Nearest(start)
	return nil
}

// distinct returns an axis with those values that make kernels, without values that make the
// kernels of earlier ones. Numbers stay if any of them matters.
func (t *tuning) distinct(a tune.Axis, text func(value string) (string, error)) tune.Axis {
	seen := map[string]bool{}
	var kept []string
	for _, value := range a.Values {
		made, err := text(value)
		if err != nil || !a.Ordered && seen[made] {
			continue
		}
		seen[made] = true
		kept = append(kept, value)
	}
	if len(seen) == 1 {
		kept = kept[:1]
	}
	a.Values = kept
	return a
}

// withValue adds a number to an axis of numbers, in its place.
func withValue(a tune.Axis, value string) tune.Axis {
	n, err := strconv.Atoi(value)
	if err != nil || slices.Contains(a.Values, value) {
		return a
	}
	i := slices.IndexFunc(a.Values, func(other string) bool { m, _ := strconv.Atoi(other); return m > n })
	if i < 0 {
		i = len(a.Values)
	}
	a.Values = slices.Insert(slices.Clone(a.Values), i, value)
	return a
}

// text returns the emitted kernels of a configuration.
func (t *tuning) text(level, schedule string) (string, error) {
	parsed, err := build.ParseSchedule(schedule)
	if err != nil {
		return "", err
	}
	program, _, err := build.CompileFor(t.pipeline.source, t.pipeline.pipeline, t.device.deciding(), t.device.backend(), level, parsed)
	if err != nil {
		return "", err
	}
	return kernelText(program, t.device.backend(), t.device.hardware(), parsed)
}

// kernelText returns the emitted kernels of a program for a device. The plan is left out: it names the schedule, whether
// or not that matters.
func kernelText(program *backends.Program, backend string, device plan.Machine, schedule plan.Schedule) (string, error) {
	output, err := emitterFor(backend, device).Emit([]*backends.Program{program}, backends.Options{Schedule: schedule})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, f := range output.Files {
		if filepath.Ext(f.Name) != ".json" {
			b.Write(f.Text)
		}
	}
	return b.String(), nil
}

func emitterOf(backend string) backends.Emitter {
	i := slices.IndexFunc(build.Emitters, func(e backends.Emitter) bool { return e.Name() == backend })
	return build.Emitters[i]
}

// emitterFor returns the emitter of a backend as it emits for a device.
func emitterFor(backend string, device plan.Machine) backends.Emitter {
	emitter := emitterOf(backend)
	if ofKernels, ok := emitter.(kernels.Emitter); ok {
		return ofKernels.On(device)
	}
	return emitter
}

// chosen returns the numbers that kgen chooses for the kernels, those of the largest
// work-groups if kernels differ.
func (t *tuning) chosen(level string) map[string]string {
	made := map[string]string{}
	emitter, ok := emitterFor(t.device.backend(), t.device.hardware()).(kernels.Emitter)
	if !ok {
		return made
	}
	program, _, err := build.CompileFor(t.pipeline.source, t.pipeline.pipeline, t.device.deciding(), t.device.backend(), level, plan.Schedule{})
	if err != nil {
		return made
	}
	result, err := emitter.Make(program, plan.Schedule{})
	if err != nil {
		return made
	}
	var most plan.Schedule
	for _, k := range result.Plan.Kernels {
		if s := k.Variants[0].Schedule; s.Workgroup*max(s.Items, 1) > most.Workgroup*max(most.Items, 1) {
			most = s
		}
	}
	for key, n := range map[string]int{"workgroup": most.Workgroup, "items": max(most.Items, 1), "chunk": max(most.Chunk, 1)} {
		if n > 0 {
			made[key] = strconv.Itoa(n)
		}
	}
	return made
}

// configuration returns that of a point.
func (t *tuning) configuration(d explore.DataSet, p tune.Point) explore.Configuration {
	c := explore.Configuration{Pipeline: d.Pipeline, Data: d.Data, Rows: d.Rows, Device: t.flags.device, Level: t.space.Value(p, levelKey)}
	var parts []string
	for i, a := range t.space.Axes {
		if value := a.Values[p[i]]; a.Key != levelKey && value != explore.Default {
			parts = append(parts, a.Key+"="+value)
		}
	}
	c.Schedule = strings.Join(parts, ",")
	return c
}

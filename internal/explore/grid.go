package explore

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Configuration is one way to run a pipeline over one set of columns. Two
// configurations are the same if they are equal.
type Configuration struct {
	Pipeline string `json:"pipeline"` // FILE.kg#NAME
	Data     string `json:"data"`     // how columns are generated, or FromFiles
	Rows     int64  `json:"rows"`     // of the longest column
	Device   string `json:"device"`
	Level    string `json:"level"`              // of fusion, or a plan by hand
	Schedule string `json:"schedule,omitempty"` // settings NAME=VALUE, as of --schedule; "" is the default
	Control  bool   `json:"control,omitempty"`  // the same as another one, measured beside it: how far their times are apart is chance
}

// Move is a step of a search, from settings to settings.
type Move struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// FromFiles is the data of columns that are read from files.
const FromFiles = "files"

// String describes a configuration for messages.
func (c Configuration) String() string {
	words := []string{c.Device, c.Level}
	if c.Control {
		words = append(words, "again")
	}
	if c.Schedule != "" {
		words = append(words, c.Schedule)
	}
	return strings.Join(words, " ")
}

// Setting returns the value that the schedule gives to a setting, or "".
func (c Configuration) Setting(name string) string {
	for part := range strings.SplitSeq(c.Schedule, ",") {
		if key, value, _ := strings.Cut(part, "="); key == name {
			return value
		}
	}
	return ""
}

// DataSet is what the configurations that run over the same columns share.
type DataSet struct {
	Pipeline, Data string
	Rows           int64
}

// DataSet returns the columns that the configuration runs over.
func (c Configuration) DataSet() DataSet { return DataSet{c.Pipeline, c.Data, c.Rows} }

// Sweep is a setting of schedules and the values that it takes.
type Sweep struct {
	Key    string   `json:"key"`
	Values []string `json:"values"`
}

// Grid is a set of configurations: every combination of its lists. An exploration has
// one, or one for each experiment of a sweep file.
type Grid struct {
	Title     string   `json:"title,omitempty"`
	Pipelines []string `json:"pipelines"`
	Data      []string `json:"data"`
	Rows      []int64  `json:"rows"` // none: as many as the files have
	Devices   []string `json:"devices"`
	Levels    []string `json:"levels"`
	Schedules []string `json:"schedules,omitempty"` // each is combined with the sweeps; none is the default
	Sweeps    []Sweep  `json:"sweeps,omitempty"`
	Control   string   `json:"control,omitempty"` // a level that is measured twice by the default schedule
}

// Configurations lists the configurations, those of the same columns next to each
// other. Devices for which shaped is false have no kernels of work-groups, and so
// the empty schedule alone.
func (g Grid) Configurations(shaped func(device string) bool) (list []Configuration) {
	rows := g.Rows
	if len(rows) == 0 {
		rows = []int64{0}
	}
	schedules := g.schedules()
	for _, pipeline := range g.Pipelines {
		for _, data := range g.Data {
			for _, n := range rows {
				for _, device := range g.Devices {
					for _, level := range g.Levels {
						shapes := schedules
						if !shaped(device) {
							shapes = []string{""}
						}
						for _, schedule := range shapes {
							c := Configuration{Pipeline: pipeline, Data: data, Rows: n, Device: device, Level: level, Schedule: schedule}
							list = append(list, c)
							if c.Control = true; level == g.Control && schedule == "" {
								list = append(list, c)
							}
						}
					}
				}
			}
		}
	}
	return list
}

// Configurations lists the configurations of grids, each once.
func Configurations(grids []Grid, shaped func(device string) bool) (list []Configuration) {
	known := map[Configuration]bool{}
	for _, g := range grids {
		for _, c := range g.Configurations(shaped) {
			if !known[c] {
				known[c] = true
				list = append(list, c)
			}
		}
	}
	return list
}

// schedules returns every combination of a schedule and values of the sweeps.
func (g Grid) schedules() []string {
	list := slices.Clone(g.Schedules)
	if len(list) == 0 {
		list = []string{""}
	}
	for _, s := range g.Sweeps {
		var wider []string
		for _, schedule := range list {
			for _, value := range s.Values {
				wider = append(wider, with(schedule, s.Key, value))
			}
		}
		list = wider
	}
	var distinct []string
	for _, schedule := range list {
		if !slices.Contains(distinct, schedule) {
			distinct = append(distinct, schedule)
		}
	}
	return distinct
}

// with sets a setting of a schedule; the value - leaves the setting to kgen.
func with(schedule, key, value string) string {
	var parts []string
	for part := range strings.SplitSeq(schedule, ",") {
		if name, _, _ := strings.Cut(part, "="); name != key && part != "" {
			parts = append(parts, part)
		}
	}
	if value != Default {
		parts = append(parts, key+"="+value)
	}
	return strings.Join(parts, ",")
}

// Default stands in a sweep for the value that kgen chooses.
const Default = "-"

// ParseSweep reads KEY=A,B,C.
func ParseSweep(text string) (Sweep, error) {
	key, values, ok := strings.Cut(text, "=")
	s := Sweep{Key: strings.TrimSpace(key)}
	for value := range strings.SplitSeq(values, ",") {
		if value = strings.TrimSpace(value); value != "" && !slices.Contains(s.Values, value) {
			s.Values = append(s.Values, value)
		}
	}
	if !ok || s.Key == "" || len(s.Values) == 0 {
		return s, fmt.Errorf("%s: write KEY=A,B,C, as in items=4,8,16", cmp.Or(text, "nothing"))
	}
	return s, nil
}

package explore

import (
	"slices"
	"time"
)

// Status says what became of a configuration.
type Status string

// The states of configurations.
const (
	Agrees  Status = "agrees"  // it ran, and its results are those of the reference
	Differs Status = "differs" // its results are others: a bug
	Failed  Status = "failed"  // it did not run to its end
	Refused Status = "refused" // kgen or the device refuses it, for the reason given
)

// Result is what became of a configuration.
type Result struct {
	Configuration
	Status  Status   `json:"status"`
	Problem string   `json:"problem,omitempty"` // what is wrong, unless it agrees
	Repeat  string   `json:"repeat,omitempty"`  // the command that repeats what is wrong
	Notes   []string `json:"notes,omitempty"`   // as of a plan that gave up
	Partial bool     `json:"partial,omitempty"` // it was interrupted before it was measured

	Summary
	Samples   []int64        `json:"samples_ns,omitempty"` // of each repetition, in order
	Kernels   []KernelResult `json:"kernels,omitempty"`    // in launch order
	Bytes     int64          `json:"bytes,omitempty"`      // the least that all kernels move
	Predicted float64        `json:"predicted_ns,omitempty"`
	Plan      string         `json:"plan,omitempty"` // the kernels as a plan by hand
	Text      string         `json:"text,omitempty"` // a digest of the emitted kernels
	Lengths   []Length       `json:"lengths,omitempty"`
	Compile   int64          `json:"compile_ns,omitempty"`
}

// Length is the number of rows of a domain.
type Length struct {
	Domain   string `json:"domain"`
	Rows     int64  `json:"rows"`
	Measured bool   `json:"measured,omitempty"` // else it is assumed
}

// KernelResult is a kernel of a configuration.
type KernelResult struct {
	Name      string   `json:"name"`
	Stages    []string `json:"stages"`
	Bytes     int64    `json:"bytes"` // the least that it moves, at the lengths of this run
	Predicted float64  `json:"predicted_ns"`
	Median    float64  `json:"median_ns,omitempty"` // of its launches in one run, added up; 0 if the device does not tell
	Samples   []int64  `json:"samples_ns,omitempty"`
}

// summarize computes what follows from the samples.
func (r *Result) summarize() {
	r.Summary = Summarize(r.Samples)
	for i := range r.Kernels {
		k := &r.Kernels[i]
		k.Median = Summarize(k.Samples).Median
	}
}

// DeviceInfo describes a device of a report.
type DeviceInfo struct {
	Name    string  `json:"device"`
	Detail  string  `json:"detail,omitempty"`
	Profile string  `json:"profile"`                 // of the machine whose rates predict times
	Copy    float64 `json:"copy_gb_per_s,omitempty"` // GB/s, bytes read and written, of a kernel that copies a column
	Problem string  `json:"copy_problem,omitempty"`  // why there is no Copy
	Bytes   int64   `json:"copy_bytes,omitempty"`    // that the copy read and wrote
}

// Header says what a report is about.
type Header struct {
	Version   int               `json:"version"` // of the format
	Kgen      string            `json:"kgen"`
	Begun     time.Time         `json:"begun"`
	Machine   string            `json:"machine"`   // where kgen ran
	Reference string            `json:"reference"` // with what results are compared
	Inputs    map[string]string `json:"inputs"`    // what decides results: a digest of each pipeline, and of the flags that say what columns have
	Grids     []Grid            `json:"grids"`
	Limits    Limits            `json:"limits"`
}

// Report is a header and what belongs to it.
type Report struct {
	Header  Header
	Devices []DeviceInfo
	Results []Result
}

// Find returns the result of a configuration, or nil. A configuration of 0 rows is one
// over as many as the files have.
func (r *Report) Find(c Configuration) *Result {
	i := slices.IndexFunc(r.Results, func(x Result) bool {
		if c.Rows == 0 {
			x.Rows = 0
		}
		return x.Configuration == c
	})
	if i < 0 {
		return nil
	}
	return &r.Results[i]
}

// Arrange brings the results into the order of a list; others come last.
func (r *Report) Arrange(list []Configuration) {
	var ordered []Result
	for _, c := range list {
		if x := r.Find(c); x != nil {
			ordered = append(ordered, *x)
			x.Status = ""
		}
	}
	for _, x := range r.Results {
		if x.Status != "" {
			ordered = append(ordered, x)
		}
	}
	r.Results = ordered
}

// Device returns the description of a device, or one that has its name alone.
func (r *Report) Device(name string) DeviceInfo {
	for _, d := range r.Devices {
		if d.Name == name {
			return d
		}
	}
	return DeviceInfo{Name: name}
}

// Wrong counts the configurations that differ or failed.
func (r *Report) Wrong() (count int) {
	for _, x := range r.Results {
		if x.Status == Differs || x.Status == Failed {
			count++
		}
	}
	return count
}

// Of returns the results of an experiment, in its order.
func (r *Report) Of(g Grid) (list []*Result) {
	place := map[Configuration]int{}
	for i, c := range g.Configurations(r.shaped) {
		place[c] = i
	}
	placeOf := func(x *Result) (int, bool) {
		c := x.Configuration
		if len(g.Rows) == 0 { // as many as the files have
			c.Rows = 0
		}
		at, ok := place[c]
		return at, ok
	}
	for i := range r.Results {
		if _, ok := placeOf(&r.Results[i]); ok {
			list = append(list, &r.Results[i])
		}
	}
	slices.SortStableFunc(list, func(a, b *Result) int {
		i, _ := placeOf(a)
		j, _ := placeOf(b)
		return i - j
	})
	return list
}

// shaped reports whether there is a result of a device for a shape of kernels.
func (r *Report) shaped(device string) bool {
	return slices.ContainsFunc(r.Results, func(x Result) bool { return x.Device == device && x.Schedule != "" })
}

// distinct lists what get returns of the results, without repetitions.
func distinct[T comparable](results []*Result, get func(*Result) T) (list []T) {
	for _, r := range results {
		if v := get(r); !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// best returns the fastest of the results that agree, or nil.
func best(results []*Result) (fastest *Result) {
	for _, r := range results {
		if r.Status == Agrees && r.Count > 0 && (fastest == nil || r.Median < fastest.Median) {
			fastest = r
		}
	}
	return fastest
}

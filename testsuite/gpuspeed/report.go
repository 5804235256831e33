package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"os"

	"github.com/kgen-go/kgen/internal/simt"
)

// report holds the measurements.
type report struct {
	Device  string  `json:"device"`
	Machine string  `json:"machine"`
	Level   string  `json:"level"`
	Repeat  int     `json:"repeat"`
	Copy    float64 `json:"copy_GB/s"`
	Rates   []rate  `json:"rates"`
	Goals   []goal  `json:"goals"`
}

// goal is a goal of a workload and the value reached.
type goal struct {
	Workload string  `json:"workload"`
	Goal     string  `json:"goal"`
	Want     float64 `json:"want"`
	Got      float64 `json:"got"`
	Met      bool    `json:"met"`
}

func (g goal) String() string {
	outcome := "met"
	if !g.Met {
		outcome = "missed"
	}
	return fmt.Sprintf("%s %.2f %s", g.Goal, g.Want, outcome)
}

// within and openclWithin are goals in milliseconds; all others are rates.
const (
	within       = "ms"
	openclWithin = "OpenCL ms"
)

// goalRows is the number of rows that goals are for.
const goalRows = 1 << 28

const line = "%-27s %-40s %9s %6s %7s %6s  %s\n"

func (r *report) head(out io.Writer) {
	fmt.Fprintf(out, "%s (%s), level %s, %d repetitions", r.Device, r.Machine, r.Level, r.Repeat)
	if r.Copy > 0 {
		fmt.Fprintf(out, "; copy %.0f GB/s, reads and writes counted", r.Copy)
	}
	fmt.Fprint(out, "\n\n")
	fmt.Fprintf(out, line, "workload", "form", "ms", "GB/s", "of copy", "of CUB", "goals")
}

// emitted reports whether a rate belongs to emitted kernels.
func (r *report) emitted(x rate) bool { return !x.peer() && (!x.opencl() || isOpenCL(r.Device)) }

// lookback reports whether they wait for each other by a look-back, or not at all.
func (r *report) lookback(x rate) bool {
	return r.emitted(x) && (x.Scheme == simt.SchemeLookback || x.Scheme == "")
}

// best returns the fastest of the rates that pass, or nil.
func best(rates []rate, pass func(rate) bool) *rate {
	var found *rate
	for i := range rates {
		if r := &rates[i]; r.Time > 0 && pass(*r) && (found == nil || r.Rate > found.Rate) {
			found = r
		}
	}
	return found
}

// add records the rates of a workload and prints them.
func (r *report) add(out io.Writer, w *workload, rates []rate) {
	r.Rates = append(r.Rates, rates...)
	cub := best(rates, rate.peer)
	first, lookback := best(rates, r.emitted), best(rates, r.lookback)
	opencl := best(rates, rate.opencl)
	name := w.name
	for i := range rates {
		x := &rates[i]
		if x.Rows != goalRows && name != "" {
			name = fmt.Sprintf("2^%d %s", bits.Len64(uint64(x.Rows))-1, w.name)
		}
		if x.Time == 0 {
			fmt.Fprintf(out, line, name, x.Form, "-", "", "", "", x.Problem)
			name = ""
			continue
		}
		share, ratio, goals := "", "", ""
		if x.Share > 0 {
			share = fmt.Sprintf("%.3f", x.Share)
		}
		note := func(name string, want, got float64) {
			if want == 0 || got == 0 || x.Rows != goalRows {
				return
			}
			g := goal{w.name, name, want, got, got >= want-0.005} // goals have two digits
			if name == within || name == openclWithin {
				g.Met = got <= want+0.005
			}
			r.Goals = append(r.Goals, g)
			if goals != "" {
				goals += ", "
			}
			goals += g.String()
		}
		if x == first && !x.opencl() {
			note("best", w.goal.best, x.Share)
			note(within, w.within, float64(x.Time)/1e6)
		}
		if x == lookback && !x.opencl() {
			note("look-back", w.goal.lookback, x.Share)
		}
		if x == opencl {
			note("OpenCL", w.goal.opencl, x.Share)
			note(openclWithin, w.goal.openclWithin, float64(x.Time)/1e6)
		}
		if cub != nil && !x.peer() {
			ratio = fmt.Sprintf("%.2f", x.Rate/cub.Rate)
			switch {
			case x == first && !x.opencl():
				note("CUB", w.goal.cub, x.Rate/cub.Rate)
			case x == opencl:
				note("OpenCL of CUB", w.goal.openclCUB, x.Rate/cub.Rate)
			}
		}
		fmt.Fprintf(out, line, name, x.Form, fmt.Sprintf("%.4f", float64(x.Time)/1e6), fmt.Sprintf("%.0f", x.Rate), share, ratio, goals)
		for _, l := range x.Launches {
			fmt.Fprintf(out, line, "", "  "+l.Kernel, fmt.Sprintf("%.4f", float64(l.Time)/1e6), "", "", "", "")
		}
		name = ""
	}
}

func (r *report) summary(out io.Writer) {
	if len(r.Goals) == 0 {
		return
	}
	met := 0
	for _, g := range r.Goals {
		if g.Met {
			met++
		}
	}
	fmt.Fprintf(out, "\n%d of %d goals met\n", met, len(r.Goals))
	for _, g := range r.Goals {
		if !g.Met {
			fmt.Fprintf(out, "missed: %s, %s %.2f of %.2f\n", g.Workload, g.Goal, g.Got, g.Want)
		}
	}
}

// write writes all figures as JSON.
func (r *report) write(path string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o666)
}

// failed returns an error if a form has no time.
func (r *report) failed() error {
	var all []error
	for _, x := range r.Rates {
		if x.Problem != "" {
			all = append(all, fmt.Errorf("%s, %s: %s", x.Workload, x.Form, x.Problem))
		}
	}
	return errors.Join(all...)
}

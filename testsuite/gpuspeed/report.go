package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"os"

	"github.com/kgen-go/kgen/backends/simt"
)

// report is what was measured.
type report struct {
	Device  string  `json:"device"`
	Machine string  `json:"machine"`
	Level   string  `json:"level"`
	Repeat  int     `json:"repeat"`
	Copy    float64 `json:"copy_GB/s"`
	Rates   []rate  `json:"rates"`
	Goals   []goal  `json:"goals"`
}

// goal is a goal of a workload and what was reached.
type goal struct {
	Workload string  `json:"workload"`
	Goal     string  `json:"goal"`
	Want     float64 `json:"want"`
	Got      float64 `json:"got"`
}

func (g goal) met() bool { return g.Got >= g.Want-0.005 } // goals have two digits

func (g goal) String() string {
	outcome := "met"
	if !g.met() {
		outcome = "missed"
	}
	return fmt.Sprintf("%s %.2f of %.2f %s", g.Goal, g.Got, g.Want, outcome)
}

const line = "%-28s %-44s %9s %8s %8s %7s  %s\n"

func (r *report) print(out io.Writer) {
	fmt.Fprintf(out, "%s (%s), level %s, %d repetitions", r.Device, r.Machine, r.Level, r.Repeat)
	if r.Copy > 0 {
		fmt.Fprintf(out, "; copy %.0f GB/s, reads and writes counted", r.Copy)
	}
	fmt.Fprint(out, "\n\n")
	fmt.Fprintf(out, line, "workload", "form", "ms", "GB/s", "of copy", "of CUB", "goals")
}

// add records the rates of a workload and prints them.
func (r *report) add(out io.Writer, w *workload, rates []rate) {
	r.Rates = append(r.Rates, rates...)
	isPeer := func(x rate) bool { return x.Peer }
	isLookback := func(x rate) bool { return !x.Peer && (x.Scheme == simt.SchemeLookback || x.Scheme == "") }
	cub := best(rates, isPeer)
	first := best(rates, func(x rate) bool { return !x.Peer })
	lookback := best(rates, isLookback)
	full := rates[0].Rows == 1<<28
	for i := range rates {
		x := &rates[i]
		name := ""
		if i == 0 {
			name = w.name
			if !full {
				name = fmt.Sprintf("2^%d %s", bits.Len64(uint64(x.Rows))-1, w.name)
			}
		}
		if x.Time == 0 {
			fmt.Fprintf(out, line, name, x.Form, "-", "", "", "", x.Problem)
			continue
		}
		share, ratio, goals := "", "", ""
		if x.Share > 0 {
			share = fmt.Sprintf("%.3f", x.Share)
		}
		if cub != nil && !x.Peer {
			ratio = fmt.Sprintf("%.2f", x.Rate/cub.Rate)
		}
		note := func(name string, want, got float64) {
			if want == 0 || got == 0 || !full {
				return
			}
			g := goal{w.name, name, want, got}
			r.Goals = append(r.Goals, g)
			if goals != "" {
				goals += "; "
			}
			goals += g.String()
		}
		if x == first {
			note("best", w.goal.best, x.Share)
			if cub != nil {
				note("CUB", w.goal.cub, x.Rate/cub.Rate)
			}
		}
		if x == lookback {
			note("look-back", w.goal.lookback, x.Share)
		}
		fmt.Fprintf(out, line, name, x.Form, fmt.Sprintf("%.4f", float64(x.Time)/1e6), fmt.Sprintf("%.0f", x.Rate), share, ratio, goals)
	}
}

func (r *report) summary(out io.Writer) {
	if len(r.Goals) == 0 {
		return
	}
	met := 0
	for _, g := range r.Goals {
		if g.met() {
			met++
		}
	}
	fmt.Fprintf(out, "\n%d of %d goals met\n", met, len(r.Goals))
}

// write writes all figures as JSON.
func (r *report) write(path string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o666)
}

// failed is an error where a form has no time.
func (r *report) failed() error {
	var all []error
	for _, x := range r.Rates {
		if x.Problem != "" {
			all = append(all, fmt.Errorf("%s, %s: %s", x.Workload, x.Form, x.Problem))
		}
	}
	return errors.Join(all...)
}

func floatOf(bits uint64) float64 { return math.Float64frombits(bits) }

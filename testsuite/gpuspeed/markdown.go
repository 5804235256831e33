package main

import (
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strings"
)

// markdown writes the rates as tables of docs/performance.md: a line per
// workload, or for a curve one per number of rows.
func (r *report) markdown(out io.Writer) {
	var names []string
	var sizes []int64
	for _, x := range r.Rates {
		if !slices.Contains(names, x.Workload) {
			names = append(names, x.Workload)
		}
		if !slices.Contains(sizes, x.Rows) {
			sizes = append(sizes, x.Rows)
		}
	}
	row := func(cells ...string) { fmt.Fprintf(out, "| %s |\n", strings.Join(cells, " | ")) }
	if len(sizes) > 1 {
		cells := []string{"rows"}
		for _, name := range names {
			cells = append(cells, name+": µs", "GB/s", "CUB: µs", "ratio")
		}
		row(cells...)
		row(slices.Repeat([]string{"---"}, len(cells))...)
		for _, rows := range sizes {
			cells = []string{fmt.Sprintf("2^%d", bits.Len64(uint64(rows))-1)}
			for _, name := range names {
				first, cub := r.best(name, rows, r.emitted), r.best(name, rows, rate.peer)
				cells = append(cells, first.cell("%.1f", 1e3), first.cell("%.0f", 0), cub.cell("%.1f", 1e3), first.over(cub))
			}
			row(cells...)
		}
		return
	}
	table := [][]string{{"workload", "ms", "goal", "GB/s", "of copy", "goal", "look-back", "goal", "CUB, ms", "ratio", "goal", "OpenCL", "goal", "best schedule"}}
	for _, name := range names {
		first, lookback := r.best(name, sizes[0], r.emitted), r.best(name, sizes[0], r.lookback)
		cub, opencl := r.best(name, sizes[0], rate.peer), r.best(name, sizes[0], rate.opencl)
		table = append(table, []string{name, first.cell("%.4f", 1), r.outcome(name, within), first.cell("%.0f", 0), first.share(), r.outcome(name, "best"),
			lookback.share(), r.outcome(name, "look-back"), cub.cell("%.4f", 1), first.over(cub), r.outcome(name, "CUB"), opencl.share(), r.outcome(name, "OpenCL"), first.form()})
	}
	table = withoutEmpty(table)
	row(table[0]...)
	row(slices.Repeat([]string{"---"}, len(table[0]))...)
	for _, cells := range table[1:] {
		row(cells...)
	}
}

// withoutEmpty leaves out the columns that have nothing below their heads.
func withoutEmpty(table [][]string) [][]string {
	kept := make([][]string, len(table))
	for i := range table[0] {
		if slices.ContainsFunc(table[1:], func(cells []string) bool { return cells[i] != "" }) {
			for j, cells := range table {
				kept[j] = append(kept[j], cells[i])
			}
		}
	}
	return kept
}

// best returns the fastest rate of a workload that passes, or nil.
func (r *report) best(name string, rows int64, pass func(rate) bool) *rate {
	return best(r.Rates, func(x rate) bool { return x.Workload == name && x.Rows == rows && pass(x) })
}

// outcome is a goal of a workload, in bold if it is missed.
func (r *report) outcome(name, which string) string {
	for _, g := range r.Goals {
		if g.Workload == name && g.Goal == which {
			text := fmt.Sprintf("%.2f", g.Want)
			if which == within {
				text += " ms"
			}
			if g.Met {
				return text
			}
			return "**" + text + "**"
		}
	}
	return ""
}

// cell is the time in milliseconds times scale, or for scale 0 the rate.
func (r *rate) cell(format string, scale float64) string {
	switch {
	case r == nil:
		return ""
	case scale > 0:
		return fmt.Sprintf(format, float64(r.Time)/1e6*scale)
	}
	return fmt.Sprintf(format, r.Rate)
}

func (r *rate) share() string {
	if r == nil || r.Share == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", r.Share)
}

// over is the rate as a multiple of another.
func (r *rate) over(other *rate) string {
	if r == nil || other == nil {
		return ""
	}
	return fmt.Sprintf("%.2f", r.Rate/other.Rate)
}

func (r *rate) form() string {
	if r == nil {
		return ""
	}
	return r.Form
}

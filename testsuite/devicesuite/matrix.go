package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/kgen-go/kgen/internal/difftest"
)

// total is the sum of a matrix.
type total struct {
	cells, left, failed int
	runs, differ        int
}

// printMatrix writes the devices with their schedules and levels, the cells
// that were not run, with reasons, and the differences.
func printMatrix(out io.Writer, rows []*row) (t total) {
	levels := levelsOf(rows)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "DEVICE\tSCHEDULE\t%s\n", strings.Join(levels, "\t"))
	for _, r := range rows {
		if len(r.cells) == 0 {
			why := "no cell was chosen"
			if r.absent {
				why = "absent"
			}
			fmt.Fprintf(w, "%s\t%s\n", r.name, why)
		}
		for _, schedule := range schedulesOf(r) {
			fmt.Fprintf(w, "%s\t%s", r.name, cmp.Or(schedule, "-"))
			for _, level := range levels {
				i := slices.IndexFunc(r.cells, func(c *cell) bool { return c.schedule == schedule && c.level == level })
				text := ""
				if i >= 0 {
					text = t.add(r.cells[i])
				}
				fmt.Fprintf(w, "\t%s", text)
			}
			fmt.Fprintln(w)
		}
	}
	w.Flush()
	fmt.Fprintf(out, "\n%d of %d cells done, %d runs compared, %d differ, %d cells failed\n", t.cells-t.left-t.failed, t.cells, t.runs, t.differ, t.failed)
	for _, r := range rows {
		what := "is"
		if r.absent {
			what = "is absent:"
		}
		fmt.Fprintf(out, "%s %s %s\n", r.name, what, strings.TrimPrefix(r.device+": ", r.name+": ")+r.detail)
		if r.omitted > 0 {
			fmt.Fprintf(out, "  without -all: %d cells are left out\n", r.omitted)
		}
		r.printReasons(out, "not run", func(c *difftest.Cell) map[string]int { return c.Absent })
		r.printReasons(out, "results of a fallback", func(c *difftest.Cell) map[string]int { return c.GaveUp })
	}
	for _, r := range rows {
		for _, c := range r.cells {
			printFaults(out, c)
		}
	}
	return t
}

// add counts a cell and returns its text in the matrix.
func (t *total) add(c *cell) string {
	t.cells++
	switch {
	case c.failure != "":
		t.failed++
		return "failed"
	case c.record == nil:
		t.left++
		return "not run yet"
	}
	t.runs += c.record.Report.Executions
	text := fmt.Sprint(c.record.Report.Executions)
	fallback := 0
	for _, part := range c.record.Report.Cells {
		for _, n := range part.GaveUp {
			fallback += n
		}
	}
	if fallback > 0 {
		text += fmt.Sprintf(", %d by a fallback", fallback)
	}
	if n := c.record.differ(); n > 0 {
		t.differ += n
		text += fmt.Sprintf(", %d differ", n)
	}
	return text
}

func levelsOf(rows []*row) (levels []string) {
	for _, r := range rows {
		for _, c := range r.cells {
			if !slices.Contains(levels, c.level) {
				levels = append(levels, c.level)
			}
		}
	}
	return levels
}

func schedulesOf(r *row) (schedules []string) {
	for _, c := range r.cells {
		if !slices.Contains(schedules, c.schedule) {
			schedules = append(schedules, c.schedule)
		}
	}
	return schedules
}

// printReasons prints the counts by reason.
func (r *row) printReasons(out io.Writer, what string, of func(*difftest.Cell) map[string]int) {
	programs, cells := map[string]int{}, map[string]int{}
	for _, c := range r.cells {
		if c.record == nil {
			continue
		}
		for _, part := range c.record.Report.Cells {
			for reason, n := range of(part) {
				programs[reason] += n
				cells[reason]++
			}
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(programs)) {
		fmt.Fprintf(out, "  %s: %d in %d cells, %s\n", what, programs[reason], cells[reason], strings.TrimPrefix(reason, difftest.ErrAbsent.Error()+": "))
	}
}

// mostPrinted is how many differences of a cell are printed; its file has all.
const mostPrinted = 3

// printFaults prints the faults of a cell.
func printFaults(out io.Writer, c *cell) {
	if c.failure != "" {
		fmt.Fprintf(out, "\n%s failed: %s\n", c, c.failure)
	}
	if c.record == nil || c.record.differ() == 0 {
		return
	}
	fmt.Fprintf(out, "\n%s: %d differ: %s\n", c, c.record.differ(), c.record.Command)
	for i, m := range c.record.Report.Mismatches {
		if i == mostPrinted {
			fmt.Fprintf(out, "  and %d programs more\n", len(c.record.Report.Mismatches)-i)
			break
		}
		fmt.Fprintf(out, "  %s, %s\n    %s\n    %s\n", m.Program, m.Data, strings.ReplaceAll(m.Difference, "\n", "\n    "), m.Repeat)
	}
	for i, text := range c.record.Findings {
		if i == mostPrinted {
			fmt.Fprintf(out, "  and %d findings more\n", len(c.record.Findings)-i)
			break
		}
		fmt.Fprintf(out, "  %s\n", strings.ReplaceAll(text, "\n", "\n    "))
	}
}

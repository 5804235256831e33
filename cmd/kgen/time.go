package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/kgen-go/kgen"
)

// step is a section of a run, in the sense of tables 5 and 8 of the seed's
// query operators: what a user waits for, one after the other.
type step = kgen.Step

// clock cuts a run into steps.
type clock struct {
	steps []step
	begun time.Time
}

func newClock() *clock { return &clock{begun: time.Now()} }

// end names the step that ends here.
func (c *clock) end(name string) {
	now := time.Now()
	c.steps = append(c.steps, step{Name: name, Elapsed: now.Sub(c.begun)})
	c.begun = now
}

// add puts steps that somebody else has measured behind one, of that name, which
// took the rest of the time, and begins the next.
func (c *clock) add(name string, steps []step) {
	now := time.Now()
	rest := now.Sub(c.begun)
	for _, s := range steps {
		rest -= s.Elapsed
	}
	c.steps = append(append(c.steps, step{Name: name, Elapsed: rest}), steps...)
	c.begun = now
}

// printTimes prints what repetitions on a device took, if there were any.
func printTimes(out io.Writer, times []time.Duration) error {
	if len(times) == 0 {
		return nil
	}
	sorted := slices.Sorted(slices.Values(times))
	ms := func(i int) float64 { return float64(sorted[i].Nanoseconds()) / 1e6 }
	_, err := fmt.Fprintf(out, "fills and kernels again, %d times: median %.3f ms, least %.3f, most %.3f\n",
		len(times), ms(len(times)/2), ms(0), ms(len(times)-1))
	return err
}

// printSteps prints a line per step; per row of the longest input where it has rows.
func printSteps(out io.Writer, steps []step, rows int64) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	const width = len(kgen.StepCached) // the same with and without it
	var total time.Duration
	line := func(name string, elapsed time.Duration) {
		perRow := ""
		if rows > 0 {
			perRow = fmt.Sprintf("%.3f", float64(elapsed.Nanoseconds())/float64(rows))
		}
		fmt.Fprintf(w, "%*s\t%.3f\t%s\t\n", width, name, float64(elapsed.Nanoseconds())/1e6, perRow)
	}
	fmt.Fprintf(w, "%*s\tms\tns/row\t\n", width, "step")
	for _, s := range steps {
		total += s.Elapsed
		line(s.Name, s.Elapsed)
	}
	line("total", total)
	return w.Flush()
}

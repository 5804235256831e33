package explore

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Change is a configuration that two reports have.
type Change struct {
	Configuration
	Before, After Result
	Ratio
}

// Comparison compares two reports.
type Comparison struct {
	Changes []Change        // worst first
	Gone    []Configuration // that only the first report has
	New     []Configuration // that only the second one has
	Worse   []Change        // that agreed before and do not agree now
}

// Compare compares the results of two reports, configuration by configuration.
func Compare(before, after *Report) *Comparison {
	c := &Comparison{}
	for _, b := range before.Results {
		a := after.Find(b.Configuration)
		switch {
		case a == nil:
			c.Gone = append(c.Gone, b.Configuration)
		case b.Status == Agrees && a.Status != Agrees:
			c.Worse = append(c.Worse, Change{Configuration: b.Configuration, Before: b, After: *a})
		case b.Status == Agrees && a.Status == Agrees:
			c.Changes = append(c.Changes, Change{b.Configuration, b, *a, ratioOf(b.Summary, a.Summary)})
		}
	}
	for _, a := range after.Results {
		if before.Find(a.Configuration) == nil {
			c.New = append(c.New, a.Configuration)
		}
	}
	slices.SortStableFunc(c.Changes, func(x, y Change) int {
		switch {
		case x.Value > y.Value:
			return -1
		case x.Value < y.Value:
			return 1
		}
		return 0
	})
	return c
}

// Count counts the changes of a verdict.
func (c *Comparison) Count(v Verdict) (count int) {
	for _, x := range c.Changes {
		if x.Verdict == v {
			count++
		}
	}
	return count
}

// WriteText writes what became slower and faster, with the uncertainty.
func (c *Comparison) WriteText(out io.Writer) error {
	w := &textWriter{out: out}
	for _, v := range []Verdict{Slower, Faster, Unknown} {
		rows := [][]string{{strings.ToUpper(string(v)), "BEFORE", "AFTER", "TIMES", "BETWEEN"}}
		for _, x := range c.Changes {
			if x.Verdict == v {
				rows = append(rows, []string{x.name(), Nanoseconds(x.Before.Median), Nanoseconds(x.After.Median),
					fmt.Sprintf("%.3f", x.Value), fmt.Sprintf("%.3f and %.3f", x.Low, x.High)})
			}
		}
		if len(rows) > 1 {
			w.table(rows)
			w.printf("\n")
		}
	}
	for _, x := range c.Worse {
		w.printf("%s agreed and now %s: %s\n", x.name(), x.After.Status, x.After.Problem)
	}
	for _, gone := range c.Gone {
		w.printf("only before: %s\n", Change{Configuration: gone}.name())
	}
	for _, added := range c.New {
		w.printf("only after: %s\n", Change{Configuration: added}.name())
	}
	w.printf("%d compared: %d slower, %d faster, %d without a difference that the samples show, %d with too few samples\n",
		len(c.Changes), c.Count(Slower), c.Count(Faster), c.Count(Alike), c.Count(Unknown))
	return w.err
}

func (x Change) name() string {
	return fmt.Sprintf("%s %s, %s rows, %s", x.Pipeline, x.Configuration, Count(x.Rows), x.Data)
}

package explore

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Choice is what level auto chose for a pipeline over some columns on a device, beside the
// fastest of all that was measured there.
type Choice struct {
	DataSet
	Device     string
	Auto, Best *Result
	Control    *Result // auto, measured a second time; nil if it was not
	// Times are the least of all samples: configurations take turns, and what else a machine does
	// only makes samples longer, of one configuration more than of another. Of auto and its
	// control the lesser counts, for the same reason.
	Over float64 // how much longer auto took, as a fraction; 0 if it is the fastest, or the same kernels are
}

// Chance is how far auto and its control are apart, as a fraction; 0 without one.
func (c *Choice) Chance() float64 {
	if c.Control == nil {
		return 0
	}
	return apart(c.Auto.least(), c.Control.least())
}

// time is that of auto.
func (c *Choice) time() float64 {
	if c.Control == nil {
		return c.Auto.least()
	}
	return min(c.Auto.least(), c.Control.least())
}

// automatic is the level whose choices are judged.
const automatic = "auto"

// Choices compares level auto, without settings, with all levels and schedules, the worst
// choice first.
func (r *Report) Choices() (list []Choice) {
	var all []*Result
	for i := range r.Results {
		all = append(all, &r.Results[i])
	}
	for _, d := range distinct(all, (*Result).DataSet) {
		of := over(all, d)
		for _, device := range distinct(of, func(x *Result) string { return x.Device }) {
			var here []*Result
			var auto, control *Result
			for _, x := range of {
				isMeasured := x.Status == Agrees && x.Count > 0
				switch {
				case x.Device != device:
				case x.Control && isMeasured:
					control = x
				case !x.Control:
					here = append(here, x)
					if x.Level == automatic && x.Schedule == "" && isMeasured {
						auto = x
					}
				}
			}
			fastest := quickest(here)
			if auto == nil || fastest == nil {
				continue
			}
			c := Choice{DataSet: d, Device: device, Auto: auto, Best: fastest, Control: control}
			if fastest.Plan != auto.Plan || fastest.Schedule != auto.Schedule {
				c.Over = max(c.time()/fastest.least()-1, 0)
			}
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b Choice) int { return cmp.Compare(b.Over, a.Over) })
	return list
}

// least returns the least of the samples in nanoseconds, or the median if they are not kept.
func (r *Result) least() float64 {
	if len(r.Samples) == 0 {
		return r.Median
	}
	return float64(slices.Min(r.Samples))
}

// quickest returns the result with the least sample, nil without any.
func quickest(results []*Result) (fastest *Result) {
	for _, r := range results {
		if r.Status == Agrees && r.Count > 0 && (fastest == nil || r.least() < fastest.least()) {
			fastest = r
		}
	}
	return fastest
}

// Reason says which kernel's prediction is to blame most for a choice that is not the best:
// the one whose time contradicts the order that was predicted by the most.
func (c *Choice) Reason() string {
	if c.Over <= 0 {
		return ""
	}
	if c.Auto.Predicted > c.Best.Predicted {
		return "it was predicted to be better, and not tried"
	}
	var worst *KernelResult
	most := 0.0
	blame := func(kernels []KernelResult, sign float64) {
		for i := range kernels {
			k := &kernels[i]
			if by := sign * (k.Median - k.Predicted); k.Median > 0 && by > most {
				most, worst = by, k
			}
		}
	}
	blame(c.Auto.Kernels, 1)
	blame(c.Best.Kernels, -1)
	if worst == nil || worst.Predicted <= 0 {
		return "what lies between kernels"
	}
	of := "auto"
	if worst.Median < worst.Predicted {
		of = "the best"
	}
	return fmt.Sprintf("%s of %s took %.2g times its %s", shortened(strings.Join(worst.Stages, " ")), of, worst.Median/worst.Predicted, Nanoseconds(worst.Predicted))
}

// Choices are good within a tenth of the best; so many of the worst are shown.
const (
	goodChoice   = 0.1
	worstChoices = 10
)

// WriteChoices writes how far the choices of level auto are from the best measured, per
// device, and the worst of them.
func (r *Report) WriteChoices(out io.Writer) error {
	list := r.Choices()
	if len(list) == 0 {
		return fmt.Errorf("level %s was measured for none of the pipelines", automatic)
	}
	var devices []string
	for _, c := range list {
		if !slices.Contains(devices, c.Device) {
			devices = append(devices, c.Device)
		}
	}
	for _, device := range devices {
		good, all, apart, controls, undecided := 0, 0, 0, 0, 0
		for _, c := range list {
			if c.Device != device {
				continue
			}
			all++
			if c.Over <= goodChoice {
				good++
			}
			if c.Control != nil {
				controls++
			}
			if c.Chance() > goodChoice {
				apart++
			}
			if c.Over > goodChoice && c.Over <= c.Chance() {
				undecided++
			}
		}
		fmt.Fprintf(out, "%s: auto is within %.0f %% of the best measured in %d of %d cases (%.1f %%); costs are of the %s machine\n",
			device, 100*goodChoice, good, all, 100*float64(good)/float64(all), r.Device(device).Profile)
		if controls > 0 {
			fmt.Fprintf(out, "%s: measured a second time, auto took over %.0f %% more or less by chance in %d of %d cases, which leaves %d of the others undecided\n", device, 100*goodChoice, apart, controls, undecided)
		}
	}
	rows := [][]string{{"WORST", "ROWS", "DEVICE", "AUTO", "BEST", "OVER", "PREDICTED", "OF BEST", "BEST IS", "ITS KERNELS", "KERNELS OF AUTO", "REASON"}}
	for _, c := range list {
		if len(rows) > worstChoices || c.Over <= 0 {
			break
		}
		rows = append(rows, []string{c.Pipeline, Count(c.Rows), c.Device, Nanoseconds(c.time()), Nanoseconds(c.Best.least()), fmt.Sprintf("%+.0f %%", 100*c.Over),
			Nanoseconds(c.Auto.Predicted), Nanoseconds(c.Best.Predicted), strings.TrimSpace(c.Best.Level + " " + c.Best.Schedule), shortened(c.Best.Plan), shortened(c.Auto.Plan), c.Reason()})
	}
	if len(rows) == 1 {
		return nil
	}
	fmt.Fprintln(out)
	return WriteTable(out, rows)
}

// shortened cuts a plan of many stages.
func shortened(plan string) string {
	const most = 60
	plan = strings.Join(strings.Fields(plan), " ")
	if len(plan) > most {
		return plan[:most] + "..."
	}
	return plan
}

package explore

import (
	"cmp"
	"errors"
	"fmt"
	"html"
	"io"
	"math"
	"slices"
)

// The picture of predicted against measured times: a square, with a margin for the axes.
const (
	scatterSide   = 480
	scatterMargin = 56
)

// scatterColours tell devices apart, also for the colour-blind (Okabe and Ito).
var scatterColours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00"}

// WriteScatter writes an SVG with a point for each configuration: its time as predicted,
// from left to right, and as measured, upwards. On the diagonal they are equal.
func (r *Report) WriteScatter(out io.Writer) error {
	points := map[string][][2]float64{} // by device: predicted, measured
	low, high := math.Inf(1), 0.0
	for i := range r.Results {
		x := &r.Results[i]
		if x.Status != Agrees || x.Count == 0 || x.Predicted <= 0 || x.Median <= 0 {
			continue
		}
		points[x.Device] = append(points[x.Device], [2]float64{x.Predicted, x.Median})
		low, high = min(low, x.Predicted, x.Median), max(high, x.Predicted, x.Median)
	}
	if len(points) == 0 {
		return errors.New("nothing was measured that could be shown")
	}
	first, last := math.Floor(math.Log10(low)), math.Ceil(math.Log10(high))
	last = max(last, first+1)
	at := func(ns float64) float64 { return (math.Log10(ns) - first) / (last - first) * scatterSide }
	w := &textWriter{out: out}
	size := scatterSide + 2*scatterMargin
	w.printf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="Measured times of configurations over predicted ones">`+"\n", size, size, size, size)
	w.printf("<title>Measured over predicted times</title>\n<style>text{font:13px sans-serif;fill:#1d2430}.p{fill:none;stroke-width:5;stroke-linecap:round;stroke-opacity:.55}.g{stroke:#d5dae3}.e{text-anchor:end}.m{text-anchor:middle}</style>\n")
	w.printf(`<rect width="%d" height="%d" fill="#fff"/><g transform="translate(%d %d)">`+"\n", size, size, scatterMargin, scatterMargin)
	for decade := first; decade <= last; decade++ {
		x := at(math.Pow(10, decade))
		y := scatterSide - x
		w.printf(`<path class="g" d="M%.0f 0V%dM0 %.0fH%d"/>`, x, scatterSide, y, scatterSide)
		w.printf(`<text class="m" x="%.0f" y="%d">%s</text><text class="e" x="-6" y="%.0f">%s</text>`+"\n", x, scatterSide+18, tenTo(decade), y+4, tenTo(decade))
	}
	w.printf(`<path d="M0 %dL%d 0" stroke="#555" stroke-dasharray="5 4"/>`+"\n", scatterSide, scatterSide)
	w.printf(`<text class="m" x="%d" y="%d">predicted</text><text class="m" transform="translate(-42 %d) rotate(-90)">measured</text>`+"\n", scatterSide/2, scatterSide+40, scatterSide/2)
	devices := make([]string, 0, len(points))
	for device := range points {
		devices = append(devices, device)
	}
	slices.Sort(devices)
	for i, device := range devices {
		colour := scatterColours[i%len(scatterColours)]
		of := points[device]
		slices.SortFunc(of, func(a, b [2]float64) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
		w.printf(`<path class="p" stroke="%s" d="`, colour)
		for _, p := range of {
			w.printf("M%.1f %.1fh0", at(p[0]), scatterSide-at(p[1]))
		}
		w.printf("\"/>\n")
		w.printf(`<text x="10" y="%d" style="fill:%s">%s: %d, half of them within a factor of %.2f</text>`+"\n", 20+18*i, colour, html.EscapeString(device), len(of), medianFactor(of))
	}
	w.printf("</g></svg>\n")
	return w.err
}

// tenTo returns a power of ten nanoseconds with a unit.
func tenTo(decade float64) string {
	units := []string{"ns", "µs", "ms", "s"}
	unit := min(max(int(math.Floor(decade/3)), 0), len(units)-1)
	return fmt.Sprintf("%.0f %s", math.Pow(10, decade-float64(3*unit)), units[unit])
}

// medianFactor returns the factor by which half of the points lie at most off the diagonal.
func medianFactor(points [][2]float64) float64 {
	var off []float64
	for _, p := range points {
		off = append(off, math.Abs(math.Log(p[1]/p[0])))
	}
	slices.Sort(off)
	return math.Exp(off[len(off)/2])
}

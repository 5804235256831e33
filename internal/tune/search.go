package tune

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
)

// DefaultDelta is the delta of [Options] that crosses the plateaus of the space that the
// paper shows from all starts but one.
const DefaultDelta = 0.05

// Measure returns the time of a point: infinite if it does not run or its results are
// wrong. The error ends the search.
type Measure func(context.Context, Point) (time float64, err error)

// ErrNotRun is returned by [Measure] for a point that cannot be run, by the rules of kgen
// or of the device. It costs no measurement and does not count as tried.
var ErrNotRun = errors.New("the configuration cannot be run")

// Options of a search.
type Options struct {
	// Delta is the difference of times, as a fraction, up to which neighbours are alike:
	// as much as times vary by themselves.
	Delta float64
	// Most bounds the points that are tried; 0 does not.
	Most int
	// Seed chooses the points of [Random].
	Seed uint64
}

// Search is one of the searches.
type Search struct {
	Name string
	run  func(*searching, Point) error
}

// The searches.
var (
	Gradient = Search{"gradient", (*searching).gradient}
	Full     = Search{"full", (*searching).full}
	Random   = Search{"random", (*searching).random}
)

// Searches lists them, the default first.
var Searches = []Search{Gradient, Full, Random}

// Found is what a search has found.
type Found struct {
	Best  Point   // nil if nothing ran
	Time  float64 // of Best; infinite if nothing ran
	Tried int     // points that were measured, or that failed when they ran
	Not   int     // points that cannot be run
	Whole bool    // the search came to its own end, and not to that of Most or the context
	Moves []Move  // of Gradient, in order
}

// Move is a step of a path from one point to the next.
type Move struct{ From, To Point }

// Run searches a space from a point. If the context ends, what has been found is
// returned with its error.
func (s Search) Run(ctx context.Context, space Space, start Point, measure Measure, o Options) (Found, error) {
	w := &searching{Space: space, Options: o, ctx: ctx, measure: measure, times: map[int]float64{}}
	w.Time = math.Inf(1)
	if err := space.check(start); err != nil {
		return w.Found, err
	}
	err := s.run(w, start)
	switch {
	case err == nil:
		w.Whole = true
	case errors.Is(err, errMost):
		err = nil
	}
	return w.Found, err
}

// errMost ends a search that has tried as many points as it may.
var errMost = errors.New("as many points as asked for were tried")

// searching is a running search.
type searching struct {
	Space
	Options
	Found
	ctx     context.Context
	measure Measure
	times   map[int]float64 // by number of the point
}

// time returns the time of a point, which is measured once.
func (w *searching) time(p Point) (float64, error) {
	n := w.number(p)
	if t, known := w.times[n]; known {
		return t, nil
	}
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	if w.Most > 0 && w.Tried >= w.Most {
		return 0, errMost
	}
	t, err := w.measure(w.ctx, p)
	switch {
	case errors.Is(err, ErrNotRun):
		t = math.Inf(1)
		w.Not++
	case err != nil:
		return 0, err
	default:
		w.Tried++
	}
	w.times[n] = t
	if t < w.Time {
		w.Best, w.Time = slices.Clone(p), t
	}
	return t, nil
}

// gradient follows paths to minima. A path goes on at the fastest neighbour, and branches
// where others are as fast within delta: it then goes on at each of them, also along a
// plateau on which no neighbour is faster. Paths take their steps in turn. One ends where
// all neighbours are slower, or if it is slower than the fastest point found before the
// turn.
func (w *searching) gradient(start Point) error {
	if err := w.begin(start); err != nil {
		return err
	}
	paths := []Point{w.Best}
	met := map[int]bool{w.number(w.Best): true}
	for len(paths) > 0 {
		var next []Point
		limit := w.Time * (1 + w.Delta)
		for _, p := range paths {
			here := w.times[w.number(p)]
			if here > limit {
				continue
			}
			neighbours := w.neighbours(p)
			least := math.Inf(1)
			for _, q := range neighbours {
				t, err := w.time(q)
				if err != nil {
					return err
				}
				least = min(least, t)
			}
			for _, q := range neighbours {
				n := w.number(q)
				if t := w.times[n]; !met[n] && !math.IsInf(t, 1) && t <= min(least, here)*(1+w.Delta) {
					met[n] = true
					w.Moves = append(w.Moves, Move{p, q})
					next = append(next, q)
				}
			}
		}
		paths = next
	}
	return nil
}

// begin measures the start or, where that does not run, points around it until one does,
// the nearest first. Without any, the space has been searched.
func (w *searching) begin(start Point) error {
	queue := []Point{start}
	seen := map[int]bool{w.number(start): true}
	for len(queue) > 0 && w.Best == nil {
		p := queue[0]
		queue = queue[1:]
		if _, err := w.time(p); err != nil {
			return err
		}
		for _, q := range w.neighbours(p) {
			if n := w.number(q); !seen[n] {
				seen[n] = true
				queue = append(queue, q)
			}
		}
	}
	if w.Best == nil {
		return ErrNothingRuns
	}
	return nil
}

// ErrNothingRuns is returned if no point of a space runs.
var ErrNothingRuns = errors.New("no configuration runs")

// full tries every point.
func (w *searching) full(Point) error {
	for n := range w.Size() {
		if _, err := w.time(w.point(n)); err != nil {
			return err
		}
	}
	return w.ran()
}

// random tries points in an order of chance, up to all of them.
func (w *searching) random(start Point) error {
	if _, err := w.time(start); err != nil {
		return err
	}
	for _, n := range rand.New(rand.NewPCG(w.Seed, 0)).Perm(w.Size()) {
		if _, err := w.time(w.point(n)); err != nil {
			return err
		}
	}
	return w.ran()
}

func (w *searching) ran() error {
	if w.Best == nil {
		return ErrNothingRuns
	}
	return nil
}

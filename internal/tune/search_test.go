package tune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// published is the search space that the paper shows: SHARED aggregation of about 8
// million groups on a Tesla K40m, run times over the least one. A row is a number of
// work-items per work-group, from 1 to 1024; a column one of work-groups per compute unit.
const published = `
	54.43 27.12 13.69 7.00 3.60 3.56 3.54 3.53 3.52 3.51 3.48
	33.65 16.86 8.62 4.43 2.31 2.28 2.25 2.25 2.24 2.24 2.22
	21.18 10.68 5.54 2.88 1.54 1.53 1.50 1.50 1.50 1.50 1.49
	13.54 6.97 3.64 1.90 1.14 1.14 1.13 1.13 1.13 1.12 1.12
	8.71 4.52 2.34 1.30 1.01 1.01 1.01 1.00 1.00 1.01 1.00
	6.04 3.13 1.63 1.14 1.10 1.10 1.10 1.09 1.10 1.10 1.09
	3.08 1.63 1.14 1.10 1.42 1.42 1.41 1.41 1.41 1.40 1.40
	1.59 1.14 1.09 1.42 1.52 1.52 1.52 1.51 1.50 1.50 1.50
	1.14 1.10 1.42 1.51 1.52 1.52 1.51 1.51 1.51 1.50 1.51
	1.10 1.42 1.51 1.51 1.51 1.51 1.51 1.50 1.49 1.49 1.48
	1.42 1.51 1.50 1.51 1.50 1.51 1.49 1.48 1.49 1.46 1.49`

// surface is a synthetic space of two ordered axes: a digit of time per point, x for one
// that fails when it runs, and - for one that cannot be run.
type surface [][]float64

func parse(t *testing.T, text string) surface {
	t.Helper()
	var s surface
	for line := range strings.Lines(strings.TrimSpace(text)) {
		var row []float64
		for field := range strings.FieldsSeq(line) {
			switch field {
			case "x":
				row = append(row, math.Inf(1))
			case "-":
				row = append(row, math.NaN())
			default:
				time, err := strconv.ParseFloat(field, 64)
				if err != nil {
					t.Fatal(err)
				}
				row = append(row, time)
			}
		}
		s = append(s, row)
	}
	return s
}

func (s surface) space() Space {
	return Space{[]Axis{ordered("y", len(s)), ordered("x", len(s[0]))}}
}

func ordered(key string, n int) Axis {
	a := Axis{Key: key, Ordered: true}
	for i := range n {
		a.Values = append(a.Values, fmt.Sprint(i))
	}
	return a
}

func (s surface) measure(_ context.Context, p Point) (float64, error) {
	if time := s[p[0]][p[1]]; !math.IsNaN(time) {
		return time, nil
	}
	return math.Inf(1), ErrNotRun
}

func TestGradient(t *testing.T) {
	for _, test := range []struct {
		name    string
		surface string
		start   Point
		delta   float64
		time    float64
		tried   int // counted by hand on small surfaces
		not     int
	}{
		{"a valley, followed straight", "9 8 7 6 5 4 3 2 1", Point{0, 0}, 0.05, 1, 9, 0},
		{"only the way down and what is beside it", `
			9 9 9 9 9
			5 4 3 2 1
			9 9 9 9 9
			9 9 9 9 9`, Point{1, 0}, 0.05, 1, 15, 0},
		{"a plateau is crossed", "5 5 5 5 5 1 9 9", Point{0, 0}, 0.05, 1, 7, 0},
		{"no plateau where delta is less than the steps", "5 5.2 5.1 4 1", Point{0, 0}, 0.01, 5, 2, 0},
		{"a bump within delta is crossed", "5 5.2 5.1 4 1", Point{0, 0}, 0.05, 1, 5, 0},
		{"a minimum behind a ridge is not found", "5 4 3 9 9 1", Point{0, 0}, 0.05, 3, 4, 0},
		{"two ways down, of which the second leads to the least", `
			9 9 9 9 9 9 9
			2 3 4 5 4 3 1
			9 9 9 9 9 9 9`, Point{1, 3}, 0.05, 1, 19, 0},
		{"a branch that is slower than what was found is pruned", "4 4.1 4.2 5 3 2 1 9", Point{0, 3}, 0.05, 1, 6, 0},
		{"what fails or cannot run is walked around", `
			5 x 9
			4 - 1
			3 2 1.5`, Point{0, 0}, 0.05, 1, 8, 1},
		{"a start that does not run", `
			- x -
			- - 3
			9 2 1`, Point{0, 0}, 0.05, 1, 5, 3},
	} {
		s := parse(t, test.surface)
		found, err := Gradient.Run(t.Context(), s.space(), test.start, s.measure, Options{Delta: test.delta})
		if err != nil || found.Time != test.time || found.Tried != test.tried || found.Not != test.not || !found.Whole {
			t.Errorf("%s: %+v, %v; the time is %v after %d tried and %d that cannot be run", test.name, found, err, test.time, test.tried, test.not)
		}
	}
}

// On the space of the paper, from all starts but one, the search ends near the least time.
func TestPublishedSpace(t *testing.T) {
	s := parse(t, published)
	space := s.space()
	least := math.Inf(1)
	for _, row := range s {
		least = min(least, slices.Min(row))
	}
	tried, missed := 0, 0
	for n := range space.Size() {
		found, err := Gradient.Run(t.Context(), space, space.point(n), s.measure, Options{Delta: DefaultDelta})
		if err != nil || found.Time > least*1.1 {
			t.Errorf("from %v: %+v, %v", space.point(n), found, err)
		}
		if found.Time > least*1.02 {
			missed++
		}
		tried += found.Tried
	}
	if average := float64(tried) / float64(space.Size()); missed > 1 || average > 0.28*float64(space.Size()) {
		t.Errorf("%d of %d starts end over 2 %% above the least time, after %.1f points on average", missed, space.Size(), average)
	}
}

// All values of an axis without an order are neighbours.
func TestUnordered(t *testing.T) {
	space := Space{[]Axis{{Key: "scheme", Values: []string{"a", "b", "c", "d"}}, ordered("items", 3)}}
	times := [][]float64{{3, 3, 3}, {9, 9, 9}, {9, 9, 9}, {2, 1, 2}}
	found, err := Gradient.Run(t.Context(), space, Point{0, 0}, surface(times).measure, Options{Delta: 0.01})
	if err != nil || space.String(found.Best) != "scheme=d,items=1" {
		t.Errorf("%v, %v", found, err)
	}
	if space.Value(found.Best, "scheme") != "d" || space.Value(found.Best, "ring") != "" {
		t.Errorf("values of %v", found.Best)
	}
	if p := space.Nearest(map[string]string{"scheme": "c", "other": "1"}); !slices.Equal(p, Point{2, 1}) {
		t.Errorf("nearest %v", p)
	}
}

func TestFullAndRandom(t *testing.T) {
	s := parse(t, "5 4 3 9 9 1 - x")
	full, err := Full.Run(t.Context(), s.space(), Point{0, 0}, s.measure, Options{})
	if err != nil || full.Time != 1 || full.Tried != 7 || full.Not != 1 || !full.Whole {
		t.Errorf("full: %+v, %v", full, err)
	}
	var tried []int
	counting := func(ctx context.Context, p Point) (float64, error) {
		tried = append(tried, p[1])
		return s.measure(ctx, p)
	}
	first, err := Random.Run(t.Context(), s.space(), Point{0, 0}, counting, Options{Most: 4, Seed: 7})
	if err != nil || first.Tried != 4 || first.Whole {
		t.Errorf("random: %+v, %v", first, err)
	}
	order := slices.Clone(tried)
	tried = nil
	if _, err := Random.Run(t.Context(), s.space(), Point{0, 0}, counting, Options{Most: 4, Seed: 7}); err != nil || !slices.Equal(tried, order) {
		t.Errorf("with the same seed %v and then %v, %v", order, tried, err)
	}
	tried = nil
	if _, err := Random.Run(t.Context(), s.space(), Point{0, 0}, counting, Options{Most: 4, Seed: 8}); err != nil || slices.Equal(tried, order) {
		t.Errorf("with another seed %v again, %v", tried, err)
	}
}

// An interrupt, or an error of what measures, keeps what was found.
func TestInterruptedSearch(t *testing.T) {
	s := parse(t, "9 8 7 6 5 4 3 2 1")
	for _, search := range Searches {
		ctx, cancel := context.WithCancel(t.Context())
		count := 0
		found, err := search.Run(ctx, s.space(), Point{0, 0}, func(ctx context.Context, p Point) (float64, error) {
			if count++; count == 4 {
				cancel()
			}
			return s.measure(ctx, p)
		}, Options{Delta: 0.01})
		if !errors.Is(err, context.Canceled) || found.Tried != 4 || found.Best == nil || found.Whole {
			t.Errorf("%s: %+v, %v", search.Name, found, err)
		}
	}
}

func TestNothingRuns(t *testing.T) {
	s := parse(t, "- x -")
	for _, search := range Searches {
		if found, err := search.Run(t.Context(), s.space(), Point{0, 0}, s.measure, Options{}); !errors.Is(err, ErrNothingRuns) || found.Tried != 1 || found.Not != 2 {
			t.Errorf("%s: %+v, %v", search.Name, found, err)
		}
	}
	empty := Space{[]Axis{{Key: "items"}}}
	if _, err := Full.Run(t.Context(), empty, Point{0}, s.measure, Options{}); err == nil {
		t.Error("a setting without values was searched")
	}
}

// The moves of a search are a path from its start: each begins where one before has ended, is a
// step of one setting, and one of them ends at the best.
func TestMoves(t *testing.T) {
	s := parse(t, published)
	start := Point{9, 9}
	found, err := Gradient.Run(t.Context(), s.space(), start, s.measure, Options{Delta: DefaultDelta})
	if err != nil {
		t.Fatal(err)
	}
	reached := []string{fmt.Sprint(start)}
	for _, m := range found.Moves {
		if from := fmt.Sprint(m.From); !slices.Contains(reached, from) {
			t.Errorf("a move from %s, where none has ended: %v", from, reached)
		}
		if d := max(m.To[0]-m.From[0], m.From[0]-m.To[0]) + max(m.To[1]-m.From[1], m.From[1]-m.To[1]); d != 1 {
			t.Errorf("from %v to %v is no step", m.From, m.To)
		}
		reached = append(reached, fmt.Sprint(m.To))
	}
	if !slices.Contains(reached[1:], fmt.Sprint(found.Best)) {
		t.Errorf("no move ends at the best, %v", found.Best)
	}
	if moves := s.space().Steps(found.Moves[:1]); moves[0].From != "y=9,x=9" {
		t.Errorf("the first move is %v", moves[0])
	}
}

package tune

import (
	"fmt"
	"io"

	"github.com/kgen-go/kgen/internal/explore"
)

// Problems lists the results that differ from the reference or failed.
func (e *Entry) Problems() (list []*explore.Result) {
	for _, r := range e.all() {
		if r.Status == explore.Differs || r.Status == explore.Failed {
			list = append(list, r)
		}
	}
	return list
}

// Wrong reports whether a configuration differs from the reference or failed.
func (e *Entry) Wrong() bool { return len(e.Problems()) > 0 }

// WriteText writes what the searches found.
func (e *Entry) WriteText(out io.Writer) error {
	fmt.Fprintf(out, "%s on %s (%s), %s: %s\n", e.Pipeline, e.Name, e.Hardware, e.Class, explore.DataText(e.Data))
	rows := [][]string{{"SEARCH", "TRIED", "OF", "TIME", "OVER THE BEST", "SETTINGS"}}
	best := e.Best()
	if best == nil {
		rows = append(rows, []string{"kgen's choice", "1", "", "-", "", ""})
	} else {
		rows = append(rows, []string{"kgen's choice", "1", "", explore.Nanoseconds(e.Default.Median), e.over(e.Default.Median), settings(&e.Default)})
	}
	for _, s := range e.Searches {
		name := s.Search
		if !s.Whole {
			name += " (a part)"
		}
		rows = append(rows, []string{name, fmt.Sprint(s.Tried), fmt.Sprint(e.Space.Size() - s.Not), explore.Nanoseconds(s.Time), e.over(s.Time), s.Best})
	}
	if err := explore.WriteTable(out, rows); err != nil {
		return err
	}
	for _, r := range e.Problems() {
		fmt.Fprintf(out, "%s %s: %s\n  %s\n", r.Configuration, r.Status, r.Problem, r.Repeat)
	}
	_, err := fmt.Fprintln(out)
	return err
}

// over writes a time in relation to the least of the full search, if that is known.
func (e *Entry) over(time float64) string {
	for _, s := range e.Searches {
		if s.Search == Full.Name && s.Whole && s.Time > 0 && time > 0 {
			return fmt.Sprintf("%+.1f %%", 100*(time/s.Time-1))
		}
	}
	return "unknown"
}

// near is the distance from the best within which a search has found it, for summaries.
const near = 0.05

// WriteSummary writes how much of the full search another one took and how near it came,
// over several sets of columns.
func WriteSummary(out io.Writer, entries []*Entry) error {
	for _, search := range Searches {
		count, found, tried := 0, 0, 0.0
		for _, e := range entries {
			for _, s := range e.Searches {
				if s.Search != search.Name || s.Search == Full.Name || e.over(s.Time) == "unknown" {
					continue
				}
				count++
				tried += float64(s.Tried) / float64(e.Space.Size()-e.full().Not)
				if s.Distance <= near {
					found++
				}
			}
		}
		if count > 0 {
			fmt.Fprintf(out, "%s: %.1f %% of the configurations tried on average; within %.0f %% of the best in %d of %d\n", search.Name, 100*tried/float64(count), 100*near, found, count)
		}
	}
	return nil
}

// full returns the outcome of the full search.
func (e *Entry) full() Outcome {
	for _, s := range e.Searches {
		if s.Search == Full.Name {
			return s
		}
	}
	return Outcome{}
}

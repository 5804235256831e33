package explore

import (
	"path/filepath"
	"slices"
	"strings"
)

// Figure is an experiment as one table: a row for each set of columns, a column for each
// way to run it.
type Figure struct {
	Rows []FigureRow
	Ways []string // what tells configurations of one row apart
}

// FigureRow is a row of a figure.
type FigureRow struct {
	Name  string    // what tells it apart from other rows
	Cells []*Result // for each way, nil if there is none
}

// mostWays is how many columns a figure has. Where there are more ways, swept settings
// tell rows apart, the first one first.
const mostWays = 12

// FigureOf returns the figure of results.
func FigureOf(results []*Result) *Figure {
	var shaped []*Result // those of other devices have no settings
	for _, x := range results {
		if slices.ContainsFunc(results, func(other *Result) bool { return other.Device == x.Device && other.Schedule != "" }) {
			shaped = append(shaped, x)
		}
	}
	keys := SweptKeys(shaped)
	inRows := 0
	for inRows < len(keys) && len(distinct(results, wayNames(results, keys[inRows:]))) > mostWays {
		inRows++
	}
	wayOf, nameOf := wayNames(results, keys[inRows:]), rowNames(results, keys[:inRows])
	f := &Figure{Ways: distinct(results, wayOf)}
	for _, name := range distinct(results, nameOf) {
		row := FigureRow{Name: name}
		for _, way := range f.Ways {
			var cell []*Result
			for _, x := range results {
				if nameOf(x) == name && wayOf(x) == way {
					cell = append(cell, x)
				}
			}
			row.Cells = append(row.Cells, representative(cell))
		}
		f.Rows = append(f.Rows, row)
	}
	return f
}

// representative is the fastest of results, or one that says why there is none.
func representative(results []*Result) *Result {
	for _, x := range results {
		if x.Status == Differs || x.Status == Failed {
			return x
		}
	}
	if x := best(results); x != nil || len(results) == 0 {
		return x
	}
	return results[0]
}

// settings returns the values of some settings, but for what kgen chooses.
func settings(x *Result, keys []string) (words []string) {
	for _, key := range keys {
		if value := x.Setting(key); value != "" {
			words = append(words, key+"="+value)
		}
	}
	return words
}

// wayNames returns what names the way to run a configuration: what varies of its device
// and level, and some settings.
func wayNames(results []*Result, keys []string) func(x *Result) string {
	devices := len(distinct(results, func(x *Result) string { return x.Device })) > 1
	levels := len(distinct(results, func(x *Result) string { return x.Level })) > 1
	return func(x *Result) string {
		var words []string
		if devices || !levels && len(keys) == 0 {
			words = append(words, x.Device)
		}
		if levels {
			words = append(words, x.Level)
		}
		words = append(words, settings(x, keys)...)
		if len(words) == 0 {
			words = append(words, Default)
		}
		return strings.Join(words, " ")
	}
}

// rowNames returns what names a row: what varies of the pipeline, the data and the rows,
// and some settings.
func rowNames(results []*Result, keys []string) func(x *Result) string {
	pipelines := len(distinct(results, func(x *Result) string { return x.Pipeline })) > 1
	data := len(distinct(results, func(x *Result) string { return x.Data })) > 1
	rows := len(distinct(results, func(x *Result) int64 { return x.Rows })) > 1
	return func(x *Result) string {
		var words []string
		if pipelines {
			_, name, ok := strings.Cut(x.Pipeline, "#")
			if !ok {
				name = strings.TrimSuffix(filepath.Base(x.Pipeline), ".kg")
			}
			words = append(words, name)
		}
		if data {
			words = append(words, x.Data)
		}
		if rows {
			words = append(words, Count(x.Rows)+" rows")
		}
		for _, key := range keys {
			words = append(words, key+"="+valueOf(x, key))
		}
		return strings.Join(words, ", ")
	}
}

func (f *Figure) writeText(w *textWriter) {
	rows := [][]string{append([]string{""}, f.Ways...)}
	for _, r := range f.Rows {
		row := []string{r.Name}
		for _, x := range r.Cells {
			text := "-"
			if x != nil {
				text = cellText([]*Result{x})
			}
			row = append(row, text)
		}
		rows = append(rows, row)
	}
	w.table(rows)
}

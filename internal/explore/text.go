package explore

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// WriteText writes the report as tables: for each set of columns a matrix of levels and
// devices, the kernels of the fastest configuration of each device, and the sweeps; the
// curve over rows; what is wrong. Of the experiments of a sweep file it writes the figures
// alone, which are many.
func (r *Report) WriteText(out io.Writer) error {
	w := &textWriter{out: out}
	for i, g := range r.Header.Grids {
		if i > 0 {
			w.printf("\n")
		}
		r.writeExperiment(w, g)
	}
	r.writeProblems(w)
	return w.err
}

// WriteProblems writes what differs, fails or is refused.
func (r *Report) WriteProblems(out io.Writer) error {
	w := &textWriter{out: out}
	r.writeProblems(w)
	return w.err
}

func (r *Report) writeExperiment(w *textWriter, g Grid) {
	results := r.Of(g)
	if g.Title != "" {
		w.printf("%s\n%s\n", g.Title, strings.Repeat("=", len([]rune(g.Title))))
		FigureOf(results).writeText(w)
		return
	}
	for i, d := range distinct(results, (*Result).DataSet) {
		if i > 0 {
			w.printf("\n")
		}
		r.writeSet(w, d, over(results, d))
	}
	writeCurve(w, results)
}

// over returns the results over some columns.
func over(results []*Result, d DataSet) (list []*Result) {
	for _, x := range results {
		if x.DataSet() == d {
			list = append(list, x)
		}
	}
	return list
}

type textWriter struct {
	out io.Writer
	err error
}

func (w *textWriter) printf(format string, args ...any) {
	if w.err == nil {
		_, w.err = fmt.Fprintf(w.out, format, args...)
	}
}

// table writes rows.
func (w *textWriter) table(rows [][]string) {
	if err := WriteTable(w.out, rows); w.err == nil {
		w.err = err
	}
}

// WriteTable writes rows with aligned columns.
func WriteTable(out io.Writer, rows [][]string) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(t, strings.TrimRight(strings.Join(row, "\t"), "\t"))
	}
	return t.Flush()
}

func (r *Report) writeSet(w *textWriter, d DataSet, results []*Result) {
	w.printf("%s over %s rows, %s\n", d.Pipeline, Count(d.Rows), DataText(d.Data))
	levels := distinct(results, func(x *Result) string { return x.Level })
	devices := distinct(results, func(x *Result) string { return x.Device })
	rows := [][]string{append([]string{"DEVICE"}, levels...)}
	for _, device := range devices {
		row := []string{device}
		for _, level := range levels {
			row = append(row, cellText(only(results, device, level)))
		}
		rows = append(rows, row)
	}
	w.table(rows)
	for _, device := range devices {
		if x := best(only(results, device, "")); x != nil {
			r.writeKernels(w, x)
		}
	}
	for _, device := range devices {
		r.writeSweeps(w, only(results, device, ""))
	}
}

// only returns the results of a device and, unless it is "", a level.
func only(results []*Result, device, level string) (list []*Result) {
	for _, x := range results {
		if x.Device == device && (level == "" || x.Level == level) {
			list = append(list, x)
		}
	}
	return list
}

// cellText is the cell of a device and a level: its best time, or what is wrong.
func cellText(results []*Result) string {
	text := "-"
	if x := best(results); x != nil {
		text = Nanoseconds(x.Median)
		if w := x.Width(); x.Known {
			text += fmt.Sprintf(" ±%.0f%%", 100*w)
		} else {
			text += " ±?"
		}
		if x.Partial {
			text += " (interrupted)"
		}
	}
	for _, x := range results {
		switch {
		case x.Status == Differs:
			return "DIFFERS"
		case x.Status == Failed:
			return "FAILED"
		case x.Status == Refused && text == "-":
			text = "refused"
		}
	}
	return text
}

func (r *Report) writeKernels(w *textWriter, x *Result) {
	w.printf("\nfastest on %s\n", x.Configuration)
	copyRate := r.Device(x.Device).Copy
	rows := [][]string{{"KERNEL", "STAGES", "MOVES", "MEASURED", "PREDICTED", "GB/s", "OF COPY"}}
	line := func(name, stages string, bytes int64, measured, predicted float64) {
		rate, share, time := "", "", ""
		if measured > 0 {
			time = Nanoseconds(measured)
			rate = fmt.Sprintf("%.1f", float64(bytes)/measured)
			if copyRate > 0 {
				share = fmt.Sprintf("%.0f%%", 100*float64(bytes)/measured/copyRate)
			}
		}
		rows = append(rows, []string{name, stages, Bytes(bytes), time, Nanoseconds(predicted), rate, share})
	}
	for _, k := range x.Kernels {
		line(k.Name, strings.Join(k.Stages, " "), k.Bytes, k.Median, k.Predicted)
	}
	line("all", "", x.Bytes, x.Median, x.Predicted)
	w.table(rows)
}

// writeSweeps writes a table per pair of settings that take several values, or a
// list if only one does.
func (r *Report) writeSweeps(w *textWriter, results []*Result) {
	keys := SweptKeys(results)
	if len(keys) == 1 {
		rows := [][]string{{strings.ToUpper(keys[0]), "TIME"}}
		for _, value := range ValuesOf(results, keys[0]) {
			rows = append(rows, []string{value, cellText(where(results, keys[0], value))})
		}
		w.printf("\n%s by %s\n", results[0].Device, keys[0])
		w.table(rows)
	}
	for i, a := range keys {
		for _, b := range keys[i+1:] {
			columns := ValuesOf(results, b)
			rows := [][]string{append([]string{strings.ToUpper(a + "\\" + b)}, columns...)}
			for _, value := range ValuesOf(results, a) {
				row := []string{value}
				for _, other := range columns {
					row = append(row, cellText(where(where(results, a, value), b, other)))
				}
				rows = append(rows, row)
			}
			w.printf("\n%s, the best by %s and %s\n", results[0].Device, a, b)
			w.table(rows)
		}
	}
}

// where returns the results whose schedule gives a value to a setting.
func where(results []*Result, key, value string) (list []*Result) {
	for _, x := range results {
		if valueOf(x, key) == value {
			list = append(list, x)
		}
	}
	return list
}

// valueOf is the value of a setting, or [Default].
func valueOf(x *Result, key string) string {
	if value := x.Setting(key); value != "" {
		return value
	}
	return Default
}

// SweptKeys lists the settings that take several values in results of one device.
func SweptKeys(results []*Result) (keys []string) {
	var all []string
	for _, x := range results {
		for part := range strings.SplitSeq(x.Schedule, ",") {
			if key, _, _ := strings.Cut(part, "="); key != "" && !slices.Contains(all, key) {
				all = append(all, key)
			}
		}
	}
	for _, key := range all {
		if len(ValuesOf(results, key)) > 1 {
			keys = append(keys, key)
		}
	}
	return keys
}

// ValuesOf lists the values of a setting in the order of results.
func ValuesOf(results []*Result, key string) []string {
	return distinct(results, func(x *Result) string { return valueOf(x, key) })
}

// writeCurve writes times by rows, where these vary.
func writeCurve(w *textWriter, all []*Result) {
	type line struct{ pipeline, data string }
	for _, one := range distinct(all, func(x *Result) line { return line{x.Pipeline, x.Data} }) {
		var results []*Result
		for _, x := range all {
			if x.Pipeline == one.pipeline && x.Data == one.data {
				results = append(results, x)
			}
		}
		sizes := distinct(results, func(x *Result) int64 { return x.Rows })
		if len(sizes) < 2 {
			continue
		}
		slices.Sort(sizes)
		w.printf("\n%s by rows, ns a row\n", one.pipeline)
		head := []string{"DEVICE", "LEVEL"}
		for _, n := range sizes {
			head = append(head, Count(n))
		}
		rows := [][]string{head}
		for _, device := range distinct(results, func(x *Result) string { return x.Device }) {
			for _, level := range distinct(results, func(x *Result) string { return x.Level }) {
				row := []string{device, level}
				for _, n := range sizes {
					var here []*Result
					for _, x := range only(results, device, level) {
						if x.Rows == n {
							here = append(here, x)
						}
					}
					text := "-"
					if x := best(here); x != nil && n > 0 {
						text = fmt.Sprintf("%.2f", x.Median/float64(n))
					}
					row = append(row, text)
				}
				rows = append(rows, row)
			}
		}
		w.table(rows)
	}
}

func (r *Report) writeProblems(w *textWriter) {
	wrong := 0
	for _, x := range r.Results {
		if x.Status == Differs || x.Status == Failed {
			wrong++
			w.printf("\n%s %s: %s\n", x.Configuration, x.Status, strings.ReplaceAll(x.Problem, "\n", "\n  "))
			if x.Repeat != "" {
				w.printf("  %s\n", x.Repeat)
			}
		}
	}
	reasons := map[string][]string{}
	var order []string
	for _, x := range r.Results {
		if x.Status == Refused {
			if reasons[x.Problem] == nil {
				order = append(order, x.Problem)
			}
			reasons[x.Problem] = append(reasons[x.Problem], x.String())
		}
	}
	for _, reason := range order {
		w.printf("\nrefused: %s\n  %s\n", strings.ReplaceAll(reason, "\n", "\n  "), strings.Join(reasons[reason], "\n  "))
	}
	agree := 0
	for _, x := range r.Results {
		if x.Status == Agrees {
			agree++
		}
	}
	w.printf("\n%d configurations: %d agree with %s, %d differ or fail, %d refused\n", len(r.Results), agree, r.Header.Reference, wrong, len(r.Results)-agree-wrong)
}

// Nanoseconds writes a time as people read it.
func Nanoseconds(ns float64) string {
	switch {
	case ns <= 0:
		return "-"
	case ns >= 1e9:
		return fmt.Sprintf("%.2f s", ns/1e9)
	case ns >= 1e6:
		return fmt.Sprintf("%.2f ms", ns/1e6)
	}
	return fmt.Sprintf("%.1f µs", ns/1e3)
}

// Bytes writes a number of bytes.
func Bytes(n int64) string {
	switch x := float64(n); {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", x/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", x/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", x/(1<<10))
	}
	return fmt.Sprintf("%d B", n)
}

// Count writes a whole number with commas.
func Count(n int64) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// DataText says where the columns of a data set come from.
func DataText(data string) string {
	if data == FromFiles {
		return "read from files"
	}
	return "generated: " + data
}

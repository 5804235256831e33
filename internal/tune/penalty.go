package tune

import (
	"fmt"
	"io"

	"github.com/kgen-go/kgen/internal/explore"
)

// Matrix says how much slower a program is with settings that were tuned elsewhere.
type Matrix struct {
	Pipeline string   `json:"pipeline"`
	Program  string   `json:"program"`
	Data     string   `json:"data"`
	Rows     int64    `json:"rows"`
	Devices  []Device `json:"devices"`
	Best     []string `json:"best"` // settings, per device
	// Times has a row per device on which settings were tuned and a column per device on
	// which they ran: the time over that of the column's own settings. It is 0 where the
	// settings were not run.
	Times [][]float64 `json:"times"`
}

// Penalties returns a matrix per program and data that entries of files have in common.
func Penalties(files []*File) (list []Matrix) {
	type subject struct {
		program, data string
		rows          int64
	}
	groups := map[subject][]*Entry{}
	var order []subject
	for _, f := range files {
		for i := range f.Entries {
			e := &f.Entries[i]
			if e.Best() == nil {
				continue
			}
			s := subject{e.Program, e.Data, e.Class.Rows}
			if groups[s] == nil {
				order = append(order, s)
			}
			groups[s] = append(groups[s], e)
		}
	}
	for _, s := range order {
		entries := groups[s]
		m := Matrix{Pipeline: entries[0].Pipeline, Program: s.program, Data: s.data, Rows: s.rows}
		for _, tuned := range entries {
			best := tuned.Best()
			m.Devices = append(m.Devices, tuned.Device)
			m.Best = append(m.Best, settings(best))
			var row []float64
			for _, on := range entries {
				time := 0.0
				if r := on.with(best); r != nil && r.Status == explore.Agrees && r.Count > 0 {
					time = r.Median / on.Best().Median
				}
				row = append(row, time)
			}
			m.Times = append(m.Times, row)
		}
		list = append(list, m)
	}
	return list
}

// with returns the result with the settings that are best on another device, or nil. Where levels are all
// that can be tuned, as in emitted Go, only the level is a setting.
func (e *Entry) with(best *explore.Result) *explore.Result {
	if len(e.Space.Axes) == 1 {
		return e.find(best.Level, "")
	}
	return e.find(best.Level, best.Schedule)
}

// settings writes the level and the schedule of a result.
func settings(r *explore.Result) string {
	if r.Schedule == "" {
		return "level=" + r.Level
	}
	return "level=" + r.Level + "," + r.Schedule
}

// WriteText writes the matrix as a table.
func (m Matrix) WriteText(out io.Writer) error {
	fmt.Fprintf(out, "%s over %s rows, %s\n", m.Pipeline, explore.Count(m.Rows), explore.DataText(m.Data))
	head := []string{"TUNED ON"}
	for i := range m.Devices {
		head = append(head, fmt.Sprintf("ON %d", i+1))
	}
	rows := [][]string{append(head, "SETTINGS")}
	for i, d := range m.Devices {
		line := []string{fmt.Sprintf("%d %s, %s", i+1, d.Name, d.Hardware)}
		for _, time := range m.Times[i] {
			text := "not run"
			if time > 0 {
				text = fmt.Sprintf("%.2f", time)
			}
			line = append(line, text)
		}
		rows = append(rows, append(line, m.Best[i]))
	}
	return explore.WriteTable(out, rows)
}

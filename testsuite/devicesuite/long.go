package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kgen-go/kgen/backends/cuda"
	"github.com/kgen-go/kgen/backends/opencl"
	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	planexec "github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/internal/difftest"
	"github.com/kgen-go/kgen/internal/kernels"
	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// long describes an input with more rows than the interpreter could take. It is
// zero except at some marks. The column y, which the device computes from row
// numbers, has one value for each 2^shift rows, changed by the marks. So every
// result follows from the runs of equal rows.
type long struct {
	rows  int64
	shift int
	marks []int64 // rows, ascending
}

// longRows is more than a launch may span, and leaves the last tile partly
// filled.
const longRows = 1<<31 + 5003

// newLong marks rows next to the edges of parts, of launches and of 32 bits.
func newLong(rows int64, shift int, edges ...int64) long {
	l := long{rows: rows, shift: shift, marks: []int64{5, rows - 1}}
	for _, edge := range edges {
		l.marks = append(l.marks, edge-1, edge, edge+1)
	}
	slices.Sort(l.marks)
	l.marks = slices.Compact(l.marks)
	return l
}

// mark is the value of the input at a mark.
func (l long) mark(i int) byte { return byte(1 + i) }

// fill marks the rows of zeros.
func (l long) fill(data []byte) {
	for i, row := range l.marks {
		data[row] = l.mark(i)
	}
}

// run is a run of equal rows.
type run struct {
	from, rows int64
	x, y       byte
}

// runs lists the runs of (x, y) in order.
func (l long) runs() (list []run) {
	next := 0
	for row := int64(0); row < l.rows; {
		r := run{from: row, rows: min(l.rows, (row>>l.shift+1)<<l.shift) - row, y: byte(row >> l.shift)}
		switch {
		case next == len(l.marks):
		case l.marks[next] == row:
			r.rows, r.x = 1, l.mark(next)
			r.y ^= r.x
			next++
		default:
			r.rows = min(r.rows, l.marks[next]-row)
		}
		list = append(list, r)
		row += r.rows
	}
	return list
}

// dropped is the value that the pipeline dense omits, wrong the row in which
// the pipeline check fails.
const dropped = 7

func (l long) wrong() int64 { return l.marks[len(l.marks)-2] }

// source is the text of the pipelines.
func (l long) source() string {
	const y = "i = i64(index(x))\n\ty = u8(i >> %d) ^ x"
	made := fmt.Sprintf(y, l.shift)
	return fmt.Sprintf(`// Scalars, and a neighbour.
pipeline sums(x: [n]u8) {
	%[1]s
	return rows: len(x), sum: sum(y), marked: count(x != 0), greatest: max(i[x != 0], else: -1), edges: count(prev(y, 1, 0) != y), last: last(y, else: 0)
}
// Few rows of many, and a prefix.
pipeline sparse(x: [n]u8) {
	%[1]s
	m = x != 0
	return row: i[m], y: y[m], before: exscan(add, i64(y))[m]
}
// Most rows of many.
pipeline dense(x: [n]u8) {
	%[1]s
	return y: y[y != %[2]d]
}
// Contiguous groups of many rows.
pipeline groups(x: [n]u8) {
	%[1]s
	g = runs(y)
	return key: first(y, by: g), rows: count(by: g), from: first(i, by: g), greatest: max(x, by: g)
}
// Groups all over the input.
pipeline histogram(x: [n]u8) {
	%[1]s
	b = bins(y, 256)
	return rows: count(by: b), last: max(i, by: b, else: -1)
}
// All rows in an order of two keys: none lies before one of lesser keys, or of equal keys and a lesser number.
pipeline sorted(x: [n]u8) {
	%[1]s
	r = order(y, desc(x))
	a = y[r]
	b = x[r]
	row = i64(r)
	lastA = prev(a, 1, 0)
	lastB = prev(b, 1, 255)
	wrong = a < lastA || a == lastA && (b > lastB || b == lastB && row <= prev(row, 1, -1))
	return wrong: count(wrong), least: min(row, else: -1), greatest: max(row, else: -1), rows: len(r)
}
// The first rows of another order.
pipeline first_rows(x: [n]u8) {
	%[1]s
	return row: i64(order(desc(x), y, limit: %[4]d))
}
// A check that fails in a late row.
pipeline check(x: [n]u8) {
	i = i64(index(x))
	return sum: sum(100 / (i - %[3]d)), rows: count(x == 0)
}
`, made, dropped, l.wrong(), len(l.marks)+1)
}

// column is a column of numbers.
func column(kind ir.Kind, values ...int64) ir.Column {
	c := ir.NewColumn(kind, len(values))
	for i, v := range values {
		c.Set(i, ir.Int(kind, v))
	}
	return c
}

// want returns the result of a pipeline of source, except dense.
func (l long) want(pipeline string) (columns []ir.Column) {
	runs := l.runs()
	var sum, marked, edges int64
	var rows, ys, befores []int64              // of marks
	var keys, counts, froms, greatests []int64 // of groups
	bins, lasts := make([]int64, 256), slices.Repeat([]int64{-1}, 256)
	previous := byte(0)
	for i, r := range runs {
		if r.x != 0 {
			marked++
			rows, ys, befores = append(rows, r.from), append(ys, int64(r.y)), append(befores, sum)
		}
		if r.y != previous {
			edges++
		}
		if i == 0 || r.y != previous {
			keys, counts, froms, greatests = append(keys, int64(r.y)), append(counts, 0), append(froms, r.from), append(greatests, 0)
		}
		g := len(keys) - 1
		counts[g] += r.rows
		greatests[g] = max(greatests[g], int64(r.x))
		bins[r.y] += r.rows
		lasts[r.y] = r.from + r.rows - 1
		sum += r.rows * int64(r.y)
		previous = r.y
	}
	switch pipeline {
	case "sums":
		return []ir.Column{column(ir.I64, l.rows), column(ir.U64, sum), column(ir.I64, marked), column(ir.I64, rows[len(rows)-1]),
			column(ir.I64, edges), column(ir.U8, int64(previous))}
	case "sparse":
		return []ir.Column{column(ir.I64, rows...), column(ir.U8, ys...), column(ir.I64, befores...)}
	case "groups":
		return []ir.Column{column(ir.U8, keys...), column(ir.I64, counts...), column(ir.I64, froms...), column(ir.U8, greatests...)}
	case "histogram":
		return []ir.Column{column(ir.I64, bins...), column(ir.I64, lasts...)}
	case "sorted":
		return []ir.Column{column(ir.I64, 0), column(ir.I64, 0), column(ir.I64, l.rows-1), column(ir.I64, l.rows)}
	case "first_rows":
		slices.Reverse(rows)
		return []ir.Column{column(ir.I64, append(rows, 0)...)}
	}
	return nil
}

// differ says how the result of a pipeline differs, or returns "".
func (l long) differ(p *ir.Pipeline, got []ir.Column, err error) string {
	var failed *ir.CheckError
	switch {
	case p.Name == "check" && errors.As(err, &failed) && failed.Row == l.wrong():
		return ""
	case p.Name == "check":
		return fmt.Sprintf("%v, want a failed check at row %d", err, l.wrong())
	case err != nil:
		return err.Error()
	case p.Name == "dense":
		return l.differDense(raw.Bytes(got[0]))
	}
	for i, want := range l.want(p.Name) {
		label := p.Results[i].Label
		if got[i].Len() != want.Len() {
			return fmt.Sprintf("%s has %d rows, want %d", label, got[i].Len(), want.Len())
		}
		for row := range want.Len() {
			if g, w := got[i].At(row), want.At(row); g != w {
				return fmt.Sprintf("%s[%d] is %d, want %d", label, row, g.Int64(), w.Int64())
			}
		}
	}
	return ""
}

// differDense compares the remaining rows of y, run by run.
func (l long) differDense(got []byte) string {
	row := int64(0)
	for _, r := range l.runs() {
		if r.y == dropped {
			continue
		}
		part := got[min(row, int64(len(got))):min(row+r.rows, int64(len(got)))]
		if n := bytes.Count(part, []byte{r.y}); int64(n) != r.rows {
			return fmt.Sprintf("y[%d] and on: %d of %d rows are %d", row, n, r.rows, r.y)
		}
		row += r.rows
	}
	if row != int64(len(got)) {
		return fmt.Sprintf("y has %d rows, want %d", len(got), row)
	}
	return ""
}

// longSchedules are the schedules of the cells with many rows. No command of
// kgen runs these, because it would have to read the rows from a file.
func longSchedules() (list []string) {
	for _, scheme := range schemesInParts() {
		list = append(list, fmt.Sprintf("rows=%d,scheme=%s", int64(longRows), scheme))
	}
	return list
}

// runLong runs the pipelines with many rows on a device.
func (s *suite) runLong(ctx context.Context, c *cell) (*difftest.Report, error) {
	l := newLong(longRows, 20, plan.PartRows, 1<<31)
	_, settings, _ := strings.Cut(c.schedule, ",")
	schedule, err := build.ParseSchedule(settings)
	if err != nil {
		return nil, err
	}
	schedule.Part = plan.PartRows
	driver, number, _ := strings.Cut(c.row.device, ":")
	program, emitter := worker.CUDA, cuda.Emitter()
	if driver == "opencl" {
		program, emitter = worker.OpenCL, opencl.Emitter()
	}
	device, err := strconv.Atoi(number)
	if err != nil {
		return nil, err
	}
	space := memory.NewSpace(0)
	defer space.Close()
	data, err := space.New(l.rows)
	if err != nil {
		return nil, err
	}
	l.fill(data)
	client, err := worker.Open(ctx, worker.Options{Program: program, Path: filepath.Join(s.folder, program.Name), Space: space, Limit: 2 * time.Minute,
		Environment: []string{warningsAreErrors}})
	if err != nil {
		return nil, err
	}
	defer client.Close()
	run := func(made *kernels.Program, in planexec.Inputs) (*planexec.Result, error) {
		result, err := client.Run(ctx, worker.Request{Code: worker.Code{Device: device, Plan: made.Plan, Texts: made.Texts(), Build: made.Options}, Inputs: in})
		if err != nil {
			return nil, err
		}
		return &result.Result, nil
	}
	free := func(columns []ir.Column) {
		for _, column := range columns {
			space.Free(raw.Bytes(column))
		}
	}
	return l.compare(ctx, c, emitter, schedule, raw.FromBytes(ir.U8, data), run, free)
}

// compare runs the pipelines and says what differs.
func (l long) compare(ctx context.Context, c *cell, emitter kernels.Emitter, schedule plan.Schedule, x ir.Column,
	run func(*kernels.Program, planexec.Inputs) (*planexec.Result, error), free func([]ir.Column)) (*difftest.Report, error) {
	pipelines, errs := ir.Load("long.kg", []byte(l.source()))
	if err := errs.Err(); err != nil {
		return nil, err
	}
	counts := &difftest.Cell{Device: c.row.device, Level: c.level, Absent: map[string]int{}, GaveUp: map[string]int{}}
	report := &difftest.Report{Programs: len(pipelines), Cells: []*difftest.Cell{counts}}
	for _, p := range pipelines {
		program, _, err := compile.Compile(p, compile.Options{Level: c.level, Options: fuse.Options{Short: schedule.Part == 0}})
		if err != nil {
			return nil, err
		}
		made, err := emitter.Make(program, schedule)
		if err != nil && (schedule.Scheme == simt.Schemes()[0].Name || strings.Contains(err.Error(), "internal error")) {
			return nil, err
		}
		if err != nil { // it has no such kernels
			counts.Absent[err.Error()]++
			continue
		}
		out, err := difftest.RunPlan(p, made.Plan, func(in planexec.Inputs) (*planexec.Result, error) { return run(made, in) }, []ir.Column{x})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		report.Inputs++
		var full *planexec.AllocError
		switch {
		case errors.As(err, &full) && full.InUse+full.Bytes > c.row.memory/16*15: // of which the driver has some itself
			counts.Absent[err.Error()]++
			continue
		case full != nil: // somebody else has the memory, and may give it back
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		report.Executions++
		counts.Runs++
		if out.GaveUp != "" {
			counts.GaveUp[out.GaveUp]++
		}
		if difference := l.differ(p, out.Results, err); difference != "" {
			counts.Mismatches++
			report.Mismatches = append(report.Mismatches, difftest.Mismatch{Program: p.Name, Device: c.row.device, Level: c.level, Schedule: c.schedule,
				Data: fmt.Sprintf("%d rows", l.rows), Difference: difference, Source: p.String(), Repeat: c.repeat()})
		}
		free(out.Results)
	}
	return report, nil
}

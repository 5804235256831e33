package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/internal/kernels"
	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/plan"
)

// rate is the result of one form of a workload.
type rate struct {
	Workload string  `json:"workload"`
	Rows     int64   `json:"rows"`
	Device   string  `json:"device,omitempty"` // "" for CUB
	Form     string  `json:"form"`             // a schedule, or what of CUB
	Scheme   string  `json:"scheme,omitempty"`
	Bytes    int64   `json:"bytes"`
	Time     int64   `json:"ns"`
	Rate     float64 `json:"GB/s"`
	Share    float64 `json:"share_of_copy,omitempty"`
	Problem  string  `json:"problem,omitempty"` // why it has no time

	Launches []worker.LaunchTime `json:"launches,omitempty"` // of -launches, each by itself
}

func (r rate) peer() bool   { return r.Device == "" }
func (r rate) opencl() bool { return isOpenCL(r.Device) }

// form is a device and a schedule.
type form struct {
	name     string
	on       string
	device   device
	schedule plan.Schedule
}

// runner is a run of the bench.
type runner struct {
	*settings
	all    pipelines
	forms  []form
	peers  *peers
	space  *memory.Space
	copied float64 // GB/s of the copy
	report *report
	open   func(ctx context.Context, name string, space *memory.Space) (device, error)
}

func newRunner(s *settings) *runner {
	return &runner{settings: s, space: paged(), open: openDevice,
		report: &report{Device: s.device, Machine: machine(), Level: s.level, Repeat: s.repeat}}
}

// paged returns a space whose files begin with their bytes, as the programs of peers read them.
func paged() *memory.Space {
	space := memory.NewSpace(0)
	space.Paged = true
	return space
}

// measure runs the chosen workloads and writes each result to out.
func (r *runner) measure(ctx context.Context, out, log io.Writer) error {
	begun := time.Now()
	defer r.space.Close()
	var err error
	if r.all, err = loadPipelines(); err != nil {
		return err
	}
	var chosen []workload
	for _, w := range workloads() {
		if r.chooses(&w) {
			chosen = append(chosen, w)
		}
	}
	if len(chosen) == 0 {
		return errors.New("-run chooses no workload")
	}
	defer func() {
		for _, f := range r.forms {
			f.device.close()
		}
		if r.peers != nil {
			r.peers.close()
		}
	}()
	if err := r.openForms(ctx); err != nil {
		return err
	}
	if err := r.prepare(ctx, chosen, log); err != nil {
		return err
	}
	fmt.Fprintf(log, "%.0f s to compile\n", time.Since(begun).Seconds())
	if r.compile {
		return nil
	}
	if err := r.copy(); err != nil {
		return err
	}
	r.report.head(out)
	if r.curve {
		for _, w := range chosen { // a line a size, workload by workload
			for exponent := 10; exponent <= r.most; exponent++ {
				if err := r.size(ctx, []workload{w}, 1<<exponent, out); err != nil {
					return err
				}
			}
		}
	} else if err := r.size(ctx, chosen, r.rows, out); err != nil {
		return err
	}
	r.report.summary(out)
	fmt.Fprintf(log, "%.0f s in all\n", time.Since(begun).Seconds())
	if r.json != "" {
		if err := r.report.write(r.json); err != nil {
			return err
		}
	}
	if r.settings.benchfmt != "" {
		if err := os.WriteFile(r.settings.benchfmt, []byte(r.report.benchfmt()), 0o666); err != nil {
			return err
		}
	}
	if r.settings.markdown != "" {
		var text bytes.Buffer
		r.report.markdown(&text)
		if err := os.WriteFile(r.settings.markdown, text.Bytes(), 0o666); err != nil {
			return err
		}
	}
	return r.report.failed()
}

// openForms opens the device and the OpenCL device, for each of their
// schedules.
func (r *runner) openForms(ctx context.Context) error {
	if err := r.openFormsOn(ctx, r.device, "", r.schedules); err != nil || r.opencl == "" {
		return err
	}
	return r.openFormsOn(ctx, r.opencl, "OpenCL, portable text", r.openclSchedules)
}

func (r *runner) openFormsOn(ctx context.Context, name, what string, list schedules) error {
	d, err := r.open(ctx, name, r.space)
	if err != nil {
		return err
	}
	for _, s := range list.orDefault() {
		text := s.text
		if what != "" && text != "" {
			text = ", " + text
		}
		r.forms = append(r.forms, form{cmp.Or(what+text, "default"), name, d, s.Schedule})
	}
	return nil
}

// measures reports whether a form runs a workload: OpenCL runs the workloads
// that have a goal for it, or all if it is the only device.
func (f *form) measures(w *workload, r *runner) bool {
	return f.on == r.device || w.goal.onOpenCL()
}

func (r *runner) make(f *form, w *workload, rows func(column int) int64) (*kernels.Program, error) {
	return r.all.make(f.device.emitter(), w.pipeline, r.level, f.schedule, r.all.lengths(w, rows))
}

// prepare compiles everything that will run: nvcc compiles the peers, and in
// parallel several workers compile the kernels into the cache.
func (r *runner) prepare(ctx context.Context, chosen []workload, log io.Writer) error {
	var group sync.WaitGroup
	path := r.settings.peers
	var peersErr error
	if path == "" {
		group.Go(func() { path, peersErr = buildPeers(ctx, filepath.Join(os.TempDir(), "gpuspeed")) })
	}
	seen := map[string]bool{}
	data := newColumns(r.space, 1000)
	defer data.keep(nil)
	jobs := map[string]chan func(device){}
	for i := range r.forms {
		if on := r.forms[i].on; jobs[on] == nil && on != "cudaemu" {
			jobs[on] = make(chan func(device), len(chosen)*len(r.forms))
		}
	}
	for _, w := range chosen {
		for i := range r.forms {
			f := &r.forms[i]
			key := fmt.Sprint(w.pipeline, f.on, f.schedule)
			made, err := r.make(f, &w, func(int) int64 { return r.rows })
			if err != nil || seen[key] || jobs[f.on] == nil || !f.measures(&w, r) {
				continue // the measurement reports the error
			}
			seen[key] = true
			a, err := w.arguments(data)
			if err != nil {
				return err
			}
			jobs[f.on] <- func(d device) { d.run(ctx, made, w.inputs(made.Plan, a), repetitions{}) }
		}
	}
	for on, queue := range jobs {
		close(queue)
		for range min(8, runtime.NumCPU(), len(queue)) {
			group.Go(func() {
				space := memory.NewSpace(0)
				defer space.Close()
				d, err := r.open(ctx, on, space)
				if err != nil {
					return // what it does not compile is compiled later
				}
				defer d.close()
				for job := range queue {
					job(d)
				}
			})
		}
	}
	group.Wait()
	if peersErr != nil {
		fmt.Fprintln(log, "without peers:", peersErr)
	}
	if err := ctx.Err(); err != nil || peersErr != nil || path == "none" {
		return err
	}
	var err error
	r.peers, err = startPeers(path)
	return err
}

// copyBytes is the number of bytes that the copy moves in each direction.
const copyBytes = 1 << 30

func (r *runner) copy() error {
	if r.peers == nil {
		return nil
	}
	_, times, err := r.peers.run("copy", r.repeat, copyBytes, nil)
	if err != nil {
		return err
	}
	r.copied = float64(2*copyBytes) / float64(median(times).Nanoseconds())
	r.report.Copy = r.copied
	return nil
}

// size measures workloads at a number of rows.
func (r *runner) size(ctx context.Context, chosen []workload, rows int64, out io.Writer) error {
	data := newColumns(r.space, rows)
	defer data.keep(nil)
	for i, w := range chosen {
		needed := map[string]bool{}
		for _, later := range chosen[i:] {
			for _, c := range later.columns {
				needed[c.from] = true
			}
		}
		data.keep(needed)
		rates, err := r.workload(ctx, &w, data)
		if err != nil {
			return err
		}
		r.report.add(out, &w, rates)
	}
	return nil
}

// workload measures all forms of one workload.
func (r *runner) workload(ctx context.Context, w *workload, data *columns) ([]rate, error) {
	a, err := w.arguments(data)
	if err != nil {
		return nil, err
	}
	expected := make(chan answer, 1)
	want := sync.OnceValue(func() answer { return <-expected })
	if r.loops {
		go func() { expected <- w.expect(a) }()
		defer want() // the columns are freed when it is known
	}
	read := bytesOf(a.columns)
	results := int64(-1)
	var rates []rate
	for i := range r.forms {
		f := &r.forms[i]
		if !f.measures(w, r) {
			continue
		}
		one := rate{Workload: w.name, Rows: data.rows, Device: f.on, Form: f.name}
		made, err := r.make(f, w, func(i int) int64 { return a.columns[i].Rows() })
		if err != nil {
			one.Problem = err.Error()
			rates = append(rates, one)
			continue
		}
		one.Scheme = schemeOf(made.Plan)
		result, err := f.device.run(ctx, made, w.inputs(made.Plan, a), repetitions{r.repeat, r.launches})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			one.Problem = err.Error()
			rates = append(rates, one)
			continue
		}
		one.Launches = result.launches
		got, written, err := r.take(made.Plan, result.Result)
		one.Bytes = read + written
		switch {
		case err != nil:
			one.Problem = err.Error()
		case len(result.GaveUp) > 0:
			one.Problem = "the plan gave up: " + result.GaveUp[0].Reason
		default:
			if !r.loops && results < 0 {
				expected <- got // by the first form
			}
			one.Problem = want().differs(got)
		}
		if one.Problem == "" {
			results = written
		}
		rates = append(rates, r.rated(one, result.times))
	}
	if r.peers == nil || results < 0 {
		return rates, nil
	}
	for _, p := range w.peers {
		one := rate{Workload: w.name, Rows: data.rows, Form: p.name, Bytes: read + results}
		expect := want()
		if p.results > 0 {
			one.Bytes = data.rows*p.perRow + expect.Columns[0].Rows*p.each
			expect.Columns = expect.Columns[:p.results]
		}
		var files []string
		for _, c := range a.columns {
			path, ok := r.space.Path(c.Data)
			if !ok {
				return nil, errors.New("this system has no files in memory that the peers could read: -peers none")
			}
			files = append(files, path)
		}
		got, times, err := r.peers.run(p.command, r.repeat, data.rows, files)
		if err != nil {
			one.Problem = err.Error()
		} else {
			one.Problem = expect.differs(got)
		}
		rates = append(rates, r.rated(one, times))
	}
	return rates, nil
}

// rated gives a form its time, unless it has a problem.
func (r *runner) rated(one rate, times []time.Duration) rate {
	if one.Problem != "" {
		return one
	}
	one.Time = max(median(times).Nanoseconds(), 1)
	one.Rate = float64(one.Bytes) / float64(one.Time)
	if r.copied > 0 {
		one.Share = one.Rate / r.copied
	}
	return one
}

func bytesOf(columns []exec.Column) (bytes int64) {
	for _, c := range columns {
		bytes += int64(len(c.Data))
	}
	return bytes
}

// take returns the results in the order of the ports, and frees them.
func (r *runner) take(p *plan.Plan, result *exec.Result) (a answer, bytes int64, err error) {
	for _, port := range p.Ports {
		if port.Direction != plan.Out {
			continue
		}
		if port.Domain == "" {
			a.Scalar = math.Float64frombits(result.Scalars[port.Name].Bits)
			continue
		}
		c := result.Columns[port.Name]
		d, failed := digestOf(c)
		err = errors.Join(err, failed)
		a.Columns = append(a.Columns, d)
		bytes += int64(len(c.Data))
		r.space.Free(c.Data)
	}
	return a, bytes, err
}

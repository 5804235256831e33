package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/kgen-go/kgen/memory"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/plan/exec"
)

// rate is what one form of a workload reached.
type rate struct {
	Workload string  `json:"workload"`
	Rows     int64   `json:"rows"`
	Form     string  `json:"form"` // a schedule, or what of CUB
	Scheme   string  `json:"scheme,omitempty"`
	Peer     bool    `json:"peer,omitempty"`
	Bytes    int64   `json:"bytes"`
	Time     int64   `json:"ns"`
	Rate     float64 `json:"GB/s"`
	Share    float64 `json:"share_of_copy,omitempty"`
	Problem  string  `json:"problem,omitempty"` // why it has no time
}

// runner is a run of the bench.
type runner struct {
	*settings
	all    pipelines
	device device
	peers  *peers
	space  *memory.Space
	copied float64 // GB/s of the copy
}

func measure(ctx context.Context, s *settings, out, log io.Writer) error {
	begun := time.Now()
	r := &runner{settings: s, space: memory.NewSpace(0)}
	defer r.space.Close()
	var err error
	if r.all, err = loadPipelines(); err != nil {
		return err
	}
	var chosen []workload
	for _, w := range workloads() {
		if s.chosen.MatchString(w.name) {
			chosen = append(chosen, w)
		}
	}
	if len(chosen) == 0 {
		return fmt.Errorf("-run chooses no workload")
	}
	if r.device, err = openDevice(ctx, s.device, r.space); err != nil {
		return err
	}
	defer r.device.close()
	if err := r.prepare(ctx, chosen, log); err != nil {
		return err
	}
	if r.peers != nil {
		defer r.peers.close()
	}
	fmt.Fprintf(log, "%.0f s to compile\n", time.Since(begun).Seconds())
	report := &report{Device: s.device, Machine: machine(), Level: s.level, Repeat: s.repeat}
	if err := r.copy(report); err != nil {
		return err
	}
	report.print(out)
	for _, rows := range s.sizes() {
		if err := r.size(ctx, chosen, rows, report, out); err != nil {
			return err
		}
	}
	report.summary(out)
	fmt.Fprintf(log, "%.0f s in all\n", time.Since(begun).Seconds())
	if s.json != "" {
		if err := report.write(s.json); err != nil {
			return err
		}
	}
	return report.failed()
}

// prepare compiles all that will run: nvcc the peers, and beside it several
// workers the kernels, which a cache keeps.
func (r *runner) prepare(ctx context.Context, chosen []workload, log io.Writer) error {
	var group sync.WaitGroup
	var path string
	var peersErr error
	if r.settings.peers != "none" {
		path = r.settings.peers
		if path == "" {
			group.Go(func() { path, peersErr = buildPeers(ctx, filepath.Join(os.TempDir(), "gpuspeed")) })
		}
	}
	if r.settings.device != "cudaemu" {
		jobs := make(chan func(device))
		for range min(8, runtime.NumCPU()) {
			group.Go(func() {
				space := memory.NewSpace(0)
				defer space.Close()
				d, err := openDevice(ctx, r.settings.device, space)
				if err != nil {
					d = nil // why will be told of the device that measures
				} else {
					defer d.close()
				}
				for job := range jobs {
					if d != nil {
						job(d)
					}
				}
			})
		}
		seen := map[string]bool{}
		data := newColumns(r.space, 1000)
		for _, w := range chosen {
			if seen[w.pipeline] {
				continue
			}
			seen[w.pipeline] = true
			for _, schedule := range r.schedules {
				made, err := r.all.make(r.device.emitter(), w.pipeline, r.level, schedule)
				if err != nil {
					continue // likewise
				}
				in, _, err := w.inputs(made.Plan, data)
				if err != nil {
					return err
				}
				jobs <- func(d device) { d.run(ctx, made, in, 0) }
			}
		}
		close(jobs)
		defer data.keep(nil)
	}
	group.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	if peersErr != nil {
		fmt.Fprintln(log, "without peers:", peersErr)
		return nil
	}
	if path == "" {
		return nil
	}
	var err error
	r.peers, err = startPeers(path)
	return err
}

// copyBytes is how much the copy moves in each direction.
const copyBytes = 1 << 30

func (r *runner) copy(report *report) error {
	if r.peers == nil {
		return nil
	}
	_, times, err := r.peers.run("copy", r.repeat, copyBytes, nil)
	if err != nil {
		return err
	}
	took := median(times).Nanoseconds()
	r.copied = float64(2*copyBytes) / float64(took)
	report.Copy = r.copied
	return nil
}

// size measures all workloads at a number of rows.
func (r *runner) size(ctx context.Context, chosen []workload, rows int64, report *report, out io.Writer) error {
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
		report.add(out, &w, rates)
	}
	return nil
}

// workload measures all forms of one workload.
func (r *runner) workload(ctx context.Context, w *workload, data *columns) ([]rate, error) {
	var rates []rate
	var want *answer
	var bytes, results int64
	for i, schedule := range r.schedules {
		rate := rate{Workload: w.name, Rows: data.rows, Form: cmp.Or(r.names[i], "default")}
		made, err := r.all.make(r.device.emitter(), w.pipeline, r.level, schedule)
		if err != nil {
			rate.Problem = err.Error()
			rates = append(rates, rate)
			continue
		}
		rate.Scheme = schemeOf(made.Plan)
		in, args, err := w.inputs(made.Plan, data)
		if err != nil {
			return nil, err
		}
		expected := make(chan *answer, 1)
		if want == nil {
			go func() { a := w.expect(args); expected <- &a }()
		} else {
			expected <- want
		}
		result, times, err := r.device.run(ctx, made, in, r.repeat)
		want = <-expected
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			rate.Problem = err.Error()
			rates = append(rates, rate)
			continue
		}
		rate.Bytes, results = bytesOf(in), bytesOf(exec.Inputs{Columns: result.Columns})
		rate.Bytes += results
		bytes = rate.Bytes
		got, err := answerOf(made.Plan, result)
		switch {
		case err != nil:
			rate.Problem = err.Error()
		case len(result.GaveUp) > 0:
			rate.Problem = "gave up: " + result.GaveUp[0].Reason
		default:
			rate.Problem = want.differs(got)
		}
		for _, c := range result.Columns {
			r.space.Free(c.Data)
		}
		rates = append(rates, r.rated(rate, times))
	}
	if r.peers == nil {
		return rates, nil
	}
	for _, p := range w.peers {
		if want == nil || bytes == 0 {
			break
		}
		rate := rate{Workload: w.name, Rows: data.rows, Form: p.name, Peer: true, Bytes: bytes}
		if p.perRow > 0 && len(want.Columns) > 0 {
			rate.Bytes = data.rows*p.perRow + want.Columns[0].Rows*p.each
		}
		var files []string
		for _, c := range w.columns {
			path, ok := r.space.Path(data.made[c.from].Data)
			if !ok {
				files = nil
				break
			}
			files = append(files, path)
		}
		if files == nil {
			break // a system without files in memory
		}
		got, times, err := r.peers.run(p.command, r.repeat, data.rows, files)
		switch {
		case err != nil:
			rate.Problem = err.Error()
		case p.perRow > 0:
			rate.Problem = answer{Columns: want.Columns[:1]}.differs(got)
		default:
			rate.Problem = want.differs(got)
		}
		rates = append(rates, r.rated(rate, times))
	}
	return rates, nil
}

// rated gives a form its time, unless it has a problem.
func (r *runner) rated(rate rate, times []time.Duration) rate {
	if rate.Problem != "" || len(times) == 0 {
		return rate
	}
	rate.Time = max(median(times).Nanoseconds(), 1)
	rate.Rate = float64(rate.Bytes) / float64(rate.Time)
	if r.copied > 0 {
		rate.Share = rate.Rate / r.copied
	}
	return rate
}

func bytesOf(in exec.Inputs) (bytes int64) {
	for _, c := range in.Columns {
		bytes += int64(len(c.Data))
	}
	return bytes
}

// answerOf returns the results in the order of the ports.
func answerOf(p *plan.Plan, result *exec.Result) (answer, error) {
	var a answer
	for _, port := range p.Ports {
		if port.Direction != plan.Out {
			continue
		}
		if port.Domain == "" {
			a.Scalar = floatOf(result.Scalars[port.Name].Bits)
			continue
		}
		d, err := digestOf(result.Columns[port.Name])
		if err != nil {
			return a, fmt.Errorf("result %s: %w", port.Name, err)
		}
		a.Columns = append(a.Columns, d)
	}
	return a, nil
}

// best returns the fastest of the rates that pass.
func best(rates []rate, pass func(rate) bool) *rate {
	var found *rate
	for i := range rates {
		if r := &rates[i]; r.Time > 0 && pass(*r) && (found == nil || r.Rate > found.Rate) {
			found = r
		}
	}
	return found
}

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/device/oclgrind"
	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/internal/difftest"
	"github.com/kgen-go/kgen/internal/kernels"
	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/ir"
)

// workerTester tests a device that a worker program drives. Drivers take long
// to compile, so there are several workers.
type workerTester struct {
	name    string
	number  int // of the device in the worker's listing
	driver  *driver
	clients chan *workerClient
	absent  error  // why nothing runs
	rows    int    // that a run may have; 0 is any number
	folder  string // for files that last as long as the tester
	log     bool   // the workers run under a simulator, which writes one
}

type workerClient struct {
	*worker.Client
	space *memory.Space
	runs  int // of the worker's process
	log   simulatorLog
}

// runsPerWorker bounds the life of a worker's process: drivers keep what they
// have compiled.
const runsPerWorker = 400

// workersPerDevice workers compile concurrently; each driver takes a core or two.
var workersPerDevice = min(max(runtime.GOMAXPROCS(0)/2, 2), 8)

// newDriverTester opens the device of a number in a driver's listing.
func newDriverTester(ctx context.Context, d *driver, name string, number int) *workerTester {
	t := &workerTester{name: name, number: number, driver: d}
	var err error
	if t.folder, err = os.MkdirTemp("", "kgen-difftest-"); err != nil {
		t.absent = fmt.Errorf("%w: %v", difftest.ErrNotOpen, err)
		return t
	}
	options := worker.Options{Program: d.program}
	if d.keeps != "" && os.Getenv(d.keeps) == "" { // random programs are not worth caching
		options.Environment = []string{d.keeps + "=" + t.folder}
	}
	t.open(ctx, options)
	return t
}

// open starts the workers, the first one to look for the device.
func (t *workerTester) open(ctx context.Context, options worker.Options) {
	t.clients = make(chan *workerClient, workersPerDevice)
	first, err := t.openOne(ctx, options, 0)
	if err == nil {
		t.clients <- first
		err = t.check(ctx, first.Client)
	}
	if err != nil {
		t.absent = fmt.Errorf("%w: %v", difftest.ErrNotOpen, err)
		return
	}
	var others sync.WaitGroup
	for i := 1; i < workersPerDevice; i++ {
		others.Go(func() {
			// If there is no memory for another worker, there are fewer.
			if client, err := t.openOne(ctx, options, i); err == nil {
				t.clients <- client
			}
		})
	}
	others.Wait()
}

// openOne starts a worker, the one of a number.
func (t *workerTester) openOne(ctx context.Context, options worker.Options, number int) (*workerClient, error) {
	c := &workerClient{space: memory.NewSpace(0)}
	options.Space = c.space
	if t.log {
		c.log.path = filepath.Join(t.folder, fmt.Sprintf("%d.log", number))
		options.Environment = slices.Concat(options.Environment, oclgrind.Environment(c.log.path))
	}
	var err error
	if c.Client, err = worker.Open(ctx, options); err != nil {
		c.space.Close()
		return nil, err
	}
	return c, nil
}

// check looks for the device.
func (t *workerTester) check(ctx context.Context, client *worker.Client) error {
	listing, err := client.List(ctx)
	switch {
	case err != nil:
		return err
	case t.number >= len(listing.Devices):
		return fmt.Errorf("there is no device %s; there are %d devices", t.name, len(listing.Devices))
	case listing.Devices[t.number].Problem != "":
		return errors.New(listing.Devices[t.number].Problem)
	}
	return nil
}

func (t *workerTester) Name() string { return t.name }

func (t *workerTester) Target() simt.Target { return t.driver.emitter.Target() }

func (t *workerTester) Close() {
	for len(t.clients) > 0 {
		client := <-t.clients
		client.Close()
		client.space.Close()
	}
	if t.folder != "" {
		os.RemoveAll(t.folder)
	}
}

// Prepare emits the text; a driver builds it in the first run.
func (t *workerTester) Prepare(_ context.Context, jobs []difftest.Job) []difftest.Prepared {
	ready := make([]difftest.Prepared, len(jobs))
	for i, job := range jobs {
		if t.absent != nil {
			ready[i].Err = t.absent
			continue
		}
		ready[i] = difftest.Guard(func() (difftest.Executable, error) {
			m, err := t.driver.emitter.Make(job.ForWorkgroups(), job.Schedule)
			if err != nil {
				return nil, err
			}
			if job.Unoptimized {
				m.Options = append(m.Options, t.driver.quick...)
			}
			return &workerTested{t, job, m}, nil
		})
	}
	return ready
}

// workerTested is a program for a worker's device.
type workerTested struct {
	*workerTester
	job  difftest.Job
	made *kernels.Program
}

func (w *workerTested) Run(ctx context.Context, in []ir.Column, _ uint64) (difftest.Outcome, error) {
	var client *workerClient
	select {
	case client = <-w.clients:
	case <-ctx.Done():
		return difftest.Outcome{}, ctx.Err()
	}
	defer func() { w.clients <- client }()
	if client.runs++; client.runs > runsPerWorker {
		client.Client.Close() // the next run starts it again
		client.runs = 1
	}
	run := func(inputs exec.Inputs) (*exec.Result, error) {
		result, err := client.Run(ctx, worker.Request{Code: worker.Code{Device: w.number, Plan: w.made.Plan, Texts: w.made.Texts(), Build: w.made.Options, Passing: true}, Inputs: inputs})
		if err != nil {
			return nil, err
		}
		for name, c := range result.Columns {
			result.Columns[name] = exec.Column{Kind: c.Kind, Data: slices.Clone(c.Data)}
			client.space.Free(c.Data)
		}
		return &result.Result, nil
	}
	out, err := difftest.RunPlan(w.job.Program.Pipeline, w.made.Plan, run, in)
	if reported := client.log.fault(); reported != nil {
		return difftest.Outcome{}, reported
	}
	return out, workerFault(err)
}

// workerFault returns the kind of a worker's fault.
func workerFault(err error) error {
	var build *worker.BuildError
	var crash *worker.CrashError
	var late *worker.TimeoutError
	var full *exec.AllocError
	var giveUp *exec.GiveUpError
	fault := func(f difftest.Fault) error { return &difftest.FaultError{Fault: f, Err: err} }
	switch {
	case errors.As(err, &build):
		return fault(difftest.FaultBuild)
	case errors.As(err, &crash):
		return fault(difftest.FaultCrash)
	case errors.As(err, &late):
		return fault(difftest.FaultHang)
	case errors.As(err, &full):
		return fault(difftest.FaultMemory)
	case errors.As(err, &giveUp): // the device lacks what the plan needs
		return fmt.Errorf("%w: %v", difftest.ErrAbsent, err)
	}
	return err
}

func (w *workerTested) Features() []string {
	return append(difftest.PlanFeatures(w.made.Plan), difftest.TextFeatures(w.made.Texts())...)
}

func (w *workerTested) MaxRows() int { return w.rows }

// Close does nothing: the next program uses the same workers.
func (w *workerTested) Close() {}

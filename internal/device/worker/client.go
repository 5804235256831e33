package worker

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/plan"
)

// Options of Open. Only Program must be set.
type Options struct {
	Program     Program
	Path        string        // of the executable; "" finds it
	Space       *memory.Space // holds results; columns in it are not copied. nil is a space of the client's own
	Limit       time.Duration // for each call; 0 is DefaultLimit
	Environment []string      // of the worker, beside kgen's own: KEY=VALUE
	Doing       func(string)  // hears what a call that takes long is waiting for, as "the probe of the devices"; may be nil
}

// DefaultLimit is the time that a call may take.
const DefaultLimit = 10 * time.Minute

// grace is how much longer than its limit a worker may take to say so.
const grace = 2 * time.Second

// Request is a plan to run on a device.
type Request struct {
	Device   int // its number in the listing
	Plan     *plan.Plan
	Texts    map[string]string // the emitted text by Variant.File
	Build    []string          // options of the driver's compiler that the text asks for
	Passing  bool              // the texts will not be met again, by any process
	Inputs   exec.Inputs
	Memory   int64 // bytes of device memory to use at most; 0 is no limit
	PartRows int64 // as in exec.Options
	Trace    bool  // return Steps; waiting for the end of each makes the run slower
	Repeat   int   // do the device's work so many times more, and return Times
}

// Result is what a run returned. Its columns lie in the space, for the caller
// to free.
type Result struct {
	exec.Result
	Steps []Step // of a traced run

	// Times are those of the repetitions, which made the results that are
	// returned: all fills and launches of the plan, from the start of the first
	// to the end of the last by the device's own clock. They follow each other
	// closely, so that what is small lies in the device's caches; what the host
	// does between launches of a run, such as reading a length, is not in them.
	Times []time.Duration

	// Launches are those of one more repetition of a traced run, each by itself, so
	// that their times are not those of kernels that meet memory for the first time.
	Launches []LaunchTime
}

// LaunchTime is the time of a launch by the device's own clock.
type LaunchTime struct {
	Kernel string `json:"kernel"`
	Time   int64  `json:"ns"`
}

// Client runs plans in a worker, one call at a time. If a call ended the program,
// the next call starts it again. A Client is safe for concurrent use and must be
// closed.
type Client struct {
	options Options
	mutex   sync.Mutex
	process *process // nil after a crash
}

// Open starts a worker. The error is a [MissingError] if there is no such program
// and a [StartError] if it cannot run, for example because a library is missing.
func Open(ctx context.Context, options Options) (*Client, error) {
	if options.Limit == 0 {
		options.Limit = DefaultLimit
	}
	if options.Limit < 0 {
		return nil, fmt.Errorf("a limit of %v", options.Limit)
	}
	if options.Space == nil {
		options.Space = memory.NewSpace(0)
	}
	if options.Path == "" {
		path, err := options.Program.Find()
		if err != nil {
			return nil, err
		}
		options.Path = path
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c := &Client{options: options}
	var err error
	c.process, err = start(options.Program, options.Path, options.Environment)
	return c, err
}

// Close ends the worker.
func (c *Client) Close() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.process != nil {
		c.process.end(nil)
		c.process = nil
	}
}

// List describes the devices. The first call on a machine probes them, which
// takes seconds.
func (c *Client) List(ctx context.Context) (Listing, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	r, _, err := c.exchange(ctx, &transfer{space: c.options.Space, doing: c.options.Doing, request: request{Devices: true}})
	if err != nil {
		return Listing{}, err
	}
	return *r.Listing, nil
}

// Run runs a plan. Errors are those of exec.Run ([exec.CheckError],
// [exec.GiveUpError], [exec.InputError], [exec.AllocError]), or a
// [BuildError], [TimeoutError], [CrashError] or [DeviceError]. When ctx ends
// first, the worker is killed.
func (c *Client) Run(ctx context.Context, r Request) (*Result, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	t := &transfer{space: c.options.Space, doing: c.options.Doing}
	defer t.release()
	if err := t.prepare(r); err != nil {
		return nil, err
	}
	answer, columns, err := c.exchange(ctx, t)
	if err != nil {
		return nil, err
	}
	done := answer.Run
	var times []time.Duration
	for _, ns := range done.Times {
		times = append(times, time.Duration(ns))
	}
	return &Result{
		Result:   exec.Result{Columns: columns, Scalars: done.Scalars, Depths: done.Depths, Level: done.Level, Peak: done.Peak, GaveUp: done.GaveUp},
		Steps:    done.Steps,
		Times:    times,
		Launches: done.Launches,
	}, nil
}

// exchange sends a request and waits for the response. An error of the
// connection ends the worker.
func (c *Client) exchange(ctx context.Context, t *transfer) (response, map[string]exec.Column, error) {
	if err := ctx.Err(); err != nil {
		return response{}, nil, err
	}
	if c.process == nil {
		var err error
		if c.process, err = start(c.options.Program, c.options.Path, c.options.Environment); err != nil {
			return response{}, nil, err
		}
	}
	t.request.Limit = c.options.Limit.Nanoseconds()
	bounded, cancel := context.WithTimeout(ctx, c.options.Limit+grace)
	defer cancel()
	stop := context.AfterFunc(bounded, c.process.Kill)
	answer, columns, err := t.exchange(c.process)
	killed := !stop()
	switch {
	case killed && ctx.Err() != nil:
		c.drop(err)
		return response{}, nil, ctx.Err()
	case killed:
		c.drop(err)
		return response{}, nil, &TimeoutError{Limit: c.options.Limit}
	case err != nil:
		c.process.Kill()
		var full *spaceError
		stderr := &c.process.Stderr
		status := c.drop(err)
		if errors.As(err, &full) {
			return response{}, nil, full.error
		}
		return response{}, nil, &CrashError{Program: c.options.Program.Name, Status: status, Stderr: stderr.String()}
	case answer.Failure != nil:
		switch {
		case answer.Failure.Timeout != nil:
			c.drop(nil)
		case answer.Failure.Lost:
			c.process.Kill() // with such a device it may not end by itself
			c.drop(nil)
		}
		return response{}, nil, answer.Failure.error()
	}
	return answer, columns, nil
}

// drop waits for the end of the process.
func (c *Client) drop(cause error) (status string) {
	status = c.process.end(cause)
	c.process = nil
	return status
}

package worker

import (
	"context"
	"fmt"
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
	Grace       time.Duration // how long a call may go on after its context has ended, before the worker is killed with all that it holds
	Environment []string      // of the worker, beside kgen's own: KEY=VALUE
	Doing       func(string)  // hears what a call that takes long is waiting for, as "the probe of the devices"; may be nil
}

// DefaultLimit is the time that a call may take.
const DefaultLimit = 10 * time.Minute

// grace is how much longer than its limit a worker may take to say so.
const grace = 2 * time.Second

// Code is a plan with the texts of its kernels, for a device.
type Code struct {
	Device  int // its number in the listing
	Plan    *plan.Plan
	Texts   map[string]string // the emitted text by Variant.File
	Build   []string          // options of the driver's compiler that the text asks for
	Passing bool              // the texts will not be met again, by any process
}

// Request is a run of a plan.
type Request struct {
	Code                 // the plan
	Loaded   *Loaded     // or what keeps it ready from run to run
	Inputs   exec.Inputs // columns that are resident are a [*Memory]
	Keep     []string    // result columns that stay on the device, as a [*Memory]
	Memory   int64       // bytes of device memory to use at most; 0 is no limit
	PartRows int64       // as in exec.Options
	Trace    bool        // return Steps; waiting for the end of each makes the run slower
	Repeat   int         // do the device's work so many times more, and return Times
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

	Parts Parts

	// Launches are those of one more repetition of a traced run, each by itself, so
	// that their times are not those of kernels that meet memory for the first time.
	Launches []LaunchTime
}

// Parts are where the time of a call went, by the host's clocks: each holds those before it.
type Parts struct {
	Queued time.Duration // from the request until all was queued that the first read waits for
	Waited time.Duration // in reads of small parts
	Worker time.Duration // from the request, unpacked, to its answer
	Client time.Duration // from before the request was packed until its answer was unpacked
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
	turn    chan struct{} // holds the one token that a call takes
	process *process      // nil after a crash
	handles handles
	guard   guard
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
	c := &Client{options: options, turn: make(chan struct{}, 1)}
	c.turn <- struct{}{}
	var err error
	c.process, err = start(options.Program, options.Path, options.Environment)
	return c, err
}

// Close ends the worker.
func (c *Client) Close() {
	<-c.turn
	defer func() { c.turn <- struct{}{} }()
	if c.process != nil {
		c.drop(nil, "it was closed")
	}
	c.guard.stop()
}

// List describes the devices. The first call on a machine probes them, which
// takes seconds.
func (c *Client) List(ctx context.Context) (Listing, error) {
	r, _, err := c.call(ctx, &transfer{}, func(t *transfer) error {
		t.request.Devices = true
		return nil
	})
	if err != nil {
		return Listing{}, err
	}
	return *r.Listing, nil
}

// Run runs a plan. Errors are those of exec.Run ([exec.CheckError],
// [exec.GiveUpError], [exec.InputError], [exec.AllocError]), or a
// [BuildError], [TimeoutError], [CrashError], [MemoryError] or [DeviceError]. When ctx
// ends first, the worker is killed after the time of grace.
func (c *Client) Run(ctx context.Context, r Request) (*Result, error) {
	if r.Repeat < 0 {
		return nil, fmt.Errorf("%d repetitions", r.Repeat)
	}
	loaded := r.Loaded
	if loaded == nil {
		var err error
		if loaded, err = c.Load(r.Code); err != nil {
			return nil, err
		}
		defer loaded.Unload()
	}
	t, begun := &transfer{}, time.Now()
	answer, columns, err := c.call(ctx, t, func(t *transfer) error { return t.run(r, loaded) })
	if err != nil {
		return nil, err
	}
	done := answer.Run
	done.Parts.Client = time.Since(begun)
	var times []time.Duration
	for _, ns := range done.Times {
		times = append(times, time.Duration(ns))
	}
	return &Result{
		Result:   exec.Result{Columns: columns, Scalars: done.Scalars, Depths: done.Depths, Level: done.Level, Peak: done.Peak, GaveUp: done.GaveUp},
		Steps:    done.Steps,
		Times:    times,
		Launches: done.Launches,
		Parts:    done.Parts,
	}, nil
}

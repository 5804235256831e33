package worker

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"time"
	"unsafe"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/memory"
)

// exitTimeout is the exit status of a worker whose device does not finish.
const exitTimeout = 3

// Serve handles requests of a [Client] on in until in ends, even if the device is
// busy then; the caller must end the process. Nothing else may write to out.
func Serve(driver Driver, in io.Reader, out io.Writer) error {
	signal.Ignore(os.Interrupt) // kgen decides when this process ends
	s := &server{driver: driver, out: bufio.NewWriter(out)}
	if err := writeMessage(s.out, hello{protocol}); err != nil {
		return err
	}
	calls := make(chan *call)
	defer close(calls)
	go func() {
		for c := range calls {
			s.answer(c)
		}
	}()
	from := bufio.NewReaderSize(in, 1<<16)
	for {
		c, err := readCall(from)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		calls <- c
	}
}

// call is a request with its inline columns.
type call struct {
	request
	inline [][]byte // by position in Run.Columns; nil for those in files
}

func readCall(in *bufio.Reader) (*call, error) {
	c := new(call)
	if err := readMessage(in, &c.request); err != nil {
		return nil, err
	}
	if c.Run == nil {
		return c, nil
	}
	for _, column := range c.Run.Columns {
		var data []byte
		if column.File == "" {
			if column.Size < 0 || column.Size != int64(int(column.Size)) {
				return nil, fmt.Errorf("a column of %d bytes", column.Size)
			}
			data = alignedBytes(column.Size)
			if _, err := io.ReadFull(in, data); err != nil {
				return nil, err
			}
		}
		c.inline = append(c.inline, data)
	}
	return c, nil
}

// server writes responses.
type server struct {
	driver Driver
	mutex  sync.Mutex // of out, and of the decision between response and timeout
	out    *bufio.Writer
}

// answer handles one call within its limit, or ends the process at the timeout.
func (s *server) answer(c *call) {
	var busy func() string
	var busyMutex sync.Mutex
	watch := func(f func() string) {
		busyMutex.Lock()
		defer busyMutex.Unlock()
		busy = f
	}
	timer := time.AfterFunc(time.Duration(c.Limit), func() {
		busyMutex.Lock()
		doing := ""
		if busy != nil {
			doing = busy()
		}
		s.mutex.Lock() // never unlocked: there are no more responses
		writeMessage(s.out, response{Failure: &failure{Timeout: &timeoutFailure{c.Limit, doing}}})
		os.Exit(exitTimeout)
	})
	stop := s.report(func() string {
		busyMutex.Lock()
		defer busyMutex.Unlock()
		if busy == nil {
			return ""
		}
		return busy()
	})
	r, inline, release := s.respond(c, watch)
	defer release()
	stop()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	timer.Stop()
	if err := writeMessage(s.out, r, inline...); err != nil {
		fmt.Fprintln(os.Stderr, "answering:", err)
		os.Exit(1)
	}
}

// reportInterval is the time between looks at what a call is waiting for.
const reportInterval = 250 * time.Millisecond

// report tells the client what a call is waiting for, until stop.
func (s *server) report(doing func() string) (stop func()) {
	ended := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		tick := time.NewTicker(reportInterval)
		defer tick.Stop()
		told := ""
		for {
			select {
			case <-ended:
				return
			case <-tick.C:
			}
			if now := doing(); now != "" && now != told {
				told = now
				s.mutex.Lock()
				writeMessage(s.out, response{Doing: now}) // a client that has gone is noticed by the answer
				s.mutex.Unlock()
			}
		}
	})
	return func() {
		close(ended)
		done.Wait()
	}
}

// respond executes c.
func (s *server) respond(c *call, watch func(busy func() string)) (r response, inline [][]byte, release func()) {
	release = func() {}
	var err error
	switch {
	case c.Devices:
		watch(func() string { return "the probe of the devices" })
		var listing Listing
		if listing, err = s.driver.List(context.Background()); err == nil {
			r.Listing = &listing
		}
	case c.Run != nil && c.Run.Plan != nil:
		r.Run, inline, release, err = s.run(c, watch)
	default:
		err = errors.New("the worker was asked for nothing")
	}
	if err != nil {
		r.Failure = newFailure(err)
	}
	return r, inline, release
}

// run runs a plan; release unmaps its columns.
func (s *server) run(c *call, watch func(busy func() string)) (_ *runResult, inline [][]byte, release func(), err error) {
	var releases []func()
	release = func() {
		for _, f := range releases {
			f()
		}
	}
	in := exec.Inputs{Columns: map[string]exec.Column{}, Scalars: c.Run.Scalars}
	for i, column := range c.Run.Columns {
		data := c.inline[i]
		if column.File != "" {
			var unmap func()
			if data, unmap, err = memory.Map(column.File, column.Size, false); err != nil {
				return nil, nil, release, err
			}
			releases = append(releases, unmap)
		}
		in.Columns[column.Port] = exec.Column{Kind: column.Kind, Data: data}
	}
	places := map[string][]byte{}
	files := map[string]string{}
	for _, column := range c.Run.Results {
		data, unmap, err := memory.Map(column.File, column.Size, true)
		if err != nil {
			return nil, nil, release, err
		}
		releases = append(releases, unmap)
		places[column.Port], files[column.Port] = data, column.File
	}
	done := &runResult{}
	step := func(name string, took time.Duration) {
		if c.Run.Trace {
			done.Steps = append(done.Steps, Step{Step: name, Host: took.Nanoseconds()})
		}
	}
	var compiled time.Duration // within the step that has not ended
	watch(func() string { return "the start of the device" })
	opening, begun := StepOpen, time.Now()
	session, err := s.driver.Open(context.Background(), c.Run.Device, SessionOptions{Texts: c.Run.Texts, Build: c.Run.Build, Passing: c.Run.Passing, Timed: c.Run.Trace || c.Run.Repeat > 0,
		Probing: func() {
			opening = StepProbe
			watch(func() string { return "the probe of the device" })
		},
		Compiled: func(took time.Duration, cached bool) {
			compiled += took
			if cached {
				step(StepCached, took)
			} else {
				step(StepCompile, took)
			}
		}})
	if err != nil {
		return nil, nil, release, err
	}
	defer session.Close()
	step(opening, time.Since(begun))
	watch(session.Busy)
	options := exec.Options{Memory: c.Run.Memory, PartRows: c.Run.PartRows, Place: func(port string, bytes int64) []byte {
		if int64(len(places[port])) < bytes {
			return nil
		}
		return places[port]
	}}
	if c.Run.Trace {
		options.Event = func(e exec.Event) {
			done.Steps = append(done.Steps, Step{Step: e.Step, Name: e.Name, Workgroups: e.Workgroups, Rows: e.Rows, Bytes: e.Bytes,
				Reason: e.Reason, Host: max(e.Duration-compiled, 0).Nanoseconds(), Device: session.Elapsed().Nanoseconds()})
			compiled = 0
		}
	}
	if c.Run.Repeat > 0 {
		repeated := &repeater{Session: session, times: c.Run.Repeat}
		options.Settled = func() (err error) {
			if done.Times, err = repeated.again(); err == nil && c.Run.Trace {
				done.Launches, err = repeated.apart()
			}
			return err
		}
		session = repeated
	}
	result, err := exec.Run(context.Background(), session, c.Run.Plan, in, options)
	if err != nil {
		return nil, nil, release, err
	}
	done.Scalars, done.Depths, done.Level, done.Peak, done.GaveUp = result.Scalars, result.Depths, result.Level, result.Peak, result.GaveUp
	for port, data := range result.Columns {
		column := column{Port: port, Kind: data.Kind, Size: int64(len(data.Data))}
		if place := places[port]; len(data.Data) > 0 && unsafe.SliceData(place) == unsafe.SliceData(data.Data) {
			column.File = files[port]
		} else {
			inline = append(inline, data.Data)
		}
		done.Columns = append(done.Columns, column)
	}
	return done, inline, release, nil
}

// alignedBytes returns n bytes that may be viewed as elements of any kind.
func alignedBytes(n int64) []byte {
	words := make([]uint64, (n+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), n)
}

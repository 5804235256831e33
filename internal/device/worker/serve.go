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
	"github.com/kgen-go/kgen/internal/device/ring"
	"github.com/kgen-go/kgen/internal/memory"
)

// exitTimeout is the exit status of a worker whose device does not finish.
const exitTimeout = 3

// Serve handles requests of a [Client] on in until in ends, even if the device is
// busy then; the caller must end the process. Nothing else may write to out.
func Serve(driver Driver, in io.Reader, out io.Writer) error {
	signal.Ignore(os.Interrupt) // kgen decides when this process ends
	s := &server{driver: driver, residents: newResidents(driver), codec: newCodec(), out: bufio.NewWriter(out)}
	s.late, s.report = s.isLate, s.tell
	if err := s.write(s.out, hello{protocol}); err != nil {
		return err
	}
	from := bufio.NewReaderSize(in, 1<<16)
	first, err := s.readCall(from)
	switch {
	case err == io.EOF:
		return nil
	case err != nil:
		return err
	case first.Ring != "":
		return s.serveRing(first.Ring, from, in, out)
	}
	return s.servePipes(first, from)
}

// servePipes reads requests while one is answered, to notice the end.
func (s *server) servePipes(c *call, from *bufio.Reader) error {
	calls := make(chan *call)
	defer close(calls)
	go func() {
		for c := range calls {
			s.answer(c)
		}
	}()
	for {
		calls <- c
		var err error
		if c, err = s.readCall(from); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// serveRing answers requests of a ring. Drivers bind this goroutine to its thread, so that
// another one that reads for it would cost as much as the pipes did; who looks at a call
// that takes long looks for the end, too.
func (s *server) serveRing(path string, pipe *bufio.Reader, in io.Reader, out io.Writer) error {
	shared, unmap, err := memory.Map(path, ring.Size, true)
	if err != nil {
		return err
	}
	defer unmap()
	conn := ring.New(shared, pipe, out, false)
	if file, ok := in.(*os.File); ok {
		s.hungUp = func() bool { return ring.HungUp(file) }
	}
	s.out = bufio.NewWriter(conn)
	from := bufio.NewReaderSize(conn, 1<<16)
	s.codec.run = &runRequest{} // one call has been answered before the next is read
	for {
		c, err := s.readCall(from)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		s.answer(c)
	}
}

// call is a request with its inline columns.
type call struct {
	request
	inline [][]byte // by position in Run.Columns, or of the upload; nil if there is none
}

func (s *server) readCall(in *bufio.Reader) (*call, error) {
	c := new(call)
	if err := s.read(in, &c.request); err != nil {
		return nil, err
	}
	var columns []column
	switch {
	case c.Run != nil:
		columns = c.Run.Columns
	case c.Upload != nil:
		columns = []column{c.Upload.Data}
	}
	for i, column := range columns {
		if !column.inline() {
			continue
		}
		if column.Size < 0 || column.Size != int64(int(column.Size)) {
			return nil, fmt.Errorf("a column of %d bytes", column.Size)
		}
		data := memory.Aligned(column.Size)
		if _, err := io.ReadFull(in, data); err != nil {
			return nil, err
		}
		if c.inline == nil {
			c.inline = make([][]byte, len(columns))
		}
		c.inline[i] = data
	}
	return c, nil
}

// server writes responses.
type server struct {
	driver Driver
	residents
	*codec
	mutex  sync.Mutex // of out
	out    *bufio.Writer
	hungUp func() bool // whether in has ended, where no one else would notice; or nil

	// Of the call:
	limit, reports alarm
	late, report   func() time.Duration // isLate and tell
	longest        int64                // nanoseconds
	told           string
	watched        watched
}

// watched tells what a call is waiting for.
type watched struct {
	mutex sync.Mutex
	busy  func() string // nil for nothing
}

func (w *watched) watch(busy func() string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.busy = busy
}

func (w *watched) doing() string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.busy == nil {
		return ""
	}
	return w.busy()
}

// answer handles one call within its limit, or ends the process at the timeout.
func (s *server) answer(c *call) {
	s.watched.watch(nil)
	s.told, s.longest = "", c.Limit
	s.limit.begin(time.Duration(c.Limit), s.late)
	s.reports.begin(reportInterval, s.report)
	r, inline, release := s.respond(c, s.watched.watch)
	defer release()
	s.reports.end()
	s.limit.end()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if err := s.write(s.out, &r, inline...); err != nil {
		fmt.Fprintln(os.Stderr, "answering:", err)
		os.Exit(1)
	}
}

// reportInterval is the time between looks at what a call is waiting for.
const reportInterval = 250 * time.Millisecond

// isLate ends the process, as a call has not ended within its limit.
func (s *server) isLate() time.Duration {
	now := s.watched.doing()
	s.mutex.Lock() // never unlocked: there are no more responses
	s.write(s.out, &response{Failure: &failure{Timeout: &timeoutFailure{s.longest, now}}})
	os.Exit(exitTimeout)
	return 0
}

// tell tells the client what a call is waiting for.
func (s *server) tell() time.Duration {
	if s.hungUp != nil && s.hungUp() {
		os.Exit(0)
	}
	if now := s.watched.doing(); now != "" && now != s.told {
		s.told = now
		s.mutex.Lock()
		s.write(s.out, &response{Doing: now}) // a client that has gone is noticed by the answer
		s.mutex.Unlock()
	}
	return reportInterval
}

// respond executes c.
func (s *server) respond(c *call, watch func(busy func() string)) (r response, inline [][]byte, release func()) {
	release = func() {}
	s.free(c.Free)
	s.unload(c.Unload)
	if c.Load != nil {
		s.load(c.Load)
	}
	var err error
	switch {
	case c.Devices:
		watch(func() string { return "the probe of the devices" })
		var listing Listing
		if listing, err = s.driver.List(context.Background()); err == nil {
			r.Listing = &listing
		}
	case c.Run != nil:
		r.Run, inline, release, err = s.run(c, watch)
	case c.Upload != nil:
		r.Data = &c.Upload.Data
		err = s.upload(c.Upload, c.inline, watch)
	case c.Download != nil:
		r.Data, inline, err = s.download(c.Download, watch)
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
	program := s.programs[c.Run.Program]
	if program == nil {
		return nil, nil, release, fmt.Errorf("no program %d is loaded", c.Run.Program)
	}
	program.forget()
	for i := range c.Run.Columns {
		column := &c.Run.Columns[i]
		given := exec.Column{Kind: column.Kind}
		switch {
		case column.Memory != 0:
			if given.Resident, err = s.resident(column.Memory, program.Device, column.Size); err != nil {
				return nil, nil, release, err
			}
		case column.File != "":
			var unmap func()
			if given.Data, unmap, err = memory.Map(column.File, column.Size, false); err != nil {
				return nil, nil, release, err
			}
			releases = append(releases, unmap)
		default:
			given.Data = c.inline[i]
		}
		program.columns[column.Port] = given
	}
	for i := range c.Run.Results {
		column := &c.Run.Results[i]
		place := place{column: *column}
		if column.Memory == 0 {
			var unmap func()
			if place.data, unmap, err = memory.Map(column.File, column.Size, true); err != nil {
				return nil, nil, release, err
			}
			releases = append(releases, unmap)
		}
		program.places[column.Port] = place
	}
	done := &program.done
	begun := time.Now()
	session, err := program.open(s.driver, c.Run, done, watch)
	if err != nil {
		return nil, nil, release, err
	}
	defer func() { session.end(err) }()
	session.begun, session.parts = begun, &done.Parts
	options := exec.Options{Memory: c.Run.Memory, PartRows: c.Run.PartRows, Valid: program.valid, Event: session.event, Settled: session.settled,
		Keep: program.keep, Place: program.place}
	result, err := program.runner.Run(context.Background(), session, exec.Inputs{Columns: program.columns, Scalars: c.Run.Scalars}, options)
	if err != nil {
		return nil, nil, release, err
	}
	program.valid = true
	done.Scalars, done.Depths, done.Level, done.Peak, done.GaveUp = result.Scalars, result.Depths, result.Level, result.Peak, result.GaveUp
	for port, data := range result.Columns {
		column := column{Port: port, Kind: data.Kind, Size: int64(len(data.Data))}
		switch place := program.places[port]; {
		case data.Resident != nil:
			column.Memory, column.Size = place.Memory, data.Resident.Bytes
			s.memories[column.Memory] = &held{program.Device, exec.Resident{Memory: data.Resident.Memory, Bytes: data.Resident.Bytes}}
		case len(data.Data) > 0 && unsafe.SliceData(place.data) == unsafe.SliceData(data.Data):
			column.File = place.File
		default:
			inline = append(inline, data.Data)
		}
		done.Columns = append(done.Columns, column)
	}
	done.Parts.Worker = time.Since(begun)
	return done, inline, release, nil
}

package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kgen-go/kgen/internal/device"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/memory"
)

// residents are what a worker holds from call to call, by the numbers that the client
// gives.
type residents struct {
	driver   Driver
	programs map[int64]*loaded
	memories map[int64]*held
	sessions map[int]Session // by device, for copies and the end of memory
}

// held is memory of a device that holds a column.
type held struct {
	device int
	exec.Resident
}

func newResidents(driver Driver) residents {
	return residents{driver, map[int64]*loaded{}, map[int64]*held{}, map[int]Session{}}
}

// session returns the session of a device that no run uses.
func (r *residents) session(device int) (Session, error) {
	if s := r.sessions[device]; s != nil {
		return s, nil
	}
	s, err := r.driver.Open(context.Background(), device, SessionOptions{Probing: func() {}})
	if err == nil {
		r.sessions[device] = s
	}
	return s, err
}

// resident returns the column of so many bytes in memory of a device.
func (r *residents) resident(number int64, device int, bytes int64) (*exec.Resident, error) {
	m := r.memories[number]
	switch {
	case m == nil:
		return nil, fmt.Errorf("the worker has no memory of number %d", number)
	case m.device != device:
		return nil, fmt.Errorf("memory of device %d does not serve device %d", m.device, device)
	case bytes != m.Bytes:
		return nil, fmt.Errorf("%d bytes of memory that holds %d", bytes, m.Bytes)
	}
	return &m.Resident, nil
}

func (r *residents) free(numbers []int64) {
	for _, number := range numbers {
		m := r.memories[number]
		if m == nil {
			continue
		}
		delete(r.memories, number)
		if s, err := r.session(m.device); err == nil {
			s.Free(m.Memory)
		}
	}
}

// upload copies a column to a device.
func (r *residents) upload(t *transferRequest, inline [][]byte, watch func(func() string)) error {
	watch(func() string { return "the start of the device" })
	s, err := r.session(t.Device)
	if err != nil {
		return err
	}
	watch(s.Busy)
	var data []byte
	if t.Data.File == "" {
		data = inline[0]
	} else {
		var unmap func()
		if data, unmap, err = memory.Map(t.Data.File, t.Data.Size, false); err != nil {
			return err
		}
		defer unmap()
	}
	m, err := s.Import(data)
	if err == nil {
		err = s.Sync()
	}
	var full *exec.FullError
	if errors.As(err, &full) {
		return &exec.AllocError{Buffer: "a column", Bytes: int64(len(data)), InUse: r.bytes(t.Device), Err: err}
	}
	if err != nil {
		return err
	}
	r.memories[t.Memory] = &held{t.Device, exec.Resident{Memory: m, Bytes: int64(len(data))}}
	return nil
}

// bytes returns how many bytes of a device are held.
func (r *residents) bytes(device int) (sum int64) {
	for _, m := range r.memories {
		if m.device == device {
			sum += m.Bytes
		}
	}
	return sum
}

// download copies a column from a device.
func (r *residents) download(t *transferRequest, watch func(func() string)) (*column, [][]byte, error) {
	from, err := r.resident(t.Memory, t.Device, t.Data.Size)
	if err != nil {
		return nil, nil, err
	}
	s, err := r.session(t.Device)
	if err != nil {
		return nil, nil, err
	}
	watch(s.Busy)
	if t.Data.File == "" {
		data := memory.Aligned(from.Bytes)
		return &t.Data, [][]byte{data}, s.Read(from.Memory, 0, data)
	}
	data, unmap, err := memory.Map(t.Data.File, t.Data.Size, true)
	if err != nil {
		return nil, nil, err
	}
	defer unmap()
	return &t.Data, nil, s.Read(from.Memory, 0, data)
}

// loaded is a plan with the session that keeps its kernels.
type loaded struct {
	*loadRequest
	sources *device.Sources
	session Session // nil before the first run
	runner  *exec.Runner
	valid   bool // the plan has been verified

	// Of a run, kept for the next one:
	columns map[string]exec.Column
	places  map[string]place // of results, where the client said so
	done    runResult
	running running
}

// place is where a result goes: memory of the host that the client maps, or what the device
// keeps.
type place struct {
	column
	data []byte
}

// forget forgets the last run.
func (l *loaded) forget() {
	clear(l.columns)
	clear(l.places)
	l.done = runResult{Columns: l.done.Columns[:0]}
}

func (l *loaded) keep(port string) bool { return l.places[port].Memory != 0 }

func (l *loaded) place(port string, bytes int64) []byte {
	if data := l.places[port].data; int64(len(data)) >= bytes {
		return data
	}
	return nil
}

func (r *residents) load(l *loadRequest) {
	r.unload([]int64{l.Program})
	r.programs[l.Program] = &loaded{loadRequest: l, sources: device.NewSources(l.Plan, l.Texts), runner: exec.NewRunner(l.Plan), columns: map[string]exec.Column{}, places: map[string]place{}}
}

func (r *residents) unload(numbers []int64) {
	for _, number := range numbers {
		if l := r.programs[number]; l != nil {
			l.close()
			delete(r.programs, number)
		}
	}
}

func (l *loaded) close() {
	if l.session != nil {
		l.session.Close()
		l.session = nil
	}
}

// running is a session during one run.
type running struct {
	Session
	event   func(exec.Event) // nil for a run without a trace
	settled func() error     // nil for a run without repetitions
	program *loaded          // keeps the session; nil if the run has one of its own
	begun   time.Time
	parts   *Parts
}

// Gather is the session's, and takes the time.
func (r *running) Gather(reads []exec.Read) error {
	begun := time.Now()
	if r.parts.Queued == 0 {
		r.parts.Queued = begun.Sub(r.begun)
	}
	err := r.Session.Gather(reads)
	r.parts.Waited += time.Since(begun)
	return err
}

// open returns the session of a program for a run that writes its steps into done. Runs
// that are timed have a session of their own.
func (l *loaded) open(driver Driver, r *runRequest, done *runResult, watch func(func() string)) (*running, error) {
	timed := r.Trace || r.Repeat > 0
	if !timed && l.session != nil {
		watch(l.session.Busy)
		l.running = running{Session: l.session, program: l}
		return &l.running, nil
	}
	step := func(name string, took time.Duration) {
		if r.Trace {
			done.Steps = append(done.Steps, Step{Step: name, Host: took.Nanoseconds()})
		}
	}
	var compiled time.Duration // within the step that has not ended
	watch(func() string { return "the start of the device" })
	opening, begun := StepOpen, time.Now()
	session, err := driver.Open(context.Background(), l.Device, SessionOptions{Sources: l.sources, Build: l.Build, Passing: l.Passing, Timed: timed,
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
		return nil, err
	}
	step(opening, time.Since(begun))
	watch(session.Busy)
	if !timed {
		l.session = session
		return &running{Session: session, program: l}, nil
	}
	run := &running{Session: session}
	if r.Trace {
		run.event = func(e exec.Event) {
			s := StepOf(e, compiled)
			s.Device = session.Elapsed().Nanoseconds()
			done.Steps = append(done.Steps, s)
			compiled = 0
		}
	}
	if r.Repeat > 0 {
		repeated := &repeater{Session: session, times: r.Repeat}
		run.settled = func() (err error) {
			begun := time.Now()
			end, err := turn()
			if err != nil {
				return err
			}
			defer end()
			step(StepTurn, time.Since(begun))
			if done.Times, err = repeated.again(); err == nil && r.Trace {
				done.Launches, err = repeated.apart()
			}
			return err
		}
		run.Session = repeated
	}
	return run, nil
}

// end ends a run. A session with a failed command is not used again.
func (r *running) end(failed error) {
	switch {
	case r.program == nil:
		r.Session.Close()
	case failed != nil && (!expected(failed) || r.Sync() != nil):
		r.program.close()
	}
}

// expected reports whether an error of a run says nothing about the session.
func expected(err error) bool {
	var check *exec.CheckError
	var input *exec.InputError
	var giveUp *exec.GiveUpError
	var full *exec.AllocError
	return errors.As(err, &check) || errors.As(err, &input) || errors.As(err, &giveUp) || errors.As(err, &full)
}

package gocpu

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"time"

	"github.com/kgen-go/kgen/internal/device/gocpu/harness"
	"github.com/kgen-go/kgen/internal/memory"
)

// Call is one execution of a program.
type Call struct {
	Program string
	Workers int      // 0: the program decides
	Params  [][]byte // elements in memory order; a scalar is one element
	// Bounds are upper bounds of the results in bytes; 0 is none. A result with
	// a bound is written in place for the caller, without a copy.
	Bounds []int64
	// Repeat is how often the program is called again. Results are those of the last
	// call; those with a bound are written to the same memory each time.
	Repeat int
}

// Result is the result of a call: a column per field of the entry's result.
type Result struct {
	Columns [][]byte      // as in Call.Params, aligned for any element type
	Elapsed time.Duration // of the call alone, without moving the columns
	Steps   []Step        // of a traced program, in order
	Again   []Repetition  // of the calls that repeated it
}

// Repetition is a repeated call.
type Repetition = harness.Repetition

// Step is a part of a call: a kernel, or the allocation of memory.
type Step = harness.Step

// CheckError is a failed run-time check.
type CheckError struct {
	Site int
	Row  int64
}

func (e *CheckError) Error() string { return fmt.Sprintf("check %d failed at row %d", e.Site, e.Row) }

// ArgumentError is an argument that the program refused.
type ArgumentError struct{ Message string }

func (e *ArgumentError) Error() string { return e.Message }

// CrashError is the end of the child process during a call.
type CrashError struct {
	Program string
	Status  string // as in "exit status 2" or "signal: killed"
	Stderr  string // the start and the end of what it wrote
}

func (e *CrashError) Error() string {
	text, details := fmt.Sprintf("the process that ran %s ended early: %s", e.Program, e.Status), e.Stderr
	switch {
	case e.refusedMemory():
		text = fmt.Sprintf("the process that ran %s has run out of memory", e.Program)
		details, _, _ = strings.Cut(details, "\n\n") // omit the stack
	case e.killed():
		text += " (the system does this when memory runs out)"
	}
	if details != "" {
		text += "\n" + details
	}
	return text
}

// Race reports whether the race detector has ended the process.
func (e *CrashError) Race() bool { return strings.Contains(e.Stderr, "WARNING: DATA RACE") }

// OutOfMemory reports whether the process has ended for lack of memory,
// certainly or probably: a kill may have another reason.
func (e *CrashError) OutOfMemory() bool { return e.refusedMemory() || e.killed() }

func (e *CrashError) killed() bool { return strings.Contains(e.Status, "killed") }

func (e *CrashError) refusedMemory() bool {
	return strings.Contains(e.Stderr, "out of memory") || strings.Contains(e.Stderr, "cannot allocate memory")
}

// Worker runs calls one after another in a child process, which it starts for
// the first call and again after a crash. It is safe for concurrent use;
// concurrent calls need several workers.
type Worker struct {
	binary *Binary
	space  *memory.Space
	mutex  sync.Mutex
	child  *child // nil before the first call and after a crash
}

// Worker returns a worker for b. It must be closed. Parameters that lie in
// space are mapped by the child process, others are copied; results lie in
// space, for the caller to free.
func (b *Binary) Worker(space *memory.Space) *Worker { return &Worker{binary: b, space: space} }

// Close ends the child process.
func (w *Worker) Close() error {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.child == nil {
		return nil
	}
	err := w.child.End()
	w.child = nil
	return err
}

// Run executes a call. When ctx ends first, the child process is killed.
func (w *Worker) Run(ctx context.Context, call Call) (Result, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	entry, err := w.binary.entry(call)
	if err != nil {
		return Result{}, err
	}
	m := message{space: w.space}
	defer m.release()
	if err := m.prepare(call); err != nil {
		return Result{}, err
	}
	if w.child == nil {
		if w.child, err = w.binary.start(ctx); err != nil {
			return Result{}, err
		}
	}
	stop := context.AfterFunc(ctx, w.child.Kill)
	response, columns, err := w.child.exchange(&m)
	if !stop() { // the child has been killed
		w.child.crash(call.Program, ctx.Err())
		w.child = nil
		return Result{}, ctx.Err()
	}
	var full *memoryError
	if errors.As(err, &full) {
		w.child.Kill()
		w.child.crash(call.Program, err)
		w.child = nil
		return Result{}, full.error
	}
	if err != nil {
		crash := w.child.crash(call.Program, err)
		w.child = nil
		return Result{}, crash
	}
	switch {
	case response.Check != nil:
		return Result{}, &CheckError{response.Check.Site, response.Check.Row}
	case response.Error != "":
		return Result{}, &ArgumentError{response.Error}
	case len(columns) != len(entry.Results):
		return Result{}, fmt.Errorf("%s returned %d results, %d expected", call.Program, len(columns), len(entry.Results))
	}
	m.results = nil // they are the caller's now
	return Result{columns, response.Elapsed, response.Steps, response.Again}, nil
}

// start starts the executable. Another process may have removed it from the
// cache since it was built; then it is built again.
func (b *Binary) start(ctx context.Context) (*child, error) {
	var environment []string
	if b.options.Race {
		environment = []string{"GORACE=halt_on_error=1"}
	}
	c, err := start(b.Path, environment...)
	if !errors.Is(err, fs.ErrNotExist) {
		return c, err
	}
	again, err := Build(ctx, b.source, b.options)
	if err != nil {
		return nil, err
	}
	return start(again.Path, environment...)
}

// entry finds the entry of a call and checks the call against it: the child
// trusts sizes.
func (b *Binary) entry(call Call) (*Entry, error) {
	for i := range b.source.Entries {
		e := &b.source.Entries[i]
		if e.Program != call.Program {
			continue
		}
		if len(call.Params) != len(e.Params) {
			return nil, fmt.Errorf("%s takes %d parameters, not %d", e.Program, len(e.Params), len(call.Params))
		}
		if len(call.Bounds) != 0 && len(call.Bounds) != len(e.Results) {
			return nil, fmt.Errorf("%s gives %d results, not %d", e.Program, len(e.Results), len(call.Bounds))
		}
		for j, p := range e.Params {
			size, n := p.Kind.Size(), len(call.Params[j])
			if n%size != 0 || p.Scalar && n != size {
				return nil, fmt.Errorf("%s: %d bytes are no %s for %s", e.Program, n, p.Kind, p.Name)
			}
		}
		return e, nil
	}
	return nil, fmt.Errorf("this build has no program %q", call.Program)
}

package difftest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/kgen-go/kgen"
	"github.com/kgen-go/kgen/backends/cuda"
	"github.com/kgen-go/kgen/backends/opencl"
	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/internal/device/oclgrind"
	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/internal/kernels"
	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/internal/tuning"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite"
)

// library is a device of package kgen. Compilers take long, so it is open several times.
type library struct {
	name   string
	base   string // as the library calls it
	kind   *libraryKind
	tokens chan struct{} // one for each free slot
	mutex  sync.Mutex
	free   []*slot
	absent error  // why nothing runs
	folder string // for files that last as long as the device; "" is none
	script string // that starts the driver's program; "" is that itself
	rows   int    // that a run may have; 0 is any number
}

// libraryKind is what the tester knows of a kind of device.
type libraryKind struct {
	emitter *kernels.Emitter // of its kernels; nil for none
	quick   []string         // options for faster compilation of slower code
	keeps   string           // the environment variable of the driver's own cache folder; "" is none
	lacks   bool             // it may lack what a plan needs
	life    int              // runs after which it is opened anew, because drivers keep what they have compiled; 0 is none
	rows    int
}

// libraryKinds are the kinds by their names. A new one is a new line.
var libraryKinds = map[string]*libraryKind{
	"vector":        {},
	"cudaemu":       {emitter: emitterOf(cuda.Emitter()), rows: 5000},
	"opencl":        {emitter: emitterOf(opencl.Emitter()), quick: []string{"-cl-opt-disable"}, keeps: "POCL_CACHE_DIR", lacks: true, life: 400},
	"cuda":          {emitter: emitterOf(cuda.Emitter()), lacks: true, life: 400},
	simulatorDevice: {emitter: emitterOf(opencl.Emitter()), quick: []string{"-cl-opt-disable"}, lacks: true, life: 400, rows: 200},
}

func emitterOf(e kernels.Emitter) *kernels.Emitter { return &e }

// testMemory bounds the buffers of a run on device vector: expansions of random rows can be
// long.
const testMemory = 2 << 30

// slots programs run concurrently; each compiler takes a core or two.
var slots = min(max(runtime.GOMAXPROCS(0)/2, 2), 8)

// slot is one of the times that a device is open.
type slot struct {
	number int
	device *kgen.Device
	runs   int
	log    simulatorLog
}

// Open opens a device of package kgen, cudaemu:check which also reports races, or oclgrind. It
// returns nil if the name is none of these. The error is of the name's form; a device that
// is not there is opened, and runs nothing.
func Open(ctx context.Context, name string) (Device, error) {
	prefix, _, numbered := strings.Cut(name, ":")
	kind := libraryKinds[prefix]
	if kind == nil || numbered && prefix == simulatorDevice {
		return nil, nil
	}
	l := &library{name: name, base: name, kind: kind, tokens: make(chan struct{}, slots), rows: kind.rows}
	if prefix == "cudaemu" && name != prefix {
		l.rows = 2500 // it checks each access
	}
	err := l.prepareOpening(ctx)
	if err == nil {
		err = l.openAll(ctx)
	}
	var usage *build.UsageError
	switch {
	case errors.As(err, &usage):
		return nil, err
	case err != nil:
		l.absent = fmt.Errorf("%w: %v", ErrNotOpen, err)
	}
	return l, nil
}

// prepareOpening makes what all slots need.
func (l *library) prepareOpening(ctx context.Context) (err error) {
	if l.kind.keeps == "" && l.name != simulatorDevice {
		return nil
	}
	if l.folder, err = os.MkdirTemp("", "kgen-difftest-"); err == nil && l.name == simulatorDevice {
		l.base = "opencl:0"
		l.script, err = simulate(ctx, l.folder)
	}
	return err
}

// openAll opens the slots. If there is no memory for another one, there are fewer.
func (l *library) openAll(ctx context.Context) error {
	first := &slot{number: 0}
	if err := l.open(ctx, first); err != nil {
		return err
	}
	l.put(first)
	if _, err := first.device.Info(ctx); err != nil {
		return err
	}
	var others sync.WaitGroup
	for number := 1; number < slots; number++ {
		others.Go(func() {
			if s := (&slot{number: number}); l.open(ctx, s) == nil {
				l.put(s)
			}
		})
	}
	others.Wait()
	return nil
}

// open opens the device of a slot.
func (l *library) open(ctx context.Context, s *slot) (err error) {
	tune := tuning.Device{Uncached: true}
	switch {
	case l.name == simulatorDevice:
		s.log = simulatorLog{path: filepath.Join(l.folder, fmt.Sprintf("%d.log", s.number))}
		os.Remove(s.log.path) // of an earlier process
		tune.Worker = func(o *worker.Options) {
			o.Path, o.Environment = l.script, append(oclgrind.Environment(s.log.path), "KGEN_OPENCL_EXACT_BUFFERS=1")
		}
	case l.kind.keeps != "" && os.Getenv(l.kind.keeps) == "": // random programs are not worth caching
		tune.Worker = func(o *worker.Options) { o.Environment = []string{l.kind.keeps + "=" + l.folder} }
	}
	options := []kgen.DeviceOption{kgen.TuneDevice(tune)}
	if l.kind.emitter == nil {
		options = append(options, kgen.MemoryLimit(testMemory))
	}
	s.runs = 0
	s.device, err = kgen.Open(ctx, l.base, options...)
	return err
}

// put returns a slot that take has taken.
func (l *library) put(s *slot) {
	l.mutex.Lock()
	l.free = append(l.free, s)
	l.mutex.Unlock()
	l.tokens <- struct{}{}
}

// take waits for a slot: if it is free the last one that a program has had, which has
// compiled it.
func (l *library) take(ctx context.Context, last *slot) (*slot, error) {
	select {
	case <-l.tokens:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	at := max(slices.Index(l.free, last), 0)
	s := l.free[at]
	l.free = slices.Delete(l.free, at, at+1)
	return s, nil
}

func (s *slot) close() {
	if s.device != nil {
		s.device.Close()
	}
}

func (l *library) Name() string { return l.name }

// Target returns the zero value for device vector, which has no work-groups.
func (l *library) Target() simt.Target {
	if l.kind.emitter == nil {
		return simt.Target{}
	}
	return l.kind.emitter.Target()
}

func (l *library) Close() {
	for _, s := range l.free {
		s.close()
	}
	if l.folder != "" {
		os.RemoveAll(l.folder)
	}
}

// Prepare emits the text; compilers build it in the first run.
func (l *library) Prepare(_ context.Context, jobs []Job) []Prepared {
	ready := make([]Prepared, len(jobs))
	for i, job := range jobs {
		if l.absent != nil {
			ready[i].Err = l.absent
			continue
		}
		ready[i] = Guard(func() (Executable, error) { return l.prepare(job) })
	}
	return ready
}

func (l *library) prepare(job Job) (Executable, error) {
	p := job.Program.Pipeline
	t := &libraryTested{library: l, program: kgen.Of(&build.Source{Pipelines: []*ir.Pipeline{p}}, p), open: map[*kgen.Device]*kgen.Executable{}}
	if l.kind.emitter == nil {
		t.tuning.Tiles = job.Program
		return t, nil
	}
	made, err := l.kind.emitter.Make(job.ForWorkgroups(), job.Schedule)
	if err != nil {
		return nil, err
	}
	if job.Unoptimized {
		made.Options = append(made.Options, l.kind.quick...)
	}
	t.tuning.Kernels, t.tuning.Passing = made, true
	return t, nil
}

// libraryTested is a program for a device of package kgen.
type libraryTested struct {
	*library
	program *kgen.Program
	tuning  tuning.Program
	open    map[*kgen.Device]*kgen.Executable
	last    *slot
}

// runChoices lists ways to run on device vector, which must not affect results.
var runChoices = []tuning.Run{{Workers: 1}, {Batch: 3, Workers: 3}, {Batch: 64, Workers: 2}, {Workers: 2}, {Batch: 1000, Workers: 1}, {Batch: 17, Workers: 5}}

func (t *libraryTested) Run(ctx context.Context, in []ir.Column, choice uint64) (out Outcome, err error) {
	defer recovered(&err)
	s, err := t.take(ctx, t.last)
	if err != nil {
		return out, err
	}
	defer t.put(s)
	t.last = s
	if s.runs++; s.device == nil || t.kind.life > 0 && s.runs > t.kind.life {
		s.close()
		if err := t.library.open(ctx, s); err != nil {
			return out, err
		}
	}
	e := t.open[s.device]
	if e == nil {
		if e, err = t.program.On(ctx, s.device, kgen.TuneProgram(t.tuning)); err != nil {
			return out, t.fault(err)
		}
		t.open[s.device] = e
	}
	columns, results, err := e.RunColumns(ctx, in, kgen.TuneRun(runChoices[choice%uint64(len(runChoices))]))
	if reported := s.log.fault(); reported != nil {
		return out, reported
	}
	if err != nil {
		return out, t.fault(err)
	}
	for _, c := range columns {
		out.Results = append(out.Results, raw.FromBytes(c.Kind, slices.Clone(raw.Bytes(c))))
		s.device.Space().Free(raw.Bytes(c))
	}
	if len(results.GaveUp) > 0 {
		out.GaveUp = results.GaveUp[0].Reason
	}
	return out, nil
}

// fault returns the kind of an error.
func (t *libraryTested) fault(err error) error {
	var check *ir.CheckError
	var built *kgen.BuildError
	var crash *kgen.CrashError
	var late *kgen.TimeoutError
	var full *kgen.AllocError
	var giveUp *kgen.GiveUpError
	var wrong *kgen.KernelFaultError
	switch {
	case errors.As(err, &check):
		return check
	case errors.As(err, &built):
		return &FaultError{FaultBuild, err}
	case errors.As(err, &crash):
		return &FaultError{FaultCrash, err}
	case errors.As(err, &late):
		return &FaultError{FaultHang, err}
	case errors.As(err, &full):
		return &FaultError{FaultMemory, fmt.Errorf("%w: %w", testsuite.ErrTooManyRows, err)}
	case errors.Is(err, plan.ErrOverflow):
		return fmt.Errorf("%w: %w", testsuite.ErrTooManyRows, err)
	case errors.As(err, &giveUp) && t.kind.lacks:
		return fmt.Errorf("%w: %v", ErrAbsent, err)
	case errors.As(err, &wrong):
		return &FaultError{Fault(wrong.Faults[0].Kind), err}
	}
	return err
}

func (t *libraryTested) Features() []string {
	made := t.tuning.Kernels
	if made == nil {
		return nil
	}
	return append(PlanFeatures(made.Plan), TextFeatures(made.Texts())...)
}

func (t *libraryTested) MaxRows() int { return t.rows }

// Close forgets the program; the next one uses the same devices.
func (t *libraryTested) Close() {
	for _, e := range t.open {
		e.Close()
	}
}

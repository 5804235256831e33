package emu

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/kgen-go/kgen/internal/device/cache"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/plan"
)

// Options are the options of [New]. The zero value computes without checks.
type Options struct {
	Check    bool          // whether faults are reported; about ten times slower
	Seed     uint64        // decides the order in which threads and blocks run; without checks, 0 is the natural order
	AnyLane  bool          // whether lanes of a warp run in any order where threads do; else in their own, as those of GPUs do as a rule
	Resident int           // number of blocks that run at once; 0 is DefaultResident
	Memory   int64         // of the device, in bytes; 0 is DefaultMemory or, with checks, DefaultCheckedMemory
	Limit    time.Duration // of one launch; 0 is DefaultLimit
	Cache    *cache.Cache  // keeps compiled texts; nil for none

	// Compiling is called before g++ compiles something, with what that is.
	// Compiled is called after that, or when a cache had it. Both may be nil.
	Compiling func(what string)
	Compiled  func(took time.Duration, cached bool)
}

// The defaults of [Options]. Checks take about 15 times the memory that a launch
// touches, and up to 60 times if elements are bytes.
const (
	DefaultResident      = 4
	DefaultMemory        = 8 << 30
	DefaultCheckedMemory = 1 << 30
	DefaultLimit         = 10 * time.Minute
)

func (o Options) withDefaults() Options {
	if o.Memory == 0 {
		o.Memory = DefaultMemory
		if o.Check {
			o.Memory = DefaultCheckedMemory
		}
	}
	o.Resident = cmp.Or(o.Resident, DefaultResident)
	o.Limit = cmp.Or(o.Limit, DefaultLimit)
	return o
}

// Emulator runs plans, one at a time, in a child process. If a launch ends the
// process, the next run starts a new one. An Emulator is safe for concurrent use
// and must be closed.
type Emulator struct {
	options  Options
	compiler *compiler
	host     []byte // the child's program
	mutex    sync.Mutex
	process  *process // nil before the first run, and after a crash
}

// New finds g++ and builds the program of the child process, which takes seconds
// unless it is in the cache. The error is a [MissingError] if there is no g++.
func New(ctx context.Context, options Options) (*Emulator, error) {
	options = options.withDefaults()
	if options.Resident < 0 || options.Memory < 0 || options.Limit < 0 {
		return nil, fmt.Errorf("the CUDA emulation: %d blocks at once, %d bytes of memory, a limit of %v; none may be negative", options.Resident, options.Memory, options.Limit)
	}
	k, err := newCompiler(ctx, options.Cache)
	if err != nil {
		return nil, err
	}
	k.compiling, k.compiled = options.Compiling, options.Compiled
	host, err := k.host(ctx)
	if err != nil {
		k.close()
		return nil, err
	}
	return &Emulator{options: options, compiler: k, host: host}, nil
}

// Close ends the child and removes its files.
func (e *Emulator) Close() {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if e.process != nil {
		e.process.end()
		e.process = nil
	}
	e.compiler.close()
}

// ParseOptions reads the options in the name of a device: cudaemu, cudaemu:check, or
// cudaemu:check:SEED with a whole number.
func ParseOptions(device string) (Options, error) {
	_, text, more := strings.Cut(device, ":")
	if !more {
		return Options{}, nil
	}
	mode, seed, seeded := strings.Cut(text, ":")
	o := Options{Check: true}
	var err error
	if seeded {
		o.Seed, err = strconv.ParseUint(seed, 10, 63)
	}
	if mode != "check" || err != nil {
		return Options{}, errors.New("there are cudaemu, cudaemu:check, and cudaemu:check:SEED with a whole number")
	}
	return o, nil
}

// Request is a plan to run.
type Request struct {
	Plan    *plan.Plan        // what to run
	Texts   map[string]string // the emitted texts by Variant.File
	Modules *Modules          // keeps compiled Texts between runs; nil for none
	Inputs  exec.Inputs       // columns and scalars, by the names of the ports
	Options exec.Options      // of the executor
}

// Modules keeps the compiled texts of a program for all its runs. The zero value
// is empty. It is safe for concurrent use.
type Modules struct {
	mutex sync.Mutex
	built map[string]module // by file and constants
}

// module returns a module for one caller, which is built the first time.
func (k *Modules) module(key string, build func() (*module, error)) (*module, error) {
	if k == nil {
		return build()
	}
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if m, ok := k.built[key]; ok {
		return &m, nil
	}
	m, err := build()
	if err != nil {
		return nil, err
	}
	if k.built == nil {
		k.built = map[string]module{}
	}
	k.built[key] = *m
	return m, nil
}

// Run runs a plan. Errors are those of exec.Run, a [worker.BuildError] or a
// [FaultError]. If a check of the language fails, that is the error even if
// unwritten memory was read: results after a failed check are discarded.
func (e *Emulator) Run(ctx context.Context, r Request) (*exec.Result, error) {
	var result *exec.Result
	err := e.Use(ctx, r.Texts, func(d *Device) (err error) {
		d.patient, d.kept = true, r.Modules
		result, err = exec.Run(ctx, d, r.Plan, r.Inputs, r.Options)
		var failed *exec.CheckError
		if d.deferred != nil && !errors.As(err, &failed) {
			return d.deferred
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// Use calls a function with a device that has these texts. Memory that the
// function does not free is freed when it returns.
func (e *Emulator) Use(ctx context.Context, texts map[string]string, use func(*Device) error) error {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if e.process == nil || e.process.ended != nil {
		var err error
		if e.process, err = start(e.compiler.scratch.Path, e.host, e.options.Memory); err != nil {
			return err
		}
	}
	d := &Device{emulator: e, process: e.process, texts: texts, modules: map[string]*module{}, buffers: map[*buffer]bool{}}
	defer d.close()
	return use(d)
}

// Machine describes the device that these options emulate. Its figures are
// declared: those of an H200 as far as texts can depend on them, and few compute
// units, so that little data occupies all of them.
func Machine(o Options) plan.Machine {
	o = o.withDefaults()
	m := plan.Machine{
		Device: "CUDA emulation", Driver: "g++ on the host", Units: o.Resident, Subgroup: 32, MaxWorkgroup: threadsMost,
		LocalBytes: sharedMost, Memory: o.Memory, MaxAlloc: o.Memory, Caps: map[plan.Cap]plan.Evidence{},
	}
	for _, c := range plan.Capabilities {
		m.Caps[c] = plan.Declared
	}
	delete(m.Caps, plan.CapInlinePTX) // of OpenCL C
	return m
}

package emu

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/kgen-go/kgen/internal/device/cache"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/plan"
)

// Options of New. The zero value runs plainly.
type Options struct {
	Check    bool          // report faults; some ten times slower
	Seed     uint64        // of the order in which threads and blocks run; 0, where nothing is checked, is their own
	Resident int           // blocks that run at once; 0 is DefaultResident
	Memory   int64         // bytes of the device; 0 is DefaultMemory, or DefaultCheckedMemory
	Limit    time.Duration // of one launch; 0 is DefaultLimit
	Cache    *cache.Cache  // of compiled texts; nil keeps none of them
}

// What stands for the zero values of Options. Checks take some 15 times the
// memory that a launch touches, and up to 60 times where elements are bytes.
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

// Emulator runs plans, one at a time, in a child process that it starts anew
// where a launch has ended it. It is safe for concurrent use and must be closed.
type Emulator struct {
	options  Options
	compiler *compiler
	host     []byte // the child's program
	mutex    sync.Mutex
	process  *process // nil before the first run, and after a crash
}

// New finds g++, a [MissingError] if there is none, and builds the child's
// program where the cache does not hold it, which takes seconds.
func New(ctx context.Context, options Options) (*Emulator, error) {
	options = options.withDefaults()
	if options.Resident < 0 || options.Memory < 0 || options.Limit < 0 {
		return nil, fmt.Errorf("the CUDA emulation: %d blocks at once, %d bytes of memory, a limit of %v; none may be negative", options.Resident, options.Memory, options.Limit)
	}
	k, err := newCompiler(ctx, options.Cache)
	if err != nil {
		return nil, err
	}
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

// Request is a plan to run.
type Request struct {
	Plan    *plan.Plan
	Texts   map[string]string // the emitted text by Variant.File
	Modules *Modules          // what g++ made of Texts in earlier runs; nil builds anew
	Inputs  exec.Inputs
	Options exec.Options
}

// Modules keeps what g++ makes of the texts of a program, for all its runs. The
// zero value is empty. It is safe for concurrent use.
type Modules struct {
	mutex sync.Mutex
	built map[string]module // by file and constants
}

// module returns a module of the caller's own, built the first time.
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

// Run runs a plan. Errors are those of exec.Run, a [worker.BuildError], or a
// [FaultError]. Memory that nothing wrote may be read on the way to a failed
// check, which is the error then: what a plan computes behind it is dropped.
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

// Use gives a device with these texts to a function. What the function
// allocates and does not free is freed at its end.
func (e *Emulator) Use(ctx context.Context, texts map[string]string, use func(*Device) error) error {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if e.process == nil || e.process.ended != nil {
		var err error
		if e.process, err = start(e.compiler.folder, e.host, e.options.Memory); err != nil {
			return err
		}
	}
	d := &Device{emulator: e, process: e.process, texts: texts, modules: map[string]*module{}, buffers: map[*buffer]bool{}}
	defer d.close()
	return use(d)
}

// Machine is the device that these options emulate. Its figures are declared:
// an H200's as far as texts can depend on them, and few units, so that little
// data fills them.
func Machine(o Options) plan.Machine {
	o = o.withDefaults()
	m := plan.Machine{
		Device: "CUDA emulation", Driver: "g++ on the host", Units: o.Resident, Subgroup: 32, MaxWorkgroup: threadsMost,
		LocalBytes: sharedMost, Memory: o.Memory, MaxAlloc: o.Memory, Caps: map[plan.Cap]plan.Evidence{},
	}
	for _, c := range plan.Capabilities {
		m.Caps[c] = plan.Declared
	}
	return m
}

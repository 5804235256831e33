package vector

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// batchRows is the rows of a batch: few enough for the vectors of a kernel to stay in the
// caches of a core, and enough to make the cost of a step small.
const batchRows = 1024

// Name is what programs are compiled for.
const Name = "vector"

// Hash is how many rows there are at least for each group if a hash table finds the groups of rows.
// With fewer, a sort takes about as long.
const Hash = 8

// Program is a pipeline that is ready to run. It is safe for concurrent use.
type Program struct {
	pipeline *ir.Pipeline
	plan     *plan.Plan
	kernels  map[string]*kernel
	arenas   sync.Pool
}

// kernel keeps the frames that no launch uses.
type kernel struct {
	compiled int // in Program.Kernels
	program  *backends.Program
	serial   bool // most of the work is ordered
	combined []int
	mutex    sync.Mutex
	free     map[int][]*frame // by the rows of their batches
}

// Options change how a program runs, never what it returns.
type Options struct {
	Memory  int64                                      // most bytes of buffers, the arguments among them; 0 is no limit
	Batch   int                                        // rows of a batch; 0 is the default
	Workers int                                        // goroutines; 0 is as many as there are cores for, where rows are many enough
	Step    func(kernel string, elapsed time.Duration) // called after each launch, if it is not nil

	// Place returns memory for a result column of at most so many bytes, aligned for any
	// element, or nil; nil lets Run allocate it.
	Place func(port string, bytes int64) []byte
}

// Compile makes a program ready to run. It is compiled for cores, as for emitted Go, or for [Name]. The error
// says which operation has no vector form.
func Compile(program *backends.Program) (*Program, error) {
	p := &Program{pipeline: program.Pipeline, plan: program.Plan, kernels: map[string]*kernel{},
		arenas: sync.Pool{New: func() any { return &arena{} }}}
	for i, k := range program.Kernels {
		linked := &kernel{compiled: i, program: program, free: map[int][]*frame{}}
		f, err := newFrame(k, batchRows)
		if err != nil {
			return nil, fmt.Errorf("pipeline %s: %w", program.Pipeline.Name, err)
		}
		linked.serial, linked.combined = f.serial, f.combined
		linked.give(f)
		p.kernels[k.Name] = linked
	}
	for i := range p.plan.Kernels { // a plan has the names, in the same order
		p.kernels[p.plan.Kernels[i].Name] = p.kernels[program.Kernels[i].Name]
	}
	return p, refuse(p.plan)
}

// refuse returns an error if a plan has steps that plans for cores do not have.
func refuse(p *plan.Plan) (err error) {
	plan.WalkSteps(p.Steps, func(s *plan.Step) {
		if s.Read != nil || s.While != nil || s.Parts != nil {
			err = fmt.Errorf("pipeline %s: internal error: the plan is for kernels of work-groups", p.Pipeline)
		}
	})
	return err
}

// take returns a frame for a launch.
func (k *kernel) take(batch int) (*frame, error) {
	if f := k.takeFree(batch); f != nil {
		return f, nil
	}
	return newFrame(k.program.Kernels[k.compiled], batch)
}

// takeFree returns a frame that a launch has given back, or nil.
func (k *kernel) takeFree(batch int) *frame {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	free := k.free[batch]
	if len(free) == 0 {
		return nil
	}
	k.free[batch] = free[:len(free)-1]
	return free[len(free)-1]
}

// give returns a frame that a launch has used.
func (k *kernel) give(f *frame) {
	if f.batch != batchRows && f.batch != wideBatch {
		return
	}
	f.forget()
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if len(k.free[f.batch]) < runtime.GOMAXPROCS(0) {
		k.free[f.batch] = append(k.free[f.batch], f)
	}
}

// Run runs the program. Arguments are by the names of the plan's ports, as the executor of
// plans takes them; results lie in memory of their own. The error is an [exec.CheckError] if
// the data fails a check, an [exec.AllocError] beyond the limit of memory, a
// [TooManyRowsError], or that of ctx, which is asked before each batch and within long ones.
func (p *Program) Run(ctx context.Context, in exec.Inputs, options Options) (result *exec.Result, err error) {
	r := newRun(p, options)
	defer func() {
		r.arena.reset()
		p.arenas.Put(r.arena)
		switch fault := recover().(type) {
		case nil:
		case refusal:
			result, err = nil, fault.error
		case runtime.Error:
			result, err = nil, fmt.Errorf("pipeline %s: internal error of device vector: %w", p.pipeline.Name, fault)
		default:
			panic(fault)
		}
	}()
	if err := r.bind(in); err != nil {
		return nil, err
	}
	if err := r.steps(ctx, p.plan.Steps); err != nil {
		return nil, err
	}
	return r.result()
}

package kgen

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/internal/kernels"
	"github.com/kgen-go/kgen/plan"
)

// launcher runs plans of kernels on a device.
type launcher interface {
	// launch runs a plan of code. Results lie in the device's space, if it has room, or
	// where their names are kept.
	launch(ctx context.Context, code *loadedCode, in exec.Inputs, keep []string, c call) (*worker.Result, error)
	unload(*loadedCode)
}

// loadedCode is a program for columns of some length, with what the launcher keeps of it.
type loadedCode struct {
	*kernels.Program
	fused   string        // which stages share kernels, and over which domains these may walk in rounds
	shape   plan.Schedule // by which the kernels are made
	passing bool
	kept    any
}

// kernelRunner is a pipeline as kernels: for as many rows as a launch may span and, if data
// has more rows, for parts. At level auto there are others where so many rows have other ones.
type kernelRunner struct {
	program  *Program
	settings settings
	emitter  kernels.Emitter
	launcher launcher
	device   *Device

	mutex sync.Mutex
	short *loadedCode            // for as many rows as level auto assumes
	more  map[string]*loadedCode // by classes of rows, and for parts; some are the same
}

// inputMaps are those of calls that have ended, empty.
var inputMaps = sync.Pool{New: func() any {
	return &exec.Inputs{Columns: map[string]exec.Column{}, Scalars: map[string]exec.Value{}}
}}

func newKernelRunner(d *Device, p *Program, s settings, emitter kernels.Emitter, l launcher) (*kernelRunner, error) {
	if s.workers > 0 {
		return nil, d.refuseWorkers()
	}
	k := &kernelRunner{program: p, settings: s, emitter: emitter, launcher: l, device: d, more: map[string]*loadedCode{}}
	var err error
	k.short, err = k.make(s.rows, s.schedule)
	return k, err
}

// make returns the kernels for so many rows by a schedule: those that are embedded, those that
// other rows have, or else compiled ones.
func (k *kernelRunner) make(rows map[string]int64, schedule plan.Schedule) (*loadedCode, error) {
	if made := k.settings.tuning.Kernels; made != nil {
		return &loadedCode{Program: made, passing: k.settings.tuning.Passing}, nil
	}
	if e := k.settings.embedded; e.files != nil {
		made, err := k.emitter.Embedded(e.files, e.name, schedule.Part > 0)
		if err == nil && made != nil {
			err = fits(made.Plan, k.program.pipeline)
		}
		if err != nil {
			return nil, fmt.Errorf("the embedded kernels of pipeline %s: %w; go generate makes them anew", k.program.pipeline.Name, err)
		}
		if made != nil {
			return &loadedCode{Program: made}, nil
		}
	}
	program, fused, err := build.CompileOver(k.program.source, k.program.pipeline, rows, k.settings.machine, k.emitter.Name(), k.settings.level, schedule)
	if err != nil {
		return nil, err
	}
	emitter := k.emitter.Over(rows)
	together := fmt.Sprint(fused.Fusion, emitter.Walks())
	shape := build.ShapeFor(k.settings.level, rows, k.settings.machine, schedule)
	if k.short != nil && k.short.fused == together && k.short.shape == shape {
		return k.short, nil
	}
	for _, made := range k.more {
		if made.fused == together && made.shape == shape {
			return made, nil
		}
	}
	made, err := emitter.Make(program, shape)
	return &loadedCode{Program: made, fused: together, shape: shape}, err
}

// forRows returns the kernels for columns of so many rows, by their domains.
func (k *kernelRunner) forRows(lengths map[string]int64) (*loadedCode, error) {
	schedule, longest := k.settings.schedule, int64(0)
	for _, n := range lengths {
		longest = max(longest, n)
	}
	if longest > plan.MaxRows && schedule.Part == 0 {
		schedule.Part = plan.PartRows
	}
	rows := k.settings.rows
	if rows == nil && k.settings.embedded.files == nil && k.settings.tuning.Kernels == nil {
		rows = build.RowsFor(k.settings.level, lengths, k.settings.machine)
	}
	if schedule == k.settings.schedule && (rows == nil || k.settings.rows != nil) {
		return k.short, nil
	}
	key := fmt.Sprint(schedule.Part, rows) // a map is printed in the order of its keys
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if made := k.more[key]; made != nil {
		return made, nil
	}
	made, err := k.make(rows, schedule)
	if err == nil {
		k.more[key] = made
	}
	return made, err
}

func (k *kernelRunner) compiled() []Step { return nil }

// footprint returns the memory of a run, for as many rows as the longest column has.
func (k *kernelRunner) footprint(rows, scalars map[string]int64) plan.Footprint {
	made, err := k.forRows(rows)
	if err != nil {
		made = k.short
	}
	return made.Plan.Footprint(ofPlan(made.Plan, k.program.pipeline, rows, scalars))
}

func (k *kernelRunner) run(ctx context.Context, c call) (outcome, error) {
	lengths := map[string]int64{}
	for i, p := range k.program.pipeline.Params {
		if !p.Type.IsScalar() {
			lengths[p.Type.Domain.Name] = c.columns[i].Rows()
		}
	}
	made, err := k.forRows(lengths)
	if err != nil {
		return outcome{}, err
	}
	var keep []string
	for i, ports := 0, resultPorts(made.Plan); i < len(ports); i++ {
		if c.keep[i] {
			keep = append(keep, ports[i].Name)
		}
	}
	in := inputMaps.Get().(*exec.Inputs)
	k.program.fill(*in, made.Plan, c.columns)
	result, err := k.launcher.launch(ctx, made, *in, keep, c)
	if err != nil {
		return outcome{}, k.program.checked(err) // a run that goes on may use the maps
	}
	clear(in.Columns)
	clear(in.Scalars)
	inputMaps.Put(in)
	k.device.consumed(c)
	done := outcome{level: result.Level, kernels: made.Plan.Kernels, steps: stepsOf(result.Steps), times: result.Times}
	for _, launch := range result.Launches {
		done.alone = append(done.alone, Step{launch.Kernel, time.Duration(launch.Time)})
	}
	done.alone = onceEach(done.alone)
	done.columns = resultColumns(made.Plan, &result.Result)
	done.parts = result.Parts
	done.gaveUp, done.notes = result.GaveUp, notesOf(made.Plan, result.GaveUp)
	return done, nil
}

// notesOf tells of the plans that gave up: p and its fallbacks, in order.
func notesOf(p *plan.Plan, gaveUp []exec.GiveUpError) (notes []string) {
	for _, reason := range gaveUp {
		notes = append(notes, fmt.Sprintf("the plan%s gave up (%s); the result is its fallback's, which launches more kernels", withScheme(p), reason.Reason))
		p = p.Fallback
	}
	return notes
}

func (k *kernelRunner) close() {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	known := map[*loadedCode]bool{k.short: true}
	k.launcher.unload(k.short)
	for _, code := range k.more {
		if !known[code] {
			known[code] = true
			k.launcher.unload(code)
		}
	}
}

// withScheme names the scheme of a plan whose work-groups wait for each other.
func withScheme(p *plan.Plan) string {
	for _, k := range p.Kernels {
		if v := k.Variants[0]; v.Forward != plan.ForwardNone {
			return " with " + v.Schedule.Scheme
		}
	}
	return ""
}

// onceEach adds up the steps of one name: a kernel may be launched several times.
func onceEach(steps []Step) (list []Step) {
	for _, s := range steps {
		if i := slices.IndexFunc(list, func(a Step) bool { return a.Name == s.Name }); i >= 0 {
			list[i].Elapsed += s.Elapsed
		} else {
			list = append(list, s)
		}
	}
	return list
}

// compileStep is the work of a compiler, or of the cache that spares it.
func compileStep(took time.Duration, cached bool) Step {
	if cached {
		return Step{StepCached, took}
	}
	return Step{StepCompile, took}
}

// sections maps steps of a plan to the section in which their times are reported.
var sections = map[string]string{"import": "transfer", "alloc": "allocate", "init": "allocate", "read": "read back", "return": "read back"}

// stepsOf joins neighbouring steps of a section; a kernel's time is that of the device's own
// clock if it has one. What launches take beyond that, such as the work of a driver at the
// first one, is a step of its own.
func stepsOf(list []worker.Step) (steps []Step) {
	var launches time.Duration
	for _, s := range list {
		name, elapsed := sections[s.Step], time.Duration(s.Host)
		switch {
		case s.Step == "launch":
			name = s.Name
			if s.Device > 0 {
				launches += max(elapsed-time.Duration(s.Device), 0)
				elapsed = time.Duration(s.Device)
			}
		case s.Step == "fallback":
			name = "fallback: " + s.Reason
		case name == "":
			name = s.Step
		}
		if n := len(steps); n > 0 && steps[n-1].Name == name {
			steps[n-1].Elapsed += elapsed
		} else {
			steps = append(steps, Step{name, elapsed})
		}
	}
	if launches > 0 {
		steps = append(steps, Step{"launch", launches})
	}
	return steps
}

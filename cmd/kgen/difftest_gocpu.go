package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"sync/atomic"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/backends/gocpu"
	run "github.com/kgen-go/kgen/internal/device/gocpu"
	"github.com/kgen-go/kgen/internal/difftest"
	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/testsuite"
)

// goTester tests emitted Go: jobs that are prepared together share a build.
type goTester struct {
	programs string // the folder that keeps built programs; "" is a temporary one
	race     bool   // whether it runs under Go's race detector
	simd     bool   // whether it runs with vectors
}

// raceDevice is gocpu under Go's race detector, and simdDevice gocpu with vectors.
const (
	raceDevice = "gocpu:race"
	simdDevice = "gocpu:simd"
)

// newGoTester returns the tester that name stands for.
func newGoTester(name, programs string) (goTester, error) {
	if name == simdDevice && !run.HasVectors() {
		return goTester{}, usageErrorf("device %s takes an x86-64 processor with AVX-512; gocpu runs on any", name)
	}
	return goTester{programs: programs, race: name == raceDevice, simd: name == simdDevice}, nil
}

func (g goTester) Name() string {
	switch {
	case g.race:
		return raceDevice
	case g.simd:
		return simdDevice
	}
	return "gocpu"
}

// Target returns the zero value: emitted Go has no work-groups.
func (goTester) Target() simt.Target { return simt.Target{} }

func (goTester) Close() {}

// Prepare builds jobs. Jobs whose Go does not build are found by bisection.
func (g goTester) Prepare(ctx context.Context, jobs []difftest.Job) []difftest.Prepared {
	ready := make([]difftest.Prepared, len(jobs))
	all := make([]int, len(jobs))
	for i := range all {
		all[i] = i
	}
	g.prepare(ctx, jobs, all, ready)
	return ready
}

// prepare prepares the jobs at some positions.
func (g goTester) prepare(ctx context.Context, jobs []difftest.Job, at []int, ready []difftest.Prepared) {
	if len(at) == 0 {
		return
	}
	err := g.build(ctx, jobs, at, ready)
	var bug *run.BuildError
	switch {
	case err == nil:
		return
	case ctx.Err() == nil && !errors.Is(err, difftest.ErrAbsent) && len(at) > 1:
		g.prepare(ctx, jobs, at[:len(at)/2], ready)
		g.prepare(ctx, jobs, at[len(at)/2:], ready)
		return
	case errors.As(err, &bug):
		err = &difftest.FaultError{Fault: difftest.FaultBuild, Err: err}
	}
	for _, i := range at {
		ready[i].Err = err
	}
}

// build makes one executable of some jobs. Pipelines of equal name go into
// different packages.
func (g goTester) build(ctx context.Context, jobs []difftest.Job, at []int, ready []difftest.Prepared) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &difftest.FaultError{Fault: difftest.FaultCrash, Err: fmt.Errorf("panic in the emitter: %v%s", r, difftest.Places(debug.Stack()))}
		}
	}()
	const spread = 2 // packages that the compiler builds at once
	var packages [][]int
	names := []map[string]bool{}
	for n, i := range at {
		name := strings.ToLower(jobs[i].Program.Pipeline.Name)
		p := n % spread
		for p < len(packages) && names[p][name] {
			p++
		}
		for p >= len(packages) {
			packages, names = append(packages, nil), append(names, map[string]bool{})
		}
		packages[p] = append(packages[p], i)
		names[p][name] = true
	}
	var source run.Source
	called := map[int]string{}
	for p, list := range packages {
		var programs []*backends.Program
		for _, i := range list {
			programs = append(programs, jobs[i].Cores)
		}
		out, err := gocpu.Emitter{}.Emit(programs, backends.Options{Package: fmt.Sprintf("p%d", p), SIMD: g.simd})
		if err != nil {
			return err
		}
		one := run.SourceOf(out)
		source.Packages = append(source.Packages, one.Packages...)
		for n, e := range one.Entries {
			e.Package, e.Traced = p, false
			e.Program = fmt.Sprintf("%d/%s", p, e.Program)
			called[list[n]] = e.Program
			source.Entries = append(source.Entries, e)
		}
	}
	folder, remove := g.programs, func() {}
	if folder == "" {
		if folder, err = os.MkdirTemp("", "kgen-difftest-"); err != nil {
			return err
		}
		remove = func() { os.RemoveAll(folder) }
	}
	binary, err := run.Build(ctx, source, run.Options{CacheFolder: folder, Race: g.race, SIMD: g.simd})
	var bug *run.BuildError
	if err != nil {
		remove()
		if !errors.As(err, &bug) { // no Go, or no folder to build in
			err = fmt.Errorf("%w: %v", difftest.ErrNotOpen, err)
			if g.programs != "" {
				err = fmt.Errorf("%w, and %s holds none of the programs of these pipelines", err, g.programs)
			}
		}
		return err
	}
	shared := &goBuild{remove: remove, space: memory.NewSpace(0)}
	shared.worker = binary.Worker(shared.space)
	shared.users.Store(int64(len(at)))
	for _, i := range at {
		ready[i].Executable = &goTested{build: shared, job: jobs[i], name: called[i], race: g.race}
	}
	return nil
}

// goBuild is an executable and the process that runs it.
type goBuild struct {
	remove func() // the built files
	space  *memory.Space
	worker *run.Worker
	users  atomic.Int64
}

// goTested is a program of a build.
type goTested struct {
	build *goBuild
	job   difftest.Job
	name  string
	race  bool
}

// workerChoices lists numbers of workers, which must not affect results.
var workerChoices = []int{1, 3, 2, 5}

func (g *goTested) Run(ctx context.Context, in []ir.Column, choice uint64) (out difftest.Outcome, err error) {
	p := g.job.Program.Pipeline
	call := run.Call{Program: g.name, Workers: workerChoices[choice%uint64(len(workerChoices))]}
	for _, column := range in {
		call.Params = append(call.Params, raw.Bytes(column))
	}
	if g.race {
		call.Workers = max(call.Workers, 2)
	} else { // memory that processes share is none that the race detector sees
		host := g.job.Cores.Plan
		call.Bounds = host.ResultBounds(host.Sizes(func(i int) int64 { return int64(in[i].Len()) }, func(i int) int64 { return in[i].At(0).Int64() }))
	}
	result, err := g.build.worker.Run(ctx, call)
	var check *run.CheckError
	var crash *run.CrashError
	var refused *run.ArgumentError
	switch {
	case errors.As(err, &refused):
		return out, fmt.Errorf("%w: %v", testsuite.ErrTooManyRows, err)
	case errors.As(err, &check):
		return out, &ir.CheckError{Site: &p.Sites[check.Site], Row: check.Row}
	case errors.As(err, &crash) && crash.Race():
		return out, &difftest.FaultError{Fault: difftest.FaultRace, Err: err}
	case errors.As(err, &crash) && crash.OutOfMemory():
		return out, &difftest.FaultError{Fault: difftest.FaultMemory, Err: err}
	case errors.As(err, &crash):
		return out, &difftest.FaultError{Fault: difftest.FaultCrash, Err: err}
	case err != nil:
		return out, err
	}
	for i, data := range result.Columns {
		out.Results = append(out.Results, raw.FromBytes(p.Results[i].Value.Type.Kind, bytes.Clone(data)))
		g.build.space.Free(data)
	}
	return out, nil
}

func (g *goTested) Features() []string { return nil }

func (g *goTested) MaxRows() int { return 0 }

func (g *goTested) Close() {
	if g.build.users.Add(-1) > 0 {
		return
	}
	g.build.worker.Close()
	g.build.space.Close()
	g.build.remove()
}

// Package kernels is the emitter that all GPU dialects share. It lowers a
// program to kernels of work-groups (package simt), prints them in a dialect of
// package ctext, and completes the plan by which a host runs them.
package kernels

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/ctext"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/plan"
)

// Emitter emits kernels in one dialect.
type Emitter struct {
	Backend   string // as the user names it: opencl
	Extension string // of the files with kernels: .cl
	Dialect   *ctext.Dialect
	Devices   string               // the backend that devices which run it have embedded kernels of; "" is Backend
	With      map[plan.Cap]Emitter // for machines with more capabilities; see On
	IDs       string               // how devices with a driver number tiles unless the user says; see plan.Schedule
	Rounds    bool                 // the device can walk over many rows in rounds
	Cores     int                  // of a CPU, which runs the work-items of a work-group one after the other; 0 of other devices
	Rows      map[string]int64     // of domains of parameters, where they decide how kernels walk
}

// Name returns the name of the backend.
func (e Emitter) Name() string { return e.Backend }

// Embeds returns the name of the backend whose kernels emitted Go embeds for the devices.
func (e Emitter) Embeds() string { return cmp.Or(e.Devices, e.Backend) }

// Emit makes three files for each pipeline. If the extension is .cl, they are
// NAME.cl, the kernels; NAME.plan.json, the plan by which a host runs them; and
// NAME.h, the constants of the plan for a host in C. The kernels of a fallback
// are in NAME.fallback.cl.
func (e Emitter) Emit(programs []*backends.Program, options backends.Options) (*backends.Output, error) {
	out := &backends.Output{}
	files, macros := backends.FileNames{}, macroNames{}
	for _, program := range programs {
		base := files.Base(program.Pipeline.Name, ordinary)
		made, err := e.makeAs(base, program, options.Schedule)
		if err != nil {
			return nil, err
		}
		encoded, err := made.encoded(base)
		if err != nil {
			return nil, err
		}
		out.Files = append(append(out.Files, encoded...), backends.File{Name: base + ".h", Text: header(base, made.Plan, macros)})
		out.Entries = append(out.Entries, backends.Entry{Pipeline: program.Pipeline.Name})
	}
	return out, nil
}

// Loops returns the loop IR of the kernels.
func (e Emitter) Loops(program *backends.Program, options backends.Options) (string, error) {
	lowered, err := e.Target().Lower(program, options.Schedule)
	if err != nil {
		return "", err
	}
	return join(lowered.Plan.Pipeline, lowered.Kernels).String(), nil
}

// Target returns the features that kernels of the dialect may use.
func (e Emitter) Target() simt.Target {
	return simt.Target{Subgroup: simt.SubgroupOf(e.Dialect.Subgroup), Occupancy: e.Dialect.Occupancy,
		Atomics64: e.Dialect.Atomics64, MergesCounts: e.Dialect.MergesCounts, LanesInOrder: e.Dialect.LanesInOrder, LaunchedLocal: e.Dialect.LaunchedLocal, Children: e.Dialect.Child != nil, BulkCopies: e.Dialect.BulkCopies, Cores: e.Cores, Rows: e.Rows}
}

// Program is a pipeline as a device runs it.
type Program struct {
	Plan    *plan.Plan      // its variants name their file and the kernels there
	Files   []backends.File // the text of the plan, then that of its fallback
	Options []string        // of the driver's compiler
}

// Make lowers and prints a program. A fallback has a text of its own: most runs
// never build it.
func (e Emitter) Make(program *backends.Program, schedule plan.Schedule) (*Program, error) {
	return e.makeAs(backends.FileNames{}.Base(program.Pipeline.Name, ordinary), program, schedule)
}

// makeAs is Make for files called base.
func (e Emitter) makeAs(base string, program *backends.Program, schedule plan.Schedule) (*Program, error) {
	lowered, err := e.Target().Lower(program, schedule)
	if err != nil {
		return nil, err
	}
	p := &Program{Plan: lowered.Plan}
	kernels := lowered.Kernels
	for host := p.Plan; host != nil; host = host.Fallback {
		text, err := ctext.Print(join(program.Pipeline.Name, kernels[:len(host.Kernels)]), e.Dialect)
		if err != nil {
			return nil, fmt.Errorf("pipeline %s: %w", program.Pipeline.Name, err)
		}
		kernels = kernels[len(host.Kernels):]
		file := base + e.Extension
		host.Needs = text.Needs
		for i := range host.Kernels {
			describe(host, &host.Kernels[i], file, text.Kernels[i])
			if e.Dialect.Declares {
				host.Kernels[i].Variants[0].LocalBytes = plan.Expr{}
			}
		}
		p.Files = append(p.Files, backends.File{Name: file, Text: text.Source})
		p.addOptions(e.Dialect.CompilerOptions(text.Needs))
		base += ".fallback"
	}
	return p, nil
}

func (p *Program) addOptions(options []string) {
	for _, option := range options {
		if !slices.Contains(p.Options, option) {
			p.Options = append(p.Options, option)
		}
	}
}

// Texts returns the texts by their names.
func (p *Program) Texts() map[string]string {
	texts := map[string]string{}
	for _, f := range p.Files {
		texts[f.Name] = string(f.Text)
	}
	return texts
}

// join puts kernels into one program.
func join(name string, kernels []*loop.Program) *loop.Program {
	all := &loop.Program{Name: name}
	for _, k := range kernels {
		all.Funcs = append(all.Funcs, k.Funcs...)
		all.Long = all.Long || k.Long
	}
	return all
}

// describe completes a kernel of host, and its launches, by what the printer decided.
func describe(host *plan.Plan, kernel *plan.Kernel, file string, k ctext.Kernel) {
	v := &kernel.Variants[0]
	v.File, v.Entry, v.OwnBytes = file, k.Entry, k.LocalBytes
	params := map[string]string{}
	for i := range v.Args {
		params[v.Args[i].Name] = k.Params[i+2]
		v.Args[i].Name = k.Params[i+2]
	}
	plan.WalkSteps(host.Steps, func(s *plan.Step) {
		if s.Launch == nil || s.Launch.Kernel != kernel.Name {
			return
		}
		for i := range s.Launch.Bind {
			s.Launch.Bind[i].Name = params[s.Launch.Bind[i].Name]
		}
	})
}

// ordinary says of every file name that compilers and hosts give it no meaning.
func ordinary(string) bool { return false }

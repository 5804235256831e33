// Package compile is the pass list: from a verified pipeline to what a backend
// emits. Each pass is followed by the check of its own level, so that a broken
// invariant names the pass that broke it.
package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/partial"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Options choose among equivalent programs.
type Options struct {
	fuse.Options                  // of the stages; Tables follows from Variant
	Level        string           // a fusion level, or a plan by hand; "" is auto
	Variant      string           // of aggregation over contiguous groups, see plan.Schedule; "" is segmented
	Machine      plan.Machine     // costs are predicted for it; the zero value is the default profile
	Backend      backends.Emitter // for the pass loop, and
	Emit         backends.Options // what is asked of it
	Source       []byte           // the text of the pipeline's file, for comments in emitted code
}

// For returns the options for a level and a schedule of work-groups.
func For(level string, s plan.Schedule) Options {
	options := Options{Level: level, Variant: s.Variant, Options: fuse.Options{Radix: s.Radix, Probing: s.Probe, Short: s.Part == 0, Lengths: addsLengths(s), KeptAtOnce: true}}
	if s.Groups != "" {
		options.Bins = -1
		options = options.WithHash(s, 0)
	}
	return options
}

// addsLengths reports whether work-groups add lengths of repeat up once more: subgroups that have tiles of their own search.
func addsLengths(s plan.Schedule) bool {
	return (s.Sources == "" || s.Sources == plan.Count) && s.Scheme != plan.Persistent
}

// WithHash lets work-groups find up to so many groups by a hash table, and more by one after
// a partition or as the schedule says, unless that has rows sorted or launched in parts; 0 is
// what suits all of them, without a partition.
func (o Options) WithHash(s plan.Schedule, groups int) Options {
	if o.Short && s.Groups != plan.Sort {
		o.Hash, o.HashGroups, o.Partitions, o.Strategy = fuse.DefaultHash, groups, groups > 0, s.GroupStrategy()
	}
	if groups > 0 {
		o.Claimed = fuse.DefaultClaimed
	}
	return o
}

// state is what the passes hand on.
type state struct {
	options Options
	ir      *ir.Pipeline
	graph   *fuse.Graph
	fusion  *fuse.Fusion
	program *fuse.Program
}

// pass is one step of compilation.
type pass struct {
	name string
	doc  string
	run  func(*state) error
	show func(*state) string // the level after the pass, as text
}

// passes in order.
var passes = []pass{
	{"verify", "the operator IR: a pipeline in canonical form", verify, func(s *state) string { return s.ir.String() }},
	{"lower", "stages: primitive steps with what they read and write", lower, func(s *state) string { return s.graph.String() }},
	{"fuse", "kernels: which stages share a launch", fuseStages, func(s *state) string { return s.fusion.String() }},
	{"tile", "tile programs: rows, cuts, the state across each cut, and what is alive there", build, func(s *state) string {
		var b strings.Builder
		for _, k := range s.program.Kernels {
			b.WriteString(tile.Analyze(k).String())
		}
		return b.String()
	}},
	{"plan", "the host program: buffers, launches, checks", nil, func(s *state) string { return planText(s.program.Plan) }},
	{"loop", "loop IR: what the backend's kernels do, step by step", nil, loops},
}

// Passes lists the names of the passes, in order.
func Passes() []string {
	var list []string
	for _, p := range passes {
		list = append(list, p.name)
	}
	return list
}

// Compile makes the program of a pipeline. It fails with what is wrong with the level.
func Compile(p *ir.Pipeline, options Options) (*backends.Program, *fuse.Program, error) {
	s, err := run(p, options, "")
	if err != nil {
		return nil, nil, err
	}
	return s.compiled(), s.program, nil
}

// Partial cuts p at its aggregates and makes the programs of both parts. Where
// p cannot be cut the error is an [ir.Error]. A plan by hand is of the stages
// of p, so both parts are then made at the default level.
func Partial(p *ir.Pipeline, options Options) (*backends.Partial, error) {
	split, err := partial.New(p, partial.Options{})
	if err != nil {
		return nil, err
	}
	if !slices.Contains(fuse.Levels, options.Level) {
		options.Level = ""
	}
	made := &backends.Partial{Split: split}
	if made.Shard, _, err = Compile(split.Shard, options); err != nil {
		return nil, err
	}
	made.Finish, _, err = Compile(split.Finish, options)
	return made, err
}

// After returns the text of the level after the pass called name.
func After(name string, p *ir.Pipeline, options Options) (string, error) {
	for _, pass := range passes {
		if pass.name == name {
			s, err := run(p, options, name)
			if err != nil {
				return "", err
			}
			return pass.show(s), nil
		}
	}
	return "", fmt.Errorf("there is no pass %q; there are %s", name, strings.Join(Passes(), ", "))
}

// run runs the passes up to the one called last, or all.
func run(p *ir.Pipeline, options Options, last string) (*state, error) {
	if options.Level == "" {
		options.Level = fuse.LevelAuto
	}
	if options.Machine.Device == "" {
		options.Machine = plan.Profiles()[plan.DefaultProfile]
	}
	s := &state{options: options, ir: p}
	for _, pass := range passes {
		if pass.run != nil {
			if err := pass.run(s); err != nil {
				return nil, err
			}
		}
		if pass.name == last {
			break
		}
	}
	return s, nil
}

func verify(s *state) error {
	if err := ir.Verify(s.ir); err != nil {
		return fmt.Errorf("internal error before lowering: %w", err)
	}
	return nil
}

func lower(s *state) error {
	options := s.options.Options
	options.Tables = plan.Schedule{Variant: s.options.Variant}.Tables()
	s.graph = fuse.Lower(s.ir, options)
	return nil
}

func fuseStages(s *state) (err error) {
	s.fusion, err = fuse.Fuse(s.graph, s.options.Level, s.options.Machine)
	return err
}

func build(s *state) (err error) {
	s.program, err = s.fusion.Program()
	if err != nil {
		return fmt.Errorf("internal error after fuse: %w", err)
	}
	return check(s)
}

// check verifies the tile programs and the plan.
func check(s *state) error {
	for _, k := range s.program.Kernels {
		if err := tile.Verify(k); err != nil {
			return fmt.Errorf("internal error after tile: kernel %s: %w", k.Name, err)
		}
	}
	if err := plan.Validate(s.program.Plan); err != nil {
		return fmt.Errorf("internal error after tile: %w", err)
	}
	return nil
}

// loops is the loop IR that the backend lowers the kernels to.
func loops(s *state) string {
	if s.options.Backend == nil {
		return "no backend is chosen"
	}
	text, err := s.options.Backend.Loops(s.compiled(), s.options.Emit)
	if err != nil {
		return err.Error()
	}
	return text
}

// compiled is what a backend gets.
func (s *state) compiled() *backends.Program {
	return &backends.Program{Pipeline: s.ir, Plan: s.program.Plan, Kernels: s.program.Kernels, Source: s.options.Source}
}

// planText is the plan's JSON.
func planText(p *plan.Plan) string {
	text, err := plan.Encode(p)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

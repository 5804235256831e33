package build

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/backends/cuda"
	"github.com/kgen-go/kgen/backends/gocpu"
	"github.com/kgen-go/kgen/backends/opencl"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/vector"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// LevelUsage documents the flag --fuse.
const LevelUsage = "the fusion `LEVEL`: none, paper3, paper2, onepass or auto (the default), or a plan by hand"

// Source is a set of pipelines and the text that defines them.
type Source struct {
	Text      []byte         // of the .kg file; nil if a Go program made the pipelines
	Pipelines []*ir.Pipeline // in the order of their definition
}

// ErrorAt returns an error at a position of s that shows the line of the text.
// The hint, which may be empty, says what would be right.
func (s *Source) ErrorAt(pos ir.Pos, message, hint string) error {
	if s.Text == nil {
		return ir.NewError(nil, pos, message, hint)
	}
	file, _ := ir.Parse(pos.File, s.Text)
	return ir.NewError(file, pos, message, hint)
}

// Compile compiles a pipeline of s for a backend at a fusion level, one of
// [fuse.Levels] or a plan by hand, "" for the default. An empty backend stands for any
// backend of work-groups. Of the schedule only Variant, Groups, Probe, Sources, Radix and Part matter
// here. A wrong plan by hand is a [UsageError].
func Compile(s *Source, p *ir.Pipeline, backend, level string, schedule plan.Schedule) (*backends.Program, *fuse.Program, error) {
	return CompileFor(s, p, plan.Machine{}, backend, level, schedule)
}

// CompileFor is [Compile] where level auto chooses by the rates of a machine; the zero
// machine is the declared one.
func CompileFor(s *Source, p *ir.Pipeline, machine plan.Machine, backend, level string, schedule plan.Schedule) (*backends.Program, *fuse.Program, error) {
	return CompileOver(s, p, nil, machine, backend, level, schedule)
}

// CompileOver is [CompileFor] where it is known how many rows domains have, by name: level auto
// chooses for [fuse.RowsFor] those of parameters.
func CompileOver(s *Source, p *ir.Pipeline, rows map[string]int64, machine plan.Machine, backend, level string, schedule plan.Schedule) (*backends.Program, *fuse.Program, error) {
	options := s.options(backend, level, schedule)
	lengths := map[string]int64{}
	for _, d := range p.Domains {
		if n, known := rows[d.Name]; known && d.Kind == ir.DomainParam {
			lengths[d.Name] = n
		}
	}
	options.Machine, options.Rows = machine, fuse.RowsFor(lengths, isWide(machine))
	program, fused, err := compile.Compile(p, options)
	return program, fused, s.compileError(level, err)
}

// RowsFor returns the rows of domains by which a level chooses for a machine where so many are known:
// those of [fuse.RowsFor] at level auto, else nil, which is [fuse.AssumedRows] for each.
func RowsFor(level string, rows map[string]int64, machine plan.Machine) map[string]int64 {
	if level != "" && level != fuse.LevelAuto {
		return nil
	}
	return fuse.RowsFor(rows, isWide(machine))
}

// isWide reports whether a machine needs many tiles to be busy: a measured one with subgroups.
func isWide(machine plan.Machine) bool { return machine.Subgroup > 1 }

// ShapeFor returns the shape of kernels at a level for rows of [RowsFor], where the schedule leaves all
// open: over few rows, tiles as small as those of element-wise kernels, so that more of them run at once.
func ShapeFor(level string, rows map[string]int64, machine plan.Machine, schedule plan.Schedule) plan.Schedule {
	classes := slices.Collect(maps.Values(RowsFor(level, rows, machine)))
	if schedule != (plan.Schedule{}) || len(classes) == 0 || slices.Max(classes) > fuse.FewRows {
		return schedule
	}
	return plan.Schedule{Workgroup: 256, Items: 4}
}

// options returns how the pipelines of s are compiled for a backend, or for device vector.
func (s *Source) options(backend, level string, schedule plan.Schedule) compile.Options {
	options := compile.For(level, schedule)
	options.Source = s.Text
	switch backend {
	case gocpu.Emitter{}.Name():
		options.Radix, options.RadixOfMany, options.Hash, options.Short = gocpu.Radix, gocpu.RadixOfMany, gocpu.Hash, false
		options.Bins, options.Few = cmp.Or(options.Bins, gocpu.Bins), gocpu.FewRows
		options.Cores, options.Entered, options.HashGroups, options.Partitions, options.Sample, options.Parted = true, true, gocpu.HashGroups, true, gocpu.Sample, gocpu.Parted
	case vector.Name:
		options.Radix, options.RadixOfMany, options.Hash, options.Short = gocpu.Radix, gocpu.RadixOfMany, vector.Hash, false
		options.Cores, options.Sample = true, gocpu.Sample
	case cuda.Emitter().Name():
		options.Wide = true
		options = options.WithHash(schedule, cuda.HashGroups)
	case opencl.PTXEmitter().Name():
		options = options.WithHash(schedule, cuda.HashGroups)
	case opencl.Emitter().Name():
		options.Windows = schedule.Groups == ""
	}
	return options
}

// compilePartial compiles a pipeline of s for computation in shards.
func compilePartial(s *Source, p *ir.Pipeline, machine plan.Machine, level string) (*backends.Partial, error) {
	options := s.options((gocpu.Emitter{}).Name(), level, plan.Schedule{})
	options.Machine = machine
	made, err := compile.Partial(p, options)
	return made, s.partialError(level, err)
}

// partialError adds the line of s to the error of a pipeline that cannot be
// computed in shards.
func (s *Source) partialError(level string, err error) error {
	var refused ir.Error
	if errors.As(err, &refused) {
		return s.ErrorAt(refused.Pos, refused.Msg, refused.Hint)
	}
	return s.compileError(level, err)
}

// compileError adds the line of s to an error of compilation. If the level is a
// plan by hand, the error is one of the command line.
func (s *Source) compileError(level string, err error) error {
	if err != nil && level != "" && !slices.Contains(fuse.Levels, level) {
		return &UsageError{err}
	}
	return err
}

// UsageError is an error of the command line, independent of all files.
type UsageError struct{ Err error }

// Error returns the message, without the name of the program.
func (e *UsageError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *UsageError) Unwrap() error { return e.Err }

func usagef(format string, args ...any) error { return &UsageError{fmt.Errorf(format, args...)} }

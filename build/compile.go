package build

import (
	"errors"
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/ir"
)

// LevelUsage documents the flag --fuse.
const LevelUsage = "the fusion `LEVEL`: none, paper3, paper2, onepass or auto (the default), or a plan by hand"

// Source is pipelines and the text they stand in, which is nil where a Go
// program made them.
type Source struct {
	Text      []byte
	Pipelines []*ir.Pipeline
}

// ErrorAt is a message with the line of s that it is about.
func (s *Source) ErrorAt(pos ir.Pos, message, hint string) error {
	if s.Text == nil {
		return ir.NewError(nil, pos, message, hint)
	}
	file, _ := ir.Parse(pos.File, s.Text)
	return ir.NewError(file, pos, message, hint)
}

// Compile compiles a pipeline of s at a fusion level for a variant of
// aggregation, which is "" by default.
func Compile(s *Source, p *ir.Pipeline, level, variant string) (*backends.Program, *fuse.Program, error) {
	program, fused, err := compile.Compile(p, compile.Options{Level: level, Variant: variant, Source: s.Text})
	return program, fused, s.compileError(level, err)
}

// compilePartial compiles a pipeline of s cut into shards.
func compilePartial(s *Source, p *ir.Pipeline, level string) (*backends.Partial, error) {
	made, err := compile.Partial(p, compile.Options{Level: level, Source: s.Text})
	return made, s.partialError(level, err)
}

// partialError words what cutting into shards refuses, with the line of s.
func (s *Source) partialError(level string, err error) error {
	var refused ir.Error
	if errors.As(err, &refused) {
		return s.ErrorAt(refused.Pos, refused.Msg, refused.Hint)
	}
	return s.compileError(level, err)
}

// compileError words what compilation refuses. A level that kgen does not
// define itself is the user's text, and then the command line is at fault.
func (s *Source) compileError(level string, err error) error {
	var unsupported *fuse.Unsupported
	switch {
	case err == nil:
		return nil
	case errors.As(err, &unsupported):
		return s.ErrorAt(unsupported.Pos, unsupported.Op.String()+" has no compiled form yet", "run the pipeline by --device interp")
	case level != "" && !slices.Contains(fuse.Levels, level):
		return &UsageError{err}
	}
	return err
}

// UsageError is a command line that cannot be right, whatever files hold.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }

// Unwrap returns what is wrong.
func (e *UsageError) Unwrap() error { return e.Err }

func usagef(format string, args ...any) error { return &UsageError{fmt.Errorf(format, args...)} }

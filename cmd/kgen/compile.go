package main

import (
	"errors"
	"slices"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/compile"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/ir"
)

const levelUsage = "the fusion `LEVEL`: none, paper3, paper2, onepass or auto (the default), or a plan by hand"

func compilePipeline(s *source, p *ir.Pipeline, level string) (*backends.Program, *fuse.Program, error) {
	program, fused, err := compile.Compile(p, compile.Options{Level: level, Source: s.text})
	return program, fused, compileError(s, level, err)
}

// compileError words what compilation refuses. A level that kgen does not
// define itself is the user's text, and then the command line is at fault.
func compileError(s *source, level string, err error) error {
	var unsupported *fuse.Unsupported
	switch {
	case err == nil:
		return nil
	case errors.As(err, &unsupported):
		return s.errorAt(unsupported.Pos, unsupported.Op.String()+" has no compiled form yet", "run the pipeline by --device interp")
	case level != "" && !slices.Contains(fuse.Levels, level):
		return &usageError{err}
	}
	return err
}

package build

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/pflag"

	"github.com/kgen-go/kgen/internal/table"
	"github.com/kgen-go/kgen/ir"
)

// Main is the main function of a program that makes pipelines: it emits them
// as kgen emit would, with its flags, and ends the program. Errors name the
// lines of the program that called the builders.
func Main(builders ...*ir.Builder) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	status := Run(ctx, os.Args, os.Stdout, os.Stderr, builders...)
	if status != 0 {
		os.Exit(status)
	}
}

// Run is Main as a function of the program's name and arguments. It returns
// the exit code: 0, 1 if the pipelines are wrong or the work failed, 2 if the
// arguments are wrong.
func Run(ctx context.Context, args []string, out, errs io.Writer, builders ...*ir.Builder) int {
	name := "gen"
	if len(args) > 0 {
		name, args = filepath.Base(args[0]), args[1:]
	}
	set := pflag.NewFlagSet(name, pflag.ContinueOnError)
	set.SetOutput(io.Discard)
	var flags Flags
	flags.Bind(set)
	err := set.Parse(args)
	stdout := table.Interruptible(ctx, out)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		fmt.Fprintf(stdout, "%s emits the source text of kernels, as kgen emit does.\n\nFlags:\n%s", name, set.FlagUsages())
		err = nil
	case err != nil:
		err = &UsageError{err}
	case set.NArg() > 0:
		err = usagef("%q is no flag; the pipelines are those of the program", set.Arg(0))
	default:
		err = flags.Emit(ctx, func() (*Source, error) { return Load(errs, builders...) }, stdout)
	}
	if err == nil {
		err = stdout.Err() // at which nobody has looked
	}
	var usage *UsageError
	switch {
	case err == nil:
		return 0
	case ctx.Err() != nil: // whatever failed then
		fmt.Fprintf(errs, "%s: interrupted\n", name)
	case errors.As(err, &usage):
		fmt.Fprintf(errs, "%s: %v\nRun '%s --help' for usage.\n", name, err, name)
		return 2
	default:
		fmt.Fprintln(errs, err)
	}
	return 1
}

// Load finishes the pipelines, which must differ in their names, and prints
// their warnings. It reports the errors of all of them.
func Load(warnings io.Writer, builders ...*ir.Builder) (*Source, error) {
	if len(builders) == 0 {
		return nil, errors.New("the program builds no pipeline; pass build.Main what ir.NewBuilder returns")
	}
	s := &Source{}
	var errs ir.ErrorList
	first := map[string]ir.Pos{}
	for i, b := range builders {
		if b == nil {
			return nil, fmt.Errorf("builder %d of the program is nil; pass build.Main what ir.NewBuilder returns", i+1)
		}
		p, err := b.Pipeline()
		var list ir.ErrorList
		switch {
		case errors.As(err, &list):
			errs = append(errs, list...)
			continue
		case err != nil:
			return nil, err
		}
		if pos, twice := first[p.Name]; twice {
			errs = append(errs, ir.NewError(nil, p.Pos, fmt.Sprintf("pipeline %s is already defined, at %v", p.Name, pos), ""))
		}
		first[p.Name] = p.Pos
		s.Pipelines = append(s.Pipelines, p)
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	for _, p := range s.Pipelines {
		PrintWarnings(warnings, p)
	}
	return s, nil
}

// PrintWarnings prints what the compiler doubts about p.
func PrintWarnings(w io.Writer, p *ir.Pipeline) {
	for _, warning := range p.Warnings {
		warning.Msg = "warning: " + warning.Msg
		fmt.Fprintln(w, warning.Error())
	}
}

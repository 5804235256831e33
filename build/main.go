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

// Main is the main function of a program that defines pipelines. It parses the
// flags of kgen emit from the command line and emits the pipelines of the
// builders. If that fails, it prints the errors, with the lines that called the
// builders, and ends the program with the exit code of [Run].
func Main(builders ...*ir.Builder) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	status := Run(ctx, os.Args, os.Stdout, os.Stderr, builders...)
	if status != 0 {
		os.Exit(status)
	}
}

// Run is [Main] with an explicit context, command line and output; args begins
// with the program's name. It returns the exit code: 0 for success, 1 if a
// pipeline is wrong or writing failed, 2 if the arguments are wrong.
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
		fmt.Fprintf(stdout, "%s emits the source text of kernels, as kgen emit does.\n\nFlags:\n%s", name, set.FlagUsagesWrapped(HelpWidth))
		err = nil
	case err != nil:
		err = &UsageError{err}
	case set.NArg() > 0:
		err = usagef("%q is not a flag; the program itself has the pipelines", set.Arg(0))
	default:
		err = flags.Emit(ctx, func() (*Source, error) { return Load(errs, builders...) }, stdout)
	}
	if err == nil {
		err = stdout.Err() // of output that was buffered
	}
	var usage *UsageError
	switch {
	case err == nil:
		return 0
	case ctx.Err() != nil: // and so every later error is the interrupt's
		fmt.Fprintf(errs, "%s: interrupted\n", name)
	case errors.As(err, &usage):
		fmt.Fprintf(errs, "%s: %v\nRun '%s --help' for usage.\n", name, err, name)
		return 2
	default:
		fmt.Fprintln(errs, err)
	}
	return 1
}

// Load finishes the pipelines of the builders and prints their warnings. Names of
// pipelines must be distinct. The error lists the errors of all pipelines.
func Load(warnings io.Writer, builders ...*ir.Builder) (*Source, error) {
	if len(builders) == 0 {
		return nil, errors.New("the program builds no pipeline; pass the result of ir.NewBuilder to build.Main")
	}
	s := &Source{}
	var errs ir.ErrorList
	first := map[string]ir.Pos{}
	for i, b := range builders {
		if b == nil {
			return nil, fmt.Errorf("builder %d of the program is nil; pass the result of ir.NewBuilder to build.Main", i+1)
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

// PrintWarnings prints the compiler's warnings about p.
func PrintWarnings(w io.Writer, p *ir.Pipeline) {
	for _, warning := range p.Warnings {
		warning.Msg = "warning: " + warning.Msg
		fmt.Fprintln(w, warning.Error())
	}
}

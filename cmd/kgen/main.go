// Command kgen compiles data-parallel pipelines to kernels and runs them.
//
// Each subcommand is a file. The table of devices is in package kgen, that of backends in
// package build.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/internal/table"
	"github.com/kgen-go/kgen/internal/version"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1 // the input is wrong, or the work failed
	exitUsage  = 2 // the command line is wrong
)

func main() {
	// If the reader of a pipe has gone, a write fails and kgen cleans up, instead of
	// being killed.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Main runs kgen with its arguments, without the program's name, and returns the
// exit code.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends kgen at once
	root, started := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	out := table.Interruptible(ctx, stdout)
	root.SetOut(out)
	root.SetErr(stderr)
	mendBashCompletion(root)
	command, err := root.ExecuteContextC(ctx)
	if unseen := out.Err(); unseen != nil && (err == nil || errors.Is(err, errReported)) {
		err, *started = unseen, true // no command that prints has to look at errors of standard output
	}
	if err == nil {
		return exitOK
	}
	var usage *usageError
	switch {
	case ctx.Err() != nil: // and so every later error is the interrupt's
		fmt.Fprintln(stderr, "kgen: interrupted")
	case isClosed(err): // as by head; who closes it knows
	case errors.Is(err, errReported):
	case !*started || errors.As(err, &usage):
		fmt.Fprintf(stderr, "kgen: %v\nRun '%s --help' for usage.\n", err, command.CommandPath())
		return exitUsage
	default:
		fmt.Fprintln(stderr, err)
	}
	return exitFailed
}

// isClosed reports whether the reader of standard output has gone.
func isClosed(err error) bool {
	var write *os.PathError
	return errors.As(err, &write) && write.Path == os.Stdout.Name() && errors.Is(err, syscall.EPIPE)
}

// usageError is an error of the command line, independent of all files.
type usageError = build.UsageError

func usageErrorf(format string, args ...any) error {
	return &usageError{Err: fmt.Errorf(format, args...)}
}

// numberError says what would be right for a flag that is not a number, instead
// of naming the function of Go that failed.
func numberError(err error) error {
	var number *strconv.NumError
	if !errors.As(err, &number) {
		return err
	}
	needed := map[string]string{
		"ParseUint":  fmt.Sprintf("a whole number from 0 to %d is needed", uint64(math.MaxUint64)),
		"ParseInt":   "a whole number is needed",
		"ParseFloat": "a number is needed",
	}[number.Func]
	if needed == "" {
		return err
	}
	return errors.New(strings.Replace(err.Error(), number.Error(), needed, 1))
}

// arguments requires between least and most arguments (most < 0: any number),
// described by what.
func arguments(least, most int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least {
			return fmt.Errorf("%s needs %s", c.CommandPath(), what)
		}
		if most >= 0 && len(args) > most {
			return fmt.Errorf("%s takes %s, not also %s", c.CommandPath(), what, strings.Join(args[most:], " "))
		}
		return nil
	}
}

// errReported ends a command that has already said what is wrong.
var errReported = errors.New("already reported")

// newRoot returns the command tree. What fails before a command has started is
// an error of usage.
func newRoot() (root *cobra.Command, started *bool) {
	started = new(bool)
	root = &cobra.Command{
		Use:   "kgen",
		Short: "kgen compiles pipelines over columns into few, fused kernels",
		Long: `kgen compiles pipelines over columns into few, fused kernels and runs them.

A pipeline is a function from columns and scalars to columns and scalars:

	pipeline grades(grade: [n]i32, score: [n]i32) {
		g = runs(grade)
		return key: first(grade, by: g), count: count(by: g), total: sum(score, by: g)
	}`,
		Example: `  kgen run examples/grades/grades.kg --in examples/grades/students.csv
  kgen explain examples/tpch/orders.kg --fuse paper2
  kgen emit examples/tpch/orders.kg --backend gocpu --package tpch -o out`,
		SilenceUsage:     true,
		SilenceErrors:    true,
		PersistentPreRun: func(*cobra.Command, []string) { *started = true },
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return numberError(err) })
	root.Version = version.Kgen()
	root.SetVersionTemplate(versionLine())
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", fmt.Sprintf(".FlagUsagesWrapped %d", build.HelpWidth)))
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(newRun(), newExplain(), newEmit(), newFmt(), newVet(), newDevices(), newData(), newDifftest(), newExplore(), newTune(), newCache(), newLSP(), newVersion())
	root.SetHelpCommand(newHelp(root))
	return root, started
}

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/table"
)

type runFlags struct {
	table.Flags
	out     []string
	device  string
	level   string
	workers int
	json    bool
}

func newRun() *cobra.Command {
	var flags runFlags
	c := &cobra.Command{
		Use:   "run FILE.kg[#NAME]",
		Short: "Run a pipeline over columns of files",
		Long: `Run compiles a pipeline, runs it over columns of files and prints or writes
its results.

Columns bind to the parameters of their names; --bind chooses others. A file
gives the columns of one domain: name the domain where there are several.
Results over one domain form a table, which takes the name of the domain; the
scalar results form one more, named scalars. Files are CSV with a header, and
- stands for standard input or output.

On device gocpu the emitted program is built once and kept in the folder kgen of
the user's cache, or in the folder that KGEN_CACHE names.`,
		Example: `  kgen run grades.kg --in students.csv
  kgen run orders.kg --in lineitem.csv --fuse paper2 --out orders.csv
  kgen run q6.kg --in lineitem.csv --set from=1995-01-01 --set to=1996-01-01
  kgen run queries.kg#q6 --in lineitem.csv --bind quantity=l_quantity
  kgen run join.kg --in n=orders.csv --in m=customers.csv --device interp
  cat lineitem.csv | kgen run orders.kg --in - --out - > orders.csv`,
		Args: arguments(1, 1, "one pipeline, FILE.kg or FILE.kg#NAME"),
		RunE: func(c *cobra.Command, args []string) error { return runPipeline(c, args[0], flags) },
	}
	f := c.Flags()
	f.StringArrayVarP(&flags.In, "in", "i", nil, "read columns from `[DOMAIN=]FILE`")
	f.StringArrayVarP(&flags.out, "out", "o", nil, "write results to `[TABLE=]FILE`")
	f.StringArrayVar(&flags.Bind, "bind", nil, "bind a column: `PARAMETER=COLUMN`")
	f.StringArrayVar(&flags.Set, "set", nil, "set a scalar: `PARAMETER=VALUE`")
	f.StringVar(&flags.device, "device", devices[0].name, "the `DEVICE` to run on; kgen devices lists them")
	f.StringVar(&flags.level, "fuse", "", levelUsage)
	f.IntVar(&flags.workers, "workers", 0, "how many cores to use (default all that pay)")
	f.BoolVar(&flags.json, "json", false, "print results, device, level and plan as JSON")
	return c
}

func runPipeline(c *cobra.Command, argument string, flags runFlags) error {
	device, err := deviceByName(flags.device)
	if err != nil {
		return err
	}
	if flags.workers < 0 {
		return usageErrorf("--workers %d: at least 1, or 0 for all cores that pay", flags.workers)
	}
	source, pipeline, err := loadOne(argument, c.ErrOrStderr())
	if err != nil {
		return err
	}
	binding, err := table.Bind(pipeline, flags.Flags)
	if err != nil {
		return &usageError{err}
	}
	outputs, err := parseOutputs(pipeline, flags.out)
	if err != nil {
		return &usageError{err}
	}
	execute, err := device.prepare(c.Context(), request{source: source, pipeline: pipeline, level: flags.level, workers: flags.workers})
	if err != nil {
		return err
	}
	in, err := binding.Read(table.NewSource(c.Context(), c.InOrStdin()))
	if err != nil {
		return err
	}
	done, err := execute(c.Context(), in)
	var check *ir.CheckError
	if errors.As(err, &check) {
		return source.checkError(check)
	}
	if err != nil {
		return err
	}
	return deliver(c, report{Pipeline: pipeline.Name, Device: device.name, Level: done.level,
		Plan: kernelsOf(done.kernels), Elapsed: done.elapsed.Nanoseconds(),
		Results: table.Results(pipeline, done.columns), Files: outputs}, flags.json)
}

// kernel names a kernel of the plan that ran.
type kernel struct {
	Name   string   `json:"name"`
	Stages []string `json:"stages"`
}

func kernelsOf(kernels []plan.Kernel) []kernel {
	var names []kernel
	for _, k := range kernels {
		names = append(names, kernel{k.Name, k.Stages})
	}
	return names
}

// report is what run prints, and its JSON form.
type report struct {
	Pipeline string            `json:"pipeline"`
	Device   string            `json:"device"`
	Level    string            `json:"level,omitempty"`
	Plan     []kernel          `json:"plan,omitempty"`
	Elapsed  int64             `json:"elapsed_ns"`
	Results  []table.Table     `json:"results"`         // those that are in no file
	Files    map[string]string `json:"files,omitempty"` // where the others are
}

// parseOutputs returns which table goes to which file.
func parseOutputs(p *ir.Pipeline, flags []string) (map[string]string, error) {
	names, _ := table.ResultNames(p)
	outputs := map[string]string{}
	for _, text := range flags {
		name, path := names[0], text
		if before, after, ok := strings.Cut(text, "="); ok && !strings.ContainsAny(before, `/\.`) {
			name, path = before, after
		} else if len(names) > 1 {
			return nil, fmt.Errorf("--out %s: pipeline %s returns the tables %s; write --out %s=FILE", text, p.Name, strings.Join(names, ", "), names[0])
		}
		known := false
		for _, n := range names {
			known = known || n == name
		}
		if !known {
			return nil, fmt.Errorf("--out %s: pipeline %s returns no table %s; it returns %s", text, p.Name, name, strings.Join(names, ", "))
		}
		if _, err := table.FormatOf(path); err != nil {
			return nil, fmt.Errorf("--out %w", err)
		}
		if first, twice := outputs[name]; twice {
			return nil, fmt.Errorf("--out %s: %s already goes to %s", text, name, first)
		}
		for other, file := range outputs {
			if file == path {
				return nil, fmt.Errorf("--out %s: %s already goes there", text, other)
			}
		}
		outputs[name] = path
	}
	return outputs, nil
}

// deliver writes the tables that have a file and prints the others; to
// standard error where standard output carries a table.
func deliver(c *cobra.Command, r report, asJSON bool) error {
	rest := []table.Table{}
	printTo := c.OutOrStdout()
	for _, t := range r.Results {
		path, ok := r.Files[t.Name]
		if !ok {
			rest = append(rest, t)
			continue
		}
		if path == table.Standard {
			printTo = c.ErrOrStderr()
		}
		if err := table.Write(c.Context(), path, t, c.OutOrStdout()); err != nil {
			return err
		}
	}
	r.Results = rest
	if asJSON {
		return writeJSON(printTo, r)
	}
	return table.Print(printTo, rest)
}

func writeJSON(w io.Writer, v any) error {
	return json.NewEncoder(w).Encode(v)
}

package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kgen-go/kgen/internal/table"
	"github.com/kgen-go/kgen/ir"
)

// parseOutputs returns the file of each table.
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
			if samePath(file, path) {
				return nil, fmt.Errorf("--out %s: %s already goes there", text, other)
			}
		}
		outputs[name] = path
	}
	return outputs, nil
}

// samePath reports whether two spellings name the same file or folder. (The stage
// detects links.)
func samePath(a, b string) bool {
	if a == table.Standard || b == table.Standard {
		return a == b
	}
	absoluteA, errA := filepath.Abs(a)
	absoluteB, errB := filepath.Abs(b)
	return absoluteA == absoluteB && errA == nil && errB == nil
}

// outputs are the files of a run's results. They are created before anything is
// read, so that missing permissions are reported at once.
type outputs struct {
	stage   *table.Stage
	paths   map[string]string // by table
	writers map[string]table.Writer
	bar     *progress
	printTo io.Writer // for results without a file: standard error if standard output carries a table
}

func openOutputs(c *cobra.Command, p *ir.Pipeline, paths map[string]string) (*outputs, error) {
	o := &outputs{stage: table.NewStage(c.Context(), c.OutOrStdout()), paths: paths, writers: map[string]table.Writer{},
		bar: newProgress(c.ErrOrStderr(), "write", "rows"), printTo: c.OutOrStdout()}
	names, member := table.ResultNames(p)
	for i, name := range names {
		path, ok := paths[name]
		switch {
		case !ok:
			continue
		case path == table.Standard: // nothing is printed before there are results
			o.printTo = c.ErrOrStderr()
			continue
		}
		var fields []table.Field
		for j, r := range p.Results {
			if member[j] == i {
				fields = append(fields, table.Field{Column: r.Label, Kind: r.Value.Type.Kind})
			}
		}
		w, err := o.stage.NewWriter(path, fields)
		if err != nil {
			o.abort()
			return nil, err
		}
		o.writers[name] = w
	}
	return o, nil
}

// refuseJSON refuses tables that have no file and could not be printed as JSON,
// before any file of the others appears.
func (o *outputs) refuseJSON(tables []table.Table) error {
	for _, t := range tables {
		if _, ok := o.paths[t.Name]; ok {
			continue
		}
		if err := t.RefuseJSON(); err != nil {
			return fmt.Errorf("--json: %w", err)
		}
	}
	return nil
}

// deliver writes the tables that have a file, all or none, and returns the others.
func (o *outputs) deliver(tables []table.Table) ([]table.Table, error) {
	rest := []table.Table{}
	for _, t := range tables {
		path, ok := o.paths[t.Name]
		if !ok {
			rest = append(rest, t)
			continue
		}
		var err error
		if w := o.writers[t.Name]; w != nil {
			err = table.WriteAll(w, t, o.bar.report)
		} else {
			err = o.stage.Add(path, t, o.bar.report)
		}
		if err != nil {
			return nil, err
		}
	}
	o.bar.end()
	return rest, o.stage.Commit()
}

// abort removes what deliver has not committed.
func (o *outputs) abort() {
	o.bar.end()
	o.stage.Abort()
}

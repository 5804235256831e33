package testsuite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/kgen-go/kgen/internal/table"
	"github.com/kgen-go/kgen/ir"
)

// Entry is a pipeline with input data and expected results.
type Entry struct {
	Name     string // of the file, without folder and extension
	Path     string // of the source file
	Pipeline *ir.Pipeline
	Flags    table.Flags // of kgen run, for the files beside the pipeline
	Columns  []ir.Column // one per parameter; a scalar is a column of one row
	Golden   string      // path of the expected results, in the form of Render
}

// Load reads the corpus in a folder. For NAME.kg, which holds one pipeline, the
// columns are in NAME.csv, or in NAME.DOMAIN.csv for each domain of a pipeline
// with several; NAME.set has a line PARAMETER=VALUE for each scalar parameter
// that does not take its default; NAME.out has the results.
func Load(dir string) ([]Entry, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.kg"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s holds no .kg file", dir)
	}
	var entries []Entry
	var faults []error
	for _, path := range paths {
		entry, err := LoadEntry(path)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		entries = append(entries, entry)
	}
	return entries, errors.Join(faults...)
}

// LoadEntry reads one pipeline with its data.
func LoadEntry(path string) (Entry, error) {
	pipelines, err := ir.LoadFile(path)
	if err != nil {
		return Entry{}, err
	}
	if len(pipelines) != 1 {
		return Entry{}, fmt.Errorf("%s: holds %d pipelines; a file of the corpus has one", path, len(pipelines))
	}
	base := strings.TrimSuffix(path, ".kg")
	entry := Entry{Name: filepath.Base(base), Path: path, Pipeline: pipelines[0], Golden: base + ".out"}
	if entry.Flags, err = inputFlags(base); err != nil {
		return Entry{}, err
	}
	binding, err := table.Bind(entry.Pipeline, entry.Flags)
	if err == nil {
		entry.Columns, err = binding.Read(table.NewSource(context.Background(), nil))
	}
	if err != nil {
		return Entry{}, fmt.Errorf("%s: %w", path, err)
	}
	return entry, nil
}

// inputFlags finds the files beside a pipeline and writes them as the flags of
// kgen run.
func inputFlags(base string) (flags table.Flags, err error) {
	if _, err := os.Stat(base + ".csv"); err == nil {
		flags.In = []string{base + ".csv"}
	}
	files, err := filepath.Glob(base + ".*.csv")
	if err != nil {
		return flags, err
	}
	for _, file := range files {
		domain := strings.TrimSuffix(strings.TrimPrefix(file, base+"."), ".csv")
		flags.In = append(flags.In, domain+"="+file)
	}
	settings, err := os.ReadFile(base + ".set")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return flags, err
	}
	flags.Set = strings.Fields(string(settings))
	return flags, nil
}

package table

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/ir"
)

// Format reads and writes one kind of file.
type Format interface {
	// Extensions returns the extensions of the format's files, as in ".csv".
	Extensions() []string
	// Read returns the columns of fields, in order, and parses no others. All
	// have the rows of the file. Errors need not name the file; those of its
	// content are a DataError.
	Read(source *Source, path string, fields []Field) ([]ir.Column, error)
	// NewWriter begins a file of columns, in order, of which rows will follow.
	NewWriter(stage *Stage, path string, columns []Field) (Writer, error)
}

// Counter is a format that tells the rows of a file without reading them.
type Counter interface {
	Rows(source *Source, path string) (int64, error)
}

// Writer writes the rows of one table.
type Writer interface {
	// Write adds rows: equally long columns, in the order and of the kinds
	// that the writer was made for. It keeps none of them.
	Write(columns []ir.Column) error
	// Close writes what is left. The file appears with the stage's Commit.
	Close() error
}

// Field is a column of a file.
type Field struct {
	Column string // as the file names it
	Param  string // the parameter that wants it, for messages; "" in a writer
	Kind   ir.Kind
}

// Standard is the name that stands for standard input and output, as CSV.
const Standard = "-"

var formats = []Format{CSV{}, Parquet{}, NumPy{}, JSONLines{}}

// FormatOf returns the format of a file by its extension; a folder is one of
// NumPy arrays.
func FormatOf(path string) (Format, error) {
	extension := strings.ToLower(filepath.Ext(path))
	if path == Standard {
		extension = ".csv"
	}
	var known []string
	for _, f := range formats {
		if slices.Contains(f.Extensions(), extension) {
			return f, nil
		}
		known = append(known, f.Extensions()...)
	}
	if namesFolder(path) {
		return NumPy{}, nil
	}
	forms := strings.Join(known, " ") + ", and a folder of .npy files with a / at its end"
	if extension == "" {
		return nil, fmt.Errorf("%s: the extension says how a file is written, and this name has none; known: %s", path, forms)
	}
	return nil, fmt.Errorf("%s: unknown file format %s; known: %s", path, extension, forms)
}

// DataError is a fault of a file's content.
type DataError struct {
	Line   int    // 0 where it concerns no line
	Column string // "" where it concerns no column
	Row    int64  // of Column, from 0
	Msg    string
}

func (e *DataError) Error() string { return e.in("") }

// in renders e as an error of a file.
func (e *DataError) in(file string) string {
	var parts []string
	if file != "" {
		if e.Line > 0 {
			file = fmt.Sprintf("%s:%d", file, e.Line)
		}
		parts = append(parts, file)
	} else if e.Line > 0 {
		parts = append(parts, fmt.Sprintf("line %d", e.Line))
	}
	if e.Column != "" {
		parts = append(parts, fmt.Sprintf("column %q, row %d", e.Column, e.Row))
	}
	return strings.Join(append(parts, e.Msg), ": ")
}

package table

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/ir"
)

// Format writes one kind of file.
type Format interface {
	// Extensions returns the extensions of the format's files, as in ".csv".
	Extensions() []string
	// NewWriter begins a file with these columns, in order; their rows follow.
	NewWriter(stage *Stage, path string, columns []Field) (Writer, error)
}

// Reader is a format that can also be read.
type Reader interface {
	Format
	// Read returns the columns of fields, in order, and parses no others. Each
	// has all rows of the file. Errors need not name the file; errors in its
	// content are a DataError.
	Read(source *Source, path string, fields []Field) ([]ir.Column, error)
	// Columns returns the names of a file's columns, in order.
	Columns(source *Source, path string) ([]string, error)
}

// Counter is a format whose files state their number of rows.
type Counter interface {
	Rows(source *Source, path string) (int64, error)
}

// Grouped is a format whose files have groups of rows, of which it reads those that the source
// asks for.
type Grouped interface {
	// Groups returns the rows of each group, not nil.
	Groups(source *Source, path string) ([]int64, error)
}

// Writer writes the rows of one table.
type Writer interface {
	// Write adds rows: columns of equal length, in the order and of the kinds
	// that NewWriter got. It does not keep them.
	Write(columns []ir.Column) error
	// Close writes the remaining rows. The file appears with the stage's
	// Commit.
	Close() error
}

// Field is a column of a file.
type Field struct {
	Column string // its name in the file
	Param  string // the parameter bound to it, for messages; "" in a writer
	Kind   ir.Kind
	// Missing is what a row has that has no value in the file; of Kind Invalid, such a
	// row is an error. In a writer, rows that have it get no value; there, no text has it.
	Missing     ir.Scalar
	MissingText string // of kind Text
	// Like is set if the field is a bool that tells which texts are like a pattern.
	Like *ir.Pattern
	// Present is set if the field is a bool that tells which rows have a value.
	Present bool
	// Pattern is how a CSV file writes dates or timestamps, if not by ISO 8601.
	Pattern *pattern
	// Round is whether parts of a microsecond are rounded, or are errors.
	Round rounding
	// Texts is the dictionary that a column of kind Text is read into; nil where the file
	// has codes.
	Texts *Texts
}

// Standard is the name of standard input and output, which are CSV.
const Standard = "-"

var (
	readers = []Reader{CSV{}, Parquet{}, NumPy{}}
	formats = []Format{CSV{}, Parquet{}, NumPy{}, JSONLines{}}
)

// FormatOf returns the format in which a file is written, by its extension; a
// folder is one of NumPy arrays.
func FormatOf(path string) (Format, error) { return find(path, formats) }

// ReaderOf returns the format in which a file is read.
func ReaderOf(path string) (Reader, error) {
	reader, err := find(path, readers)
	if err == nil {
		return reader, nil
	}
	if _, written := find(path, formats); written == nil {
		return nil, fmt.Errorf("%s: files of this format are written, not read; those that are read: %s", path, forms(readers))
	}
	return nil, err
}

// isCSV reports whether a file is CSV by its name.
func isCSV(path string) bool {
	reader, err := ReaderOf(path)
	return err == nil && reader == Reader(CSV{})
}

func find[F Format](path string, known []F) (format F, err error) {
	extension := strings.ToLower(filepath.Ext(path))
	if path == Standard {
		extension = CSV{}.Extensions()[0]
	}
	of := func(extension string) int {
		return slices.IndexFunc(known, func(f F) bool { return slices.Contains(f.Extensions(), extension) })
	}
	i := of(extension)
	if i < 0 && namesFolder(path) {
		i = of(npyExtension)
	}
	if i >= 0 {
		return known[i], nil
	}
	if extension == "" {
		return format, fmt.Errorf("%s: the extension says how a file is written, and this name has none; known: %s", path, forms(known))
	}
	return format, fmt.Errorf("%s: unknown file format %s; known: %s", path, extension, forms(known))
}

// ReadExtensions returns the extensions of the files that are read, without the dot.
func ReadExtensions() (names []string) {
	for _, f := range readers {
		for _, extension := range f.Extensions() {
			names = append(names, strings.TrimPrefix(extension, "."))
		}
	}
	return names
}

// forms lists the names that files of the formats have.
func forms[F Format](known []F) string {
	var extensions []string
	for _, f := range known {
		extensions = append(extensions, f.Extensions()...)
	}
	return strings.Join(extensions, " ") + ", and a folder of .npy files with a / at its end"
}

// DataError is a fault of a file's content.
type DataError struct {
	Line   int    // 0 if it concerns no line
	Column string // "" if it concerns no column
	Row    int64  // of Column, from 0
	Msg    string
}

func (e *DataError) Error() string { return e.in("") }

// in returns e as an error of a file.
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

package table

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/kgen-go/kgen/ir"
)

// NumPy is one-dimensional arrays as numpy.save writes them: a .npy file for one
// column, or a folder with a file NAME.npy for each column. Their element types
// can be read as:
//
//	i1 to i8, u1 to u8     integers, floats, bool (0 and 1)
//	f4, f8                 f32, f64
//	b1                     bool
//	M8[D]                  date, timestamp (midnight)
//	M8[s] to M8[ns]        timestamp, date (of midnights)
//	S1 to S8               char8
//
// Arrays may have either byte order. A value that does not fit is an error, and
// so is NaT, unless the parameter says what a row without a value has. Columns are written as arrays of the same kind, in
// the byte order of this machine: bool as b1, date as M8[D], timestamp as M8[us],
// char8 as S8.
type NumPy struct{}

const npyExtension = ".npy"

// Extensions returns the extension of array files.
func (NumPy) Extensions() []string { return []string{npyExtension} }

// namesFolder reports whether path means a folder of columns: it ends like one
// or is one.
func namesFolder(path string) bool {
	if path == "" {
		return false
	}
	if os.IsPathSeparator(path[len(path)-1]) {
		return true
	}
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// arrayPath returns the file of a column in a folder.
func arrayPath(folder, column string) (string, error) {
	if column == "" || strings.ContainsAny(column, "/\\\x00") {
		return "", fmt.Errorf("%s is no name for a file; columns of a folder are in files NAME%s", quote(column), npyExtension)
	}
	return filepath.Join(folder, column+npyExtension), nil
}

// arrayNames returns the columns of a folder.
func arrayNames(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), npyExtension); ok && name != "" && !e.IsDir() {
			names = append(names, name)
		}
	}
	return names, nil
}

// Columns returns the columns of a folder. The column of a file has no name: it
// is the one that is bound.
func (NumPy) Columns(_ *Source, path string) ([]string, error) {
	if !namesFolder(path) {
		return nil, nil
	}
	return arrayNames(path)
}

// Read reads the one field of a file, or each field from its file of a folder.
func (NumPy) Read(source *Source, path string, fields []Field) (columns []ir.Column, err error) {
	var files []string
	if namesFolder(path) {
		if files, err = arrayFiles(path, fields); err != nil {
			return nil, err
		}
	} else {
		if len(fields) > 1 {
			return nil, fmt.Errorf("the file holds one column, but %d are bound (%s); give a folder with the files %s",
				len(fields), strings.TrimPrefix(wanted(fields), ": "), fileList(fields))
		}
		files = []string{path}[:len(fields)]
	}
	arrays := make([]*npyArray, len(files))
	for i, file := range files {
		if arrays[i], err = openArray(source, file); err != nil {
			return nil, inFile(path, file, err)
		}
		defer func() {
			if changed := arrays[i].in.close(nil); changed != nil {
				err = inFile(path, file, changed)
			}
		}()
		if first := arrays[0]; arrays[i].rows != first.rows {
			return nil, fmt.Errorf("the columns of a folder are equally long, but %s has %d rows and %s has %d",
				filepath.Base(files[0]), first.rows, filepath.Base(file), arrays[i].rows)
		}
	}
	done := progress{source: source}
	for _, a := range arrays {
		done.total += a.rows * int64(a.dtype.size)
	}
	for i, a := range arrays {
		c, err := a.read(source, fields[i], &done)
		if err != nil {
			return nil, inFile(path, files[i], err)
		}
		columns = append(columns, c)
	}
	return columns, nil
}

// Rows returns the rows of a file, or the fewest of any array in a folder: it
// does not know which of them are bound.
func (NumPy) Rows(source *Source, path string) (int64, error) {
	if !namesFolder(path) {
		return arrayRows(source, path)
	}
	names, err := arrayNames(path)
	if err != nil {
		return 0, err
	}
	fewest := int64(-1)
	for _, name := range names {
		rows, err := arrayRows(source, filepath.Join(path, name+npyExtension))
		if err != nil {
			continue // Read reports it if the column is bound
		}
		if fewest < 0 || rows < fewest {
			fewest = rows
		}
	}
	return max(fewest, 0), nil
}

func arrayRows(source *Source, path string) (int64, error) {
	a, err := openArray(source, path)
	if err != nil {
		return 0, err
	}
	return a.rows, a.in.close(nil)
}

// arrayFiles returns the files of fields in a folder.
func arrayFiles(folder string, fields []Field) ([]string, error) {
	var files []string
	for _, f := range fields {
		file, err := arrayPath(folder, f.Column)
		if err == nil {
			_, err = os.Stat(file)
		}
		if errors.Is(err, os.ErrNotExist) {
			names, err := arrayNames(folder)
			if err != nil {
				return nil, err
			}
			return nil, missingColumn(f, names)
		}
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

func fileList(fields []Field) string {
	var files []string
	for _, f := range fields {
		files = append(files, f.Column+npyExtension)
	}
	return strings.Join(files, ", ")
}

// inFile adds the name of a file in a folder to errors that lack it.
func inFile(path, file string, err error) error {
	var data *DataError
	if path == file || !errors.As(err, &data) || data.Column != "" {
		return err
	}
	return &DataError{Msg: filepath.Base(file) + ": " + data.Msg}
}

// NewWriter begins the arrays of columns. Their files get their names when the
// stage commits; a missing folder is created.
func (NumPy) NewWriter(stage *Stage, path string, columns []Field) (Writer, error) {
	w := &npyWriter{}
	if !namesFolder(path) {
		if len(columns) != 1 {
			folder := strings.TrimSuffix(path, filepath.Ext(path)) + string(filepath.Separator)
			return nil, fmt.Errorf("%s would hold one column, but there are %d (%s); write the folder %s",
				path, len(columns), strings.TrimPrefix(wanted(columns), ": "), folder)
		}
		return w, w.add(stage, path, columns[0])
	}
	if err := stage.createFolder(path); err != nil {
		return nil, err
	}
	for _, c := range columns {
		file, err := arrayPath(path, c.Column)
		if err != nil {
			return nil, err
		}
		if err := w.add(stage, file, c); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// progress counts the bytes read for several columns.
type progress struct {
	source      *Source
	read, total int64
}

func (p *progress) add(n int64) {
	p.read += n
	p.source.report(p.read, p.total)
}

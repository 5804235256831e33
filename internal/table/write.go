package table

import (
	"context"
	"io"

	"github.com/kgen-go/kgen/ir"
)

// batchRows is how many rows Add hands to a writer at once.
const batchRows = 1 << 20

// Add writes all rows of t to a file of the stage, whose extension chooses the
// format. progress, which may be nil, gets numbers of rows.
func (s *Stage) Add(path string, t Table, progress func(done, total int64)) error {
	var fields []Field
	for _, c := range t.Columns {
		fields = append(fields, Field{Column: c.Name, Kind: c.Data.Kind})
	}
	w, err := s.NewWriter(path, fields)
	if err != nil {
		return err
	}
	return WriteAll(w, t, progress)
}

// WriteAll writes all rows of t and closes w. progress, which may be nil, gets
// numbers of rows.
func WriteAll(w Writer, t Table, progress func(done, total int64)) error {
	batch := make([]ir.Column, len(t.Columns))
	for lo := 0; lo < t.Rows(); lo += batchRows {
		hi := min(t.Rows()-lo, batchRows) + lo
		for i, c := range t.Columns {
			batch[i] = Rows(c.Data, lo, hi)
		}
		if err := w.Write(batch); err != nil {
			return err
		}
		if progress != nil {
			progress(int64(hi), int64(t.Rows()))
		}
	}
	return w.Close()
}

// NewWriter begins a file of columns, in the format that its extension chooses.
func (s *Stage) NewWriter(path string, columns []Field) (Writer, error) {
	format, err := FormatOf(path)
	if err != nil {
		return nil, err
	}
	return format.NewWriter(s, path, columns)
}

// Write writes t to a file whose extension chooses the format, or as CSV to
// stdout where path is Standard.
func Write(ctx context.Context, path string, t Table, stdout io.Writer) error {
	stage := NewStage(ctx, stdout)
	defer stage.Abort()
	if err := stage.Add(path, t, nil); err != nil {
		return err
	}
	return stage.Commit()
}

// WriteFile writes a file so that it appears at once and whole.
func WriteFile(ctx context.Context, path string, write func(io.Writer) error) error {
	stage := NewStage(ctx, nil)
	defer stage.Abort()
	w, err := stage.Create(path)
	if err != nil {
		return err
	}
	if err := write(w); err != nil {
		return err
	}
	return stage.Commit()
}

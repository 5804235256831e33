package table

import (
	"io"
	"sync"

	"github.com/kgen-go/kgen/ir"
)

// linesAtOnce is the number of lines in a batch.
const linesAtOnce = 1 << 13

// lineWriter writes one line per row. Batches of lines are formatted on all
// cores.
type lineWriter struct {
	out io.Writer
	// line returns a function that appends the line of a row of columns and is
	// safe for concurrent use.
	line func(columns []ir.Column) rowAppender
	free sync.Pool // of *[]byte
}

// Write implements Writer.
func (w *lineWriter) Write(columns []ir.Column) error {
	if len(columns) == 0 {
		return nil
	}
	appendLine := w.line(columns)
	rows, row := columns[0].Len(), 0
	next := func() (int, error) {
		if row >= rows {
			return 0, io.EOF
		}
		lo := row
		row += linesAtOnce
		return lo, nil
	}
	text := func(lo int) *[]byte {
		buffer, ok := w.free.Get().(*[]byte)
		if !ok {
			buffer = new([]byte)
		}
		lines := (*buffer)[:0]
		for row := lo; row < min(lo+linesAtOnce, rows); row++ {
			lines = appendLine(lines, row)
		}
		*buffer = lines
		return buffer
	}
	return inOrder(nil, next, text, func(buffer *[]byte) error {
		_, err := w.out.Write(*buffer)
		w.free.Put(buffer)
		return err
	})
}

// Close implements Writer. Write leaves nothing to write.
func (w *lineWriter) Close() error { return nil }

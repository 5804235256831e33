package kgenarrow

import (
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// Column is a column to read, with its name for messages. It does not retain its arrays.
type Column struct {
	name   string
	rows   int           // of which the arrays may have more
	chunks []arrow.Array // one at least, of one type
	err    error         // why there is none; reading reports it
}

// RecordColumn returns the column of that name. Reading it is an error if the record has
// none, or several.
func RecordColumn(record arrow.RecordBatch, name string) Column {
	i, err := find(record.Schema(), name)
	if err != nil {
		return Column{err: err}
	}
	c := ArrayColumn(name, record.Column(i))
	c.rows = int(record.NumRows())
	return c
}

// TableColumn returns the column of that name. Reading it is an error if the table has
// none, or several. Records are one table by [array.NewTableFromRecords].
func TableColumn(table arrow.Table, name string) Column {
	i, err := find(table.Schema(), name)
	if err != nil {
		return Column{err: err}
	}
	c := ChunkedColumn(name, table.Column(i).Data())
	c.rows = int(table.NumRows())
	return c
}

// ArrayColumn returns an array as a column.
func ArrayColumn(name string, a arrow.Array) Column {
	return Column{name: name, rows: a.Len(), chunks: []arrow.Array{a}}
}

// ChunkedColumn returns the chunks of an array as one column.
func ChunkedColumn(name string, c *arrow.Chunked) Column {
	chunks := c.Chunks()
	if len(chunks) == 0 {
		chunks = []arrow.Array{empty(c.DataType())}
	}
	return Column{name: name, rows: c.Len(), chunks: chunks}
}

// Rows returns the number of rows; 0 for a column that does not exist.
func (c Column) Rows() int { return c.rows }

func find(schema *arrow.Schema, name string) (int, error) {
	places := schema.FieldIndices(name)
	if len(places) == 1 {
		return places[0], nil
	}
	if len(places) > 1 {
		return 0, fmt.Errorf("%d columns are named %q", len(places), name)
	}
	var names []string
	for _, f := range schema.Fields() {
		names = append(names, f.Name)
	}
	return 0, fmt.Errorf("there is no column %q; there are: %s", name, strings.Join(names, ", "))
}

// empty returns an array without rows.
func empty(t arrow.DataType) arrow.Array {
	b := array.NewBuilder(goMemory, t)
	defer b.Release()
	return b.NewArray()
}

// ValueError is a value that a parameter cannot take, or a NULL.
type ValueError struct {
	Column string
	Row    int64 // from 0, over all chunks
	Reason string
}

func (e *ValueError) Error() string {
	return fmt.Sprintf("column %q, row %d: %s", e.Column, e.Row, e.Reason)
}

// Option says how values of type T are read.
type Option[T any] func(*options[T])

type options[T any] struct {
	missing *T // of rows without a value; nil: they are errors
	round   bool
	into    []T // where the rows go; nil: to memory of their own, or that of the array
}

// Missing gives a value to rows that have none.
func Missing[T any](value T) Option[T] {
	return func(o *options[T]) { o.missing = &value }
}

// Into has the rows written to memory of the caller, which is for as many, and returned is
// that. After an error it holds some of them.
func Into[T any](rows []T) Option[T] {
	return func(o *options[T]) {
		if o.into = rows; rows == nil {
			o.into = []T{}
		}
	}
}

// Rounded rounds times to the nearest microsecond, of two the even one. Without it a part
// of a microsecond is an error.
func Rounded[T int32 | int64]() Option[T] {
	return func(o *options[T]) { o.round = true }
}

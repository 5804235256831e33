package generate

import (
	"context"
	"runtime"
	"sync"

	"github.com/kgen-go/kgen/internal/table"
	"github.com/kgen-go/kgen/ir"
)

// Column is a column of a relation.
type Column struct {
	Name    string
	Kind    ir.Kind
	Meaning string
}

// Fields returns the columns of a relation as a [table.Writer] wants them.
func Fields(g Generator) []table.Field {
	var fields []table.Field
	for _, c := range g.Columns() {
		fields = append(fields, table.Field{Column: c.Name, Kind: c.Kind})
	}
	if g, ok := g.(incomplete); ok {
		fields[g.column].Missing = g.missing
	}
	return fields
}

// incomplete is a relation in which rows of one column have no value in the file.
type incomplete struct {
	Generator
	column  int
	missing ir.Scalar // what these rows have instead
}

// Generator makes the rows of one relation.
type Generator interface {
	// Columns returns the columns of the relation, in order.
	Columns() []Column
	// Rows returns the number of rows; of lineitem, the expected number.
	Rows() int64
	// Stream makes all rows and passes them to write in order, a batch of
	// columns at a time. Write must not keep a batch. Up to workers batches are
	// made at once. Stream returns the first error of write, or that of ctx.
	Stream(ctx context.Context, workers int, write func([]ir.Column) error) error
}

// Workers returns how many batches this machine should make at once: enough to
// keep one writer busy, in little memory.
func Workers() int { return min(runtime.GOMAXPROCS(0), 8) }

const (
	batchRows   = 1 << 16 // in a batch, at most
	batchValues = 1 << 18 // in a batch of several columns
)

// rowsAtOnce returns how many rows a batch has.
func rowsAtOnce(columns int) int64 { return min(batchRows, int64(batchValues/columns)) }

// batched is a relation whose batches can be made independently.
type batched struct {
	columns []Column
	rows    int64
	batches int64
	// fill makes a batch: it gives each column its slice, by room. Calls for
	// different batches are concurrent.
	fill func(batch int64, columns []ir.Column)
}

// byRows returns a relation whose batches all have the same number of rows,
// except the last. Fill makes the n rows that begin at row first.
func byRows(columns []Column, rows int64, fill func(first int64, n int, columns []ir.Column)) *batched {
	each := rowsAtOnce(len(columns))
	return &batched{columns, rows, (rows-1)/each + 1, func(batch int64, out []ir.Column) {
		first := batch * each
		fill(first, int(min(each, rows-first)), out)
	}}
}

func (b *batched) Columns() []Column { return b.columns }

func (b *batched) Rows() int64 { return b.rows }

// Stream keeps a ring of batches. It waits for the oldest batch, writes it, and
// has the next one made in the same memory.
func (b *batched) Stream(ctx context.Context, workers int, write func([]ir.Column) error) error {
	type place struct {
		columns []ir.Column
		done    chan struct{}
	}
	ring := make([]place, max(workers, 1)+1)
	for i := range ring {
		ring[i] = place{newBatch(b.columns), make(chan struct{}, 1)}
	}
	var running sync.WaitGroup
	defer running.Wait()
	for i := range b.batches + int64(len(ring)) {
		p := &ring[i%int64(len(ring))]
		if made := i - int64(len(ring)); made >= 0 && made < b.batches {
			<-p.done
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := write(p.columns); err != nil {
				return err
			}
		}
		if i < b.batches {
			running.Go(func() {
				b.fill(i, p.columns)
				p.done <- struct{}{}
			})
		}
	}
	return ctx.Err()
}

// newBatch returns columns that have no memory yet.
func newBatch(columns []Column) []ir.Column {
	batch := make([]ir.Column, len(columns))
	for i, c := range columns {
		batch[i].Kind = c.Kind
	}
	return batch
}

// room makes c a column of n elements and returns them. It reuses the memory of
// c if that suffices.
func room[T any](c *ir.Column, n int) []T {
	s, _ := c.Slice.([]T)
	if cap(s) < n {
		s = make([]T, n)
	}
	c.Slice = s[:n]
	return s[:n]
}

package table

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/ir"
)

// Parquet is the columnar format of https://parquet.apache.org, through the
// format, encoding and thrift packages of github.com/parquet-go/parquet-go. The
// package parquet itself is not used: it links protobuf and geometry, and
// trusts the lengths that a file claims.
//
// A bound column must be flat, with at most one value per row. Its type decides
// which kinds can be read from it:
//
//	integers of 8 to 64 bits, signed or not   integers, floats, decimals, bool (0 and 1)
//	FLOAT, DOUBLE                              f32, f64
//	DECIMAL                                    decimals of any scale, f32, f64, integers
//	BOOLEAN                                    bool
//	DATE                                       date, timestamp (midnight)
//	TIMESTAMP, INT96                           timestamp, date (of midnights)
//	STRING, ENUM, byte arrays without a type   text, char8
//	fixed-length byte arrays of up to 8 bytes  char8
//
// A value is read as CSV would read its text: a float becomes the nearest
// float, a DECIMAL the float nearest to its decimal fraction, and a text of
// fewer than 8 bytes is padded with zero bytes. A value that does not fit is an
// error: an integer or a float out of range, a DECIMAL with a fraction for an
// integer, or with more digits after the point than a decimal has, a string of
// more than 8 bytes for a char8, and NULL, unless the parameter says what a row
// without a value has.
//
// Every encoding of the format is read, and the compressions SNAPPY, GZIP,
// BROTLI, ZSTD and LZ4_RAW. Pages have at most 256 MiB. Columns that are not
// bound may have any type, and are not read.
//
// A file of a few kilobytes may really have a billion equal rows, or may claim
// them in all of its pages and turn out to be damaged only during decoding.
// Only a limit of [Source].Memory protects from such a size, above all on
// systems other than Linux, where untouched memory is not free.
//
// Columns are written without NULL, compressed by SNAPPY, with statistics: bool
// as BOOLEAN, integers as INT(8,true) to INT(64,false), floats as FLOAT and
// DOUBLE, decimals as DECIMAL(18, scale) of INT64, date as DATE, timestamp as
// TIMESTAMP of microseconds in UTC, and char8 without the zero bytes at its end: a
// column as STRING if all its values are UTF-8, else as byte arrays without a type.
type Parquet struct{}

// Extensions returns the extension of Parquet files.
func (Parquet) Extensions() []string { return []string{".parquet"} }

// Rows returns the number of rows that the file's footer claims.
func (Parquet) Rows(source *Source, path string) (rows int64, err error) {
	file, err := footer(source, path)
	if err != nil {
		return 0, err
	}
	return file.rows, nil
}

// footer reads a file's footer alone.
func footer(source *Source, path string) (file *parquetFile, err error) {
	in, err := source.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = in.close(err) }()
	return openParquet(in)
}

// Groups returns the rows that the file's footer claims for each row group.
func (Parquet) Groups(source *Source, path string) (rows []int64, err error) {
	file, err := footer(source, path)
	if err != nil {
		return nil, err
	}
	rows = []int64{}
	for i := range file.meta.RowGroups {
		rows = append(rows, file.meta.RowGroups[i].NumRows)
	}
	return rows, nil
}

// Columns returns the names of the columns at the top of the schema.
func (Parquet) Columns(source *Source, path string) (names []string, err error) {
	file, err := footer(source, path)
	if err != nil {
		return nil, err
	}
	return file.names, nil
}

// Read decodes the column chunks of all fields in parallel, each into its
// place. Of several invalid values it reports the first by row, then by field.
func (Parquet) Read(source *Source, path string, fields []Field) (columns []ir.Column, err error) {
	in, err := source.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = in.close(err) }()
	file, err := openParquet(in)
	if err != nil {
		return nil, err
	}
	before, err := file.keep(source.groups)
	if err != nil {
		return nil, err
	}
	defer func() {
		if data := (*DataError)(nil); errors.As(err, &data) && data.Column != "" {
			data.Row += before
		}
	}()
	readers, err := file.readers(fields)
	if err != nil {
		return nil, err
	}
	if err := file.countValues(in, readers); err != nil {
		return nil, err
	}
	columns = make([]ir.Column, len(fields))
	for i, f := range fields {
		if columns[i], err = source.column(f.Kind, file.rows); err != nil {
			return nil, err
		}
	}
	if err := file.decode(source, in, readers, columns); err != nil {
		return nil, err
	}
	return columns, nil
}

// decode fills columns, which have the file's rows, with what readers read.
func (f *parquetFile) decode(source *Source, in *Input, readers []columnReader, columns []ir.Column) error {
	r := &parquetRead{source: source, in: in}
	row := int64(0)
	for g := range f.meta.RowGroups {
		rows := f.meta.RowGroups[g].NumRows
		for i := range readers {
			chunk, err := f.chunk(g, readers[i].leaf)
			if err != nil {
				return err
			}
			size := int64(columns[i].Kind.Size())
			r.jobs = append(r.jobs, parquetJob{
				reader: &readers[i], chunk: chunk, field: i, row: row, rows: rows,
				out: raw.Bytes(columns[i])[row*size : (row+rows)*size],
			})
			r.total += chunk.size
		}
		row += rows
	}
	return r.run()
}

// parquetRead is the state of reading one file.
type parquetRead struct {
	source      *Source
	in          *Input
	jobs        []parquetJob // by row, then by field
	done, total int64        // bytes of column chunks; done is atomic

	mutex  sync.Mutex
	fault  *DataError // the first in the order of rows, then of fields
	field  int        // of fault
	failed error      // any other error; it ends all jobs
	next   int        // the job to be started next
}

// parquetJob is one column chunk and where its values go.
type parquetJob struct {
	reader *columnReader
	chunk  chunk
	field  int
	row    int64 // the first
	rows   int64
	out    []byte // the memory of these rows
}

func (r *parquetRead) run() error {
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(r.jobs)) {
		group.Go(func() {
			w := &pageBuffers{}
			defer w.close()
			for job := r.take(); job != nil; job = r.take() {
				r.report(job, r.decode(job, w))
			}
		})
	}
	group.Wait()
	if r.failed != nil {
		return r.failed
	}
	if r.fault != nil {
		return r.fault
	}
	return nil
}

// take returns the next job that could still change the outcome.
func (r *parquetRead) take() *parquetJob {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.next == len(r.jobs) || !r.mattersLocked(r.jobs[r.next].row) {
		return nil
	}
	r.next++
	return &r.jobs[r.next-1]
}

// matters reports whether a fault at row or after it could be the first.
func (r *parquetRead) matters(row int64) bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.mattersLocked(row)
}

func (r *parquetRead) mattersLocked(row int64) bool {
	return r.failed == nil && (r.fault == nil || row <= r.fault.Row)
}

func (r *parquetRead) report(job *parquetJob, err error) {
	if err == nil {
		return
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	var fault *DataError
	switch {
	case !errors.As(err, &fault):
		if r.failed == nil {
			r.failed = err
		}
	case r.fault == nil, fault.Row < r.fault.Row, fault.Row == r.fault.Row && job.field < r.field:
		r.fault, r.field = fault, job.field
	}
}

// decode reads the pages of a job. A panic of a decoder means a damaged file:
// decoders trust their input too much.
func (r *parquetRead) decode(job *parquetJob, buffers *pageBuffers) (err error) {
	d := &chunkDecoder{pageBuffers: buffers, columnReader: job.reader, pages: pageReader{in: r.in, chunk: job.chunk, buffers: buffers}, rows: job.rows, out: job.out}
	defer func() {
		if p := recover(); p != nil {
			err = damaged("%v", p)
		}
		var data *DataError
		var wrong *valueFault
		switch {
		case err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		case errors.As(err, &wrong):
			err = &DataError{Column: job.reader.field.Column, Row: job.row + wrong.row, Msg: wrong.msg}
		case errors.As(err, &data):
			err = &DataError{Column: job.reader.field.Column, Row: job.row + d.row, Msg: data.Msg}
		}
	}()
	for d.row < d.rows && r.matters(job.row+d.row) {
		before := d.pages.at
		if err := d.page(); err != nil {
			return err
		}
		r.source.report(atomic.AddInt64(&r.done, d.pages.at-before), r.total)
	}
	return nil
}

// damaged is the error for a file that contradicts itself or the format.
func damaged(format string, args ...any) *DataError {
	return &DataError{Msg: "the file is damaged: " + fmt.Sprintf(format, args...)}
}

// valueFault is a value that its kind cannot hold.
type valueFault struct {
	row int64 // of the column chunk
	msg string
}

func (f *valueFault) Error() string { return f.msg }

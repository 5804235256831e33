package table

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/ir"
)

// Source is the environment of a read: it opens files, allocates columns and
// reports progress.
type Source struct {
	Context  context.Context
	Memory   *memory.Space           // holds the columns
	Stdin    io.Reader               // the file named Standard
	Progress func(done, total int64) // may be nil; called from any goroutine

	groups *groupRange // of a format that is [Grouped]; nil is all
}

// groupRange are groups of rows.
type groupRange struct{ from, to int }

// NewSource returns a source without a limit of memory and without progress.
func NewSource(ctx context.Context, stdin io.Reader) *Source {
	return &Source{Context: ctx, Memory: memory.NewSpace(0), Stdin: stdin}
}

// report reports how much of a file's work is done, in a unit of the caller.
func (s *Source) report(done, total int64) {
	if s.Progress != nil {
		s.Progress(done, total)
	}
}

// column returns a column of zeros.
func (s *Source) column(k ir.Kind, rows int64) (ir.Column, error) {
	data, err := s.Memory.New(rows * int64(k.Size()))
	if err != nil {
		return ir.Column{}, err
	}
	return raw.FromBytes(k, data), nil
}

// resize returns c with that many rows; c itself must not be used any more.
func (s *Source) resize(c ir.Column, rows int64) (ir.Column, error) {
	data, err := s.Memory.Resize(raw.Bytes(c), rows*int64(c.Kind.Size()))
	if err != nil {
		return ir.Column{}, err
	}
	return raw.FromBytes(c.Kind, data), nil
}

// Rows returns the rows lo to hi of c, without a copy.
func Rows(c ir.Column, lo, hi int) ir.Column {
	size := c.Kind.Size()
	part := raw.FromBytes(c.Kind, raw.Bytes(c)[lo*size:hi*size:hi*size])
	part.Texts = c.Texts
	return part
}

// Read reads columns of a file whose extension chooses the format, or of CSV
// on s.Stdin where path is Standard. Errors name the file.
func (s *Source) Read(path string, fields []Field) ([]ir.Column, error) {
	format, err := ReaderOf(path)
	if err != nil {
		return nil, err
	}
	columns, err := format.Read(s, path, fields)
	return columns, s.named(path, err)
}

// Rows returns the rows of a file; false if they are known only after reading.
func (s *Source) Rows(path string) (rows int64, known bool, err error) {
	format, err := ReaderOf(path)
	if err != nil {
		return 0, false, err
	}
	counter, ok := format.(Counter)
	if !ok {
		return 0, false, nil
	}
	rows, err = counter.Rows(s, path)
	return rows, err == nil, s.named(path, err)
}

// Columns returns the names of a file's columns.
func (s *Source) Columns(path string) ([]string, error) {
	format, err := ReaderOf(path)
	if err != nil {
		return nil, err
	}
	names, err := format.Columns(s, path)
	return names, s.named(path, err)
}

// named adds the name of the file to an error. Errors of the system, of memory
// and of an ended context need no name.
func (s *Source) named(path string, err error) error {
	name := path
	if path == Standard {
		name = "standard input"
	}
	var data *DataError
	var system *os.PathError
	var limit *memory.LimitError
	switch {
	case err == nil:
		return nil
	case s.Context.Err() != nil:
		return s.Context.Err()
	case errors.As(err, &data):
		return errors.New(data.in(name))
	case errors.As(err, &limit), errors.As(err, &system):
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// Input is an open file or stream. All its reads end with the context.
type Input struct {
	Size int64 // bytes; -1 for a stream, which has no ReadAt

	ctx       context.Context
	stream    io.Reader
	file      *os.File // nil for standard input
	opened    os.FileInfo
	abandoned atomic.Bool // a read of the stream was abandoned and may still wait
}

// errChanged ends the reading of a file that another process writes to.
var errChanged = &DataError{Msg: "the file has changed while it was read; run again when it is complete"}

// Open opens a file, or s.Stdin where path is Standard. It must be closed,
// with the error that ended its use.
func (s *Source) Open(path string) (*Input, error) {
	if path == Standard {
		return &Input{Size: -1, ctx: s.Context, stream: s.Stdin}, nil
	}
	f, err := await(s.Context, func() (*os.File, error) { return os.Open(path) })
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = fmt.Errorf("this is a folder")
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	in := &Input{Size: -1, ctx: s.Context, stream: f, file: f, opened: info}
	if info.Mode().IsRegular() {
		in.Size = info.Size()
	}
	return in, nil
}

// Read implements io.Reader. A read that waits for a terminal or a pipe is
// abandoned when the context ends.
func (in *Input) Read(p []byte) (int, error) {
	if err := in.ctx.Err(); err != nil {
		return 0, err
	}
	if in.Size >= 0 { // a file does not keep one waiting
		return in.stream.Read(p)
	}
	n, err := await(in.ctx, func() (int, error) { return in.stream.Read(p) })
	if in.ctx.Err() != nil {
		in.abandoned.Store(true)
	}
	return n, err
}

// ReadAt implements io.ReaderAt for files. It is safe for concurrent use.
func (in *Input) ReadAt(p []byte, offset int64) (int, error) {
	if err := in.ctx.Err(); err != nil {
		return 0, err
	}
	if in.Size < 0 {
		return 0, errors.New("a stream cannot be read in parts; save it as a file first")
	}
	return in.file.ReadAt(p, offset)
}

// close closes the file. It returns err, unless the file has changed since it
// was opened: that explains err, and is returned instead.
func (in *Input) close(err error) error {
	if in.file == nil || in.abandoned.Load() {
		return err
	}
	now, statErr := in.file.Stat()
	in.file.Close()
	if statErr == nil && in.Size >= 0 && (now.Size() != in.opened.Size() || !now.ModTime().Equal(in.opened.ModTime())) {
		return errChanged
	}
	return err
}

package table

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/kgen-go/kgen/ir"
)

// ReadFile reads columns of a file whose extension chooses the format, or of
// CSV on stdin where path is Standard. Errors name the file.
func ReadFile(ctx context.Context, path string, fields []Field, stdin io.Reader) ([]ir.Column, error) {
	format, err := FormatOf(path)
	if err != nil {
		return nil, err
	}
	name, in := "standard input", stdin
	if path != Standard {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil && info.IsDir() {
			return nil, fmt.Errorf("%s is a folder", path)
		}
		name, in = path, f
	}
	columns, err := format.Read(contextReader{ctx, in}, fields)
	var data *DataError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &data):
		return nil, errors.New(data.in(name))
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return columns, nil
}

// contextReader fails once its context has ended, even where the reader below
// waits for a terminal or a pipe: that read is then abandoned.
type contextReader struct {
	ctx context.Context
	io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err // an abandoned read may still be under way
	}
	type answer struct {
		n   int
		err error
	}
	done := make(chan answer, 1)
	go func() {
		n, err := r.Reader.Read(p)
		done <- answer{n, err}
	}()
	select {
	case a := <-done:
		return a.n, a.err
	case <-r.ctx.Done():
		return 0, r.ctx.Err()
	}
}

package table

import (
	"context"
	"io"
)

// await returns what f returns, which may wait for another process: for one
// that holds the other end of a pipe. When ctx ends first, f is left alone.
func await[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		value, err := f()
		done <- answer{value, err}
	}()
	select {
	case a := <-done:
		return a.value, a.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// Interruptible returns a writer to w that fails once ctx has ended, also where
// w waits at that time: for a terminal, or for the reader of a pipe.
func Interruptible(ctx context.Context, w io.Writer) io.Writer {
	if i, ok := w.(*interruptible); ok && i.ctx == ctx {
		return i
	}
	return &interruptible{ctx: ctx, w: w}
}

type interruptible struct {
	ctx    context.Context
	w      io.Writer
	buffer []byte // what an abandoned write goes on to use
}

func (i *interruptible) Write(p []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	i.buffer = append(i.buffer[:0], p...)
	return await(i.ctx, func() (int, error) { return i.w.Write(i.buffer) })
}

package table

import (
	"context"
	"io"
)

// await returns the result of f, which may wait for the process at the other
// end of a pipe. When ctx ends first, f is abandoned.
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

// Output is a writer that fails once its context has ended, even while it waits
// for a terminal or for the reader of a pipe. After a failure it writes nothing
// more and keeps the error, because not every caller checks it.
type Output struct {
	ctx    context.Context
	w      io.Writer
	buffer []byte // an abandoned write may still use it
	err    error
}

// Interruptible returns a writer to w that ends with ctx.
func Interruptible(ctx context.Context, w io.Writer) *Output {
	if o, ok := w.(*Output); ok && o.ctx == ctx {
		return o
	}
	return &Output{ctx: ctx, w: w}
}

// Write implements io.Writer.
func (o *Output) Write(p []byte) (int, error) {
	if o.err == nil {
		o.err = o.ctx.Err()
	}
	if o.err != nil {
		return 0, o.err
	}
	o.buffer = append(o.buffer[:0], p...)
	var n int
	n, o.err = await(o.ctx, func() (int, error) { return o.w.Write(o.buffer) })
	return n, o.err
}

// Err returns the first error of a write.
func (o *Output) Err() error { return o.err }

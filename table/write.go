package table

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Write writes t to a file whose extension chooses the format, or as CSV to
// stdout where path is Standard.
func Write(ctx context.Context, path string, t Table, stdout io.Writer) error {
	format, err := FormatOf(path)
	if err != nil {
		return err
	}
	if path == Standard {
		return format.Write(contextWriter{ctx, stdout}, t)
	}
	return WriteFile(ctx, path, func(w io.Writer) error { return format.Write(w, t) })
}

// WriteFile writes a file so that it appears at once and whole: what fails or
// is cancelled leaves the old file, or none. Links are followed; what is no
// regular file, such as a device or a pipe, is written in place.
func WriteFile(ctx context.Context, path string, write func(io.Writer) error) (err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	mode := os.FileMode(0o666)
	if info, err := os.Stat(path); err == nil {
		if info.IsDir() {
			return fmt.Errorf("%s is a folder", path)
		}
		if !info.Mode().IsRegular() {
			return writeInPlace(ctx, path, write)
		}
		mode = info.Mode().Perm()
	}
	temporary := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%08x.tmp", filepath.Base(path), rand.Uint32()))
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(temporary)
		}
	}()
	if err := write(contextWriter{ctx, f}); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}

func writeInPlace(ctx context.Context, path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if err := write(contextWriter{ctx, f}); err != nil {
		f.Close()
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return f.Close()
}

// contextWriter fails once its context has ended.
type contextWriter struct {
	ctx context.Context
	io.Writer
}

func (w contextWriter) Write(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.Writer.Write(p)
}

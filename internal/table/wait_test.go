//go:build unix

package table

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/kgen-go/kgen/ir"
)

func fifo(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipe.csv")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// stuck is a terminal or a pipe at whose other end nobody does anything. It
// hears when it is used.
type stuck func()

func (used stuck) Read([]byte) (int, error)  { used(); select {} }
func (used stuck) Write([]byte) (int, error) { used(); select {} }

// TestNobodyAtTheOtherEnd: opening, reading and writing may wait for another
// process, and end with the context.
func TestNobodyAtTheOtherEnd(t *testing.T) {
	read := func(ctx context.Context, path string, stdin io.Reader) error {
		_, err := NewSource(ctx, stdin).Read(path, []Field{{Column: "x", Param: "x", Kind: ir.I64}})
		return err
	}
	long := Table{Columns: []Named{{"x", sequence(100_000)}}} // more than a pipe holds
	for name, wait := range map[string]func(ctx context.Context, cancel func()) error{
		"open to read": func(ctx context.Context, cancel func()) error {
			go cancel()
			return read(ctx, fifo(t), nil)
		},
		"open to write": func(ctx context.Context, cancel func()) error {
			go cancel()
			return Write(ctx, fifo(t), long, nil)
		},
		"read": func(ctx context.Context, cancel func()) error {
			return read(ctx, Standard, stuck(cancel))
		},
		"write": func(ctx context.Context, cancel func()) error {
			path := fifo(t)
			both, err := os.OpenFile(path, os.O_RDWR, 0) // waits for nobody
			if err != nil {
				return err
			}
			t.Cleanup(func() { both.Close() })
			go func() {
				both.Read(make([]byte, 1)) // the write has begun
				cancel()
			}()
			return Write(ctx, path, long, nil)
		},
		"write to standard output": func(ctx context.Context, cancel func()) error {
			return Write(ctx, Standard, long, stuck(cancel))
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if err := wait(ctx, cancel); !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestPipeEndsEarly: a writer that is killed within a row leaves an error, and
// what it has written before is not taken for all.
func TestPipeEndsEarly(t *testing.T) {
	path := fifo(t)
	go func() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			t.Error(err)
			return
		}
		f.WriteString("x,y\n1,2\n3")
		f.Close()
	}()
	_, err := NewSource(t.Context(), nil).Read(path, []Field{{Column: "x", Param: "x", Kind: ir.I64}})
	if err == nil || !strings.Contains(err.Error(), "pipe.csv:3: the row has 1 fields, the header 2") {
		t.Errorf("error %v", err)
	}
}

package table

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kgen-go/kgen/ir"
)

// changes are what others do to a file while it is read.
var changes = map[string]struct {
	do   func(path string) error
	seen bool // it makes the result worthless
}{
	"appended": {func(path string) error {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = f.WriteString("7\n")
		return err
	}, true},
	"appended within a tick of the clock": {func(path string) error {
		before, err := os.Stat(path)
		if err != nil {
			return err
		}
		if err := os.Truncate(path, before.Size()+1); err != nil {
			return err
		}
		return os.Chtimes(path, time.Time{}, before.ModTime())
	}, true},
	"truncated":     {func(path string) error { return os.Truncate(path, 100) }, true},
	"emptied":       {func(path string) error { return os.Truncate(path, 0) }, true},
	"touched":       {func(path string) error { return os.Chtimes(path, time.Time{}, time.Unix(1e9, 0)) }, true},
	"written again": {func(path string) error { return os.WriteFile(path, []byte("x\nno number\n"), 0o600) }, true},
	"replaced": {func(path string) error { // the old file is whole, and is read to its end
		if err := os.WriteFile(path+".new", []byte("x\n5\n"), 0o600); err != nil {
			return err
		}
		return os.Rename(path+".new", path)
	}, false},
	"removed": {os.Remove, false},
	"nothing": {func(string) error { return nil }, false},
}

const changed = "in.csv: the file has changed while it was read; run again when it is complete"

// TestFileChangesWhileItIsRead changes a file when its first rows are there.
func TestFileChangesWhileItIsRead(t *testing.T) {
	const rows = 1 << 19
	text := append([]byte("x\n"), bytes.Repeat([]byte("12345\n"), rows)...)
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" && !change.seen {
				t.Skip("an open file can be neither replaced nor removed")
			}
			path := filepath.Join(t.TempDir(), "in.csv")
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
			source := NewSource(t.Context(), nil)
			defer source.Memory.Close()
			var once sync.Once
			source.Progress = func(int64, int64) {
				once.Do(func() {
					if err := change.do(path); err != nil {
						t.Error(err)
					}
				})
			}
			columns, err := source.Read(path, []Field{{Column: "x", Param: "x", Kind: ir.I64}})
			if change.seen {
				if err == nil || !strings.HasSuffix(err.Error(), changed) {
					t.Errorf("error %v", err)
				}
			} else if err != nil || columns[0].Len() != rows {
				t.Errorf("%d columns, %v", len(columns), err)
			}
		})
	}
}

// TestFileChangesBetweenItsParts is the same for formats that read in parts.
func TestFileChangesBetweenItsParts(t *testing.T) {
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" && !change.seen {
				t.Skip("an open file can be neither replaced nor removed")
			}
			path := filepath.Join(t.TempDir(), "in.csv")
			if err := os.WriteFile(path, make([]byte, 1000), 0o600); err != nil {
				t.Fatal(err)
			}
			in, err := NewSource(t.Context(), nil).Open(path)
			if err != nil {
				t.Fatal(err)
			}
			part := make([]byte, 100)
			if _, err := in.ReadAt(part, 900); err != nil {
				t.Fatal(err)
			}
			if err := change.do(path); err != nil {
				t.Fatal(err)
			}
			_, err = in.ReadAt(part, 500) // of a truncated file: io.EOF, which close explains
			if err := in.close(err); (err == errChanged) != change.seen {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestNoFileOfRows(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("folder.csv", 0o700); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"folder.csv": "folder.csv: this is a folder", "missing.csv": "open missing.csv: ", "-": "standard input: the file is empty"}
	if err := os.WriteFile("empty.csv", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	files["empty.csv"] = "empty.csv: the file is empty; its first line must name the columns: x"
	if os.Symlink(os.DevNull, "null.csv") == nil {
		files["null.csv"] = "null.csv: the file is empty"
	}
	if os.Symlink("loop.csv", "loop.csv") == nil {
		files["loop.csv"] = "open loop.csv: "
	}
	for path, want := range files {
		_, err := NewSource(t.Context(), strings.NewReader("")).Read(path, []Field{{Column: "x", Param: "x", Kind: ir.I64}})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: error %v", path, err)
		}
	}
}

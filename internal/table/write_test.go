package table

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

func folderNames(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestWriteFileIsAllOrNothing(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "out.csv")
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	expect := func(want string) {
		t.Helper()
		got, err := os.ReadFile(path)
		if err != nil || string(got) != want {
			t.Errorf("the file holds %q (%v), want %q", got, err, want)
		}
		if names := folderNames(t, folder); len(names) != 1 {
			t.Errorf("the folder holds %v", names)
		}
	}
	full := errors.New("disk full")
	if err := WriteFile(t.Context(), path, func(w io.Writer) error {
		io.WriteString(w, "half")
		return full
	}); !errors.Is(err, full) {
		t.Errorf("error %v", err)
	}
	expect("old")

	ctx, cancel := context.WithCancel(t.Context())
	if err := WriteFile(ctx, path, func(w io.Writer) error {
		io.WriteString(w, "half")
		cancel()
		_, err := io.WriteString(w, "rest")
		return err
	}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	expect("old")

	if err := WriteFile(t.Context(), path, func(w io.Writer) error {
		_, err := io.WriteString(w, "new")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	expect("new")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestWriteFollowsLinks(t *testing.T) {
	folder := t.TempDir()
	path, link := filepath.Join(folder, "out.csv"), filepath.Join(folder, "link.csv")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("out.csv", link); err != nil {
		t.Fatal(err)
	}
	if err := Write(t.Context(), link, Table{Columns: []Named{{"a", sequence(2)}}}, nil); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != "a\n0\n1\n" {
		t.Errorf("%q %v", got, err)
	}
}

func TestWriteToFolderAndMissingFolder(t *testing.T) {
	folder := t.TempDir()
	for _, path := range []string{folder, filepath.Join(folder, "missing", "out.csv")} {
		if err := WriteFile(t.Context(), path, func(io.Writer) error { return nil }); err == nil {
			t.Errorf("%s: no error", path)
		}
	}
	if names := folderNames(t, folder); len(names) != 0 {
		t.Errorf("the folder holds %v", names)
	}
	if err := Write(t.Context(), filepath.Join(folder, "out.xyz"), Table{}, nil); err == nil {
		t.Error("unknown format: no error")
	}
}

func TestWriteStandardOutput(t *testing.T) {
	var out bytes.Buffer
	if err := Write(t.Context(), Standard, Table{Columns: []Named{{"a", sequence(1)}}}, &out); err != nil {
		t.Fatal(err)
	}
	if out.String() != "a\n0\n" {
		t.Errorf("%q", out.String())
	}
}

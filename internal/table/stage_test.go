package table

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/gofrs/flock"
)

func create(t *testing.T, s *Stage, path, text string) {
	t.Helper()
	w, err := s.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
}

func expectFile(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s holds %q (%v), want %q", path, got, err, want)
	}
}

// TestStagesOfOneFile: any number of processes may write the same file; each
// commits, and none removes a file that another still writes.
func TestStagesOfOneFile(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "out.csv")
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for range 100 {
				stage := NewStage(t.Context(), nil)
				w, err := stage.Create(path)
				if err == nil {
					_, err = fmt.Fprint(w, i)
				}
				if err == nil {
					err = stage.Commit()
				}
				stage.Abort()
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	if got, err := os.ReadFile(path); err != nil || len(got) != 1 {
		t.Errorf("the file holds %q (%v)", got, err)
	}
	if names := folderNames(t, folder); len(names) != 1 {
		t.Errorf("the folder holds %v", names)
	}
}

func TestStaleFilesAreRemoved(t *testing.T) {
	if !locksFiles {
		t.Skip("without locks the age decides")
	}
	folder := t.TempDir()
	path := filepath.Join(folder, "out.csv")
	for _, name := range []string{".out.csv.kgen-00000001", ".out.csv.kgen-00000002", ".other.csv.kgen-00000003", ".out.csv.kgen-folder"} {
		var err error
		if strings.HasSuffix(name, "folder") {
			err = os.Mkdir(filepath.Join(folder, name), 0o700)
		} else {
			err = os.WriteFile(filepath.Join(folder, name), nil, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	held := flock.New(filepath.Join(folder, ".out.csv.kgen-00000002"))
	if free, err := held.TryLock(); !free || err != nil {
		t.Fatal(free, err)
	}
	defer held.Close()
	stage := NewStage(t.Context(), nil)
	create(t, stage, path, "new")
	if err := stage.Commit(); err != nil {
		t.Fatal(err)
	}
	want := "[.other.csv.kgen-00000003 .out.csv.kgen-00000002 .out.csv.kgen-folder out.csv]"
	if names := folderNames(t, folder); fmt.Sprint(names) != want {
		t.Errorf("the folder holds %v, want %v", names, want)
	}
}

// TestStageAppearsWholeOrNotAtAll: when the second file fails, the first does
// not appear.
func TestStageAppearsWholeOrNotAtAll(t *testing.T) {
	folder := t.TempDir()
	stage := NewStage(t.Context(), nil)
	create(t, stage, filepath.Join(folder, "a.csv"), "a")
	create(t, stage, filepath.Join(folder, "b.csv"), "b")
	if names := folderNames(t, folder); strings.Contains(fmt.Sprint(names), " a.csv") {
		t.Errorf("before the commit the folder holds %v", names)
	}
	_, err := stage.Create(filepath.Join(folder, "missing", "c.csv"))
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), filepath.Join("missing", "c.csv")) {
		t.Errorf("error %v", err)
	}
	stage.Abort()
	if names := folderNames(t, folder); len(names) != 0 {
		t.Errorf("the folder holds %v", names)
	}
}

func TestOneFileUnderTwoNames(t *testing.T) {
	folder := t.TempDir()
	if err := os.Symlink(folder, filepath.Join(folder, "link")); err != nil {
		t.Skip(err)
	}
	stage := NewStage(t.Context(), nil)
	defer stage.Abort()
	create(t, stage, filepath.Join(folder, "out.csv"), "a")
	_, err := stage.Create(filepath.Join(folder, "link", "out.csv"))
	if err == nil || !strings.Contains(err.Error(), "another result goes to the same file") {
		t.Errorf("error %v", err)
	}
}

func TestOddNames(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{strings.Repeat("x", 251) + ".csv", strings.Repeat("é", 125) + ".csv", "a b\n'\"*?[%s.csv", "-.csv", ".csv", "ä=ö.csv"} {
		path := filepath.Join(folder, name)
		for _, text := range []string{"old", "new"} {
			stage := NewStage(t.Context(), nil)
			create(t, stage, path, text)
			if err := stage.Commit(); err != nil {
				t.Error(err)
			}
			expectFile(t, path, text)
		}
	}
}

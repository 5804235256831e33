package cache

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestScratch: a folder stays while its process has it, and no longer.
func TestScratch(t *testing.T) {
	c := open(t)
	stale := filepath.Join(c.folder, scratchPrefix+"stale")
	for _, err := range []error{os.Mkdir(stale, 0o700), os.WriteFile(filepath.Join(stale, scratchLock), nil, 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	var held [2]*Scratch
	for i := range held {
		var err error
		if held[i], err = c.Scratch(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	there := func() string {
		names, _ := filepath.Glob(filepath.Join(c.folder, scratchPrefix+"*"))
		return strings.Join(names, " ")
	}
	if got := there(); strings.Contains(got, stale) || !strings.Contains(got, held[0].Path) || !strings.Contains(got, held[1].Path) {
		t.Errorf("there are %s", got)
	}
	held[0].Remove()
	held[1].Remove()
	if got := there(); got != "" {
		t.Errorf("left: %s", got)
	}
}

func TestScratchWithoutACache(t *testing.T) {
	var none *Cache
	s, err := none.Scratch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.Remove()
	if _, err := os.Stat(s.Path); !os.IsNotExist(err) {
		t.Errorf("%s is left: %v", s.Path, err)
	}
	t.Setenv("TMPDIR", "/missing/folder")
	if _, err := none.Scratch(t.Context()); err == nil || !strings.Contains(err.Error(), "/missing/folder") || !strings.Contains(err.Error(), "TMPDIR names the folder") {
		t.Errorf("error %v", err)
	}
}

// TestScratchBesideTheCache: a cache that others have filled, and that cannot be
// written, is of use all the same.
func TestScratchBesideTheCache(t *testing.T) {
	c := open(t)
	for _, err := range []error{os.Remove(c.folder), os.WriteFile(c.folder, nil, 0o400)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	s, err := c.Scratch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Remove()
	if filepath.Dir(s.Path) != temporary {
		t.Errorf("the folder is %s", s.Path)
	}
	t.Setenv("TMPDIR", "/missing/folder")
	_, err = c.Scratch(t.Context())
	for _, cause := range []string{"/missing/folder", "TMPDIR", c.folder, "KGEN_CACHE"} {
		if err == nil || !strings.Contains(err.Error(), cause) {
			t.Errorf("error %v does not say %s", err, cause)
		}
	}
}

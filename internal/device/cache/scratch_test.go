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

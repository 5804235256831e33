package ir

import (
	"path/filepath"
	"testing"
)

// corpus returns the source files of the corpus.
func corpus(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("../testsuite/corpus/*.kg")
	if err != nil || len(paths) < 40 {
		t.Fatalf("found %d corpus files: %v", len(paths), err)
	}
	return paths
}

func TestCorpusLoads(t *testing.T) {
	for _, path := range corpus(t) {
		if _, err := LoadFile(path); err != nil {
			t.Error(err)
		}
	}
}

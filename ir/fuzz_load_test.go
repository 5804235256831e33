package ir

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzLoad: whatever the text, Load does not panic, and what it accepts
// verifies and is equal to what its own text loads to.
func FuzzLoad(f *testing.F) {
	for _, pattern := range []string{"../testsuite/corpus/*.kg", "testdata/check/*.kg"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			f.Fatal("no seeds: ", err)
		}
		for _, path := range paths {
			source, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(string(source))
		}
	}
	for _, h := range Operators() {
		f.Add(h.Example)
	}
	f.Fuzz(func(t *testing.T, source string) {
		pipelines, _ := Load("fuzz.kg", []byte(source))
		for _, p := range pipelines {
			if err := Verify(p); err != nil {
				t.Error(err)
			}
			checkRoundTrip(t, p)
		}
	})
}

package ir

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var updateCheck = flag.Bool("update-check", false, "rewrite testdata/check/*.txt")

// findings are the errors of a file or, without any, its warnings and checks.
func findings(name string, source []byte) string {
	var b strings.Builder
	pipelines, errs := Load(name, source)
	for _, e := range errs {
		fmt.Fprintf(&b, "%v\n", e)
	}
	for _, p := range pipelines {
		fmt.Fprintf(&b, "pipeline %s\n", p.Name)
		for _, w := range p.Warnings {
			fmt.Fprintf(&b, "warning: %v\n", w)
		}
		for _, s := range p.Sites {
			fmt.Fprintf(&b, "%d: %v: %s (rows of %v)\n", s.Number, s.Pos, s.Message, s.Domain)
		}
	}
	return b.String()
}

// TestCheck compares what Load finds in testdata/check/*.kg with the text
// beside each.
func TestCheck(t *testing.T) {
	paths, err := filepath.Glob("testdata/check/*.kg")
	if err != nil || len(paths) == 0 {
		t.Fatal("no testdata/check/*.kg: ", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			source, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if _, errs := Parse(path, source); len(errs) > 0 {
				t.Fatal(errs)
			}
			got := findings(filepath.Base(path), source)
			golden := strings.TrimSuffix(path, ".kg") + ".txt"
			if *updateCheck {
				if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("-want +got (go test ./ir -run TestCheck -update-check rewrites it):\n%s", diff)
			}
		})
	}
}

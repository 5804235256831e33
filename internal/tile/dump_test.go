package tile_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/internal/tile/tiletest"
)

var update = flag.Bool("update", false, "write the texts in testdata anew")

// The text of a kernel shows its cut, the state there, what is alive across it,
// and whether the persistent scheme can run it.
func TestText(t *testing.T) {
	for _, k := range append(tiletest.Programs(), dependentScans(), chunks()) {
		path := filepath.Join("testdata", k.Name+".txt")
		got := tile.Analyze(k).String()
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}

package fuse_test

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/irtest"
	"github.com/kgen-go/kgen/plan"
)

// No kernel makes up a result for a Finish that it does not know: of all rows, of
// segments, of tables.
func TestUnknownFinishPanics(t *testing.T) {
	for name, by := range map[string]string{"rows": "", "segments": ", by: runs(k)", "tables": ", by: bins(k, 3)"} {
		for op, p := range irtest.Aggregates(t, "pipeline p(x: [n]%[2]v, k: [n]u8) {\n\treturn r: %[1]v(x"+by+"), rows: len(k)\n}\n") {
			said := irtest.UnknownFinish(op, func() {
				g := fuse.Lower(p, fuse.Options{})
				f, err := fuse.Fuse(g, fuse.LevelNone, plan.Machine{})
				if err != nil {
					t.Fatal(err)
				}
				f.Program()
			})
			if !strings.HasSuffix(said, " of "+op.String()) { // tables of first have no identity
				t.Errorf("%s of %v: %s", name, op, said)
			}
		}
	}
}

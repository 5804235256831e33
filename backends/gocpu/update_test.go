package gocpu

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/fuse"
)

// Rows update tables of one length at one index together, and others apart.
func TestUpdatedTogether(t *testing.T) {
	for body, comparisons := range map[string]int{
		"b = bins(k, 4)\nreturn rows: count(by: b), total: sum(x, by: b), mean: avg(x, by: b, else: 0.0)": 1,
		"b = bins(k, 4)\nc = bins(k, 8)\nreturn rows: count(by: b), total: sum(x, by: c)":                 2,
		"b = bins(k, x)\nc = bins(x, x)\nreturn rows: count(by: b), total: sum(k, by: c)":                 2,
	} {
		out, err := Emitter{}.Emit([]*backends.Program{compiled(t, "pipeline p(k: [n]i32, x: [n]i32) {\n"+body+"\n}\n", fuse.LevelOnePass)}, backends.Options{})
		if err != nil {
			t.Fatal(err)
		}
		text := string(out.Files[0].Text)
		rows, _, _ := strings.Cut(text[strings.Index(text, "func pKernel1("):], "\n}\n")
		if n := strings.Count(rows, "if uint64(bin"); n != comparisons {
			t.Errorf("%d comparisons, not %d:\n%s", n, comparisons, rows)
		}
	}
}

package fuse

import (
	"regexp"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/ir"
)

// TestMovesAhead holds which rows move ahead of a sort, and that there is one pass that moves all their columns.
func TestMovesAhead(t *testing.T) {
	for _, c := range []struct {
		body  string
		words int // that move; 0 if no rows do
	}{
		{"p = order(k)\nreturn a: a[p], b: b[p]", 2},
		{"p = order(k)\nreturn a: a[p], b: b[p], c: c[p], d: d[p]", 4},
		{"p = order(k)\nreturn a: a[p], b: b[p], c: c[p], d: d[p], e: e[p]", 0}, // more than 32 bytes
		{"p = order(b)\nreturn a: a[p], c: c[p], b: b[p]", 3},
		{"p = order(k)\nreturn a: a[p]", 0},                // comes along
		{"p = order(k)\nreturn p: p, a: a[p], b: b[p]", 0}, // numbers are wanted
		{"p = order(k, limit: 10)\nreturn a: a[p], b: b[p]", 0},
		{"p = order(a, b)\nreturn c: c[p], d: d[p]", 0},       // two words
		{"p = order(k & 15)\nreturn a: a[p], b: b[p]", 0},     // one pass moves both
		{"p = order(k)\nreturn k: k[p], a: a[p], b: b[p]", 2}, // the sort leaves its key
	} {
		var parameters []string
		for _, parameter := range []string{"k: [n]i32", "a: [n]i64", "b: [n]f64", "c: [n]i64", "d: [n]i64", "e: [n]i64"} {
			if regexp.MustCompile(`[(= ]` + parameter[:1] + `[[), ]`).MatchString(c.body) {
				parameters = append(parameters, parameter)
			}
		}
		for _, partitions := range []bool{true, false} {
			g := graphOf(t, strings.Join(parameters, ", "), c.body, Options{Short: true, Partitions: partitions})
			words := 0
			for _, v := range g.Pipeline.Values {
				if v.Op == ir.OpPack && v.By != nil {
					words += len(v.Args)
				}
			}
			want := c.words
			if !partitions {
				want = 0
			}
			if words != want {
				t.Errorf("%s, partitions %t: %d words move, not %d", strings.ReplaceAll(c.body, "\n", "; "), partitions, words, want)
			}
			moving := 0
			for _, group := range program(t, g, LevelAuto).Groups {
				if turnOf(group).part == aheadPass && turnOf(group).of != nil {
					moving++
				}
			}
			if moving != min(words, 1) {
				t.Errorf("%s: %d kernels move rows ahead", c.body, moving)
			}
		}
	}
}

package gocpu

import (
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
)

// Rows that look keys up are written for what holds of keys, that their range is small, and of
// values, that they fit codes. Only rows of other keys search. For many finds there are loops if
// all that holds, and for any.
func TestLikelyConditions(t *testing.T) {
	for _, c := range []struct {
		name, source string
		loops        int
		searches     int
	}{
		{"a narrow column", "pipeline p(k: [n]i32, d: [m]i32, v: [m]i32) {\nf = find(k, in: d)\nreturn v: v[f[f >= 0]]\n}", 4, 2},
		{"two finds", "pipeline p(k: [n]i32, d: [m]i32, l: [n]i32, e: [q]i32, v: [m]i32, w: [q]i32) {\nf = find(k, in: d)\ng = find(l, in: e)\nh = f >= 0 && g >= 0\nreturn v: v[f[h]], w: w[g[h]]\n}", 2, 1},
		{"keys that are hashed in any case", "pipeline p(k: [n]f32, d: [m]f32) {\nreturn f: find(k, in: d)\n}", 1, 1},
		{"no search", "pipeline p(k: [n]i32) {\nreturn k: k + 1\n}", 1, 0},
	} {
		program := compiled(t, c.source, fuse.LevelOnePass)
		kernel := newKernel(program.Kernels[len(program.Kernels)-1], func(ir.Pos) string { return "" }, program.Plan, false)
		loops, searches := 0, 0
		loop.WalkStmts(kernel.rangeFunction("rows", allRows).Body, func(s loop.Stmt) {
			switch s.(type) {
			case *loop.For:
				loops++
			case *loop.While:
				searches++
			}
		})
		if loops != c.loops || searches != c.searches {
			t.Errorf("%s: %d loops and %d searches, want %d and %d", c.name, loops, searches, c.loops, c.searches)
		}
	}
}

package fuse

import (
	"regexp"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/ir"
)

// TestFollowedColumns holds which columns that follow an order are gathered, and which its sort leaves in order.
func TestFollowedColumns(t *testing.T) {
	for _, c := range []struct {
		body    string
		gathers int
	}{
		{"p = order(k)\nreturn k: k[p]", 0},
		{"p = order(desc(k))\nreturn k: k[p], again: k[p], wide: i64(k)[p]", 0},
		{"p = order(k)\nreturn k: k[p], c: c[p]", 0},          // c in place of the row
		{"p = order(k)\nreturn c: c[p], wide: i64(c)[p]", 0},  // c alone
		{"p = order(k)\nreturn p: p, k: k[p], c: c[p]", 1},    // numbers are wanted
		{"p = order(k)\nreturn k: k[p], a: a[p]", 0},          // 8 bytes come along
		{"p = order(k)\nreturn k: k[p], c: c[p], d: d[p]", 0}, // two narrow columns
		{"p = order(k)\nreturn k: k[p], a: a[p], c: c[p]", 2}, // 10 bytes
		{"p = order(k)\nreturn k: k[p], f: f[p]", 1},          // no integer
		{"p = order(b)\nreturn b: b[p], a: a[p]", 2},          // a float does not follow from its bits
		{"p = order(a)\nreturn a: a[p]", 0},                   // a word of 64 bits
		{"p = order(a)\nreturn a: a[p], c: c[p]", 2},          // whose passes would move more
		{"p = order(a, k)\nreturn a: a[p], k: k[p]", 3},       // two words, of which the second is gathered
		{"p = order(c & 15)\nreturn a: a[p], b: b[p]", 0},     // one pass moves both
		{"p = order(c & 15)\nreturn p: p, a: a[p], b: b[p]", 0},
		{"p = order(c & 15)\nreturn a: a[p], b: b[p], d: d[p]", 3}, // more than 16 bytes
		{"p = order(c & 4095)\nreturn a: a[p], d: d[p]", 2},        // two passes
	} {
		var parameters []string
		for _, parameter := range []string{"k: [n]i32", "a: [n]i64", "b: [n]f64", "c: [n]i16", "d: [n]bool", "f: [n]f32"} {
			if regexp.MustCompile(`[(= ]` + parameter[:1] + `[[), ]`).MatchString(c.body) {
				parameters = append(parameters, parameter)
			}
		}
		gathers := 0
		for _, v := range graphOf(t, strings.Join(parameters, ", "), c.body, Options{Short: true}).Pipeline.Values {
			if v.Op == ir.OpGather && v.Type.Domain != nil {
				gathers++
			}
		}
		if gathers != c.gathers {
			t.Errorf("%s: %d gathers, not %d", c.body, gathers, c.gathers)
		}
	}
}

// TestWordOfColumns holds how many columns the first of several passes moves: the word of a row comes along unless it
// follows from the other columns.
func TestWordOfColumns(t *testing.T) {
	for _, c := range []struct {
		parameters, body string
		moved            int
	}{
		{"k: [n]i32, v: [n]i32", "p = order(k & 4095)\nreturn k: k[p], v: v[p]", 1},
		{"k: [n]i32, v: [n]i32", "p = order((v ^ k) >> 12)\nreturn k: k[p], v: v[p]", 1},
		{"k: [n]i32, v: [n]i64", "p = order(k & 4095)\nreturn v: v[p]", 2},          // which k does not follow from
		{"k: [n]i32, v: [n]i64", "p = order(k & 4095)\nreturn k: k[p], v: v[p]", 1}, // numbers of rows beside the word, as they do not fit
		{"k: [n]i32, v: [n]i32", "p = order(k / 7)\nreturn k: k[p], v: v[p]", 2},    // a division costs more
	} {
		g := graphOf(t, c.parameters, c.body, Options{Short: true})
		moved := 0
		for _, v := range g.Pipeline.Values {
			if v.Op == ir.OpScatter && g.turns[v.Args[1]].part == firstPass {
				moved++
			}
		}
		if moved != c.moved {
			t.Errorf("%s: the first pass moves %d columns, not %d", c.body, moved, c.moved)
		}
	}
}

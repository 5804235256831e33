package fuse

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/ir"
)

// TestPackedColumns holds how many words are packed for each row, in one or several columns of words.
func TestPackedColumns(t *testing.T) {
	var nine, gathers []string
	for i := range 9 {
		nine = append(nine, fmt.Sprintf("a%d = a + %d", i, i))
		gathers = append(gathers, fmt.Sprintf("a%d: a%d[p]", i, i))
	}
	for _, c := range []struct{ body, want string }{
		{"p = order(k)\nreturn a: a[p]", ""},
		{"p = order(k)\nreturn a: a[p], again: a[p]", ""},
		{"p = order(k)\nreturn a: a[p], b: b[p]", "2"},
		{"p = order(a)\nreturn k: k[p], c: c[p], d: d[p]", "1"}, // 32, 16 and 8 bits
		{"p = order(k)\nreturn a: a[p], k: k[p], c: c[p], d: d[p], b: b[p]", "3"},
		{"p = order(k)\nreturn a: a[p], f: f[p], t: t[p]", ""}, // no words have these
		{"p = order(k, limit: 10)\nreturn a: a[p], b: b[p]", ""},
		{"p = order(k)\nq = order(a)\nreturn a: a[p], b: b[p], c: c[q], d: d[q]", "2 1"},
		{"p = order(k)\n" + strings.Join(nine, "\n") + "\nreturn " + strings.Join(gathers, ", "), "8 1"},
		{"p = order(k)\nx = a[p]\ny = b[p]\ns = scan(add, x)\nq = order(desc(x))\nreturn s: s[q], y: y[q]", "2 2"},
	} {
		var parameters []string
		for _, parameter := range []string{"k: [n]i32", "a: [n]i64", "b: [n]f64", "c: [n]i16", "d: [n]bool", "f: [n]f32", "t: [n]char8"} {
			if regexp.MustCompile(`[(= ]` + parameter[:1] + `[[), ]`).MatchString(c.body) {
				parameters = append(parameters, parameter)
			}
		}
		for _, short := range []bool{true, false} {
			g := graphOf(t, strings.Join(parameters, ", "), c.body, Options{Short: short})
			var widths []string
			for _, d := range g.Pipeline.Domains {
				if d.Kind == ir.DomainWords {
					widths = append(widths, fmt.Sprint(d.Width))
				}
			}
			want := c.want
			if !short { // cores gather columns one by one
				want = ""
			}
			if got := strings.Join(widths, " "); got != want {
				t.Errorf("%s, short %v: words %q, not %q", c.body, short, got, want)
			}
		}
	}
}

// TestLongWords holds that packed words, of which there may be more than rows in a launch, have indices of 64 bits.
func TestLongWords(t *testing.T) {
	g := graphOf(t, "k: [n]i32, a: [n]i64, b: [n]f64", "p = order(k)\nreturn a: a[p], b: b[p]", Options{Short: true})
	long := 0
	for _, k := range program(t, g, LevelAuto).Kernels {
		for _, s := range k.Streams {
			if s.Long != (s.Buffer == "pack") {
				t.Errorf("%s: %s has long indices: %v", k.Name, s.Buffer, s.Long)
			}
			if s.Long {
				long++
			}
		}
	}
	if long != 2 {
		t.Errorf("%d kernels store and gather words, not 2", long)
	}
}

package ir

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func mustLoad(t *testing.T, source string) *Pipeline {
	t.Helper()
	pipelines, errs := Load("test.kg", []byte(source))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return pipelines[0]
}

func fmtRange(lo, hi int64) string { return fmt.Sprintf("%d..%d", lo, hi) }

// quick fails the test where f takes long. The limit leaves room for busy
// machines; what is more than quadratic takes hours.
func quick(t *testing.T, what string, f func()) {
	t.Helper()
	start := time.Now()
	f()
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("%s took %v", what, took)
	}
}

// repeated writes a pipeline of n statements, each made from its number.
func repeated(n int, statement string, last string) string {
	var b strings.Builder
	b.WriteString("pipeline p(x0: [n]i64, m0: [n]bool) {\n")
	for i := 1; i <= n; i++ {
		b.WriteString(strings.NewReplacer("$i", fmt.Sprint(i), "$j", fmt.Sprint(i-1)).Replace(statement))
		b.WriteByte('\n')
	}
	b.WriteString("return " + strings.ReplaceAll(last, "$i", fmt.Sprint(n)) + "\n}\n")
	return b.String()
}

func TestLargePrograms(t *testing.T) {
	const n = 2000
	for name, source := range map[string]string{
		"chain":     repeated(10_000, "x$i = x$j + $i", "x$i, m0"),
		"doubling":  repeated(n, "x$i = x$j * x$j", "x$i, m0"),
		"masks":     repeated(n, "m$i = m$j && x0 > $i", "c: x0[m$i]"),
		"domains":   repeated(n, "x$i = x$j[x$j > 1]", "x$i, m0"),
		"groups":    repeated(n, "x$i = sum(x$j, by: groups(x$j))", "x$i, m0"),
		"finds":     repeated(n, "x$i = find(x0, in: x$j)\nm$i = m$j && x$i >= 0\ny$i = x$i[m$i]", "x$i, m$i, "+sumOf("y", n)),
		"results":   repeated(1, "x1 = x0", "m0, "+results(n)),
		"constants": repeated(n, "x$i = x$j + $i * 2 - 1", "x$i, m0"),
	} {
		t.Run(name, func(t *testing.T) {
			quick(t, name, func() {
				p := mustLoad(t, source)
				if err := Verify(p); err != nil {
					t.Error(err)
				}
				checkRoundTrip(t, p)
			})
		})
	}
}

// sumOf uses each of n columns of different domains.
func sumOf(name string, n int) string {
	labels := make([]string, n)
	for i := range labels {
		labels[i] = fmt.Sprintf("r%d: sum(%s%d)", i, name, i+1)
	}
	return strings.Join(labels, ", ")
}

func results(n int) string {
	labels := make([]string, n)
	for i := range labels {
		labels[i] = fmt.Sprintf("r%d: x1 + %d", i, i)
	}
	return strings.Join(labels, ", ")
}

func TestManyErrors(t *testing.T) {
	for name, source := range map[string]string{
		"unknown names": repeated(10_000, "x$i = nothing$i + x$j", "x$i"),
		"mismatches":    repeated(10_000, "x$i = x$j + m0", "x$i"),
		"unused":        repeated(10_000, "x$i = 1", "x0, m0"),
		"twice":         repeated(10_000, "x0 = x0", "x0, m0"),
	} {
		quick(t, name, func() {
			_, errs := Load("test.kg", []byte(source))
			if len(errs) == 0 || len(errs) > MaxErrors+1 {
				t.Errorf("%s: %d errors", name, len(errs))
			}
		})
	}
}

// TestDeepGraphs builds expressions deeper than source text may be.
func TestDeepGraphs(t *testing.T) {
	b := NewBuilder("deep")
	x := b.Column("x", "n", I64)
	deep, square, mask := x, x, b.Infix(x, ">", 0)
	for i := range 5000 {
		deep = b.Infix(deep, "+", i)
		square = b.Infix(square, "*", square)
		mask = b.Infix(b.Infix(x, "<", i), "&&", mask)
	}
	b.Return(As("deep", deep), As("square", square), As("kept", b.At(x, mask)))
	quick(t, "deep", func() {
		p, err := b.Pipeline()
		if err != nil {
			t.Fatal(err)
		}
		if err := Verify(p); err != nil {
			t.Error(err)
		}
		checkRoundTrip(t, p)
	})
}

func TestHugeConstants(t *testing.T) {
	for _, constant := range []string{"1e1000000000", "1e-1000000000", "0x1p1000000", strings.Repeat("9", 200), "1e300 * 1e300 * 1e300", "(1 << 511) * (1 << 511)", "1 << 1000000000000"} {
		quick(t, constant, func() {
			for _, use := range []string{"x + %s", "f64(x) + %s", "f32(%s)", "prev(x, %s, 0)", "least(1, %[1]s - %[1]s)"} {
				Load("test.kg", fmt.Appendf(nil, "pipeline p(x: [n]i64) {\nreturn x, y: "+use+"\n}", constant))
			}
		})
	}
}

// TestTooDeepIsReportedWhereItIs: not behind it, which may be another line.
func TestTooDeepIsReportedWhereItIs(t *testing.T) {
	const before = "pipeline p(x: [n]i64) {\n"
	terms := func(n int) string { return strings.Repeat("x + ", n-1) }
	for name, expression := range map[string]string{ // the level that is too many begins at @
		"sum":         terms(1001) + "@x",
		"sum of sums": terms(1000) + "x +\n\t@x",
		"signs":       "@-(" + terms(999) + "x)",
		"parentheses": "@(" + terms(1000) + "x)",
		"call":        "@abs(" + terms(1000) + "x)",
		"subscript":   "x@[" + terms(1000) + "x]",
		"nested":      strings.Repeat("(", 1000) + "@x",
	} {
		t.Run(name, func(t *testing.T) {
			text, rest, _ := strings.Cut(before+"\treturn y:\n\t\t"+expression, "@")
			line := text[strings.LastIndex(text, "\n")+1:]
			want := Pos{File: "test.kg", Line: strings.Count(text, "\n") + 1, Column: len(line) + 1}
			_, errs := Load("test.kg", []byte(text+rest+"\n}\n"))
			if len(errs) == 0 || !strings.Contains(errs[0].Error(), "more than 1000 levels") {
				t.Fatalf("errors %.200v", errs)
			}
			if got := errs[0].Pos; got != want {
				t.Errorf("reported at %v, want %v", got, want)
			}
		})
	}
}

package gocpu

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/fuse"
)

// Go refuses a variable that is never read, and a scalar may be needed by name
// alone: by a comparison with itself, by a neighbour 0 rows away, by what is
// multiplied out. It also gives each variable a type, by its literal if it has one.
func TestEveryVariableIsRead(t *testing.T) {
	files := token.NewFileSet()
	config := types.Config{Importer: importer.ForCompiler(files, "gc", nil)}
	for name, source := range map[string]string{
		"compared with itself": "pipeline p(x: [n]u16, m: [n]bool) {\n\tk = first(x[m], else: 4)\n\tsame = k <= k\n\treturn mean: avg(x[m], else: 0.0), no: false && same\n}\n",
		"no neighbour":         "pipeline p(x: [n]i16) {\n\tk = first(x, else: 2)\n\ty = next(x, 0, 4 % select(k == 0, 3, k))\n\treturn least: min(y, else: -1)\n}\n",
		"a length of no use":   "pipeline p(x: [n]i16, m: [n]bool) {\n\ty = x[m]\n\treturn no: len(y) < len(y), sum: sum(y)\n}\n",
		"the bits of a text":   "pipeline p(x: [n]f64) {\n\tby = starts(x < x)\n\tt = first(\"Aab\", by: by)\n\treturn row: find(select(false, t, \"\\xff\"), in: t)\n}\n",
		"a default of no use":  "pipeline p(x: [n]char8, c: char8 = \"A\") {\n\treturn row: index(next(x, 0, c))\n}\n",
	} {
		for _, level := range fuse.Levels {
			out, err := Emitter{}.Emit([]*backends.Program{compiled(t, source, level)}, backends.Options{Package: "p"})
			if err != nil {
				t.Fatal(err)
			}
			var parsed []*ast.File
			for _, f := range out.Files {
				file, err := parser.ParseFile(files, f.Name, f.Text, parser.SkipObjectResolution)
				if err != nil {
					t.Fatal(err)
				}
				parsed = append(parsed, file)
			}
			if _, err := config.Check("p", files, parsed, nil); err != nil {
				t.Errorf("%s, level %s: %v\n%s", name, level, err, out.Files[0].Text)
			}
		}
	}
}

func TestStatementText(t *testing.T) {
	for line, want := range map[string]string{
		"":                                      "",
		"// a comment":                          "",
		"total: sum(x), // in all":              "total: sum(x)",
		"hit = a >= from &&":                    "hit = a >= from && ...",
		`m = s == "a//b" && t == "x\"//" // no`: `m = s == "a//b" && t == "x\"//"`,
		"return x: x[m],":                       "return x: x[m]",
	} {
		if got := statementText(line); got != want {
			t.Errorf("%q gives %q, not %q", line, got, want)
		}
	}
}

func TestWithoutNumber(t *testing.T) {
	for name, want := range map[string]string{"user_2": "user", "user": "user", "l_orderkey": "l_orderkey", "_2": "_2", "x_10": "x", "x_": "x_"} {
		if got := withoutNumber(name); got != want {
			t.Errorf("%q gives %q, not %q", name, got, want)
		}
	}
}

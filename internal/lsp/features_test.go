package lsp

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

const grades = `// é 🙂 grades
pipeline grades(grade: [n]i32, score: [n]i32, least: i64 = 2) {
	/* 🙂é */ g = runs(grade)
	total = sum(score, by: g)
	many = count(by: g) >= least
	return key: first(grade, by: g)[many], total: total[many]
}
`

func TestDiagnostics(t *testing.T) {
	c := open(t, grades, "pipeline p(x: [n]i32) {\n\t/* é🙂 */ a = x + y\n\treturn a\n}\n",
		"pipeline p(x: [n]i64, y: [n]i64) {\n\treturn f: f64(x / y)\n}\n",
		"\uFEFFpipeline p(x: [n]i32) { return z }\n",
		"pipeline p(x: [n]i32) {\r\r\n\t/* é🙂 */\r\treturn z }\r\n",
		"pipeline p(x: [n]i32) {\n\treturn a:\n}")
	for i, want := range []string{
		"",
		"1:19-1:20 1 unknown name y",
		"1:11-1:14 2 f64(x / y) divides integers, which truncates, before it converts",
		"0:32-0:33 1 unknown name z",
		"3:8-3:9 1 unknown name z",
		"2:0-2:1 1 expected a value, found }",
	} {
		if got := strings.Join(c.diagnostics(i, 1), "; "); got != want {
			t.Errorf("%s: %q, not %q", uri(i), got, want)
		}
	}
	if d := c.pushed[uri(1)].Diagnostics[0]; d.Source != "kgen" || !strings.Contains(d.Message, "\ndid you mean x?") {
		t.Errorf("%+v", d)
	}
	c.notify("textDocument/didClose", inDocument(1))
	if got := c.diagnostics(1, 0); len(got) > 0 {
		t.Errorf("a closed document has diagnostics: %q", got)
	}
}

// Edits of parts give the same text as that of the editor.
func TestChanges(t *testing.T) {
	c := open(t, "pipeline p(x: [n]i32) {\n\t/* é🙂é */ a = x + y\n\treturn a\n}\n", grades)
	edit := func(version int, changes ...any) {
		c.notify("textDocument/didChange", map[string]any{
			"textDocument": map[string]any{"uri": uri(0), "version": version}, "contentChanges": changes,
		})
	}
	part := func(line, from, toLine, to int, text string) any {
		return map[string]any{"text": text, "range": textRange{position{line, from}, position{toLine, to}}}
	}
	for i, step := range []struct {
		changes []any
		want    string
	}{
		{[]any{part(1, 20, 1, 21, "1")}, ""},
		{[]any{part(1, 4, 1, 8, ""), part(1, 17, 1, 17, "0 + z")}, "1:21-1:22 1 unknown name z"},
		{[]any{part(1, 99, 99, 0, "\n\treturn 🙂a"), part(2, 8, 2, 10, ""), part(9, 9, 9, 9, "\n}")}, "1:21-1:22 1 unknown name z"},
		{[]any{map[string]any{"text": "pipeline"}}, "0:8-0:8 1 expected the name of the pipeline, found end of file"},
		{[]any{part(0, -3, -1, 5, ""), part(5, 5, 1, 1, " p"), part(0, 0, 0, 2, "")}, "0:0-0:6 1 expected pipeline, found peline"},
	} {
		edit(i+2, step.changes...)
		if got := strings.Join(c.diagnostics(0, i+2), "; "); got != step.want {
			t.Errorf("step %d: %q, not %q", i, got, step.want)
		}
	}
	if got := c.diagnostics(1, 1); len(got) > 0 {
		t.Errorf("the other document has changed: %q", got)
	}
}

func TestHover(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{strings.Replace(grades, "sum(score", "sum(sc¦ore", 1), "```kgen\nscore: [n]i32\n```"},
		{strings.Replace(grades, ", by: g)\n\tmany", ", by: ¦g)\n\tmany", 1), "```kgen\ng = runs(grade)\n```\n\n`g: [n]→g`\n\n`[g] (the groups of [n] by runs(grade))`"},
		{strings.Replace(grades, "\ttotal =", "\t// Of a grade.\n\tto¦tal =", 1), "```kgen\ntotal = sum(score, by: g)\n```\n\n`total: [g]i64`\n\nOf a grade."},
		{strings.Replace(grades, "total[", "total¦[", 1), "```kgen\nx[mask]\n```\n\nThe rows where the mask is true, in order.\n\nHere: `[many]i64`."},
		{strings.Replace(grades, "runs(", "¦runs(", 1), "```kgen\nruns(k, ...)\n```\n\nA group for each run"},
		{strings.Replace(grades, "runs(", "runs¦(", 1), "Here: `[n]→g`. Result: [n]→g, for keys over n\n\n```kgen\npipeline grades("},
		{strings.Replace(grades, ">= least", "¦>= least", 1), "Comparisons"},
		{strings.Replace(grades, "count(by:", "count(b¦y:", 1), "count(by: g)"},
		{strings.Replace(grades, "[n]i32, s", "[¦n]i32, s", 1), "The rows of grade, score."},
		{strings.Replace(grades, "pipeline grades", "pipeline gr¦ades", 1), "pipeline grades(grade: [n]i32, score: [n]i32, least: i64 = 2)\n```\n\né 🙂 grades"},
		{strings.Replace(grades, "grades(grade: [n]i32, ", "grades(\n\tgr¦ade: [n]i32, // From 1 to 15.\n\t", 1), "grade: [n]i32\n```\n\nFrom 1 to 15."},
		{strings.Replace(grades, "pipeline", "pi¦peline", 1), ""},
		{strings.Replace(grades, "grades\n", "gr¦ades\n", 1), ""},
		{"pipeline p(x: [n]i32) {\n\ta = x > 2\n\tb = ¦a +\n", ""},
		{"pipeline p(x: [n]i32) {\n\ta = x > 2\n\tb = ¦a\n", "`a: [n]bool`"},
		{"pipeline p(add: [n]i32) {\n\treturn a: scan(a¦dd, add)\n}", ""},
		{"pipeline p(a: [n]i32, b: [m]i32) {\n\tj = join(a, b)\n\treturn a[j.le¦ft]\n}", "Here: `[j]→n`"},
		{"pipeline p(a: [n]i32) {\n\treturn t: time¦stamp(date(a))\n}", "Conversion"},
		{"pipeline p¦(x: [n]decimal(2)) {\n\treturn x\n}", "pipeline p(x: [n]decimal(2))"},
		{"pipeline p(x: [n]decimal(2)) {\n\treturn ¦x\n}", "```kgen\nx: [n]decimal(2)\n```"},
		{"pipeline p(x: [n]decimal(2)) {\n\treturn d: ¦decimal(x, 1)\n}", "decimal(x, 2)"},
		{"¦", ""},
	} {
		text, params := at(test.text)
		c := open(t, text)
		var h *hover
		c.must("textDocument/hover", params, &h)
		switch {
		case h == nil && test.want != "":
			t.Errorf("no hover in\n%s", test.text)
		case h != nil && (test.want == "" || !strings.Contains(h.Contents.Value, test.want)):
			t.Errorf("hover\n%s\nis not\n%s\nin\n%s", h.Contents.Value, test.want, test.text)
		}
	}
}

func TestDefinition(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{strings.Replace(grades, "sum(score", "sum(sc¦ore", 1), "1:31-1:36"},
		{strings.Replace(grades, "sum(score, by: g", "sum(score, by: g¦", 1), "2:11-2:12"},
		{strings.Replace(grades, "[many], total", "[ma¦ny], total", 1), "4:1-4:5"},
		{strings.Replace(grades, "score: [n]", "score: [n¦]", 1), "1:24-1:25"},
		{strings.Replace(grades, "sum(", "su¦m(", 1), ""},
		{strings.Replace(grades, "key:", "¦key:", 1), ""},
		{"pipeline p(x: [n]i32 missing 0, k: [n]bool present ¦x) {\n\treturn x[k]\n}", "0:11-0:12"},
	} {
		text, params := at(test.text)
		c := open(t, text)
		var l *location
		c.must("textDocument/definition", params, &l)
		got := ""
		if l != nil && l.URI == uri(0) {
			got = rangeText(l.Range)
		}
		if got != test.want {
			t.Errorf("%q, not %q, in\n%s", got, test.want, test.text)
		}
	}
}

func TestCompletion(t *testing.T) {
	body := func(text string) string {
		return "pipeline p(x: [n]i32, é: i64) {\n\ta = x + 1\n" + text + "\n\tlater = a\n\treturn later\n}\n"
	}
	for _, test := range []struct{ text, has, not string }{
		{"¦", "pipeline", "sum return"},
		{"pip¦", "pipeline", "sum"},
		{"pipeline p(¦", "", "pipeline i32 sum"},
		{"pipeline p(x: ¦", "i32 timestamp text decimal", "sum"},
		{"pipeline p(x: [n]i32, y: [¦", "n", "i32"},
		{"pipeline p(x: [n]¦", "i32", "n"},
		{"pipeline p(x: [n]i32 ¦", "missing present", "i32"},
		{"pipeline p(x: [n]decimal(2) ¦", "missing present", "i32"},
		{"pipeline p(x: [n]decimal(¦", "", "i32 sum"},
		{"pipeline p(x: [n]i32 missing 0, k: [n]bool present ¦", "x", "k missing"},
		{"pipeline p(m: bool = ¦", "true false", "sum"},
		{body("\t/* é🙂 */ b = su¦"), "sum x a f64 true", "b later by: return left"},
		{body("\tb = ¦"), "sum x a f64 true", "later"},
		{body("\tb = a +\n\t\t¦"), "sum x a", "later return"},
		{body("\t¦"), "return", "sum x"},
		{body("\tr¦"), "return", "sum x"},
		{body("\tb = sum(¦"), "by: x", "else: limit:"},
		{body("\tb = max(x, ¦)"), "by: else: x", "limit:"},
		{body("\tb = max(x, by: runs(x), ¦)"), "else:", "by:"},
		{body("\tb = max(x, by: ¦)"), "runs a", "else: by:"},
		{body("\tb = max(x + ¦)"), "a", "by:"},
		{body("\tb = order(x, ¦)"), "limit: desc", "by:"},
		{body("\tb = find(x, i¦)"), "in:", "by:"},
		{body("\tb = scan(¦"), "add xor", "x sum by:"},
		{body("\tb = scan(add, ¦"), "x by:", "add"},
		{body("\tb = x[¦"), "a", "by:"},
		{body("\tb = a.¦"), "left right", "sum"},
		{body("\tb = a ¦"), "", "sum return"},
		{body("\tb = 12¦"), "", "sum"},
		{body("\t// su¦"), "", "sum return"},
		{body("\tb = /* su¦ */ a"), "", "sum"},
		{body("\tb = x == \"su¦\""), "", "sum"},
		{"pipeline p(x: [n]i32) {\n\treturn ¦", "unordered x sum", "return"},
		{"pipeline p(x: [n]i32) {\n\treturn x\n}\n\n¦", "pipeline", "x sum"},
	} {
		text, params := at(test.text)
		c := open(t, text)
		var items []completionItem
		c.must("textDocument/completion", params, &items)
		labels := []string{}
		for _, item := range items {
			if slices.Contains(labels, item.Label) {
				t.Errorf("%s twice in\n%s", item.Label, test.text)
			}
			labels = append(labels, item.Label)
			if item.Label == "max" && item.Kind == itemFunction && !strings.HasPrefix(item.Detail, "max(x)") {
				t.Errorf("max is %q", item.Detail)
			}
		}
		for label := range strings.FieldsSeq(test.has) {
			if !slices.Contains(labels, label) {
				t.Errorf("no %s among %q in\n%s", label, labels, test.text)
			}
		}
		for label := range strings.FieldsSeq(test.not) {
			if slices.Contains(labels, label) {
				t.Errorf("%s among %q in\n%s", label, labels, test.text)
			}
		}
		if test.has == "" && len(items) > 0 {
			t.Errorf("%q in\n%s", labels, test.text)
		}
	}
}

func TestFormatting(t *testing.T) {
	c := open(t, grades, "// é🙂\npipeline p( x:[n]i32 ){return x+1,x}", "pipeline p(x: [n]i32) { return a: (x }")
	for i, want := range []string{"", "0:0-1:36 // é🙂\npipeline p(x: [n]i32) {\n\treturn x + 1, x\n}\n", ""} {
		var edits []textEdit
		c.must("textDocument/formatting", inDocument(i), &edits)
		got := ""
		for _, e := range edits {
			got += rangeText(e.Range) + " " + e.NewText
		}
		if got != want || edits == nil {
			t.Errorf("%s: %q, not %q", uri(i), got, want)
		}
	}
}

func TestSymbols(t *testing.T) {
	c := open(t, grades+"\npipeline q(x: [n]text missing \"é🙂\") {\n\ta = x[index(x) < 2] // é\n\treturn a\n}\npipeline", "pipeline p(x: [n]i32) {\n\ta = (x)\n")
	for i, want := range []string{
		`1:0-6:1 1:9-1:15 grades
1:16-1:29 1:16-1:21 grade [n]i32
1:31-1:44 1:31-1:36 score [n]i32
1:46-1:60 1:46-1:51 least i64
2:11-2:26 2:11-2:12 g [n]→g
3:1-3:26 3:1-3:6 total [g]i64
4:1-4:29 4:1-4:5 many [g]bool
8:0-11:1 8:9-8:10 q
8:11-8:35 8:11-8:12 x [n]text
9:1-9:20 9:1-9:2 a [index(x) < 2]text
`, "0:0-2:0 0:9-0:10 p\n0:11-0:20 0:11-0:12 x [n]i32\n1:1-1:8 1:1-1:2 a [n]i32\n"} {
		var symbols []documentSymbol
		c.must("textDocument/documentSymbol", inDocument(i), &symbols)
		var got strings.Builder
		var write func([]documentSymbol)
		write = func(list []documentSymbol) {
			for _, s := range list {
				fmt.Fprintln(&got, strings.TrimSpace(rangeText(s.Range)+" "+rangeText(s.SelectionRange)+" "+s.Name+" "+s.Detail))
				write(s.Children)
			}
		}
		write(symbols)
		if got.String() != want {
			t.Errorf("%s\nnot\n%s", got.String(), want)
		}
	}
}

// everything asks all that an editor may.
func (a *analysis) everything(at int) {
	a.hover(at)
	a.definitionAt(at)
	a.completion(at)
	a.formatting()
	a.symbols()
	a.diagnostics()
}

// Every place in the corpus, cut there or not, has answers.
func TestEverywhere(t *testing.T) {
	paths, err := filepath.Glob("../../testsuite/corpus/*.kg")
	if err != nil || len(paths) == 0 {
		t.Fatal(err)
	}
	for i, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for at := i % 29; at <= len(text); at += 29 {
			for _, text := range []string{string(text), string(text[:at])} {
				a := newDocument(path, 1, text).analysis()
				a.everything(at)
				if got := a.doc.offset(a.doc.position(at)); got != at && at < len(text) && utf8.RuneStart(text[at]) {
					t.Fatalf("%s: offset %d comes back as %d", path, at, got)
				}
			}
		}
	}
}

package ir

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseExpressions(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		// Precedence and associativity are Go's.
		{"x + y * 2", "(+ x (* y 2))"},
		{"x - y - 1", "(- (- x y) 1)"},
		{"x | y ^ 1 & 2", "(^ (| x y) (& 1 2))"},
		{"x << 1 + y", "(+ (<< x 1) y)"},
		{"x + 1 == y && m || m == m", "(|| (&& (== (+ x 1) y) m) (== m m))"},
		{"-x * y", "(* (- x) y)"},
		{"-x[m].left", "(- (.left ([] x m)))"},
		{"!m && m", "(&& (! m) m)"},
		{"(x + y) * 2", "(* (paren (+ x y)) 2)"},
		{"x &^ y", "(&^ x y)"},
		{"x & ^y", "(& x (^ y))"},
		{"x &^ ^y", "(&^ x (^ y))"},
		// What Go's scanner reads as something else.
		{"x<-1", "(< x (- 1))"},
		{"x<<-1", "(<< x (- 1))"},
		{"x--2", "(- x (- 2))"},
		{"x---y", "(- x (- (- y)))"},
		{"x++2", "(+ x (+ 2))"},
		{"--x", "(- (- x))"},
		{"x<--y", "(< x (- (- y)))"},
		// Calls, labels, tuples.
		{"sum(x, by: g)", "(sum() x by:g)"},
		{"count()", "(count())"},
		{"order(x, desc(y), limit: c)", "(order() x (desc() y) limit:c)"},
		{"find((x, y), in: (a, b))", "(find() (tuple x y) in:(tuple a b))"},
		{"find((x), in: (y),)", "(find() (paren x) in:(paren y))"},
		{"join((x, y,), (a, b, c))", "(join() (tuple x y) (tuple a b c))"},
		{"scan(add, x)[g]", "([] (scan() add x) g)"},
		{"a.left[b.left]", "([] (.left a) (.left b))"},
		// Literals.
		{`date("1994-01-01")`, `(date() "1994-01-01")`},
		{`"a\"b"`, `"a\"b"`},
		{"0x1F + 0b1 + 0o17 + 1_000", "(+ (+ (+ 0x1F 0b1) 0o17) 1_000)"},
		{".5 + 1. + 1e-9 + 0x1p-2", "(+ (+ (+ .5 1.) 1e-9) 0x1p-2)"},
		{"true && false", "(&& true false)"},
		// Words that mean something elsewhere.
		{"type + range - func * map", "(- (+ type range) (* func map))"},
		{"select(if, count, date)", "(select() if count date)"},
		{"count(count, by: by)", "(count() count by:by)"},
		{"sum(sum) + left.left", "(+ (sum() sum) (.left left))"},
		{"first(unordered, by: else, else: in)", "(first() unordered by:else else:in)"},
		// Line breaks.
		{"x +\n\ty", "(+ x y)"},
		{"\n\tx", "x"},
		{"(x\n+\ny\n)", "(paren (+ x y))"},
		{"f\t(x)", "(f() x)"},
		{"sum(\n\tx\n\t,\n\tby\n\t:\n\tg\n\t,\n)", "(sum() x by:g)"},
		{"x[\n0\n]", "([] x 0)"},
		{"-\nx", "(- x)"},
		{"x + /* a\nb */ y", "(+ x y)"},
		{"x + // a\n\ty", "(+ x y)"},
	} {
		statement := body(t, "z = "+c.source).Stmts[0]
		if got := lispText(statement.X); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.source, got, c.want)
		}
	}
}

// A line ends where the next token stands on another line, whatever word it
// ends in: Go's scanner inserts no semicolon after most keywords.
func TestParseLineEnds(t *testing.T) {
	for _, word := range []string{"x", "type", "range", "func", "map", "return1", "break", "fallthrough", "unordered", "1", "f()", "x[0]", "j.left", "true", `"a"`} {
		got := body(t, "a = "+word+"\nb = -y\nc = (x)")
		if len(got.Stmts) != 3 {
			t.Errorf("after %s: %d statements, want 3", word, len(got.Stmts))
		}
	}
}

func TestParsePipeline(t *testing.T) {
	file := mustParse(t, "p.kg", []byte(`// detached

// Doc of p,
// two lines.
pipeline p(x: [n]i32, count: [n]date, from: date = date("1994-01-01"), type: i64=-1,) {
	range = x
	return unordered range, total: sum(x) }

/* Doc
 * of q. */
pipeline
q() { return unordered, unordered: 1 } pipeline r(unordered: i32) { return unordered
}
`))
	at := func(line, column int) Pos { return Pos{"p.kg", line, column} }
	name := func(pos Pos, text string) *Name { return &Name{Pos: pos, Name: text} }
	want := []*PipelineDecl{
		{
			Pos: at(5, 1), NamePos: at(5, 10), Name: "p", Doc: "Doc of p,\ntwo lines.",
			Params: []*ParamDecl{
				{Pos: at(5, 12), Name: "x", Domain: "n", DomPos: at(5, 16), Type: "i32", TypePos: at(5, 18)},
				{Pos: at(5, 23), Name: "count", Domain: "n", DomPos: at(5, 31), Type: "date", TypePos: at(5, 33)},
				{
					Pos: at(5, 39), Name: "from", Type: "date", TypePos: at(5, 45),
					Default: &Call{Pos: at(5, 52), Name: "date", End: at(5, 69), Args: []*Arg{
						{X: &Literal{Pos: at(5, 57), Kind: UntypedString, Text: `"1994-01-01"`}},
					}},
				},
				{
					Pos: at(5, 72), Name: "type", Type: "i64", TypePos: at(5, 78),
					Default: &Unary{Pos: at(5, 82), Op: "-", X: &Literal{Pos: at(5, 83), Kind: UntypedInt, Text: "1"}},
				},
			},
			Stmts: []*Stmt{{Pos: at(6, 2), Name: "range", X: name(at(6, 10), "x")}},
			Return: &Return{Pos: at(7, 2), Unordered: true, Results: []*Arg{
				{X: name(at(7, 19), "range")},
				{Label: "total", LabelPos: at(7, 26), X: &Call{
					Pos: at(7, 33), Name: "sum", End: at(7, 38), Args: []*Arg{{X: name(at(7, 37), "x")}},
				}},
			}},
			End: at(7, 40),
		},
		{
			Pos: at(11, 1), NamePos: at(12, 1), Name: "q", Doc: "Doc\nof q.",
			Return: &Return{Pos: at(12, 7), Results: []*Arg{
				{X: name(at(12, 14), "unordered")},
				{Label: "unordered", LabelPos: at(12, 25), X: &Literal{Pos: at(12, 36), Kind: UntypedInt, Text: "1"}},
			}},
			End: at(12, 38),
		},
		{
			Pos: at(12, 40), NamePos: at(12, 49), Name: "r",
			Params: []*ParamDecl{{Pos: at(12, 51), Name: "unordered", Type: "i32", TypePos: at(12, 62)}},
			Return: &Return{Pos: at(12, 69), Results: []*Arg{{X: name(at(12, 76), "unordered")}}},
			End:    at(13, 1),
		},
	}
	if diff := cmp.Diff(want, file.Pipelines); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if len(file.Comments) != 4 || !file.Comments[0].Own || file.Comments[3].Pos != at(9, 1) {
		t.Errorf("comments: %+v", file.Comments)
	}
}

func TestParseUnordered(t *testing.T) {
	for _, c := range []struct {
		source    string
		unordered bool
		results   int
	}{
		{"unordered", false, 1},
		{"unordered, x", false, 2},
		{"unordered: x", false, 1},
		{"unordered[m]", false, 1},
		{"unordered x", true, 1},
		{"unordered x: y", true, 1},
		{"unordered unordered", true, 1},
		{"unordered !m", true, 1},
		{"unordered -x", false, 1},
		{"unordered (x)", false, 1},
		{"unordered\n\t-x", true, 1},
		{"unordered\n\t(x)", true, 1},
		{"unordered\n\tx: y,\n\ty", true, 2},
		{"\n\tx: y,\n\ty", false, 2},
	} {
		file := mustParse(t, "test.kg", []byte("pipeline p() {\nreturn "+c.source+"\n}"))
		got := file.Pipelines[0].Return
		if got.Unordered != c.unordered || len(got.Results) != c.results {
			t.Errorf("return %s: unordered %v with %d results", c.source, got.Unordered, len(got.Results))
		}
	}
}

func TestParseDoc(t *testing.T) {
	for _, c := range []struct{ above, want string }{
		{"// a\n", "a"},
		{"//a\n//\n//  b \n", "a\n\n b"},
		{"// a\n\n// b\n", "b"},
		{"// a\n\n", ""},
		{"/* a */\n// b\n", "a\nb"},
		{"/*\n * a\n *\n * b\n */\n", "a\n\nb"},
		{"/* a */ // b\n", ""},
		{"/* a */ ", ""},
		{"pipeline q() { return x } // a\n", ""},
		{"pipeline q() { return x\n/* a */ }\n", ""},
	} {
		file := mustParse(t, "doc.kg", []byte(c.above+"pipeline p() { // c\nreturn x\n}"))
		if got := file.Pipelines[len(file.Pipelines)-1].Doc; got != c.want {
			t.Errorf("below %q the documentation is %q, want %q", c.above, got, c.want)
		}
	}
}

// Positions are those of the bytes, whatever //line comments say.
func TestParsePositions(t *testing.T) {
	source := "\uFEFF//line other.kg:100\n//line :0\r\n/*line x:7:7*/pipeline p(x: [n]i32) {\r\n\treturn \"ä\"+\tx }"
	file := mustParse(t, "p.kg", []byte(source))
	p := file.Pipelines[0]
	if want := (Pos{"p.kg", 3, 15}); p.Pos != want {
		t.Errorf("pipeline at %v, want %v", p.Pos, want)
	}
	sum := p.Return.Results[0].X.(*Binary)
	if want := (Pos{"p.kg", 4, 13}); sum.OpPos != want {
		t.Errorf("operator at %v, want %v", sum.OpPos, want)
	}
}

// An error inside of a comment does not move what follows.
func TestParsePositionsBehindError(t *testing.T) {
	file, errs := Parse("p.kg", []byte("\n/* a\n\x00 */ pipeline p() { return x }"))
	if len(errs) != 1 || errs[0].Pos != (Pos{"p.kg", 3, 1}) {
		t.Errorf("errors: %v", errs.Err())
	}
	if got, want := file.Comments[0].Pos, (Pos{"p.kg", 2, 1}); got != want {
		t.Errorf("comment at %v, want %v", got, want)
	}
	if got, want := file.Pipelines[0].Pos, (Pos{"p.kg", 3, 6}); got != want {
		t.Errorf("pipeline at %v, want %v", got, want)
	}
}

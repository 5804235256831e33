package ir

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// hostile returns source text made to break a parser.
func hostile() map[string][]byte {
	const megabyte = 1 << 20
	random := make([]byte, 10*megabyte)
	chacha := rand.NewChaCha8([32]byte{1})
	chacha.Read(random)
	tokens := []string{"pipeline ", "return ", "x", "(", ")", "[", "]", "{", "}", "+", "-", "<", "\n", ", ", ": ", "=", "12", `"a"`, ".", "/*", "*/", "//"}
	var salad strings.Builder
	for picks := rand.New(rand.NewPCG(1, 2)); salad.Len() < 10*megabyte; {
		salad.WriteString(tokens[picks.IntN(len(tokens))])
	}
	in := func(expression string) []byte {
		return []byte("pipeline p(x: [n]i32) {\n\ta = " + expression + "\n\treturn a\n}\n")
	}
	repeat := strings.Repeat
	return map[string][]byte{
		"10 MB of random bytes":             random,
		"10 MB of random tokens":            []byte(salad.String()),
		"10 MB without a line end":          []byte(repeat("#", 10*megabyte)),
		"10 MB of =":                        in(repeat("=", 10*megabyte)),
		"10 MB of (":                        in(repeat("(", 10*megabyte)),
		"10 MB of NUL":                      make([]byte, 10*megabyte),
		"10 MB of errors":                   in(repeat("a = \n", 2*megabyte)),
		"10,000 parentheses":                in(repeat("(", 10_000) + "x" + repeat(")", 10_000)),
		"10,000 open parentheses":           in(repeat("(", 10_000)),
		"10,000 closing parentheses":        in(repeat(")", 10_000)),
		"10,000 calls":                      in(repeat("f(", 10_000) + "x" + repeat(")", 10_000)),
		"10,000 subscripts inside":          in(repeat("x[", 10_000) + "0" + repeat("]", 10_000)),
		"10,000 subscripts behind":          in("x" + repeat("[0]", 10_000)),
		"10,000 fields":                     in("x" + repeat(".left", 10_000)),
		"10,000 minus signs":                in(repeat("-", 10_000) + "x"),
		"10,000 terms":                      in("x" + repeat(" + x", 10_000)),
		"10,000 tuples":                     in(repeat("f((x, ", 10_000) + "x" + repeat("))", 10_000)),
		"terms in parentheses":              in(repeat("(", 900) + "x" + repeat(repeat(" + x", 900)+")", 900)),
		"a name of 1 MB":                    in(repeat("a", megabyte)),
		"a pipeline's name of 1 MB":         []byte("pipeline " + repeat("a", megabyte) + "() { return x }"),
		"a number of 1 MB":                  in(repeat("9", megabyte)),
		"a string of 1 MB":                  in(`"` + repeat("a", megabyte)),
		"an unclosed string":                in(`"abc`),
		"an unclosed raw string":            in("`abc"),
		"an unclosed rune":                  in("'abc"),
		"an unclosed comment":               in("/* abc"),
		"an unclosed comment at the top":    []byte("/*"),
		"an unclosed pipeline":              []byte("pipeline p(x: i32) {\n a = 3"),
		"NUL bytes":                         in("x\x00 + \x00x"),
		"invalid UTF-8":                     in("x + \xff\xfe"),
		"half a character at the end":       []byte("pipeline p() { return \xc3"),
		"only a byte order mark":            []byte("\uFEFF"),
		"two byte order marks":              []byte("\uFEFF\uFEFFpipeline p() { return x }"),
		"only carriage returns":             []byte("pipeline p() {\r return x\r}\r"),
		"1 MB of comments":                  []byte(repeat("//\n", megabyte/3) + "pipeline p() { return x }"),
		"an empty file":                     nil,
		"a //line comment with bad numbers": []byte("//line x:0:0\n/*line :99999999999:1*/pipeline p() { return }"),
	}
}

// wellFormed is those hostile texts that are legal after all.
var wellFormed = map[string]bool{"1 MB of comments": true, "an empty file": true, "only a byte order mark": true, "two byte order marks": true, "only carriage returns": true}

func TestParseHostileText(t *testing.T) {
	for name, source := range hostile() {
		t.Run(name, func(t *testing.T) {
			var errs ErrorList
			var text string
			quick(t, "reading and formatting", func() {
				var file *File
				file, errs = Parse("hostile.kg", source)
				text = errs.Error()
				Format(file)
			})
			if (len(errs) == 0) != wellFormed[name] {
				t.Errorf("%d errors: %s", len(errs), text)
			}
			checkErrors(t, source, errs)
		})
	}
}

// checkErrors checks what holds for the errors of every source text.
func checkErrors(t *testing.T, source []byte, errs ErrorList) {
	t.Helper()
	if len(errs) > MaxErrors+1 {
		t.Fatalf("%d errors", len(errs))
	}
	lines := bytes.Split(bytes.TrimPrefix(source, []byte("\uFEFF")), []byte("\n"))
	for i, e := range errs[:min(len(errs), MaxErrors)] {
		switch {
		case e.Pos.Line < 1 || e.Pos.Line > len(lines):
			t.Fatalf("line %d of %d: %s", e.Pos.Line, len(lines), e.Msg)
		case e.Pos.Column < 1 || e.Pos.Column > len(lines[e.Pos.Line-1])+1:
			t.Fatalf("column %d in a line of %d: %s", e.Pos.Column, len(lines[e.Pos.Line-1]), e.Msg)
		case i > 0 && e.Pos.Line <= errs[i-1].Pos.Line:
			t.Fatalf("line %d after line %d", e.Pos.Line, errs[i-1].Pos.Line)
		case len(e.Error()) > 1000:
			t.Fatalf("a message of %d bytes: %.200s", len(e.Error()), e.Error())
		}
	}
}

func addSeeds(f *testing.F) {
	for _, source := range sources(f) {
		f.Add(source)
	}
	for _, archive := range archives(f, "errors") {
		f.Add(archive.Files[0].Data)
	}
	for _, source := range hostile() {
		if len(source) < 1000 {
			f.Add(source)
		}
	}
}

func FuzzParse(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, source []byte) {
		file, errs := Parse("fuzz.kg", source)
		checkErrors(t, source, errs)
		if len(errs) > 0 && len(source) > 0 && !bytes.Equal(Format(file), file.Source) {
			t.Error("formatting changes a file with errors")
		}
	})
}

func FuzzFormat(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, source []byte) {
		if _, errs := Parse("fuzz.kg", source); len(errs) == 0 {
			checkFormat(t, source)
		}
	})
}

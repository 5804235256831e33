package ir

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFormat(t *testing.T) {
	for path, archive := range archives(t, "format") {
		t.Run(path, func(t *testing.T) {
			source := archive.Files[0]
			wantResult(t, path, archive, Format(mustParse(t, source.Name, source.Data)))
			checkFormat(t, source.Data)
		})
	}
}

func TestFormatIsIdentityOnTheTree(t *testing.T) {
	for name, source := range sources(t) {
		t.Run(name, func(t *testing.T) { checkFormat(t, source) })
	}
}

func TestFormatLineEnds(t *testing.T) {
	const source = "\uFEFF// Doc.  \r\npipeline p(x: [n]i32) {\r\n\treturn x // end\t\r\n\r\n}\r\n\r\n"
	const want = "// Doc.\npipeline p(x: [n]i32) {\n\treturn x // end\n}\n"
	if got := Format(mustParse(t, "crlf.kg", []byte(source))); string(got) != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// Comments and line breaks between any two tokens survive.
func TestFormatAnyGap(t *testing.T) {
	const source = `pipeline p ( x : [ n ] i32 , z : [ n ] decimal ( 2 ) missing ( 0.5 ) , from : date = date ( "1994-01-01" ) ) {
a = - x [ j . left ] + find ( ( x , y , ) , in : ( a , b ) )
b = ( a )
return unordered a , c : b
}
pipeline q ( ) { return x }
`
	fillers := []string{" /* c */ ", " // c\n", "\n", "\n// c\n", "\n\n/* c */\n\n", "/* c\nd */", " /* c */ // d\n", "// c\n\n// d\n"}
	parsed := 0
	for i := range source {
		if source[i] != ' ' && source[i] != '\n' {
			continue
		}
		for _, filler := range fillers {
			text := []byte(source[:i] + filler + source[i:])
			if _, errs := Parse("gap.kg", text); len(errs) == 0 {
				parsed++
				checkFormat(t, text)
			}
		}
	}
	if least := 460; parsed < least { // line breaks are not legal everywhere
		t.Errorf("%d variants have no syntax error, want %d", parsed, least)
	}
}

func TestFormatKeepsBrokenFiles(t *testing.T) {
	source := []byte("pipeline p( {\n  a  =  = 1\n")
	file, errs := Parse("broken.kg", source)
	if len(errs) == 0 {
		t.Fatal("no errors")
	}
	if got := Format(file); !bytes.Equal(got, source) {
		t.Errorf("got %q", got)
	}
}

// checkFormat formats source text without errors and checks what holds for
// every such text.
func checkFormat(t *testing.T, source []byte) {
	t.Helper()
	file := mustParse(t, "source.kg", source)
	formatted := Format(file)
	again, errs := Parse("formatted.kg", formatted)
	if err := errs.Err(); err != nil {
		t.Fatalf("the formatted text has errors: %v\nsource:\n%s\nformatted:\n%s", err, source, formatted)
	}
	if diff := cmp.Diff(file, again, sameTree); diff != "" {
		t.Fatalf("formatting changes the tree:\n%s\nsource:\n%s\nformatted:\n%s", diff, source, formatted)
	}
	if before, after := commentTexts(file), commentTexts(again); !slices.Equal(before, after) {
		t.Fatalf("comments %q become %q\nsource:\n%s\nformatted:\n%s", before, after, source, formatted)
	}
	if twice := Format(again); !bytes.Equal(formatted, twice) {
		t.Fatalf("formatting again changes\n%s\nto\n%s\nsource:\n%s", formatted, twice, source)
	}
	checkLayout(t, formatted)
}

// checkLayout checks the white space of formatted text outside of comments.
func checkLayout(t *testing.T, formatted []byte) {
	t.Helper()
	if bytes.Contains(formatted, []byte("*")) && bytes.Contains(formatted, []byte("/*")) {
		return // inside of these comments anything goes
	}
	text := string(formatted)
	switch {
	case strings.Contains(text, "\n\n\n"):
		t.Errorf("two blank lines:\n%s", text)
	case strings.Contains(text, " \n"), strings.Contains(text, "\t\n"):
		t.Errorf("space at the end of a line:\n%s", text)
	case strings.HasPrefix(text, "\n"), text != "" && !strings.HasSuffix(text, "}\n") && !strings.Contains(text, "//"):
		t.Errorf("blank line at the start or no line end at the end:\n%q", text)
	}
}

// commentTexts returns the comments of a file, sorted: formatting may move a
// comment over another one's operator.
func commentTexts(f *File) []string {
	texts := []string{}
	for _, c := range f.Comments {
		texts = append(texts, strings.TrimRight(c.Text, " \t"))
	}
	slices.Sort(texts)
	return texts
}

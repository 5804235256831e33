package ir

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/tools/txtar"
)

var updateText = flag.Bool("update-text", false, "rewrite the wanted results in testdata/text")

// sameTree compares syntax trees without positions.
var sameTree = cmp.Options{
	cmpopts.IgnoreTypes(Pos{}),
	cmpopts.IgnoreFields(File{}, "Name", "Source", "Comments"),
	cmpopts.IgnoreUnexported(File{}),
}

// sources returns the text of every program of the repository by file name:
// .kg files outside of testdata, those in testdata/text, and the pipelines of
// docs/language.md.
func sources(t testing.TB) map[string][]byte {
	t.Helper()
	found := map[string][]byte{}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == ".git"):
			return filepath.SkipDir
		case filepath.Ext(path) == ".kg":
			found[path], err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for path, archive := range archives(t, "format") {
		for _, part := range archive.Files {
			found[path+":"+part.Name] = part.Data
		}
	}
	for name, text := range fencedPipelines(t) {
		found[name] = text
	}
	return found
}

// archives reads the txtar files of a folder of testdata/text.
func archives(t testing.TB, folder string) map[string]*txtar.Archive {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "text", folder, "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 {
		t.Fatalf("no cases in testdata/text/%s", folder)
	}
	found := map[string]*txtar.Archive{}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(archive.Files) != 2 {
			t.Fatalf("%s: has %d parts, want the source and the result", path, len(archive.Files))
		}
		found[path] = archive
	}
	return found
}

// wantResult compares the second part of an archive with what the first gave.
func wantResult(t *testing.T, path string, archive *txtar.Archive, got []byte) {
	t.Helper()
	if !bytes.HasSuffix(got, []byte("\n")) {
		got = append(bytes.Clone(got), '\n')
	}
	if *updateText {
		archive.Files[1].Data = got
		if err := os.WriteFile(path, txtar.Format(archive), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(archive.Files[1].Data), string(got)); diff != "" {
		t.Errorf("-want +got (go test ./ir -update-text rewrites it):\n%s", diff)
	}
}

// mustParse parses source text that has no errors.
func mustParse(t testing.TB, name string, source []byte) *File {
	t.Helper()
	file, errs := Parse(name, source)
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	return file
}

// body parses statements in a pipeline with the parameters x, y and m, and a
// return.
func body(t testing.TB, statements string) *PipelineDecl {
	t.Helper()
	source := "pipeline p(x: [n]i64, y: [n]i64, m: [n]bool) {\n" + statements + "\nreturn x\n}\n"
	return mustParse(t, "test.kg", []byte(source)).Pipelines[0]
}

// lispText writes an expression with all its structure visible.
func lispText(x Expr) string {
	list := func(head string, parts ...Expr) string {
		texts := []string{head}
		for _, part := range parts {
			texts = append(texts, lispText(part))
		}
		return "(" + strings.Join(texts, " ") + ")"
	}
	switch x := x.(type) {
	case *Name:
		return x.Name
	case *Literal:
		return x.Text
	case *Unary:
		return list(x.Op, x.X)
	case *Binary:
		return list(x.Op, x.X, x.Y)
	case *Subscript:
		return list("[]", x.X, x.Index)
	case *Field:
		return list("."+x.Name, x.X)
	case *Paren:
		return list("paren", x.X)
	case *Tuple:
		return list("tuple", x.Parts...)
	case *Call:
		texts := []string{x.Name + "()"}
		for _, arg := range x.Args {
			text := lispText(arg.X)
			if arg.Label != "" {
				text = arg.Label + ":" + text
			}
			texts = append(texts, text)
		}
		return "(" + strings.Join(texts, " ") + ")"
	}
	return "?"
}

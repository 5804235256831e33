package gocpu

import (
	"bytes"
	"testing"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/fuse"
)

// The comment of a function quotes the texts that the caller passes, space by space.
func TestDocOfTexts(t *testing.T) {
	program := compiled(t, "pipeline p(x: [n]text) {\n\treturn y: x == \"a  b \\n\"\n}\n", fuse.LevelAuto)
	out, err := Emitter{}.Emit([]*backends.Program{program}, backends.Options{Package: "p"})
	if err != nil {
		t.Fatal(err)
	}
	if want := `//   - textAB: the code of "a  b \n"`; !bytes.Contains(out.Files[0].Text, []byte(want+"\n")) {
		t.Errorf("no line %s in\n%s", want, out.Files[0].Text)
	}
}

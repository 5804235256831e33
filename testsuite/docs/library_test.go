package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The program with which docs/library.md begins prints what the page shows.
func TestLibraryProgram(t *testing.T) {
	text, err := os.ReadFile("../../docs/library.md")
	if err != nil {
		t.Fatal(err)
	}
	all := Fences(string(text))
	if len(all) < 2 || all[0].Language != "go" || all[1].Language != "text" {
		t.Fatal("docs/library.md does not begin with a program and its output")
	}
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(all[0].Text), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command("go", "run", file)
	command.Dir = "../.."
	if out, err := command.CombinedOutput(); err != nil || string(out) != all[1].Text {
		t.Errorf("%v\n%s\nwant\n%s", err, out, all[1].Text)
	}
}

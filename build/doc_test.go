package build_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The program of docs/builder.md runs, and a mistake in it is reported with its line.
func TestProgramOfDocument(t *testing.T) {
	text, err := os.ReadFile("../docs/builder.md")
	if err != nil {
		t.Fatal(err)
	}
	_, program, _ := strings.Cut(string(text), "```go\n")
	program, _, _ = strings.Cut(program, "```")
	run := func(program string) (string, error) {
		path := filepath.Join(t.TempDir(), "gen.go")
		if err := os.WriteFile(path, []byte(program), 0o666); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("go", "run", path, "--after=verify").CombinedOutput()
		return string(out), err
	}
	want := `// Lines and total quantity of each order.
pipeline orders(l_orderkey: [n]i64, l_quantity: [n]i64) {
	g = runs(l_orderkey)
	return key: first(l_orderkey, by: g), count: count(by: g), quantity: sum(l_quantity, by: g)
}
`
	if out, err := run(program); err != nil || out != want {
		t.Errorf("%v\n%s", err, out)
	}
	line := 1 + strings.Count(program[:strings.Index(program, "	g := ")], "\n")
	wrong := strings.Replace(program, "b.Runs(key)", "key", 1)
	if out, err := run(wrong); err == nil || !strings.Contains(out, fmt.Sprintf("gen.go:%d: by: of first takes a grouping", line+1)) || !strings.HasSuffix(out, "exit status 1\n") {
		t.Errorf("%v, want line %d\n%s", err, line+1, out)
	}
}

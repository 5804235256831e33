package testsuite

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// tutorial is the document whose files and commands form a module of the
// reader.
const tutorial = "go-generate.md"

// fileName matches the name of a file in the text before its fence.
var fileName = regexp.MustCompile("`([a-z_]+\\.(?:go|kg))`[^`]*$")

// TestTutorial does what the tutorial says, in a new module beside a link to
// this repository: it writes the files where they are shown, and runs the
// commands. Modules come from the cache.
func TestTutorial(t *testing.T) {
	path := filepath.Join("..", "docs", tutorial)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	var script, files strings.Builder
	script.WriteString("symlink kgen -> $ROOT\nmkdir shop\ncd shop\n")
	lines := strings.SplitAfter(string(text), "\n")
	written, commands := 0, 0
	for _, f := range fences(string(text)) {
		switch f.language {
		case "kgen", "go":
			name := fileName.FindStringSubmatch(strings.Join(lines[max(0, f.line-7):f.line-2], ""))
			if name == nil {
				t.Fatalf("%s:%d: the text above does not name the file", path, f.line)
			}
			fmt.Fprintf(&script, "cp $WORK/files/%s %s\n", name[1], name[1])
			fmt.Fprintf(&files, "-- files/%s --\n%s", name[1], f.text)
			written++
		case "sh", "console":
			for _, c := range docCommands("```" + f.language + "\n" + f.text + "```\n") {
				fmt.Fprintf(&script, "shell '%s'\n", strings.ReplaceAll(c.text, "'", "''"))
				if c.shown {
					fmt.Fprintf(&script, "prints $WORK/outputs/%d\n", commands)
					fmt.Fprintf(&files, "-- outputs/%d --\n%s", commands, c.output)
				}
				commands++
			}
		}
	}
	if written < 5 || commands < 9 {
		t.Fatalf("only %d files and %d commands", written, commands)
	}
	script.WriteString("shell 'go vet ./... && test -z \"$(gofmt -l .)\" && go test -short .'\n")
	file := filepath.Join(t.TempDir(), "tutorial.txtar")
	write(t, file, []byte(script.String()+files.String()))
	testscript.Run(t, testscript.Params{
		Files: []string{file},
		Setup: func(env *testscript.Env) error {
			env.Setenv("ROOT", root)
			for _, name := range []string{"HOME", "GOCACHE", "GOMODCACHE", "GOPATH", "GOFLAGS", "XDG_CACHE_HOME"} {
				if value, ok := os.LookupEnv(name); ok {
					env.Setenv(name, value)
				}
			}
			env.Setenv("GOPROXY", "file://"+filepath.ToSlash(strings.TrimSpace(string(cache)))+"/cache/download,off")
			env.Setenv("GOSUMDB", "off")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"shell": shell, "prints": prints},
	})
}

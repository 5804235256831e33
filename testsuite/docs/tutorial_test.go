package docs

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

// clone is where the reader of the tutorial has kgen.
const clone = "=../kgen"

// TestTutorial does what the tutorial says in a new module: it writes the files
// where they are shown, and runs the commands. For the clone beside the module
// stands this repository, where kgen's packages are built already; at another
// path they would all be compiled again. Modules come from the cache if it has
// them: a build leaves out what only the reader's new module asks for.
func TestTutorial(t *testing.T) {
	path := filepath.Join("..", "..", "docs", tutorial)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	environment, err := exec.Command("go", "env", "GOMODCACHE", "GOPROXY").Output()
	if err != nil {
		t.Fatal(err)
	}
	cache, proxy, _ := strings.Cut(strings.TrimSpace(string(environment)), "\n")
	var script, files strings.Builder
	script.WriteString("mkdir shop\ncd shop\n")
	lines := strings.SplitAfter(string(text), "\n")
	written, commands, replaced := 0, 0, 0
	for _, f := range Fences(string(text)) {
		switch f.Language {
		case "kgen", "go":
			name := fileName.FindStringSubmatch(strings.Join(lines[max(0, f.Line-7):f.Line-2], ""))
			if name == nil {
				t.Fatalf("%s:%d: the text above does not name the file", path, f.Line)
			}
			fmt.Fprintf(&script, "cp $WORK/files/%s %s\n", name[1], name[1])
			fmt.Fprintf(&files, "-- files/%s --\n%s", name[1], f.Text)
			written++
		case "sh", "console":
			for _, c := range Commands("```" + f.Language + "\n" + f.Text + "```\n") {
				if strings.Contains(c.Text, " -fuzz ") && os.Getenv("KGEN_TEST_ALL") == "" {
					t.Logf("%s:%d: KGEN_TEST_ALL=1 runs this, which compiles the standard library for fuzzing", path, f.Line+c.Line-2)
					continue
				}
				replaced += strings.Count(c.Text, clone)
				text := strings.ReplaceAll(c.Text, clone, "='"+root+"'")
				fmt.Fprintf(&script, "shell '%s'\n", strings.ReplaceAll(text, "'", "''"))
				if c.Shown {
					fmt.Fprintf(&script, "prints $WORK/outputs/%d\n", commands)
					fmt.Fprintf(&files, "-- outputs/%d --\n%s", commands, c.Output)
				}
				commands++
			}
		}
	}
	if written < 5 || commands < 9 || replaced != 2 {
		t.Fatalf("%d files and %d commands, %d with %s", written, commands, replaced, clone)
	}
	script.WriteString("shell 'go vet ./... && test -z \"$(gofmt -l .)\" && go test -short .'\n")
	file := filepath.Join(t.TempDir(), "tutorial.txtar")
	if err := os.WriteFile(file, []byte(script.String()+files.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Files: []string{file},
		Setup: func(env *testscript.Env) error {
			for _, name := range []string{"HOME", "GOCACHE", "GOMODCACHE", "GOPATH", "GOFLAGS", "CGO_ENABLED", "XDG_CACHE_HOME"} {
				if value, ok := os.LookupEnv(name); ok {
					env.Setenv(name, value)
				}
			}
			env.Setenv("GOPROXY", "file://"+filepath.ToSlash(cache)+"/cache/download,"+proxy)
			env.Setenv("GOSUMDB", "off")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"shell": shell, "prints": prints},
	})
}

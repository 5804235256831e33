package docs

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/ir"
	"github.com/rogpeppe/go-internal/testscript"
)

// runElsewhere lists commands of the documents that this test cannot run
// itself, or that are as long as all others; .ci/run holds them and runs them.
var runElsewhere = []string{
	"go build ./...",             // links every program; for each system that kgen runs on
	"go test -timeout 30m ./...", // would run this test again
	".ci/run",                    // runs the line above
}

// needsCompiler reports whether a command runs emitted CUDA C++ on the CPU, which takes g++.
func needsCompiler(command string) bool { return strings.Contains(command, "--device cudaemu") }

// documents returns the texts of the documents by path.
func documents(t *testing.T) map[string]string {
	paths, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	measured, err := filepath.Glob("../../docs/performance/*.md")
	if err != nil {
		t.Fatal(err)
	}
	papers, err := filepath.Glob("../../examples/papers/*/README.md")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, path := range slices.Concat(paths, measured, papers, []string{"../../README.md", "../../CONTRIBUTING.md", "../../examples/tpch/README.md"}) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts[path] = string(text)
	}
	return texts
}

// Every command in the documents does what the document says. The commands
// run in the root of the repository, as a reader would run them.
func TestDocs(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	const emitted = "out" // the folder that documents emit to
	if _, err := os.Stat(filepath.Join(root, emitted)); os.IsNotExist(err) {
		t.Cleanup(func() { os.RemoveAll(filepath.Join(root, emitted)) })
	}
	_, missing := exec.LookPath("g++")
	if os.Getenv("KGEN_REQUIRE_CUDAEMU") != "" {
		missing = nil // the commands fail
	}
	var scripts []string
	dir := t.TempDir()
	files := map[string]string{} // that documents are told of, to the document: their commands run at the same time
	total := 0
	for path, text := range documents(t) {
		commands := Commands(text)
		total += len(commands)
		for _, c := range commands {
			for line := range strings.Lines(c.Output) {
				file := strings.TrimSpace(line)
				if !strings.HasPrefix(file, emitted+"/") || strings.Contains(file, " ") {
					continue
				}
				if other := files[file]; other != "" && other != path {
					t.Errorf("%s and %s both write %s", other, path, file)
				}
				files[file] = path
			}
		}
		if len(commands) == 0 || filepath.Base(path) == tutorial { // TestTutorial runs those
			continue
		}
		name := strings.TrimPrefix(filepath.ToSlash(path), "../../")
		script := filepath.Join(dir, strings.ReplaceAll(strings.TrimSuffix(name, ".md"), "/", "-")+".txtar")
		if err := os.WriteFile(script, docScript(t, name, commands, missing), 0o666); err != nil {
			t.Fatal(err)
		}
		scripts = append(scripts, script)
	}
	if total < 8 {
		t.Fatalf("only %d commands found in the documents", total)
	}
	testscript.Run(t, testscript.Params{
		Files: scripts,
		Setup: func(env *testscript.Env) error {
			env.Setenv("ROOT", root)
			for _, name := range []string{"HOME", "GOCACHE", "GOMODCACHE", "GOPATH", "GOFLAGS", "CGO_ENABLED", "GOPROXY", "XDG_CACHE_HOME"} {
				if value, ok := os.LookupEnv(name); ok {
					env.Setenv(name, value)
				}
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"shell": shell, "prints": prints},
	})
}

// docScript writes a document's commands as a test script, without those that need a compiler if it is missing.
func docScript(t *testing.T, name string, commands []Command, missing error) []byte {
	var script, files bytes.Buffer
	script.WriteString("cd $ROOT\n")
	for i, c := range commands {
		if slices.Contains(runElsewhere, c.Text) {
			continue
		}
		if missing != nil && needsCompiler(c.Text) {
			t.Logf("%s:%d is not run: %v", name, c.Line, missing)
			continue
		}
		not := ""
		if strings.Contains(c.Output, "exit status ") { // as go run reports it
			not = "! "
		}
		fmt.Fprintf(&script, "\n# %s:%d\n%sshell '%s'\n", name, c.Line, not, strings.ReplaceAll(c.Text, "'", "''"))
		if c.Shown {
			fmt.Fprintf(&script, "prints $WORK/%d\n", i)
			fmt.Fprintf(&files, "-- %d --\n%s", i, c.Output)
		}
	}
	return append(script.Bytes(), files.Bytes()...)
}

// shell runs one command line by bash, standard error going where output goes.
func shell(ts *testscript.TestScript, not bool, args []string) {
	err := ts.Exec("bash", "-c", "exec 2>&1\n"+args[0])
	if failed := err != nil; failed != not {
		ts.Fatalf("%s\n%s%v", args[0], ts.ReadFile("stdout"), err)
	}
}

// prints compares the last command's output with a file.
func prints(ts *testscript.TestScript, _ bool, args []string) {
	got, want := ts.ReadFile("stdout"), ts.ReadFile(args[0])
	if !OutputPattern(want).MatchString(got) {
		ts.Fatalf("the document shows\n%s\nthe command prints\n%s", want, got)
	}
}

// Commands that run elsewhere are lines in the steps of every CI run.
func TestDocsRunElsewhere(t *testing.T) {
	var ci strings.Builder
	for _, name := range []string{"always.sh", "work.sh"} { // the steps, and what they call
		text, err := os.ReadFile("../../.ci/lib/" + name)
		if err != nil {
			t.Fatal(err)
		}
		ci.Write(text)
	}
	for _, command := range runElsewhere {
		if command != ".ci/run" && !strings.Contains(ci.String(), command) {
			t.Errorf("no step of .ci/lib/always.sh runs %q", command)
		}
	}
}

// Pipelines in the documents load, and are formatted as kgen fmt would.
func TestDocPipelines(t *testing.T) {
	for path, text := range documents(t) {
		for _, f := range Fences(text) {
			if f.Language != "kgen" || !strings.Contains(f.Text, "pipeline ") {
				continue
			}
			if _, errs := ir.Load(path, []byte(f.Text)); len(errs) > 0 {
				t.Errorf("%s:%d: %v", path, f.Line, errs)
				continue
			}
			file, _ := ir.Parse(path, []byte(f.Text))
			if formatted := string(ir.Format(file)); formatted != f.Text {
				t.Errorf("%s:%d: kgen fmt would write\n%s", path, f.Line, formatted)
			}
		}
	}
}

// Links to documents, files and folders have a target.
func TestDocLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^():# ]+)\)`) // code as f[T](a, b) is none
	for path, text := range documents(t) {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), m[1])); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
}

func TestDocCommands(t *testing.T) {
	text := "a\n```sh\n# why\ngo one\ngo two\n```\n```go\n$ no\n```\n```console\n$ go three\nx\n...\ny ... z\n```\n"
	got := Commands(text)
	if len(got) != 3 || got[1].Text != "go two" || got[1].Shown || got[2].Line != 11 || got[2].Output != "x\n...\ny ... z\n" {
		t.Fatalf("%+v", got)
	}
	p := OutputPattern(got[2].Output)
	for output, want := range map[string]bool{"x\ny 1 z\n": true, "x\n1\n2\ny  z\n": true, "x\ny z\n": false, "x\n1\n": false, "w\nx\ny 1 z\n": false} {
		if p.MatchString(output) != want {
			t.Errorf("matching %q is not %v", output, want)
		}
	}
}

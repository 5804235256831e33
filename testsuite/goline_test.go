package testsuite_test

import (
	"bytes"
	"go/version"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// The Go that go.mod asks of users of the library is the oldest that its
// dependencies allow. The shard oldest-go builds with it.
func TestGoLine(t *testing.T) {
	text, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	asked := "go" + string(regexp.MustCompile(`(?m)^go (.*)$`).FindSubmatch(text)[1])
	list := []string{"list", "-m", "-f", "{{.GoVersion}} {{.Path}}"}
	for _, require := range regexp.MustCompile(`(?m)^\t(\S+) v\S+`).FindAllSubmatch(text, -1) {
		list = append(list, string(require[1]))
	}
	var stderr bytes.Buffer
	command := exec.Command("go", list...)
	command.Dir, command.Stderr = "..", &stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	oldest, by := "go1.0", ""
	for line := range strings.Lines(string(out)) {
		if needed, path, _ := strings.Cut(strings.TrimSpace(line), " "); needed != "" && version.Compare("go"+needed, oldest) > 0 {
			oldest, by = "go"+needed, path
		}
	}
	if asked != oldest {
		t.Errorf("go.mod asks for %s, its dependencies for %s (%s)", asked, oldest, by)
	}
}

package docs

import (
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The picture of README.md has the text of the pipeline, and a loop that kgen emits for it.
func TestPicture(t *testing.T) {
	picture, err := os.ReadFile("../../docs/grades.svg")
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]string{}
	tags := regexp.MustCompile(`<[^>]*>`)
	for _, m := range regexp.MustCompile(`<text [^>]*class="c (kgen|go)">(.*)</text>`).FindAllStringSubmatch(string(picture), -1) {
		shown[m[1]] += html.UnescapeString(tags.ReplaceAllString(m[2], "")) + "\n"
	}
	if strings.Count(shown["kgen"], "\n") < 3 || strings.Count(shown["go"], "\n") < 10 {
		t.Fatalf("the picture shows\n%s\n%s", shown["kgen"], shown["go"])
	}
	out := t.TempDir()
	emit := exec.Command("go", "run", "./cmd/kgen", "emit", "examples/grades/grades.kg", "-o", out)
	emit.Dir = "../.."
	if output, err := emit.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	for language, path := range map[string]string{"kgen": "../../examples/grades/grades.kg", "go": filepath.Join(out, "grades.go")} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(words(string(text)), words(shown[language])) {
			t.Errorf("%s has no\n%s", path, shown[language])
		}
	}
}

// words returns a text with one space in place of spaces and line breaks.
func words(text string) string { return strings.Join(strings.Fields(text), " ") }

// Figures of README.md are figures of the pages that it links to.
func TestReadmeFigures(t *testing.T) {
	texts := documents(t)
	pages := texts["../../docs/comparison.md"]
	for path, text := range texts {
		if strings.HasPrefix(path, "../../docs/performance/") {
			pages += text
		}
	}
	before, _, found := strings.Cut(texts["../../README.md"], "\n## What is not there")
	figures := regexp.MustCompile(`\b[0-9]+\.[0-9]{2}\b`).FindAllString(before, -1)
	if !found || len(figures) < 10 {
		t.Fatalf("figures %q", figures)
	}
	for _, figure := range figures {
		if !regexp.MustCompile(`\b` + regexp.QuoteMeta(figure) + `\b`).MatchString(pages) {
			t.Errorf("no page has %s", figure)
		}
	}
}

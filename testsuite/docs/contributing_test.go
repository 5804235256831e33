package docs

import (
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// A quoted path of CONTRIBUTING.md: two or more elements, the first of which
// is a folder of the repository.
var quotedPath = regexp.MustCompile("`([.a-z][\\w./*-]*)`")

// The lists of places in CONTRIBUTING.md name files and folders that exist, and
// no list is empty.
func TestContributingPlaces(t *testing.T) {
	text, err := os.ReadFile("../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	lists := map[string]int{}
	for _, section := range strings.Split(string(text), "\n### ")[1:] {
		name, body, _ := strings.Cut(section, "\n")
		body, _, _ = strings.Cut(body, "\n## ")
		for _, match := range quotedPath.FindAllStringSubmatch(body, -1) {
			place := match[1]
			if first, _, nested := strings.Cut(place, "/"); !nested {
				if info, err := os.Stat("../../" + first); err != nil || !info.IsDir() {
					continue // an identifier
				}
			}
			lists[name]++
			if _, err := os.Stat(path.Join("../..", place)); err != nil {
				t.Errorf("CONTRIBUTING.md, %s: there is no %s", name, place)
			}
		}
	}
	for _, name := range []string{"An element-wise operator (`popcount`, `<<`)", "An operator over rows", "An aggregate", "A scheme", "A dialect", "A file format"} {
		if lists[name] == 0 {
			t.Errorf("CONTRIBUTING.md has no list of places for %q", name)
		}
	}
}

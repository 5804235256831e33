package testsuite

import (
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/kgen-go/kgen/"

// importRule is a row of the table "Import rule" in docs/architecture.md.
type importRule struct {
	packages []string // patterns of path.Match
	imports  []string // patterns, too; nil for no other package of this module
	not      []string
}

// readImportRules reads the table, so that document and test cannot differ.
func readImportRules(t *testing.T) []importRule {
	text, err := os.ReadFile("../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "\n## Import rule\n")
	if !found {
		t.Fatal("docs/architecture.md has no section \"Import rule\"")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	name := regexp.MustCompile("`([^`]+)`")
	names := func(cell string) (list []string) {
		for _, m := range name.FindAllStringSubmatch(cell, -1) {
			list = append(list, m[1])
		}
		return list
	}
	var rules []importRule
	for line := range strings.Lines(section) {
		cells := strings.Split(line, "|")
		if len(cells) != 4 || len(names(cells[1])) == 0 {
			continue
		}
		allowed, refused, _ := strings.Cut(cells[2], "but not")
		rule := importRule{packages: names(cells[1]), imports: names(allowed), not: names(refused)}
		if strings.Contains(allowed, "anything") {
			rule.imports = append(rule.imports, "*", "*/*", "*/*/*", "*/*/*/*")
		}
		rules = append(rules, rule)
	}
	if len(rules) < 10 {
		t.Fatalf("only %d rows in the table of the import rule", len(rules))
	}
	return rules
}

func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, _ := path.Match(p, name)
		return ok
	})
}

// relative returns the path of a package of this module below its root, which is ".".
func relative(path string) (string, bool) {
	if path+"/" == module {
		return ".", true
	}
	return strings.CutPrefix(path, module)
}

// violations returns a line for each import that no rule allows.
func violations(rules []importRule, pkg string, imports []string) (found []string) {
	i := slices.IndexFunc(rules, func(r importRule) bool { return matches(r.packages, pkg) })
	if i < 0 {
		return []string{pkg + " has no row in the table"}
	}
	for _, imported := range imports {
		if ours, ok := relative(imported); ok && (!matches(rules[i].imports, ours) || matches(rules[i].not, ours)) {
			found = append(found, pkg+" imports "+ours)
		}
	}
	return found
}

// Direct imports between the packages of this module follow the table, for each set of build
// tags that selects files.
func TestImportRule(t *testing.T) {
	rules := readImportRules(t)
	for _, tags := range []string{"", "opencl", "cuda"} {
		list := exec.Command("go", "list", "-e", "-tags="+tags, "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "./...")
		list.Dir = ".."
		out, err := list.Output()
		if err != nil {
			t.Fatalf("go list: %v", err)
		}
		var packages []string
		for line := range strings.Lines(string(out)) {
			fields := strings.Fields(line)
			if fields[0] == module+"out" || strings.HasPrefix(fields[0], module+"out/") { // ignored by git: what documents' commands emit
				continue
			}
			name, _ := relative(fields[0])
			packages = append(packages, name)
			for _, v := range violations(rules, packages[len(packages)-1], fields[1:]) {
				t.Errorf("tags %q: %s; see the import rule in docs/architecture.md", tags, v)
			}
		}
		for _, rule := range rules {
			for _, pattern := range rule.packages {
				if !slices.ContainsFunc(packages, func(name string) bool { return matches([]string{pattern}, name) }) {
					t.Errorf("tags %q: no package is %s, which the import rule names", tags, pattern)
				}
			}
		}
	}
}

// The rule refuses forbidden imports.
func TestImportRuleRefuses(t *testing.T) {
	rules := readImportRules(t)
	for _, c := range []struct{ pkg, imported string }{
		{"ir", "plan"},
		{"internal/interp", "fuse"},
		{"backends/gocpu", "fuse"},
		{"internal/device/gocpu", "ir"},
		{"testsuite", "internal/device/gocpu"},
		{"plan", "ir"},
		{"nowhere", "ir"},
	} {
		if len(violations(rules, c.pkg, []string{module + c.imported})) == 0 {
			t.Errorf("%s may import %s", c.pkg, c.imported)
		}
	}
	if v := violations(rules, "internal/compile", []string{module + "fuse", "fmt", "github.com/dave/jennifer/jen"}); len(v) > 0 {
		t.Errorf("internal/compile may not import fuse, fmt and jennifer: %v", v)
	}
}

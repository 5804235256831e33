package testsuite_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/simt"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/testsuite"
	"github.com/kgen-go/kgen/testsuite/internal/kerneltest"
	"github.com/kgen-go/kgen/testsuite/sample"
)

var (
	variableName = regexp.MustCompile(`\bKGEN_[A-Z_]*[A-Z]\b`)
	quotedName   = regexp.MustCompile("`([^`]+)`")
	readVariable = regexp.MustCompile(`"(KGEN_[A-Z_]+)"`)
)

// textsBelow returns the files below a folder that keep accepts, joined.
func textsBelow(t *testing.T, folder string, keep func(path string) bool) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !keep(path) {
			return err
		}
		text, err := os.ReadFile(path)
		all.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// The table of docs/testing.md is true: each variable in it is read by a test, or by
// what it runs, and set by CI, each test is there, its shards are those of CI, and nothing that a
// step sets for tests is missing.
func TestTestingTable(t *testing.T) {
	document, err := os.ReadFile("../docs/testing.md")
	if err != nil {
		t.Fatal(err)
	}
	tests := textsBelow(t, "..", func(path string) bool { return strings.HasSuffix(path, "_test.go") })
	ci := textsBelow(t, "../.ci", func(path string) bool { return true })
	read := map[string]bool{}
	programs := textsBelow(t, "..", func(path string) bool { return strings.HasSuffix(path, ".go") && !strings.Contains(path, "/cmd/") })
	for _, match := range readVariable.FindAllStringSubmatch(programs, -1) {
		read[match[1]] = true
	}
	shards := map[string]bool{}
	entries, err := os.ReadDir("../.ci/shards")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		shards[e.Name()] = false
	}
	named := map[string]bool{}
	for line := range strings.Lines(string(document)) {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		cells := strings.Split(line, "|")
		for _, name := range variableName.FindAllString(line, -1) {
			named[name] = true
		}
		for _, match := range quotedName.FindAllStringSubmatch(line, -1) {
			if name := match[1]; strings.HasPrefix(name, "Test") && !strings.Contains(tests, "func "+name+"(") {
				t.Errorf("there is no %s", name)
			}
		}
		for _, match := range quotedName.FindAllStringSubmatch(cells[4], -1) {
			if name := match[1]; !strings.HasPrefix(name, "KGEN_") {
				if _, ok := shards[name]; !ok && name != "shard" {
					t.Errorf("there is no shard %s", name)
				}
				shards[name] = true
			}
		}
	}
	for name, found := range shards {
		if !found {
			t.Errorf("the table does not say what the shard %s does", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		if !read[name] {
			t.Errorf("no test reads %s", name)
		}
		if !strings.Contains(ci, name+"=") && !strings.Contains(ci, "export "+name) {
			t.Errorf("CI does not set %s", name)
		}
	}
	for _, match := range readVariable.FindAllStringSubmatch(tests, -1) {
		if name := match[1]; strings.Contains(ci, " "+name+"=") && !strings.Contains(string(document), name) {
			t.Errorf("CI sets %s, which a test reads; the table does not have it", name)
		}
	}
}

// A step of every CI run does what go test ./... omits.
func TestEverythingRunsInCI(t *testing.T) {
	always, err := os.ReadFile("../.ci/lib/always.sh")
	if err != nil {
		t.Fatal(err)
	}
	slow := regexp.MustCompile(`(?m)^slow='(.+)'\nslow_packages="(.+)"$`).FindSubmatch(always)
	if slow == nil || !strings.Contains(string(always), ` KGEN_TEST_ALL=1 go test -vet=off -count=1 -timeout 20m -run "$slow" -skip "$later" $slow_packages`) {
		t.Fatal("no step runs the slow tests by KGEN_TEST_ALL")
	}
	patterns := []string{string(slow[1])}
	for _, run := range regexp.MustCompile(`-run '([^']+)'`).FindAllSubmatch(always, -1) {
		patterns = append(patterns, string(run[1]))
	}
	chosen, packages := regexp.MustCompile(strings.Join(patterns, "|")), strings.Fields(string(slow[2]))
	sampling := regexp.MustCompile(`KGEN_TEST_ALL|\beverything\(\)|(if|&&|\|\|) !?everything\b|\bsample\.\w+\(|\bkerneltest\.(RunCorpus|EmittedTexts)\(`)
	function := regexp.MustCompile(`(?ms)^func (Test\w+)\(.*?^}`)
	quarters := regexp.MustCompile(`(?s)long_tests=\((.+?)\n\)`).FindSubmatch(always)
	if quarters == nil {
		t.Fatal("no long tests of which a commit chooses")
	}
	long := regexp.MustCompile("^Test(" + strings.Join(strings.Fields(strings.ReplaceAll(string(quarters[1]), "'", "")), "|") + ")$")
	found := map[string]bool{}
	err = filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") || path == "../testsuite/testingtable_test.go" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || strings.Contains(string(text), "//go:build") {
			return err
		}
		folder := "." + strings.TrimPrefix(filepath.Dir(path), "..")
		runs := slices.Contains(packages, folder)
		if !runs && strings.Contains(string(text), "KGEN_TEST_ALL") {
			t.Errorf("%s reads KGEN_TEST_ALL, and the step does not run %s", path, folder)
		}
		for _, f := range function.FindAllStringSubmatch(string(text), -1) {
			if sampling.MatchString(f[0]) && !(runs && chosen.MatchString(f[1])) {
				t.Errorf("%s: %s takes a sample, and no step runs all of it", path, f[1])
			}
			if long.MatchString(f[1]) && !chosen.MatchString(f[1]) {
				t.Errorf("%s is left out as a long test, and no step runs it", f[1])
			}
			found[folder] = found[folder] || chosen.MatchString(f[1])
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range packages {
		if !found[folder] {
			t.Errorf("the step runs nothing in %s", folder)
		}
	}
}

// Tests assign settings to entry i by i modulo the number of them, or of pairs of
// them, which Step does not divide: a sample has every remainder.
func TestSamplesCoverSettings(t *testing.T) {
	t.Setenv("KGEN_TEST_ALL", "")
	entries, err := testsuite.Load("corpus")
	if err != nil {
		t.Fatal(err)
	}
	for name, takes := range map[string]func(int) bool{"Takes": sample.Takes, "TakesMore": sample.TakesMore} {
		for settings := 2; settings <= len(testsuite.Shapes()); settings++ {
			if settings%sample.Step == 0 {
				continue
			}
			seen := map[int]bool{}
			for i := range entries {
				if takes(i) {
					seen[i%settings] = true
				}
			}
			if len(seen) < settings {
				t.Errorf("%s has %d of %d settings", name, len(seen), settings)
			}
		}
	}
}

// The smallest sample, though it lacks what sorts, meets every level, every variant and
// work-groups that wait for each other and that do not.
func TestSampleMeetsSettings(t *testing.T) {
	t.Setenv("KGEN_TEST_ALL", "")
	entries, err := testsuite.Load("corpus")
	if err != nil {
		t.Fatal(err)
	}
	for name, choose := range map[string]kerneltest.Chooser{"variants": kerneltest.VariantChoices(false, plan.Schedule{}), "parts": kerneltest.PartChoices(false, plan.Schedule{})} {
		levels, variants, published := map[string]bool{}, map[string]bool{}, map[bool]bool{}
		for i, entry := range entries {
			if !sample.Takes(i) || kerneltest.SkipsSorts(entry.Pipeline) {
				continue
			}
			for _, c := range choose(i, entry) {
				levels[c.Level], variants[c.Schedule.Variant], published[c.Schedule.Scheme == simt.SchemePublished] = true, true, true
			}
		}
		if len(levels) < len(fuse.Levels) || len(variants) < len(plan.Variants)-1 || len(published) < 2 {
			t.Errorf("of %s the sample has %v, %v, published: %v", name, levels, variants, published)
		}
	}
}

package docs

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/ir"
	"golang.org/x/tools/txtar"
)

const treeSitter = "../../editors/tree-sitter-kgen"

// rule is a rule of a tree-sitter grammar, as src/grammar.json has it.
type rule struct {
	Type    string
	Value   json.RawMessage
	Content *rule
	Members []rule
}

// strings adds the texts that occur in a rule to a set.
func (r *rule) strings(found map[string]bool) {
	var text string
	if r.Type == "STRING" && json.Unmarshal(r.Value, &text) == nil {
		found[text] = true
	}
	if r.Content != nil {
		r.Content.strings(found)
	}
	for i := range r.Members {
		r.Members[i].strings(found)
	}
}

// The tree-sitter grammar has the words and symbols of the language, and no others.
func TestTreeSitterWords(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(treeSitter, "src/grammar.json"))
	if err != nil {
		t.Fatal(err)
	}
	var grammar struct{ Rules map[string]*rule }
	if err := json.Unmarshal(text, &grammar); err != nil {
		t.Fatal(err)
	}
	words := ir.Words()
	all, operators := map[string]bool{}, map[string]bool{}
	for name, r := range grammar.Rules {
		r.strings(all)
		if name == "binary_expression" || name == "unary_expression" {
			r.strings(operators)
		}
	}
	maps.DeleteFunc(all, func(word string, _ bool) bool { return word[0] < 'a' || 'z' < word[0] })
	same(t, "words of the grammar", slices.Collect(maps.Keys(all)), slices.Concat(words.Reserved, words.Modifiers))
	same(t, "operators of the grammar", slices.Collect(maps.Keys(operators)), words.Symbols)

	query, err := os.ReadFile(filepath.Join(treeSitter, "queries/highlights.scm"))
	if err != nil {
		t.Fatal(err)
	}
	quoted := regexp.MustCompile(`"([^"]+)"`)
	texts := func(list string) (found []string) {
		for _, m := range quoted.FindAllStringSubmatch(list, -1) {
			found = append(found, m[1])
		}
		return found
	}
	var lists [][]string
	for _, m := range regexp.MustCompile(`\(#any-of\? @[a-z.]+([^)]*)\)`).FindAllStringSubmatch(string(query), -1) {
		lists = append(lists, texts(m[1]))
	}
	functions, operands, scans := called()
	want := [][]string{words.Types, functions, words.Types, scans, words.Operations, operands}
	if len(lists) != len(want) {
		t.Fatalf("the query has %d lists of words, want %d", len(lists), len(want))
	}
	for i := range want {
		same(t, fmt.Sprintf("words of list %d of the query", i+1), lists[i], want[i])
	}
	coloured := regexp.MustCompile(`(?m)^\[(.*)\] @operator$`).FindStringSubmatch(string(query))
	if coloured == nil {
		t.Fatal("the query has no list of operators")
	}
	same(t, "operators of the query", texts(coloured[1]), append([]string{"="}, words.Symbols...))
}

// The tree-sitter grammar finds an error in a text if and only if kgen's parser does: in pipelines of the repository, in
// the texts that package ir refuses, and in texts made of both with a few tokens removed, added or replaced.
// KGEN_TREE_SITTER names the program; without it, and without tree-sitter on the PATH, the test is skipped.
func TestTreeSitterAgrees(t *testing.T) {
	program := os.Getenv("KGEN_TREE_SITTER")
	if program == "" {
		var err error
		if program, err = exec.LookPath("tree-sitter"); err != nil {
			t.Skip("there is no tree-sitter; .ci/tree-sitter FOLDER gets it")
		}
	}
	texts := sourceTexts(t)
	random := rand.New(rand.NewPCG(1, 2))
	tokens := regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"|\w+|[ \t]+|&&|\|\||&\^|<<|>>|[=!<>]=|.`)
	var pool []string
	for _, text := range texts {
		pool = append(pool, tokens.FindAllString(text, -1)...)
	}
	pool = append(pool, "unordered", "reproducible", "return", "pipeline", "true", "missing", "present", "like", "\n", "\n", "/* \n */", "/* */", "1e", "0x", "07")
	for _, text := range slices.Clone(texts) {
		for range 20 {
			parts := tokens.FindAllString(text, -1)
			for range 1 + random.IntN(3) {
				at, other := random.IntN(len(parts)), pool[random.IntN(len(pool))]
				switch random.IntN(4) {
				case 0:
					parts[at] = ""
				case 1:
					parts[at] = other
				case 2:
					parts[at] = " " + other + " " + parts[at]
				case 3:
					parts[at] += "\n"
				}
			}
			texts = append(texts, strings.Join(parts, ""))
		}
	}

	dir := t.TempDir()
	var list strings.Builder
	for i, text := range texts {
		path := filepath.Join(dir, fmt.Sprintf("%d.kg", i))
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&list, path)
	}
	paths := filepath.Join(dir, "paths")
	if err := os.WriteFile(paths, []byte(list.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	parse := exec.Command(program, "parse", "--quiet", "--paths", paths)
	parse.Dir = treeSitter
	parse.Env = append(os.Environ(), "XDG_CACHE_HOME="+dir, "XDG_CONFIG_HOME="+dir, "HOME="+dir) // where it compiles the parser
	output, err := parse.Output()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1 && len(output) > 0) {
		t.Fatalf("%v: %v\n%s%s", parse, err, output, exit.Stderr)
	}
	refused := map[string]string{}
	for line := range strings.Lines(string(output)) {
		path, rest, _ := strings.Cut(line, "\t")
		refused[strings.TrimSpace(path)] = rest
	}
	counts, differ := [2]int{}, 0
	for i, text := range texts {
		path := filepath.Join(dir, fmt.Sprintf("%d.kg", i))
		found, has := refused[path]
		_, errs := ir.Parse("text.kg", []byte(text))
		if len(errs) > 0 {
			counts[1]++
		} else {
			counts[0]++
		}
		if has != (len(errs) > 0) {
			if differ++; differ <= 10 {
				t.Errorf("text %d: kgen says %v, tree-sitter %q\n%s", i, errs, found, text)
			}
		}
	}
	t.Logf("%d texts with errors, %d without, %d differ", counts[1], counts[0], differ)
	if counts[0] < 1000 || counts[1] < 1000 {
		t.Errorf("%d texts with errors and %d without are too few", counts[1], counts[0])
	}
}

// sourceTexts returns the pipelines of the repository and its documents, and the texts that tests of package ir parse.
func sourceTexts(t *testing.T) []string {
	t.Helper()
	var texts []string
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "out") {
			return cmp.Or(err, fs.SkipDir)
		}
		switch filepath.Ext(path) {
		case ".kg":
			text, err := os.ReadFile(path)
			texts = append(texts, string(text))
			return err
		case ".txtar":
			archive, err := txtar.ParseFile(path)
			if err != nil {
				return err
			}
			for _, file := range archive.Files {
				if filepath.Ext(file.Name) == ".kg" {
					texts = append(texts, string(file.Data))
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range documents(t) {
		for _, f := range Fences(text) {
			if f.Language == "kgen" {
				texts = append(texts, f.Text)
			}
		}
	}
	return texts
}

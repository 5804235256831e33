// Command mutant measures what the differential tester notices: it plants one
// bug after the other in a copy of kgen's sources, builds kgen with it, and asks
// kgen difftest, or tests of a package for what devices have in common, such as
// reading files.
//
//	go run ./testsuite/mutant             all of them
//	go run ./testsuite/mutant -part 3     the fourth of 14 parts
//	go run ./testsuite/mutant -only carry those whose name has carry
//	go run ./testsuite/mutant -list       their names
//	go run ./testsuite/mutant -check      only whether all fit the sources and compile
//
// A mutant is killed if difftest finds a difference or a test fails, and survives if it does
// not. A mutant that changes no result is equivalent: the list says why. The
// exit status is 1 if a mutant survives or no longer fits the sources.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Mutant is a bug: in File, Old becomes New.
type Mutant struct {
	Name     string
	File     string
	Old, New string
	Device   string // that shows it
	Programs string // pipelines of the corpus that have what it breaks; "" is random ones
	Schedule string // that shows it; "" is any
	Tests    string // arguments of go test that show it, in place of difftest
	// Equivalent says why a mutant that may survive changes no result.
	Equivalent string
}

// parts is the number of parts of a full run.
const parts = 14

// limit is how long difftest may look for a difference.
const limit = 6 * time.Minute

func main() {
	part := flag.Int("part", -1, "run the mutants of `PART` 0 to 13 alone")
	from := flag.Int("from", 0, "leave out the first `N` of the list")
	only := flag.String("only", "", "run the mutants whose name has `TEXT`")
	device := flag.String("device", "", "run the mutants for `DEVICE` alone")
	list := flag.Bool("list", false, "list the mutants")
	check := flag.Bool("check", false, "only check that all fit the sources and compile")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var chosen []Mutant
	for i, m := range Mutants() {
		if i >= *from && (*part < 0 || i%parts == *part) && strings.Contains(m.Name, *only) && (*device == "" || m.Device == *device) {
			chosen = append(chosen, m)
		}
	}
	switch {
	case *list:
		for _, m := range chosen {
			fmt.Printf("%-40s %-9s %s\n", m.Name, cmp.Or(m.Device, "go test"), m.File)
		}
		return
	case *check:
		if err := Check("."); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if !run(ctx, chosen) {
		os.Exit(1)
	}
}

// Check reports mutants that no longer fit the sources in a folder, or do not compile.
func Check(root string) error {
	var faults []error
	names := map[string]bool{}
	var folders []string
	for _, m := range Mutants() {
		if m.isGo() {
			folders = append(folders, "./"+filepath.Dir(m.File))
		}
	}
	checker, err := newTypeChecker(root, folders)
	if err != nil {
		return err
	}
	for _, m := range Mutants() {
		if names[m.Name] {
			faults = append(faults, fmt.Errorf("two mutants are called %s", m.Name))
		}
		names[m.Name] = true
		text, err := m.text(root)
		if err == nil && m.isGo() {
			if err = checker.check(m, text); err != nil {
				err = fmt.Errorf("mutant %s: %w", m.Name, err)
			}
		}
		if err != nil {
			faults = append(faults, err)
		}
	}
	return errors.Join(faults...)
}

func (m Mutant) isGo() bool { return filepath.Ext(m.File) == ".go" }

// text returns the file with the bug.
func (m Mutant) text(root string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, m.File))
	if err != nil {
		return "", fmt.Errorf("mutant %s: %w", m.Name, err)
	}
	if n := strings.Count(string(text), m.Old); n != 1 {
		return "", fmt.Errorf("mutant %s: %s has %d times, not once: %s", m.Name, m.File, n, m.Old)
	}
	return strings.Replace(string(text), m.Old, m.New, 1), nil
}

// verdict is the result for a mutant.
type verdict string

const (
	killed     verdict = "killed"
	survived   verdict = "survived"
	equivalent verdict = "equivalent"
	absent     verdict = "not run"
	broken     verdict = "does not fit"
)

// run runs mutants and reports their verdicts.
func run(ctx context.Context, mutants []Mutant) bool {
	folder, err := os.MkdirTemp("", "kgen-mutant-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return false
	}
	defer os.RemoveAll(folder)
	names := map[verdict][]string{}
	sound := &baseline{folder: folder, clean: map[string]bool{}}
	for _, m := range mutants {
		if ctx.Err() != nil {
			break
		}
		begin := time.Now()
		v, detail := m.run(ctx, folder, sound)
		names[v] = append(names[v], m.Name)
		fmt.Printf("%-12s %-40s %4.0f s  %s\n", v, m.Name, time.Since(begin).Seconds(), detail)
	}
	fmt.Printf("\n%d mutants", len(mutants))
	for _, v := range []verdict{killed, survived, equivalent, absent, broken} {
		fmt.Printf(", %d %s", len(names[v]), v)
	}
	fmt.Println()
	if n := len(names[killed]) + len(names[survived]); n > 0 {
		fmt.Printf("%.1f %% of those that change a result are killed\n", 100*float64(len(names[killed]))/float64(n))
	}
	for _, v := range []verdict{survived, absent, broken} {
		for _, name := range names[v] {
			fmt.Printf("%s: %s\n", v, name)
		}
	}
	return len(names[survived]) == 0 && len(names[broken]) == 0 && ctx.Err() == nil
}

// baseline is kgen without a bug, for which no test may find a difference.
type baseline struct {
	folder string
	binary string          // "" before it is built
	clean  map[string]bool // by test: whether it finds nothing
}

// isClean reports whether a test finds nothing without a bug.
func (b *baseline) isClean(ctx context.Context, m Mutant, arguments []string) (bool, error) {
	key := strings.Join(arguments, " ")
	if clean, ok := b.clean[key]; ok {
		return clean, nil
	}
	if b.binary == "" {
		text, err := os.ReadFile(m.File)
		if err != nil {
			return false, err
		}
		built, err := m.build(ctx, b.folder, string(text))
		if err != nil {
			return false, err
		}
		b.binary = filepath.Join(b.folder, "kgen")
		if err := os.Rename(built, b.binary); err != nil {
			return false, err
		}
	}
	v, _ := m.test(ctx, b.folder, b.binary, arguments)
	b.clean[key] = v == survived
	return b.clean[key], nil
}

// run builds kgen with the bug and tests it.
func (m Mutant) run(ctx context.Context, folder string, sound *baseline) (verdict, string) {
	text, err := m.text(".")
	if err != nil {
		return broken, err.Error()
	}
	if m.Tests != "" {
		return m.runTests(ctx, folder, text)
	}
	binary, err := m.build(ctx, folder, text)
	if err != nil {
		return broken, err.Error()
	}
	defer os.Remove(binary)
	for _, arguments := range m.tests() {
		v, detail := m.test(ctx, folder, binary, arguments)
		if v == survived {
			continue
		}
		if v == killed {
			switch clean, err := sound.isClean(ctx, m, arguments); {
			case err != nil:
				return broken, err.Error()
			case !clean:
				return broken, "kgen difftest finds differences without a mutant, too: mend those first"
			}
		}
		return v, detail
	}
	if m.Equivalent != "" {
		return equivalent, m.Equivalent
	}
	return survived, ""
}

// runTests runs tests of Go with the bug, and without it.
func (m Mutant) runTests(ctx context.Context, folder, text string) (verdict, string) {
	overlay, err := m.overlay(folder, text)
	if err != nil {
		return broken, err.Error()
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	test := func(flags ...string) (string, error) {
		arguments := slices.Concat([]string{"test"}, flags, strings.Fields(m.Tests))
		out, err := exec.CommandContext(ctx, "go", arguments...).CombinedOutput()
		return string(out), err
	}
	out, err := test("-overlay", overlay)
	switch {
	case err == nil:
		return survived, ""
	case !strings.Contains(out, "--- FAIL"):
		return broken, fmt.Sprintf("go test: %v\n%s", err, out)
	}
	if _, err := test(); err != nil {
		return broken, "the tests fail without a mutant, too: mend those first"
	}
	return killed, firstLine(out, "--- FAIL: ")
}

// overlay makes a file for go's flag -overlay, which puts the bug into the sources without
// touching them.
func (m Mutant) overlay(folder, text string) (string, error) {
	mutated := filepath.Join(folder, filepath.Base(m.File))
	if err := os.WriteFile(mutated, []byte(text), 0o600); err != nil {
		return "", err
	}
	original, err := filepath.Abs(m.File)
	if err != nil {
		return "", err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{original: mutated}})
	if err != nil {
		return "", err
	}
	name := filepath.Join(folder, "overlay.json")
	return name, os.WriteFile(name, overlay, 0o600)
}

// build makes the executable with the bug.
func (m Mutant) build(ctx context.Context, folder, text string) (string, error) {
	overlayName, err := m.overlay(folder, text)
	if err != nil {
		return "", err
	}
	binary := filepath.Join(folder, "kgen-mutant")
	command := exec.CommandContext(ctx, "go", "build", "-ldflags=-s -w", "-overlay", overlayName, "-o", binary, "./cmd/kgen")
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("it does not build: %w\n%s", err, out)
	}
	return binary, nil
}

// tests are the runs of difftest, in order: few programs, then more.
func (m Mutant) tests() [][]string {
	common := []string{"difftest", "--first", "--devices", m.Device}
	random := func(n int, seed string) []string {
		return append(common[:len(common):len(common)], "--random", fmt.Sprint(n), "--seed", seed)
	}
	files, _ := filepath.Glob(filepath.Join("testsuite", "corpus", m.Programs+".kg"))
	if m.Schedule != "" {
		inputs := []string{"--inputs", walkedRows}
		if m.Device == "emulated" || m.Device == "gocpu" {
			inputs = []string{"--runs", "40"}
		}
		return [][]string{slices.Concat(common, []string{"--levels", "onepass", "--schedule", m.Schedule}, inputs, files)}
	}
	if m.Programs != "" {
		inputs := []string{"--runs", "40"}
		if m.Device == "gocpu:race" {
			inputs = []string{"--inputs", "98305,131072"} // several blocks of rows
		}
		chance := slices.Concat(common, []string{"--levels", "onepass,none"}, inputs, files)
		// Chance may have chosen a variant of aggregation, or another scheme; and a
		// subgroup has 32 work-items.
		return [][]string{chance, append(slices.Clip(chance), "--schedule", "workgroup=8,items=3"), append(slices.Clip(chance), "--schedule", "workgroup=64,items=2")}
	}
	return [][]string{random(60, "1"), random(300, "2"), random(700, "3")}
}

// test runs difftest.
func (m Mutant) test(ctx context.Context, folder, binary string, arguments []string) (verdict, string) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	command := exec.CommandContext(ctx, binary, arguments...)
	command.Env = append(os.Environ(), "KGEN_CACHE="+filepath.Join(folder, "cache"), "POCL_CACHE_DIR="+filepath.Join(folder, "pocl"))
	out, err := command.CombinedOutput()
	text := string(out)
	switch {
	case ctx.Err() != nil:
		return survived, "no answer in time"
	case err == nil:
		return survived, ""
	case strings.Contains(text, "nothing was compared"):
		return absent, firstLine(text, "not run on ")
	case strings.Contains(text, " differ") || strings.Contains(text, "panic:"):
		return killed, firstLine(text, "  ")
	}
	return broken, fmt.Sprintf("difftest: %v\n%s", err, text)
}

// firstLine returns the first line that begins with a prefix, cut to a width.
func firstLine(text, prefix string) string {
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, prefix); ok {
			return strings.TrimSpace(rest[:min(len(rest), 120)])
		}
	}
	return ""
}

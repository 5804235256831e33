package emitted

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// emittedMutants are bugs in functions of examples/consumer. Each replaces the
// first occurrence of old.
var emittedMutants = []struct{ name, file, old, new string }{
	{"the limit itself is kept", "analytics/below.go", "selected2 := x4 < limit", "selected2 := x4 <= limit"},
	{"rows that do not fill four are dropped", "analytics/below.go", "for _, x3 := range xRows {", "for _, x3 := range xRows[:0] {"},
	{"blocks overwrite each other", "analytics/below.go", "copy(x2[selectedPlaceBefore:]", "copy(x2[0:]"},
	{"the greatest discount does not count", "analytics/revenue.go", "discount2 <= 0.07", "discount2 < 0.07"},
	{"the day after the last counts", "analytics/revenue.go", "shipdate2 < to)", "shipdate2 <= to)"},
	{"only the greatest block is summed", "analytics/revenue.go", "revenue2 = revenueBefore + revenue3", "revenue2 = max(revenueBefore, revenue3)"},
	{"an order across two blocks loses its beginning", "analytics/orders.go", "lines[slot] = openLinesBefore + linesScratch[0]", "lines[slot] = linesScratch[0]"},
	{"an order of whole blocks forgets the ones before", "analytics/orders.go", "openQuantity2 = openQuantityBefore + openQuantityBlock", "openQuantity2 = openQuantityBlock"},
	{"a long order has fewer lines", "analytics/orders.go", "openLines += 16", "openLines += 15"},
	{"half an hour is a pause", "sessions/sessions.go", "time2-previous2 > 1800", "time2-previous2 >= 1800"},
	{"no items pass the check", "sessions/mean_price.go", "cond := sum2 == 0", "cond := sum2 == 1"},
}

// The tests that kgen emits notice bugs in the functions: nine of ten at least.
// .ci/run has a shard for them, since each is built anew.
func TestEmittedMutants(t *testing.T) {
	if os.Getenv("KGEN_STATICCHECK") == "" {
		t.Skip("they take long; KGEN_STATICCHECK asks for them, as .ci/run does in a shard")
	}
	folder := newModule(t)
	for _, name := range []string{"analytics", "sessions"} {
		if err := os.CopyFS(filepath.Join(folder, name), os.DirFS(filepath.Join("..", "..", "examples", "consumer", name))); err != nil {
			t.Fatal(err)
		}
	}
	goCommand(t, folder, "test", "./...")
	killed := 0
	for _, mutant := range emittedMutants {
		path := filepath.Join(folder, mutant.file)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		mutated := strings.Replace(string(text), mutant.old, mutant.new, 1)
		if mutated == string(text) {
			t.Errorf("%s: %s has no %q any more", mutant.name, mutant.file, mutant.old)
			continue
		}
		write(t, path, []byte(mutated))
		goCommand(t, folder, "build", "./...")
		command := exec.Command("go", "test", "./"+filepath.Dir(mutant.file))
		command.Dir = folder
		output, err := command.CombinedOutput()
		if err != nil {
			killed++
			t.Logf("killed: %s\n%.600s", mutant.name, output)
		} else {
			t.Logf("survived: %s", mutant.name)
		}
		write(t, path, text)
	}
	if 10*killed < 9*len(emittedMutants) {
		t.Errorf("%d of %d mutants are noticed", killed, len(emittedMutants))
	}
}

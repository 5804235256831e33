package partial_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kgen-go/kgen/internal/partial"
	"github.com/kgen-go/kgen/ir"
)

var update = flag.Bool("update", false, "write the expected splits")

func load(t testing.TB, source string) *ir.Pipeline {
	t.Helper()
	pipelines, errs := ir.Load("p.kg", []byte(source))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	return pipelines[0]
}

// pipelinesOf returns the pipelines of a split that there are.
func pipelinesOf(s *partial.Split) []*ir.Pipeline {
	return slices.DeleteFunc([]*ir.Pipeline{s.Shard, s.Merge.Pipeline, s.Finish}, func(p *ir.Pipeline) bool { return p == nil })
}

// describe is all of a split as text.
func describe(s *partial.Split) string {
	var b strings.Builder
	for _, p := range pipelinesOf(s) {
		fmt.Fprint(&b, p)
	}
	fmt.Fprintf(&b, "rows of shards: results %v\n", s.Rows)
	if s.Halo != nil {
		fmt.Fprintf(&b, "halo %+v\n", *s.Halo)
	}
	for i, state := range s.States {
		fmt.Fprintf(&b, "state %d: %s %v %v grouping %d rows %d\n", i, state.Name, state.Kind, state.Fold, state.Grouping, state.Rows)
	}
	for i, g := range s.Groupings {
		fmt.Fprintf(&b, "grouping %d: %s keys %v head %d\n", i, g.Name, g.Keys, g.Head)
	}
	for i, c := range s.ShardChecks {
		fmt.Fprintf(&b, "check %d of shard: %d after %d\n", i, c.Whole, c.Rows)
	}
	for i, c := range s.FinishChecks {
		fmt.Fprintf(&b, "check %d of finish: %d\n", i, c)
	}
	for _, c := range s.Empty {
		fmt.Fprintf(&b, "check %d: rows %d\n", c.Whole, c.Rows)
	}
	return b.String()
}

// Both parts of each pipeline in testdata, and what is known of the states.
func TestSplit(t *testing.T) {
	files, err := filepath.Glob("testdata/*.kg")
	if err != nil || len(files) < 3 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		pipelines, err := ir.LoadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := partial.New(pipelines[0], optionsOf(file))
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		golden := strings.TrimSuffix(file, ".kg") + ".txt"
		if *update {
			if err := os.WriteFile(golden, []byte(describe(s)), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), describe(s)); diff != "" {
			t.Errorf("%s differs; go test -update writes it again:\n%s", golden, diff)
		}
		for _, p := range pipelinesOf(s) {
			if err := ir.Verify(p); err != nil {
				t.Errorf("%s: %v", p.Name, err)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, test := range []struct{ source, want string }{
		{"pipeline p(x: [n]i32) {\n\treturn y: x + 1\n}", "p.kg:2:14: no partials: result y has a row for each row of n, and partials hold aggregates"},
		{"pipeline p(x: [n]i32) {\n\tm = x > 1\n\treturn y: x[m], s: sum(x)\n}", "p.kg:3:12: no partials: result y has a row for each row of m"},
		{"pipeline p(x: [n]i32) {\n\treturn runs(x)\n}", ""},
		{"pipeline p(x: i32) {\n\treturn y: x + 1\n}", "p.kg:1:1: no partials: pipeline p aggregates no rows"},
		{"pipeline p(x: [n]i32) {\n\treturn y: sum(scan(add, x))\n}", "p.kg:2:16: no partials: scan runs over the rows of earlier shards"},
		{"pipeline p(x: [n]i32) {\n\treturn y: sum(exscan(add, 1, by: runs(x)))\n}", "p.kg:2:16: no partials: exscan runs over"},
		{"pipeline p(x: [n]i32) {\n\ty = x[x > 1]\n\treturn y: count(y > prev(y, 1, 0))\n}", "p.kg:3:22: no partials: prev reads rows of other shards that a filter has kept"},
		{"pipeline p(x: [n]i32, z: [m]i32) {\n\treturn y: count(x > next(x, 1, 0)), s: sum(z)\n}", "p.kg:2:22: no partials: next reads rows of other shards, and there are the domains n and m"},
		{"pipeline p(x: [n]i32) {\n\treturn y: count(x > prev(10 / x, 1, 0))\n}", "p.kg:2:22: no partials: prev reads rows of other shards whose / may fail a check"},
		{"pipeline p(x: [n]i32) {\n\treturn y: count(x > prev(x, 5000, 0))\n}", "p.kg:2:22: no partials: prev reads too far into other shards"},
		{"pipeline p(x: [n]i32) {\n\treturn y: count(prev(x, 3000, 0) > next(x, 3000, 0))\n}", "p.kg:1:1: no partials: pipeline p reads too far into other shards"},
		{"pipeline p(x: [n]i32) {\n\treturn y: sum(index(x))\n}", "p.kg:2:16: no partials: index counts the rows of earlier shards"},
		{"pipeline p(x: [n]i32) {\n\tg = runs(x)\n\treturn y: max(g)\n}", "p.kg:3:12: no partials: max takes the numbers of groups"},
		{"pipeline p(x: [n]i32) {\n\tg = runs(x)\n\treturn y: first(g, by: g)\n}", "p.kg:3:12: no partials: first takes the numbers of groups"},
		{"pipeline p(x: [n]i32) {\n\tg = runs(x)\n\treturn y: sum(sum(x, by: g)[g])\n}", "p.kg:3:16: no partials: x[i] needs, for each row, a result of all rows"},
		{"pipeline p(x: [n]f64) {\n\treturn y: count(x > avg(x))\n}", "p.kg:2:20: no partials: > needs, for each row, a result of all rows"},
		{"pipeline p(x: [n]i32, y: [m]i32) {\n\treturn y: sum(align(x, to: y) + y)\n}", "p.kg:2:16: no partials: align compares the lengths"},
		{"pipeline p(x: [n]i32, i: [m]i32) {\n\treturn y: sum(x[i])\n}", "p.kg:2:16: no partials: x[i] needs the rows of other shards"},
		{"pipeline p(x: [n]i32) {\n\treturn y: x[3]\n}", "p.kg:2:12: no partials: x[i] needs the rows of other shards"},
		{"pipeline p(i: [n]i32, y: [m]i32) {\n\treturn c: count(by: bins(i, y)), s: sum(y)\n}", "p.kg:2:22: no partials: the bins are rows of m, which are cut into shards"},
		{"pipeline p(x: [o]i32) {\n\treturn y: repeat(x)\n}", "p.kg:2:12: no partials: result y has numbers of rows"},
		{"pipeline p(x: [o]i32, z: [m]i32) {\n\tj = join(x, z)\n\treturn y: j.left + 1\n}", "p.kg:3:19: no partials: + takes numbers of rows"},
		{"pipeline p(x: [o]i32) {\n\tr = repeat(x)\n\treturn s: sum(x[r][argmax(x[r], by: r)])\n}", "p.kg:3:21: no partials: argmax gives a row's number"},
		{"pipeline p(x: [o]i32, z: [o]f64) {\n\tr = repeat(x)\n\treturn reproducible s: max(sum(z[r], by: r), else: 0)\n}", "p.kg:3:29: no partials: sum of floats rounds all rows"},
		{"pipeline p(x: [o]i32, z: [m]i32) {\n\treturn y: z[i64(repeat(x))]\n}", "p.kg:2:14: no partials: cast takes numbers of rows"},
		{"pipeline p(x: [o]i32) {\n\treturn y: find(x, in: x)\n}", "p.kg:2:12: no partials: find looks for rows among those of other shards"},
		{"pipeline p(x: [o]i32, z: [m]i32) {\n\treturn y: count(find(z, in: x) >= 0)\n}", "p.kg:2:18: no partials: find looks for rows"},
		{"pipeline p(x: [n]i32) {\n\treturn y: argmax(x)\n}", "p.kg:2:12: no partials: argmax gives a row's number"},
		{"pipeline p(x: [n]text) {\n\treturn y: max(x, else: \"\")\n}", "p.kg:2:12: no partials: max may have no rows, and a partial holds no text for none"},
		{"pipeline p(x: [n]text, b: [n]u8) {\n\treturn y: first(x, by: bins(b, 4))\n}", "p.kg:2:12: no partials: first may have no rows"},
		{"pipeline p(x: [n]i32) {\n\treturn y: groups(x)\n}", "p.kg:2:12: no partials: result y has a row for each row of n"},
		{"pipeline p(x: [n]i32) {\n\tg = groups(x)\n\treturn y: max(g)\n}", "p.kg:3:12: no partials: max takes the numbers of groups"},
		{"pipeline p(x: [n]text) {\n\treturn y: first(x, by: groups(x), else: \"\")\n}", "p.kg:2:12: no partials: first may have no rows"},
		{"pipeline p(x: [n]i32) {\n\treturn y: x[order(x)]\n}", "p.kg:2:14: no partials: order needs the rows of other shards"},
	} {
		p := load(t, strings.Replace(test.source, "return runs(x)", "return y: runs(x)", 1))
		var o partial.Options
		if strings.Contains(test.source, "[o]") {
			o = partial.Options{Rows: true, Over: "o"}
		}
		_, err := partial.New(p, o)
		if err == nil || !strings.HasPrefix(err.Error(), test.want) || !strings.Contains(err.Error(), ": no partials: ") {
			t.Errorf("%s\ngives %v, want %s", test.source, err, test.want)
		}
	}
}

// Partials of equal pipelines combine, and of others do not.
func TestID(t *testing.T) {
	id := func(source string) string {
		s, err := partial.New(load(t, source), partial.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return s.ID()
	}
	a := id("pipeline p(x: [n]i32) {\n\treturn y: sum(x)\n}")
	if b := id("// Not the same text.\npipeline p( x: [n]i32) {\n\treturn y:sum(x)\n}"); a != b {
		t.Errorf("the layout of the text changes the ID")
	}
	for _, other := range []string{
		"pipeline q(x: [n]i32) {\n\treturn y: sum(x)\n}", "pipeline p(x: [n]i64) {\n\treturn y: sum(x)\n}", "pipeline p(x: [n]i32) {\n\treturn y: sum(x + 1)\n}",
	} {
		if id(other) == a {
			t.Errorf("%s has the same ID", other)
		}
	}
}

// optionsOf returns how the pipelines of a file are cut, by its name.
func optionsOf(file string) partial.Options {
	name := filepath.Base(file)
	o := partial.Options{Rows: strings.HasPrefix(name, "rows")}
	if strings.Contains(name, "_over_n") {
		o.Over = "n"
	}
	return o
}

package compile

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

var update = flag.Bool("update", false, "write the golden files anew")

func load(t *testing.T, text string) *ir.Pipeline {
	t.Helper()
	pipelines, errs := ir.Load("test.kg", []byte(text))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	return pipelines[0]
}

// TestPasses holds each level before and after each pass, for a scan, a filter
// with a check, and an ordered aggregation.
func TestPasses(t *testing.T) {
	sources, err := filepath.Glob("testdata/*.kg")
	if err != nil || len(sources) != 3 {
		t.Fatalf("%v, %d sources", err, len(sources))
	}
	for _, source := range sources {
		pipelines, err := ir.LoadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, pass := range []string{"verify", "lower", "fuse", "tile", "plan"} { // what follows depends on a backend
			text, err := After(pass, pipelines[0], Options{Level: fuse.LevelPaper2})
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "-- %s --\n%s\n", pass, strings.TrimRight(text, "\n"))
			if again, _ := After(pass, pipelines[0], Options{Level: fuse.LevelPaper2}); again != text {
				t.Errorf("%s: after %s, the text differs a second time", source, pass)
			}
		}
		path := strings.TrimSuffix(source, ".kg") + ".passes"
		if *update {
			if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(b.String(), "\n")); diff != "" {
			t.Errorf("%s (-file +got; go test ./internal/compile -update writes it anew):\n%s", path, diff)
		}
	}
}

const orders = "pipeline orders(k: [n]i64, x: [n]i64) {\n\tg = runs(k)\n\treturn key: first(k, by: g), total: sum(x, by: g)\n}\n"

func TestCompile(t *testing.T) {
	p := load(t, orders)
	for level, kernels := range map[string]int{"": 1, fuse.LevelNone: 5, fuse.LevelPaper3: 3, fuse.LevelPaper2: 2, fuse.LevelOnePass: 1,
		"mask | partial offset add aggregate": 2} {
		out, fused, err := Compile(p, Options{Level: level, Source: []byte(orders)})
		if err != nil {
			t.Fatalf("level %s: %v", level, err)
		}
		want := level
		if want == "" {
			want = fuse.LevelAuto
		}
		if len(out.Kernels) != kernels || len(out.Plan.Kernels) != kernels || out.Plan.Level != want || out.Pipeline != p || string(out.Source) != orders ||
			fused.Fusion.Machine.Device != plan.Profiles()[plan.DefaultProfile].Device {
			t.Errorf("level %q: %d kernels of %d in the plan, level %s", level, len(out.Kernels), len(out.Plan.Kernels), out.Plan.Level)
		}
	}
}

func TestErrors(t *testing.T) {
	p := load(t, orders)
	if _, err := After("lunch", p, Options{}); err == nil || err.Error() != "there is no pass \"lunch\"; there are "+strings.Join(Passes(), ", ") {
		t.Errorf("pass lunch: %v", err)
	}
	for level, want := range map[string]string{
		"most":       "there is no fusion level \"most\"; there are none, paper3, paper2, onepass, auto, or a plan by hand",
		"mask | add": "the plan \"mask | add\": ",
	} {
		if _, _, err := Compile(p, Options{Level: level}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("level %s: %v", level, err)
		}
	}
}

// TestBrokenInvariants breaks what a pass hands on; the check behind the next
// pass must find it and name the pass.
func TestBrokenInvariants(t *testing.T) {
	for _, c := range []struct {
		name, want string
		corrupt    func(*state)
	}{
		{"an unverified pipeline", "internal error before lowering: ", func(s *state) {
			broken := *s.ir
			broken.Values = slices.Clone(broken.Values)
			slices.Reverse(broken.Values)
			s.ir = &broken
		}},
		{"a value used before it is defined", "internal error after tile: kernel orders_kernel1: ", func(s *state) {
			ops := s.program.Kernels[0].Ops
			ops[0], ops[len(ops)-1] = ops[len(ops)-1], ops[0]
		}},
		{"a leaf too few", "internal error after tile: kernel orders_kernel1: ", func(s *state) {
			for i := range s.program.Kernels[0].Ops {
				if op := &s.program.Kernels[0].Ops[i]; op.Kind == tile.Scan {
					op.Args = op.Args[1:]
				}
			}
		}},
		{"an input that is written", "internal error after tile: kernel orders_kernel1: ", func(s *state) {
			for i := range s.program.Kernels[0].Streams {
				s.program.Kernels[0].Streams[i].Write = true
			}
		}},
		{"a store for rows that are not there", "internal error after tile: kernel orders_kernel1: ", func(s *state) {
			for i := range s.program.Kernels[0].Ops {
				if op := &s.program.Kernels[0].Ops[i]; op.Kind == tile.Store {
					op.Domain = 7
				}
			}
		}},
		{"a kernel that the plan does not have", "internal error after tile: ", func(s *state) { s.program.Plan.Kernels = nil }},
		{"a buffer that the plan does not have", "internal error after tile: ", func(s *state) { s.program.Plan.Buffers = s.program.Plan.Buffers[1:] }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := run(load(t, orders), Options{Level: fuse.LevelOnePass}, "")
			if err != nil {
				t.Fatal(err)
			}
			c.corrupt(s)
			err = errors.Join(verify(s), check(s))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}

// A plan has the texts that a host puts into its dictionary, also an empty one and bytes
// that are not UTF-8: the bound of startswith(x, "п") is such.
func TestTextsOfPlan(t *testing.T) {
	p := load(t, `pipeline p(x: [n]text missing "none", t: text = "a \"b\"") {
	return a: x == "", b: x < t, c: startswith(x, "п")
}`)
	program, _, err := Compile(p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := plan.Encode(program.Plan)
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := plan.Decode(encoded)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, port := range decoded.Ports {
		if port.Direction == plan.In {
			got = append(got, string(port.Text))
		}
	}
	if d := cmp.Diff([]string{`"none"`, `"a \"b\""`, `""`, `"п"`, `"\xd0\xc0"`}, got); d != "" {
		t.Error(d)
	}
}

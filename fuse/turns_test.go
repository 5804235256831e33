package fuse

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/plan"
)

// TestTurns holds which passes plans run, and by which digits, if words differ in the
// bits from one on and below another.
func TestTurns(t *testing.T) {
	const partition = "order(bins(k, 16)), rows: count(by: bins(k, 16))"
	for _, c := range []struct {
		body      string
		low, high int64
		want      string
	}{
		{"order(k)", 32, 0, "none"},
		{"order(k)", 0, 1, "only:0+8"},
		{"order(k)", 3, 8, "only:0+8"},
		{"order(k)", 3, 9, "recount only:3+6"},
		{"order(k)", 20, 24, "recount only:20+4"},
		{"order(k)", 0, 16, "first:0+8 last:8+8"},
		{"order(k)", 0, 12, "recount other first:0+6 other last:6+6"}, // of many rows
		{"order(k)", 15, 32, "recount other first:14+6 other middle:20+6 other last:26+6"},
		{"order(k)", 0, 17, "recount other first:0+6 other middle:6+6 other last:12+6"},
		{"order(k)", 0, 19, "first:0+8 middle:8+8 last:16+8"},
		{"order(k)", 8, 20, "recount other first:8+6 other last:14+6"},
		{"order(k)", 3, 30, "first:0+8 middle:8+8 middle:16+8 last:24+8"},
		{"order(k)", 0, 32, "first:0+8 middle:8+8 middle:16+8 last:24+8"},
		{"order(u8(k))", 0, 8, "only:0+8"},
		{partition, 0, 4, "only:0+4"},
		{partition, 32, 0, "none"},
		{"order(u16(k))", 1, 16, "first:0+8 last:8+8"},
		// Digits of a narrow word have no more bits than they need.
		{"order(bins(k, 4096))", 0, 12, "first:0+6 last:6+6"},
		{"order(bins(k, 4096))", 4, 10, "recount only:4+6"},
		{"order(bins(k, 100_000))", 0, 17, "first:0+6 middle:6+6 last:12+6"},
		// Of a wide word the last passes have 32 bits, from some bit on.
		{"order(u64(k))", 64, 0, "none"},
		{"order(u64(k))", 40, 47, "recount only:40+7"},
		{"order(u64(k))", 0, 12, "first:0+8 last:8+8"},
		{"order(u64(k))", 20, 52, "recount first:20+8 middle:8+8 middle:16+8 last:24+8"},
		{"order(u64(k))", 0, 33, "first:0+8 middle:0+8 middle:8+8 middle:16+8 last:24+8"},
		{"order(u64(k))", 10, 43, "recount first:8+7 middle:4+7 middle:11+7 middle:18+7 last:25+7"},
		{"order(u64(k))", 0, 48, "wide first:0+8 wide last:8+8 middle:0+8 middle:8+8 middle:16+8 last:24+8"},
		{"order(u64(k))", 7, 60, "recount wide first:4+8 wide middle:12+8 wide last:20+8 middle:0+8 middle:8+8 middle:16+8 last:24+8"},
		{"order(u64(k))", 0, 57, "wide first:0+8 wide middle:8+8 wide middle:16+8 wide last:24+8 middle:0+8 middle:8+8 middle:16+8 last:24+8"},
		{"order(u64(k) >> 20)", 0, 44, "wide first:0+8 wide last:8+8 middle:0+8 middle:8+8 middle:16+8 last:24+8"},
		// Of wide digits two save a pass, or none are taken.
		{"order(k), wide: 9", 0, 17, "recount other first:0+9 other last:9+9"},
		{"order(k), wide: 9", 14, 32, "recount other first:14+9 other last:23+9"},
		{"order(k), wide: 9", 0, 19, "first:0+8 middle:8+8 last:16+8"},
		{"order(k), wide: 9", 0, 16, "first:0+8 last:8+8"},
		{"order(k), wide: 9", 3, 9, "recount only:3+6"},
		{"order(k), wide: 9", 8, 20, "recount first:8+6 last:14+6"},
		{"order(k), wide: 9", 0, 27, "first:0+8 middle:8+8 middle:16+8 last:24+8"},
		{"order(bins(k, 100_000)), wide: 9", 0, 17, "first:0+9 last:9+9"},
	} {
		for _, level := range Levels {
			body, isWide := strings.CutSuffix(c.body, ", wide: 9")
			g := graphOf(t, "k: [n]i32", "return p: "+body, Options{Short: true, Wide: isWide})
			for _, s := range g.Stages {
				if of := s.turn.of; of != nil && s != of.chosen && !g.Needs(s, of.chosen) {
					t.Errorf("%s: %s may run before the plan chooses", c.body, s.Name)
				}
			}
			env := scalars{g.orderRoom: 0}
			for _, turn := range g.turns {
				env[g.result(turn.of.low).Name], env[g.result(turn.of.high).Name] = c.low, c.high
				env[turn.of.names.shift] = 0
				if turn.of.cut != nil {
					env[g.result(turn.of.cut).Name] = cutOf(c.low, c.high)
				}
			}
			got := strings.Join(turnsOf(t, program(t, g, level), env), " ")
			if got != c.want {
				t.Errorf("%s, bits from %d below %d, level %s: %s, want %s", c.body, c.low, c.high, level, got, c.want)
			}
		}
	}
}

// cutOf is the bit from which on 32 bits are behind wide passes, if words differ in bits from low on
// and below high, and digits have 8 bits at most.
func cutOf(low, high int64) int64 {
	if (high-low+7)/8 == (high+7)/8 { // digits begin at bit 0
		high = (high + 7) / 8 * 8
	}
	return max(high-32, 0)
}

// TestPackedTurns holds which passes plans run by packed words: as many as the bits of the keys
// need, from the number of the row on. All are launches of one kernel, that of the first pass. Narrow
// keys are not packed.
func TestPackedTurns(t *testing.T) {
	for _, c := range []struct {
		keys                string
		first, count, width int64
		want                string
	}{
		{"i32(k)", 0, 0, 0, ""},
		{"u8(k), k > 0, u16(k)", 0, 0, 0, ""},
		{"k", 24, 0, 0, "recount none"},
		{"k", 24, 1, 7, "recount first:24+7"},
		{"k", 24, 2, 6, "recount first:24+6 first:30+6"},
		{"k", 24, 5, 8, "recount first:24+8 first:32+8 first:40+8 first:48+8 first:56+8"},
		{"u8(k), i32(k)", 1, 4, 8, "recount first:1+8 first:9+8 first:17+8 first:25+8"},
		{"f64(k), desc(k)", 1, 8, 8, "recount first:1+8 first:9+8 first:17+8 first:25+8 first:33+8 first:41+8 first:49+8 first:57+8"},
	} {
		for _, level := range Levels {
			g := graphOf(t, "k: [n]i64", "return p: order("+c.keys+")", Options{})
			p, env := program(t, g, level), scalars{}
			for _, s := range p.Plan.Scalars {
				env[s.Name] = 0
			}
			for _, turn := range g.turns {
				names := turn.of.names
				env[names.shift], env[names.passes], env[names.width] = c.first, c.count, c.width
			}
			if got := strings.Join(turnsOf(t, p, env), " "); got != c.want {
				t.Errorf("%s, %d passes, level %s: %s, want %s", c.keys, c.count, level, got, c.want)
			}
		}
	}
}

// turnsOf follows the steps of a plan, where some scalars are known. It returns the launches that
// the plan may leave out, each pass with its shift and width.
func turnsOf(t *testing.T, p *Program, env scalars) (list []string) {
	t.Helper()
	names := map[sortPart]string{recount: "recount", wideFirst: "wide first", wideMiddle: "wide middle", wideLast: "wide last", firstPass: "first", middlePass: "middle", lastPass: "last", onlyPass: "only", noPass: "none"}
	turns := map[string]turn{}
	for i, k := range p.Kernels {
		turns[k.Name] = turnOf(p.Groups[i])
	}
	graph := p.Fusion.Graph
	var run func(steps []plan.Step)
	eval := func(e plan.Expr) int64 {
		v, err := e.Eval(env)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	run = func(steps []plan.Step) {
		for _, s := range steps {
			switch {
			case s.Set != nil:
				env[s.Set.Scalar] = eval(s.Set.Value)
			case s.If != nil && eval(s.If.Cond) != 0:
				run(s.If.Then)
			case s.If != nil:
				run(s.If.Else)
			case s.Launch != nil:
				turn := turns[s.Launch.Kernel]
				if turn.of == nil {
					continue
				}
				name := names[turn.part]
				if turn.isOther {
					name = "other " + name
				}
				if turn.part != recount && turn.part != noPass {
					name += fmt.Sprintf(":%d+%d", env[graph.digitShift], env[graph.digitWidth])
				}
				list = append(list, name)
			}
		}
	}
	run(p.Plan.Steps)
	return list
}

// scalars are those of a plan, which have to be set before they are used.
type scalars map[string]int64

func (s scalars) Scalar(name string) (int64, error) {
	if x, ok := s[name]; ok {
		return x, nil
	}
	return 0, fmt.Errorf("%s is not set", name)
}

func (s scalars) Len(string) (int64, error)      { return 1 << 28, nil }
func (s scalars) Property(string) (int64, error) { return 0, errors.New("no machine") }
func (s scalars) Resident(string) (int64, error) { return 0, errors.New("no machine") }
func (s scalars) Rows() (int64, error)           { return 0, errors.New("no launch") }

// TestSortsCountApart: a launch has digits of one width, so kernels of several sorts are illegal.
func TestSortsCountApart(t *testing.T) {
	g := graphOf(t, "a: [n]i64, b: [n]i64", "return p: order(a), q: order(b)", Options{Cores: true, Radix: 8})
	var first *Stage
	for _, s := range g.Stages {
		switch {
		case s.Kind != Histogram || s.turn.of == nil:
		case first == nil:
			first = s
		case s.turn.of != first.turn.of:
			if _, err := g.Build("both", []*Stage{first, s}, g.leaving([]*Stage{first, s})); err == nil {
				t.Errorf("%s and %s share a kernel", first.Name, s.Name)
			}
			return
		}
	}
	t.Fatal("there are no histograms of two sorts")
}

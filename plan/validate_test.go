package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// valid returns one of the plans in testdata, to be broken by a test.
func valid(t *testing.T, name string) *Plan {
	t.Helper()
	p, err := Decode(goldens(t)[name+".json"])
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// find returns the first step for which is holds, also in loops.
func find(p *Plan, is func(*Step) bool) *Step {
	var found *Step
	WalkSteps(p.Steps, func(s *Step) {
		if found == nil && is(s) {
			found = s
		}
	})
	return found
}

// without removes the steps for which is holds.
func without(steps []Step, is func(*Step) bool) []Step {
	return slices.DeleteFunc(slices.Clone(steps), func(s Step) bool { return is(&s) })
}

func isCheck(s *Step) bool  { return s.CheckErrors != nil }
func isReturn(s *Step) bool { return s.Return != nil }
func isLaunch(s *Step) bool { return s.Launch != nil }
func isRead(s *Step) bool   { return s.Read != nil }
func isWhile(s *Step) bool  { return s.While != nil }
func isParts(s *Step) bool  { return s.Parts != nil }
func isSet(s *Step) bool    { return s.Set != nil }
func allocates(name string) func(*Step) bool {
	return func(s *Step) bool { return s.Alloc != nil && s.Alloc.Buffer == name }
}

// decides returns change; the scalar "full", which is read unchecked, must not
// decide a size before it.
func decides(change func(*Plan)) func(*Plan) {
	return func(p *Plan) {
		if sizeScalars(p)["full"] {
			panic("full decides a size already")
		}
		change(p)
	}
}

func TestValidate(t *testing.T) {
	comparison := Lt(Const(0), Const(1))
	for _, test := range []struct {
		golden string
		change func(*Plan)
		want   string
	}{
		// Names and references.
		{"groups", func(p *Plan) { p.Version = 2 }, "version: 2; this program runs version 1"},
		{"groups", func(p *Plan) { p.Pipeline = "" }, "pipeline: a plan has the name of its pipeline"},
		{"groups", func(p *Plan) { p.Ports[0].Kind, p.Buffers[0].Kind = "decimal(2)", "decimal(2)" }, "buffers[0].kind: only ports are decimal(2); what holds it is i64"},
		{"groups", func(p *Plan) { p.Scalars[0].Kind = "decimal(0)" }, "scalars[0].kind: only ports are decimal(0)"},
		{"groups", func(p *Plan) { p.Ports[0].Kind = "decimal(19)" }, `ports[0].kind: there is no kind "decimal(19)"`},
		{"groups", func(p *Plan) { p.Ports[0].Kind = "decimal(02)" }, `ports[0].kind: there is no kind "decimal(02)"`},
		{"groups", func(p *Plan) { p.Sites[0].Message = "" }, "sites[0]: a site has a position, a kind and a message"},
		{"groups", func(p *Plan) { find(p, isWhile).While.Steps = nil }, "while.steps: an iteration without steps changes nothing"},
		{"parts", func(p *Plan) { find(p, isParts).Parts.Steps = nil }, "parts.steps: a part needs steps"},
		{"groups", func(p *Plan) { p.Buffers[3].Name = "k" }, `buffers[3]: there are two with the name "k"`},
		{"groups", func(p *Plan) { p.Scalars[0].Name = "" }, "scalars[0]: has no name"},
		{"groups", func(p *Plan) { p.Ports[0].Buffer = "x" }, `ports[0].buffer: there is no buffer "x"; there are a, b, count,`},
		{"groups", func(p *Plan) { p.Ports[0].Domain = "x" }, `ports[0].domain: there is no domain "x"; there are g, n`},
		{"join", func(p *Plan) { p.Ports[4].Scalar = "x" }, `ports[4].scalar: there is no scalar "x"; there are buckets, total`},
		{"groups", func(p *Plan) { find(p, isLaunch).Launch.Kernel = "x" }, `launch.kernel: there is no kernel "x"; there are compact, insert, occupied`},
		{"groups", func(p *Plan) { find(p, isRead).Read.Buffer = "x" }, `read.buffer: there is no buffer "x"`},
		{"groups", func(p *Plan) { find(p, isRead).Read.Scalars[0] = "x" }, `read.scalars[0]: there is no scalar "x"`},
		{"groups", func(p *Plan) { find(p, isSet).Set.Scalar = "x" }, `set.scalar: there is no scalar "x"`},
		{"groups", func(p *Plan) { p.Domains[1].Counter.Buffer = "x" }, `domains[1].counter: there is no buffer "x"`},
		{"groups", func(p *Plan) { p.Domains[1].Counter.Index = -1 }, "domains[1].counter.index: -1 is negative"},
		{"groups", func(p *Plan) { p.Sites[0].Domain = "x" }, `sites[0].domain: there is no domain "x"`},
		{"groups", func(p *Plan) { p.Sites[0].Number = 1 }, "sites[0].number: 1; a site's number is its position"},
		{"groups", func(p *Plan) { p.Kernels[0].Variants[0].Args[0].Buffer = "x" }, `kernels[0].variants[0].args[0].buffer: there is no buffer "x"`},
		{"groups", func(p *Plan) { p.Kernels[0].Variants[0].Args[1].Name = "k" }, `kernels[0].variants[0].args[1]: there are two with the name "k"`},
		{"groups", func(p *Plan) { p.Kernels[0].Variants = nil }, "kernels[0].variants: a kernel needs at least one"},
		{"groups", func(p *Plan) { p.Kernels[0].Variants[0].Entry = "" }, "kernels[0].variants[0].entry: a variant names its function"},
		{"groups", func(p *Plan) { p.Kernels[0].Variants[0].Schedule.Items = -1 }, "variants[0].schedule: workgroup, items, chunk, ring, lookahead and occupancy lie between"},
		{"groups", func(p *Plan) { p.Kernels[0].Variants[0].Schedule.Scheme = "round" }, "variants[0].schedule: scheme round is called persistent now"},
		{"groups", func(p *Plan) { p.Kernels[0].Variants[0].Forward = "x" }, `variants[0].forward: there is no forward progress "x"`},

		// Kinds and literals.
		{"groups", func(p *Plan) { p.Scalars[0].Kind = "int" }, `scalars[0].kind: there is no kind "int"; there are bool i8`},
		{"groups", func(p *Plan) { p.Scalars[0].Init = "x" }, `scalars[0].init: "x" is no i64: invalid syntax`},
		{"groups", func(p *Plan) { p.Buffers[3].Fill = "3000000000" }, `buffers[3].fill: "3000000000" is no i32: value out of range`},
		{"groups", func(p *Plan) { p.Buffers[3].Role = "x" }, `buffers[3].role: there is no role "x"`},
		{"groups", func(p *Plan) { p.Buffers[0].Kind = I32 }, `ports[0]: the port is i64 and its buffer "k" is i32`},
		{"ordered-paper2", func(p *Plan) { p.Scalars[0].Kind = F64 }, `ports[2]: the port is i64 and its scalar "scale" is f64`},
		{"ordered-paper2", func(p *Plan) { p.Ports[2].Default = "x" }, `ports[2].default: "x" is no i64`},
		{"ordered-paper2", func(p *Plan) { p.Ports[0].Default = "1" }, "ports[0].default: only a scalar parameter has a default"},
		{"ordered-paper2", func(p *Plan) { p.Ports[2].Text = "a" }, "ports[2].text: a is no string in double quotes"},
		{"ordered-paper2", func(p *Plan) { p.Ports[2].Text = `"a"` }, "ports[2].text: only a parameter of kind text has a text"},
		{"ordered-paper2", func(p *Plan) { p.Ports[0].Depth = Const(1) }, "ports[0].depth: only a result has a depth"},
		{"ordered-paper2", func(p *Plan) { p.Ports[2].Direction = "x" }, `ports[2].direction: "x"; a port is "in" or "out"`},
		{"ordered-paper2", func(p *Plan) { p.Ports[2].Buffer = "k" }, "ports[2]: a port has a domain and a buffer, or a scalar"},
		{"groups", func(p *Plan) { p.Ports[0].Buffer = "counts" }, `ports[0].buffer: a parameter is held in an input buffer; "counts" is temporary`},
		{"groups", func(p *Plan) { p.Ports[3].Buffer = "sums" }, `ports[3].buffer: a result is held in an output or input buffer; "sums" is temporary`},
		{"groups", func(p *Plan) { p.Scalars[1].Kind = F64 }, `the scalar "full" is f64; an expression takes i64 only`},
		{"join", func(p *Plan) { find(p, isRead).Read.Buffer = "k" }, ""}, // i32 widens to i64
		{"join", func(p *Plan) { p.Buffers[8].Kind = F64 }, `read.scalars[0]: the scalar "total" is i64 and the buffer "total" is f64`},

		// Expressions.
		{"groups", func(p *Plan) { p.Buffers[3].Length = Expr{} }, "buffers[3].length: an expression is missing"},
		{"groups", func(p *Plan) { p.Buffers[3].Length = comparison }, "buffers[3].length: (0 < 1) is a condition; it has to be a number"},
		{"groups", func(p *Plan) { p.Buffers[3].Length = Add(comparison, Const(1)) }, "buffers[3].length: (0 < 1) is a condition; it has to be a number"},
		{"groups", func(p *Plan) { p.Buffers[3].Length = Rows() }, "buffers[3].length: rows is allowed only in a variant's grid and in arguments"},
		{"groups", func(p *Plan) { p.Buffers[3].Length = Property("maxGroup") }, `the property "maxGroup" of a machine is now called "maxWorkgroup"`},
		{"groups", func(p *Plan) { p.Buffers[3].Length = Property("speed") }, `a machine has no property "speed"; there are units, subgroup`},
		{"groups", func(p *Plan) { p.Buffers[3].Length = Resident("x") }, `there is no kernel "x"`},
		{"groups", func(p *Plan) { p.Buffers[3].Length = Var("x") }, `there is no scalar "x"`},
		{"groups", func(p *Plan) { p.Buffers[3].Length = Len("x") }, `there is no domain "x"`},
		{"groups", func(p *Plan) { p.Buffers[3].Length = Expr{Op: "div"} }, `there is no operator "div"`},
		{"groups", func(p *Plan) { p.Buffers[3].Length = Apply(OpAdd, Const(1)) }, "add takes 2 operands, not 1"},
		{"groups", func(p *Plan) { p.Buffers[0].Length = Const(1) }, "buffers[0].length: an input has the length of its domain"},
		{"groups", func(p *Plan) { find(p, isWhile).While.Cond = Var("full") }, "while.cond: full is a number; it has to be a condition"},
		{"groups", func(p *Plan) { find(p, isWhile).While.Cond = And(comparison, Const(1)) }, "while.cond: 1 is a number; it has to be a condition"},
		{"groups", func(p *Plan) { p.Domains[1].Len = Len("g") }, "domains[1].len: len(g): a domain may use only the domains before it"},
		{"groups", func(p *Plan) { p.Domains[1].Len = Expr{} }, `ports[3].domain: the length of "g" is on the device only`},
		{"groups", func(p *Plan) { p.Domains[1].Len, p.Buffers[3].Length = Expr{}, Len("g") }, `buffers[3].length: the length of "g" is on the device only`},
		{"groups", func(p *Plan) { p.Domains[1].Len, p.Domains[1].Counter = Expr{}, nil }, `the domain "g" has neither a len nor a counter nor an input column`},
		{"groups", func(p *Plan) { p.Domains[0].Len = Const(1) }, `ports[0].domain: a parameter is over a domain without a len; "n" has one`},
		{"groups", func(p *Plan) { p.Kernels[0].Variants[0].Spec = []Spec{{"s", Var("slots")}} }, "spec[0].value: slots is not known when a kernel is built"},
		{"groups", func(p *Plan) { p.Kernels[0].Variants[0].LocalBytes = Len("n") }, "localBytes: len(n) is not known when a kernel is built"},
		{"groups", func(p *Plan) { p.Kernels[0].Variants[0].LocalBytes = Mul(Property("units"), Resident("insert")) }, ""},
		{"groups", func(p *Plan) { p.Kernels[0].Variants[0].Grid = Min(Rows(), Property("units")) }, ""},
		{"groups", func(p *Plan) { p.Kernels[0].Variants[0].GridLimit = -1 }, "variants[0].gridLimit: -1 is negative"},

		// Inputs are never written.
		{"groups", func(p *Plan) { p.Kernels[0].Variants[0].Args[0].Access = Writes }, `args[0].access: the input "k" is never written`},
		{"groups", func(p *Plan) { p.Kernels[0].Variants[0].Args[0].Access = "x" }, `args[0].access: there is no access "x"`},
		{"groups", func(p *Plan) { p.Steps = slices.Insert(p.Steps, 0, Step{Init: &Init{"k"}}) }, `steps[0].init: the input "k" is never written`},
		{"groups", func(p *Plan) { p.Steps = slices.Insert(p.Steps, 0, Step{Alloc: &Alloc{"k"}}) }, `steps[0].alloc: the input "k" is never written`},
		{"groups", func(p *Plan) { p.Kernels[0].Variants[0].Args[0].Scalar = "full" }, "args[0]: an argument is a buffer, a scalar or a value"},
		{"groups", func(p *Plan) {
			p.Kernels[0].Variants[0].Args[0] = Arg{Name: "k", Scalar: "full", Access: Writes}
		}, "args[0].access: only a buffer has an access"},
		{"groups", func(p *Plan) {
			find(p, isLaunch).Launch.Bind = []Arg{{Name: "counts", Buffer: "k", Access: ReadsWrites}}
		}, `launch.bind[0].access: the input "k" is never written`},

		// Bindings.
		{"groups", func(p *Plan) { find(p, isLaunch).Launch.Bind = []Arg{{Name: "k", Buffer: "a"}} }, ""},
		{"groups", func(p *Plan) { find(p, isLaunch).Launch.Bind = []Arg{{Name: "k", Buffer: "table"}} }, `launch.bind: "k" differs in kind or access`},
		{"groups", func(p *Plan) { find(p, isLaunch).Launch.Bind = []Arg{{Name: "k", Scalar: "full"}} }, `launch.bind: "k" differs in kind or access`},
		{"groups", func(p *Plan) { find(p, isLaunch).Launch.Bind = []Arg{{Name: "x", Buffer: "k"}} }, "launch.bind: a name in it is no argument of variant 0"},

		// Allocated before use.
		{"groups", func(p *Plan) { p.Steps = without(p.Steps, allocates("table")) }, `launch: the buffer "table" is not allocated on every path to this step`},
		{"groups", func(p *Plan) { p.Steps = without(p.Steps, allocates("key")) }, `return: the buffer "key" is not allocated on every path to this step`},
		{"groups", func(p *Plan) { p.Steps = without(p.Steps, allocates("errors")) }, `init: the buffer "errors" is not allocated on every path to this step`},
		{"groups", func(p *Plan) {
			p.Steps = without(p.Steps, allocates("occupied"))
			p.Steps = slices.Insert(p.Steps, 0, Step{If: &If{Cond: comparison, Then: []Step{{Alloc: &Alloc{"occupied"}}}}})
		}, `init: the buffer "occupied" is not allocated on every path to this step`},
		{"groups", func(p *Plan) {
			p.Steps = without(p.Steps, allocates("occupied"))
			both := []Step{{Alloc: &Alloc{"occupied"}}}
			p.Steps = slices.Insert(p.Steps, 0, Step{If: &If{Cond: comparison, Then: both, Else: both}})
		}, ""},
		{"ordered-none", func(p *Plan) { // the other way ends before the use
			i := slices.IndexFunc(p.Steps, func(s Step) bool { return allocates("head")(&s) })
			p.Steps[i] = Step{If: &If{Cond: comparison, Then: []Step{p.Steps[i]}, Else: []Step{{Return: &Return{}}}}}
		}, ""},
		{"parts", func(p *Plan) { p.Steps = without(p.Steps, allocates("after")) }, `carries[0]: the buffer "after" is not allocated`},

		// Errors are checked in time.
		{"groups", func(p *Plan) { p.Steps = slices.Delete(p.Steps, len(p.Steps)-2, len(p.Steps)-1) }, "return: checkErrors must come after the last launch and before this"},
		{"groups", func(p *Plan) {
			i := slices.IndexFunc(p.Steps, func(s Step) bool { return isCheck(&s) })
			p.Steps = slices.Delete(p.Steps, i, i+1)
		}, `read.scalars[0]: "groups" decides a size, so checkErrors must come`},
		{"groups", func(p *Plan) {
			w := find(p, isWhile).While
			w.Steps = append(w.Steps, Step{Set: &Set{"slots", Var("full")}})
		}, `read.scalars[0]: "full" decides a size, so checkErrors must come`},
		{"groups", func(p *Plan) { // the launch is at the loop's end, the read at its start
			w := find(p, isWhile).While
			w.Steps = []Step{{Read: &Read{Buffer: "full", Scalars: []string{"slots"}}}, *find(p, isLaunch)}
		}, `steps[0].read.scalars[0]: "slots" decides a size, so checkErrors must come`},
		{"groups", func(p *Plan) {
			w := find(p, isWhile).While
			w.Steps = []Step{{Read: &Read{Buffer: "full", Scalars: []string{"slots"}}}, *find(p, isLaunch), {CheckErrors: &CheckErrors{}}}
		}, ""},
		{"groups", decides(func(p *Plan) { p.Domains[1].Bound = Var("full") }), `"full" decides a size`},
		{"groups", decides(func(p *Plan) { p.Buffers[3].Length = Add(Var("slots"), Var("full")) }), `"full" decides a size`},
		{"groups", decides(func(p *Plan) { p.Kernels[0].Variants[0].Grid = Var("full") }), `"full" decides a size`},
		{"groups", decides(func(p *Plan) { find(p, isLaunch).Launch.Rows = Var("full") }), `"full" decides a size`},
		{"groups", decides(func(p *Plan) { find(p, isLaunch).Launch.Row0 = Var("full") }), `"full" decides a size`},
		{"groups", decides(func(p *Plan) { find(p, isRead).Read.Index = Var("full") }), `"full" decides a size`},
		{"groups", decides(func(p *Plan) {
			p.Scalars = append(p.Scalars, Scalar{Name: "row0", Kind: I64}, Scalar{Name: "rows", Kind: I64})
			p.Steps = slices.Insert(p.Steps, 0, Step{Parts: &Parts{Len: Var("full"), Row0: "row0", Rows: "rows", Steps: []Step{*find(p, isSet)}}})
		}), `"full" decides a size`},
		{"ordered-onepass", func(p *Plan) { p.Steps = without(p.Steps, isCheck) }, `read.scalars[0]: "g" decides a size, so checkErrors must come`},
		{"ordered-none", func(p *Plan) { p.Steps = without(p.Steps, isCheck) }, ""}, // nothing can go wrong in it
		{"ordered-none", func(p *Plan) {
			p.Steps = without(p.Steps, isCheck)
			p.Sites = []Site{{Message: "negative", When: Lt(Var("scale"), Const(0))}}
		}, "return: checkErrors must come"},
		{"parts", func(p *Plan) { p.Steps = without(p.Steps, isCheck) }, "return: checkErrors must come after"},
		{"groups", func(p *Plan) { p.Sites = append(p.Sites, Site{Number: 1}) }, "buffers[9].length: 1; an errors buffer has a word for each of the 2 sites"},
		{"groups", func(p *Plan) { p.Buffers[9].Kind = F64 }, "buffers[9].kind: f64 cannot hold rows"},
		{"groups", func(p *Plan) { p.Buffers[9].Fill = "0" }, `buffers[9].fill: an errors buffer starts as "no row" by itself`},
		{"groups", func(p *Plan) { p.Buffers[8].Role = Errors }, `buffers[9]: a plan has one errors buffer; "cursor" is another`},
		{"groups", func(p *Plan) { p.Buffers[9].Role = Counter }, "sites[0]: a site needs an errors buffer, or a when"},
		{"groups", func(p *Plan) { p.Sites[0].When = comparison }, "sites[0].when: a check of host scalars has no rows"},
		{"groups", func(p *Plan) { p.Sites[0].When = Const(1) }, "sites[0].when: 1 is a number; it has to be a condition"},

		// Steps.
		{"groups", func(p *Plan) { p.Steps = without(p.Steps, isReturn) }, "steps: there is a path through the steps without a return"},
		{"groups", func(p *Plan) { p.Steps = append(p.Steps, Step{Return: &Return{}}) }, "never runs: a return comes before it"},
		{"groups", func(p *Plan) { w := find(p, isWhile).While; w.Steps = append(w.Steps, Step{Return: &Return{}}) }, "return: a return must be outside loops and parts"},
		{"groups", func(p *Plan) { find(p, isWhile).While.Max = 0 }, "while.max: 0; a loop is bounded by at least 1"},
		{"groups", func(p *Plan) { p.Fallback = nil }, "while: what happens after 4 iterations? give it an else, or the plan a fallback"},
		{"groups", func(p *Plan) { p.Fallback = nil; find(p, isWhile).While.Else = []Step{*find(p, isSet)} }, ""},
		{"groups", func(p *Plan) { find(p, isRead).Read.Scalars = nil }, "read.scalars: name at least one scalar"},
		{"groups", func(p *Plan) { // the table has the length that slots had before
			p.Steps = slices.Insert(p.Steps, slices.IndexFunc(p.Steps, func(s Step) bool { return s.While != nil })+1, *find(p, isSet))
		}, `launch: the buffer "table" is not allocated on every path to this step, or not for the length that it has here`},
		{"ordered-onepass", func(p *Plan) { p.Buffers[3].Length = Len("g") }, `the buffer "key" is not allocated on every path to this step, or not for the length that it has here`},
		{"groups", func(p *Plan) { find(p, isLaunch).Launch.Rows = Const(1 << 31) }, "launch.rows: 2147483648; a launch spans 0 to 2147483647 rows: use parts"},
		{"parts", func(p *Plan) { find(p, isParts).Parts.Limit = 1 << 31 }, "parts.limit: 2147483648; a part spans 1 to 2147483647 rows"},
		{"parts", func(p *Plan) { find(p, isParts).Parts.Multiple = -1 }, "parts.multiple: -1; a part spans 1 to 2147483647 rows"},
		{"parts", func(p *Plan) { find(p, isParts).Parts.Rows = "row0" }, "parts: row0 and rows are two scalars"},
		{"parts", func(p *Plan) { find(p, isParts).Parts.Row0 = "x" }, `parts.row0: there is no scalar "x"`},
		{"parts", func(p *Plan) { find(p, isParts).Parts.Carries[0].In = "scan" }, "carries[0]: a carry is two temporary buffers of one kind"},

		// Giving up.
		{"ordered-onepass", func(p *Plan) { p.Fallback = nil }, `fallback: the buffer "abort" can make the plan give up`},
		{"ordered-onepass", func(p *Plan) { p.Kernels[0].Variants[1].Args = p.Kernels[0].Variants[1].Args[3:] }, "variants[1].forward: work-groups that wait for each other must be able to give up"},
		{"ordered-onepass", func(p *Plan) { p.Buffers[8].Kind = I64 }, "buffers[8].kind: the abort word is i32 or u32, not i64"},
		{"ordered-onepass", func(p *Plan) { p.Buffers[8].Length = Const(2) }, "buffers[8]: an abort buffer is one word that starts as 0"},
		{"ordered-onepass", func(p *Plan) { p.Buffers[7].Role, p.Buffers[7].Fill = Abort, "" }, "a plan has one abort buffer"},
		{"ordered-onepass", func(p *Plan) { p.Fallback.Ports[0].Name = "z" }, "fallback.ports: the fallback's ports must have the names"},
		{"ordered-onepass", func(p *Plan) { p.Fallback.Domains[1].Len = Var("x") }, `fallback.domains[1].len: there is no scalar "x"`},
	} {
		p := valid(t, test.golden)
		test.change(p)
		err := Validate(p)
		if test.want == "" {
			if err != nil {
				t.Errorf("%s: %v", test.golden, err)
			}
			continue
		}
		var invalid *InvalidError
		if !errors.As(err, &invalid) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s:\ngot  %v\nwant %s", test.golden, err, test.want)
		}
	}
}

func TestValidateLimits(t *testing.T) {
	p := valid(t, "groups")
	for i := range 100 {
		p.Scalars = append(p.Scalars, Scalar{Name: fmt.Sprint(i), Kind: Kind(strings.Repeat("x", 10000))})
	}
	var invalid *InvalidError
	if err := Validate(p); !errors.As(err, &invalid) || len(invalid.Problems) != maxErrors || len(err.Error()) > maxErrors*(maxErrorBytes+20) {
		t.Errorf("got %v", err)
	}
}

// The declared machines are complete, and what emitting decides from does not change unnoticed.
func TestProfiles(t *testing.T) {
	profiles := Profiles()
	for name, want := range map[string][2]float64{DefaultProfile: {40e9, 5e-6}, "h200": {4248e9, 4e-6}} {
		m, ok := profiles[name]
		if !ok || m.Rates[RateMemory] != want[0] || m.Rates[RateLaunch] != want[1] {
			t.Errorf("%s: %v", name, m.Rates)
		}
		for _, property := range Properties {
			if value, ok := m.Property(property); !ok || value <= 0 {
				t.Errorf("%s: %s is %d, %v", name, property, value, ok)
			}
		}
	}
	m := Machine{Caps: map[Cap]Evidence{"a": Queried}}
	if _, ok := m.Property("speed"); ok || !m.Has("a") || m.Has("b") {
		t.Error("Property or Has")
	}
}

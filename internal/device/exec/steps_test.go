package exec_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/plan"
)

// hostPlan has the steps given over the i64 parameter x and result y.
func hostPlan(steps ...any) *plan.Plan {
	return &plan.Plan{
		Version: plan.Version, Pipeline: "host",
		Ports: []plan.Port{
			{Name: "x", Direction: plan.In, Kind: plan.I64, Scalar: "x"},
			{Name: "y", Direction: plan.Out, Kind: plan.I64, Scalar: "y", Depth: plan.Var("y")},
		},
		Scalars: i64s("x", "y"),
		Steps:   program(append(steps, check, ret)...),
	}
}

func runHost(ctx context.Context, p *plan.Plan, x int64) (int64, error) {
	device := newFake(nil)
	result, err := exec.Run(ctx, device, p, exec.Inputs{Scalars: map[string]exec.Value{"x": {Kind: plan.I64, Bits: uint64(x)}}}, exec.Options{})
	if err != nil {
		return 0, err
	}
	y := int64(result.Scalars["y"].Bits)
	if result.Depths["y"] != y {
		return 0, errors.New("the depth is not evaluated at the return")
	}
	return y, nil
}

func TestControl(t *testing.T) {
	x, y := plan.Var("x"), plan.Var("y")
	below := func(limit int64) plan.Expr { return plan.Lt(y, plan.Const(limit)) }
	next := program(set("y", plan.Add(y, plan.Const(1))))
	choose := hostPlan(plan.Step{If: &plan.If{
		Cond: plan.And(plan.Lt(plan.Const(0), x), plan.Lt(x, plan.Const(10))),
		Then: program(set("y", plan.Const(1))),
		Else: program(set("y", plan.Const(2))),
	}})
	count := hostPlan(plan.Step{While: &plan.While{Cond: plan.Lt(y, x), Max: 5, Steps: next, Else: program(set("y", plan.Const(-1)))}})
	early := hostPlan(plan.Step{If: &plan.If{Cond: plan.Eq(x, plan.Const(0)), Then: program(check, ret)}}, set("y", plan.Const(7)))
	giving := hostPlan(plan.Step{While: &plan.While{Cond: below(10), Max: 3, Steps: next}})
	giving.Fallback = hostPlan(set("y", plan.Const(99)))
	giving.Fallback.Level = "last"
	for _, test := range []struct {
		plan *plan.Plan
		x, y int64
	}{
		{choose, 5, 1}, {choose, 0, 2}, {choose, 10, 2},
		{count, -1, 0}, {count, 0, 0}, {count, 4, 4}, {count, 5, 5}, {count, 6, -1},
		{early, 0, 0}, {early, 1, 7},
		{giving, 0, 99},
	} {
		if got, err := runHost(context.Background(), test.plan, test.x); err != nil || got != test.y {
			t.Errorf("x=%d: got %d, %v; want %d", test.x, got, err, test.y)
		}
	}
}

// Checks of host scalars take their turn among the sites.
func TestHostSites(t *testing.T) {
	x := plan.Var("x")
	p := hostPlan()
	p.Sites = []plan.Site{
		{Number: 0, Position: "a.kg:1:1", Kind: "limit", Message: "the limit is negative", When: plan.Lt(x, plan.Const(0))},
		{Number: 1, Position: "a.kg:2:1", Kind: "limit", Message: "the limit is odd", When: plan.Lt(x, plan.Const(-10))},
		{Number: 2, Position: "a.kg:3:1", Kind: "limit", Message: "the limit is 5", When: plan.Eq(x, plan.Const(5))},
	}
	for x, want := range map[int64]string{-20: "a.kg:1:1: the limit is negative", 5: "a.kg:3:1: the limit is 5", 6: ""} {
		_, err := runHost(context.Background(), p, x)
		if want == "" {
			if err != nil {
				t.Errorf("x=%d: %v", x, err)
			}
			continue
		}
		var failed *exec.CheckError
		if !errors.As(err, &failed) || err.Error() != want {
			t.Errorf("x=%d: got %v, want %s", x, err, want)
		}
	}
}

// An endless plan ends with its context.
func TestTimeout(t *testing.T) {
	forever := hostPlan(plan.Step{While: &plan.While{
		Cond: plan.Lt(plan.Const(0), plan.Const(1)), Max: 1 << 62, Steps: program(set("y", plan.Const(0))), Else: program(set("y", plan.Const(1))),
	}})
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	start := time.Now()
	if _, err := runHost(ctx, forever, 0); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("took %v", took)
	}
}

// Scalars of every kind go in, through a buffer's fill and a read, and out.
func TestKinds(t *testing.T) {
	literals := map[plan.Kind]plan.Literal{
		plan.Bool: "true", plan.I8: "-128", plan.I16: "-300", plan.I32: "-70000", plan.I64: "-5000000000",
		plan.U8: "255", plan.U16: "65535", plan.U32: "4294967295", plan.U64: "18446744073709551615",
		plan.F32: "1.5", plan.F64: "-1e300", plan.Date: "1969-12-30", plan.Char8: `"abcdefg"`,
	}
	p := &plan.Plan{Version: plan.Version, Pipeline: "kinds"}
	want := map[string]exec.Value{}
	for kind, literal := range literals {
		name := string(kind)
		bits, err := kind.Parse(literal)
		if err != nil {
			t.Fatal(err)
		}
		want[name], want[name+" again"] = exec.Value{Kind: kind, Bits: bits}, exec.Value{Kind: kind, Bits: bits}
		p.Ports = append(p.Ports,
			plan.Port{Name: name + " in", Direction: plan.In, Kind: kind, Scalar: name, Default: literal},
			plan.Port{Name: name, Direction: plan.Out, Kind: kind, Scalar: name},
			plan.Port{Name: name + " again", Direction: plan.Out, Kind: kind, Scalar: name + " again"})
		p.Scalars = append(p.Scalars, plan.Scalar{Name: name, Kind: kind}, plan.Scalar{Name: name + " again", Kind: kind, Init: "0"})
		if kind == plan.Bool || kind == plan.Date || kind == plan.Char8 {
			p.Scalars[len(p.Scalars)-1].Init = ""
		}
		p.Buffers = append(p.Buffers, plan.Buffer{Name: name, Kind: kind, Length: plan.Const(3), Role: plan.Temporary, Fill: literal})
		p.Steps = append(p.Steps, program(fresh(name), plan.Step{Read: &plan.Read{Buffer: name, Index: plan.Const(2), Scalars: []string{name + " again"}}})...)
	}
	p.Steps = append(p.Steps, ret)
	device := newFake(nil)
	result, err := exec.Run(context.Background(), device, p, exec.Inputs{}, exec.Options{})
	device.verify(t)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, result.Scalars); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A read widens to i64 by sign, and refuses what does not fit.
func TestReadWidens(t *testing.T) {
	for _, test := range []struct {
		kind plan.Kind
		fill plan.Literal
		want int64
		err  string
	}{
		{plan.I8, "-1", -1, ""}, {plan.U8, "200", 200, ""}, {plan.U32, "4294967295", 1<<32 - 1, ""}, {plan.Bool, "true", 1, ""},
		{plan.U64, "9223372036854775807", 1<<63 - 1, ""},
		{plan.U64, "9223372036854775808", 0, `read of buffer "b": 9223372036854775808: the result does not fit 64 bits`},
	} {
		p := hostPlan(fresh("b"), read("b", "y"))
		p.Buffers = []plan.Buffer{{Name: "b", Kind: test.kind, Length: plan.Const(1), Role: plan.Counter, Fill: test.fill}}
		got, err := runHost(context.Background(), p, 0)
		if test.err != "" {
			if err == nil || err.Error() != test.err {
				t.Errorf("%s %s: got %v, want %s", test.kind, test.fill, err, test.err)
			}
			continue
		}
		if err != nil || got != test.want {
			t.Errorf("%s %s: got %d, %v; want %d", test.kind, test.fill, got, err, test.want)
		}
	}
}

// A plan that does not validate is not run.
func TestInvalid(t *testing.T) {
	p := hostPlan()
	p.Version = 2
	if _, err := runHost(context.Background(), p, 0); err == nil || !strings.Contains(err.Error(), "version: 2") {
		t.Errorf("got %v", err)
	}
}

package plan

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// flowPlan has the steps given around a kernel that writes b, an errors
// buffer, and a length n that reads bring in.
func flowPlan(steps []Step) *Plan {
	one := Const(1)
	return &Plan{
		Version: Version, Pipeline: "flow",
		Domains: []Domain{{Name: "d", Len: Var("n")}},
		Scalars: []Scalar{{Name: "n", Kind: I64}, {Name: "row0", Kind: I64}, {Name: "rows", Kind: I64}},
		Buffers: []Buffer{
			{Name: "b", Kind: I64, Length: one, Role: Counter},
			{Name: "c", Kind: I64, Length: one, Role: Counter},
			{Name: "errors", Kind: I64, Length: one, Role: Errors},
		},
		Kernels:  []Kernel{{Name: "k", Variants: []Variant{{Entry: "k", Args: []Arg{{Name: "b", Buffer: "b", Access: Writes}}}}}},
		Steps:    append(append([]Step{{Alloc: &Alloc{"errors"}}, {Alloc: &Alloc{"c"}}}, steps...), Step{Return: &Return{}}),
		Sites:    []Site{{Position: "f.kg:1:1", Kind: "divide", Message: "division by zero", Domain: "d"}},
		Fallback: &Plan{Version: Version, Pipeline: "flow", Steps: []Step{{Return: &Return{}}}},
	}
}

// situation is one state that a run may be in.
type situation struct{ allocated, dirty bool }

type situations map[situation]bool

func (s situations) add(other situations) situations {
	all := situations{}
	for _, from := range []situations{s, other} {
		for one := range from {
			all[one] = true
		}
	}
	return all
}

// after returns all states that a run may be in after the steps, and whether
// one on the way breaks a rule. It is the meaning that flow.go approximates.
func after(steps []Step, s situations, broken *bool) situations {
	each := func(next func(situation) situation) {
		out := situations{}
		for one := range s {
			out[next(one)] = true
		}
		s = out
	}
	breaks := func(rule func(situation) bool) {
		for one := range s {
			*broken = *broken || rule(one)
		}
	}
	for i := range steps {
		switch step := &steps[i]; {
		case step.Alloc != nil:
			each(func(one situation) situation { one.allocated = true; return one })
		case step.Launch != nil:
			breaks(func(one situation) bool { return !one.allocated })
			each(func(one situation) situation { one.dirty = true; return one })
		case step.CheckErrors != nil:
			each(func(one situation) situation { one.dirty = false; return one })
		case step.Read != nil:
			breaks(func(one situation) bool { return one.dirty })
		case step.Return != nil:
			breaks(func(one situation) bool { return one.dirty })
			s = situations{}
		case step.If != nil:
			s = after(step.If.Then, s, broken).add(after(step.If.Else, s, broken))
		case step.Parts != nil:
			s = rounds(step.Parts.Steps, s, broken)
		case step.While != nil:
			some := rounds(step.While.Steps, s, broken)
			s = s.add(some)
			if len(step.While.Else) > 0 {
				s = s.add(after(step.While.Else, some, broken))
			}
		}
	}
	return s
}

// rounds returns the states after one round or more.
func rounds(steps []Step, s situations, broken *bool) situations {
	out := situations{}
	for range 5 { // more rounds than there are states
		out = out.add(after(steps, s, broken))
		s = s.add(out)
	}
	return out
}

// randomSteps makes a list with nested lists down to depth.
func randomSteps(random *rand.Rand, depth int, loop bool) []Step {
	var steps []Step
	condition := Lt(Const(0), Var("row0"))
	for range random.IntN(4) + 1 {
		kinds := 8
		if depth == 0 {
			kinds = 5
		}
		var s Step
		switch random.IntN(kinds) {
		case 0:
			s.Alloc = &Alloc{"b"}
		case 1:
			s.Launch = &Launch{Kernel: "k", Rows: Const(1)}
		case 2, 3:
			s.CheckErrors = &CheckErrors{}
		case 4:
			s.Read = &Read{Buffer: "c", Scalars: []string{"n"}}
		case 5:
			s.If = &If{Cond: condition, Then: randomSteps(random, depth-1, loop), Else: randomSteps(random, depth-1, loop)}
			if branch := [...]*[]Step{&s.If.Then, &s.If.Else, nil, nil}[random.IntN(4)]; branch != nil && !loop {
				*branch = append(*branch, Step{Return: &Return{}})
			}
		case 6:
			s.While = &While{Cond: condition, Max: 3, Steps: randomSteps(random, depth-1, true)}
			if random.IntN(2) == 0 {
				s.While.Else = randomSteps(random, depth-1, true)
			}
		case 7:
			s.Parts = &Parts{Len: Const(9), Row0: "row0", Rows: "rows", Steps: randomSteps(random, depth-1, true)}
		}
		steps = append(steps, s)
	}
	return steps
}

// Validate refuses exactly the programs of which some run breaks a rule.
func TestFlowAgainstRuns(t *testing.T) {
	random := rand.New(rand.NewPCG(10, 11))
	verdicts := map[bool]int{}
	for range 10000 {
		steps := randomSteps(random, 3, false)
		if random.IntN(2) == 0 { // else almost every program is refused for the same reason
			steps = append([]Step{{Alloc: &Alloc{"b"}}}, steps...)
		}
		p := flowPlan(steps)
		broken := false
		last := after(steps, situations{situation{}: true}, &broken)
		for one := range last {
			broken = broken || one.dirty
		}
		err := Validate(p)
		if (err != nil) != broken {
			text, _ := Encode(p)
			t.Fatalf("a run breaks a rule: %v; Validate: %v\n%s", broken, err, text)
		}
		if err != nil && !strings.Contains(fmt.Sprint(err), "not allocated") && !strings.Contains(fmt.Sprint(err), "checkErrors must come") {
			t.Fatal(err)
		}
		verdicts[broken]++
	}
	if min(verdicts[true], verdicts[false]) < 1000 {
		t.Errorf("the programs are one-sided: %v", verdicts)
	}
}

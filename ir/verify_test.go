package ir

import (
	"strings"
	"testing"
)

func TestCorpusVerifies(t *testing.T) {
	for _, path := range corpus(t) {
		pipelines, err := LoadFile(path)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, p := range pipelines {
			if err := Verify(p); err != nil {
				t.Error(err)
			}
		}
	}
}

const verified = `pipeline p(a: [n]i64, b: [n]i64, c: [m]i64, s: i64 = 3) {
	m1 = a > s
	g = runs(a)
	k = a[m1] / b[m1]
	o = order(a, desc(b), limit: s)
	f = find((a, b), in: (c, c))
	return k, total: sum(scan(add, b, by: g), by: g), top: a[o], f, last: last(c, else: s), before: prev(c, 2, s)
}`

// TestVerifyFinds corrupts a graph in one way each.
func TestVerifyFinds(t *testing.T) {
	find := func(p *Pipeline, op Op) *Value {
		for _, v := range p.Values {
			if v.Op == op {
				return v
			}
		}
		t.Fatalf("no %v", op)
		return nil
	}
	for _, test := range []struct {
		name, want string
		corrupt    func(p *Pipeline)
	}{
		{"number", "has number 99", func(p *Pipeline) { p.Values[3].ID = 99 }},
		{"nil value", "is nil", func(p *Pipeline) { p.Values[3] = nil }},
		{"operator", "has operator 0", func(p *Pipeline) { find(p, OpDiv).Op = OpInvalid }},
		{"operand order", "no earlier value", func(p *Pipeline) { v := find(p, OpGt); v.Args[0] = p.Values[len(p.Values)-1] }},
		{"foreign operand", "no earlier value", func(p *Pipeline) { v := find(p, OpGt); copied := *v.Args[0]; v.Args[0] = &copied }},
		{"nil operand", "operand that is nil", func(p *Pipeline) { find(p, OpGt).Args[1] = nil }},
		{"operands", "has 1 operands", func(p *Pipeline) { v := find(p, OpGt); v.Args = v.Args[:1] }},
		{"element type", "has type [n]i32, not [n]bool", func(p *Pipeline) { find(p, OpGt).Type.Kind = I32 }},
		{"scalar", "has type bool", func(p *Pipeline) { find(p, OpGt).Type.Domain = nil }},
		{"domain", "has type [m]bool", func(p *Pipeline) { find(p, OpGt).Type.Domain = find(p, OpPrev).Type.Domain }},
		{"domain twice", "has type", func(p *Pipeline) { v := find(p, OpCompact); d := *v.Type.Domain; v.Type.Domain = &d }},
		{"domain's maker", "has type", func(p *Pipeline) { find(p, OpCompact).Type.Domain.By = find(p, OpOrder) }},
		{"domain's kind", "has type", func(p *Pipeline) { find(p, OpCompact).Type.Domain.Kind = DomainStarts }},
		{"domain's parent", "has type", func(p *Pipeline) { find(p, OpCompact).Type.Domain.Parent = nil }},
		{"domain's number", "misnumbered", func(p *Pipeline) { p.Domains[1].ID = 0 }},
		{"target", "has type", func(p *Pipeline) { find(p, OpRuns).Type.Target = nil }},
		{"kinds", "different types", func(p *Pipeline) { find(p, OpDiv).Args[1] = find(p, OpGt) }},
		{"twice", "equals value", func(p *Pipeline) {
			v := find(p, OpRuns)
			w := find(p, OpScan)
			w.Op, w.Args, w.By, w.Reduce = OpRuns, v.Args, nil, ReduceNone
		}},
		{"named operand", "named operand", func(p *Pipeline) { find(p, OpOrder).By = find(p, OpRuns) }},
		{"operation", "has operation 0", func(p *Pipeline) { find(p, OpScan).Reduce = ReduceNone }},
		{"distance", "has distance -1", func(p *Pipeline) { find(p, OpPrev).Shift = -1 }},
		{"split", "splits its keys at 4", func(p *Pipeline) { find(p, OpFind).Split = 4 }},
		{"uneven split", "keys with 1 and 3 columns", func(p *Pipeline) { find(p, OpFind).Split = 1 }},
		{"directions", "has 1 directions", func(p *Pipeline) { find(p, OpOrder).Desc = []bool{true} }},
		{"grouping", "takes a grouping", func(p *Pipeline) { find(p, OpScan).By = p.Params[0] }},
		{"constant", "is a constant of i32", func(p *Pipeline) {
			find(p, OpPrev).Op = OpConst
			v := find(p, OpConst)
			v.Args = nil
			v.Shift = 0
			v.Const.Kind = I32
		}},
		{"parameter", "no parameter", func(p *Pipeline) { p.Params = p.Params[1:] }},
		{"missing value", "where it is missing", func(p *Pipeline) { p.Params[0].Missing = BoolScalar(true) }},
		{"presence", "no earlier parameter", func(p *Pipeline) { p.Params[1].Missing, p.Params[0].Present = Int(I64, 0), p.Params[1] }},
		{"presence of a value", "tells of", func(p *Pipeline) { find(p, OpGt).Present = p.Params[0] }},
		{"unused", "is never used", func(p *Pipeline) { p.Results = p.Results[1:] }},
		{"result", "no value of the pipeline", func(p *Pipeline) { v := *p.Results[0].Value; p.Results[0].Value = &v }},
		{"label", "two results are labelled", func(p *Pipeline) { p.Results[1].Label = p.Results[0].Label }},
		{"no label", "without a label", func(p *Pipeline) { p.Results[1].Label = "" }},
		{"unordered", "may permute", func(p *Pipeline) {
			p.Results = append(p.Results, Result{Label: "g", Value: find(p, OpRuns)})
			p.Unordered = true
		}},
		{"check left out", "checks listed", func(p *Pipeline) { p.Sites = p.Sites[1:] }},
		{"check moved", "check 0 is", func(p *Pipeline) { p.Sites[0].Value = p.Values[0] }},
	} {
		t.Run(test.name, func(t *testing.T) {
			pipelines, errs := Load("p.kg", []byte(verified))
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			p := pipelines[0]
			if err := Verify(p); err != nil {
				t.Fatal(err)
			}
			test.corrupt(p)
			if err := Verify(p); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

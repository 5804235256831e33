package ir

import (
	"strings"
	"testing"
)

func TestOperatorExamplesLoad(t *testing.T) {
	asked := map[string]bool{}
	for _, h := range Operators() {
		name := h.Names[0]
		for _, n := range h.Names {
			if asked[n] {
				t.Errorf("%s explains two operators", n)
			}
			asked[n] = true
		}
		if h.Signature == "" || h.Result == "" || !strings.HasSuffix(h.Doc, ".") || strings.Contains(h.Doc, "\n") {
			t.Errorf("the help of %s is not complete: %+v", name, h)
		}
		pipelines, errs := Load(name, []byte(h.Example))
		if len(errs) > 0 {
			t.Errorf("%s: %v", name, errs)
			continue
		}
		checkRoundTrip(t, pipelines[0])
		if file, _ := Parse(name, []byte(h.Example)); strings.TrimSpace(string(Format(file))) != h.Example {
			t.Errorf("the example of %s is not formatted", name)
		}
		if !uses(pipelines[0], name) && name != "desc" && name != "cast" && name != "startswith" {
			t.Errorf("the example of %s does not use it:\n%s", name, h.Example)
		}
	}
	for op := firstRowOp; op < opEnd; op++ {
		switch op {
		case OpLeft, OpRight, OpCast, OpBits, OpOfBits:
			continue
		}
		if _, ok := OperatorNamed(op.String()); !ok {
			t.Errorf("no help for %v", op)
		}
	}
}

func uses(p *Pipeline, name string) bool {
	for _, v := range p.Values {
		if v.Op.String() == name {
			return true
		}
	}
	return false
}

func TestLanguageHas30Operators(t *testing.T) {
	helps := Operators()
	if helps[0].Names[0] != "x[mask]" || helps[29].Names[0] != "argmax" {
		t.Errorf("the numbered operators run from %s to %s", helps[0].Names[0], helps[29].Names[0])
	}
}

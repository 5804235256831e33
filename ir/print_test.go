package ir

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// outline is what must be equal in equal pipelines: all but names and positions.
func outline(p *Pipeline) []string {
	var lines []string
	id := func(v *Value) int {
		if v == nil {
			return -1
		}
		return v.ID
	}
	domain := func(d *Domain) string {
		if d == nil {
			return "-"
		}
		return fmt.Sprintf("%d(%d by %d)", d.ID, d.Kind, id(d.By))
	}
	for _, v := range p.Values {
		var args []int
		for _, a := range v.Args {
			args = append(args, id(a))
		}
		lines = append(lines, fmt.Sprintf("%d %v %v over %s to %s: %v by %d else %d limit %d const %v reduce %v shift %d split %d desc %v",
			v.ID, v.Op, v.Type.Kind, domain(v.Type.Domain), domain(v.Type.Target), args, id(v.By), id(v.Else), id(v.Limit),
			v.Const, v.Reduce, v.Shift, v.Split, v.Desc))
	}
	for _, r := range p.Results {
		lines = append(lines, fmt.Sprintf("%s: %d", r.Label, id(r.Value)))
	}
	for _, s := range p.Sites {
		lines = append(lines, fmt.Sprintf("%d %d at %d in %s", s.Number, s.Kind, id(s.Value), domain(s.Domain)))
	}
	return append(lines, p.Name, p.Doc, fmt.Sprint(p.Unordered))
}

// checkRoundTrip requires that p.String() loads to an equal pipeline with equal text.
func checkRoundTrip(t *testing.T, p *Pipeline) {
	t.Helper()
	text := p.String()
	again, errs := Load(p.Name, []byte(text))
	if len(errs) > 0 || len(again) != 1 {
		t.Fatalf("%v\n%s", errs, text)
	}
	if diff := cmp.Diff(outline(p), outline(again[0])); diff != "" {
		t.Errorf("loaded from its text, %s differs:\n%s\n%s", p.Name, diff, text)
	}
	if second := again[0].String(); second != text {
		t.Errorf("text changes when loaded:\n%s", cmp.Diff(text, second))
	}
}

func TestStringLoadsEqual(t *testing.T) {
	for _, path := range corpus(t) {
		pipelines, err := LoadFile(path)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, p := range pipelines {
			checkRoundTrip(t, p)
		}
	}
}

func TestStringNamesWhatRepeats(t *testing.T) {
	p := mustLoad(t, `pipeline p(price: [n]f64, discount: [n]f64, tax: [n]f64) {
	return small: (price + tax) * (price + tax), large: (price * (1 - discount) * (1 + tax) - tax) / (price * (1 - discount) * (1 + tax) + price)
}`)
	want := `pipeline p(price: [n]f64, discount: [n]f64, tax: [n]f64) {
	v1 = (price + tax) * (price + tax)
	v2 = price * (1 - discount) * (1 + tax)
	return small: v1, large: (v2 - tax) / (v2 + price)
}
`
	if diff := cmp.Diff(want, p.String()); diff != "" {
		t.Error(diff)
	}
	checkRoundTrip(t, p)
}

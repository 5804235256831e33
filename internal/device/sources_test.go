package device

import (
	"slices"
	"testing"

	"github.com/kgen-go/kgen/plan"
)

func TestSourcesWith(t *testing.T) {
	launch := func(name string) plan.Step { return plan.Step{Launch: &plan.Launch{Kernel: name}} }
	kernel := func(name string) plan.Kernel {
		return plan.Kernel{Name: name, Variants: []plan.Variant{{Entry: name, File: "text"}}}
	}
	p := &plan.Plan{Fallback: &plan.Plan{Steps: []plan.Step{launch("g")}}}
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "sized", "either"} {
		p.Kernels = append(p.Kernels, kernel(name))
	}
	p.Kernels[6].Variants[0].Spec = []plan.Spec{{Name: "SIZE"}}
	p.Kernels[7].Variants = append(p.Kernels[7].Variants, p.Kernels[7].Variants[0])
	p.Fallback.Kernels = []plan.Kernel{kernel("g")}
	p.Steps = []plan.Step{
		launch("a"),
		{If: &plan.If{Then: []plan.Step{launch("c"), launch("d"), launch("c")}, Else: []plan.Step{launch("e")}}},
		{While: &plan.While{Steps: []plan.Step{launch("b"), launch("sized"), launch("either")}}},
		{Parts: &plan.Parts{Steps: []plan.Step{launch("f"), launch("d")}}},
	}
	s := NewSources(p, map[string]string{"text": ""})
	for _, group := range [][]string{{"a", "b", "f"}, {"c", "d"}, {"e"}, {"g"}} {
		for _, name := range group {
			host := p
			if name == "g" {
				host = p.Fallback
			}
			i := slices.IndexFunc(host.Kernels, func(k plan.Kernel) bool { return k.Name == name })
			var got []string
			for _, e := range s.With(&host.Kernels[i].Variants[0]) {
				got = append(got, e.Kernel)
			}
			if !slices.Equal(got, group) {
				t.Errorf("%s goes with %v, want %v", name, got, group)
			}
		}
	}
	for _, i := range []int{6, 7} {
		if got := s.With(&p.Kernels[i].Variants[0]); got != nil {
			t.Errorf("%s goes with %v", p.Kernels[i].Name, got)
		}
	}
	if _, ok := s.Alone(&plan.Variant{File: "other"}); ok {
		t.Error("a text that was not given")
	}
	if _, ok := (*Sources)(nil).Alone(&plan.Variant{File: "text"}); ok {
		t.Error("a text of no plan")
	}
}

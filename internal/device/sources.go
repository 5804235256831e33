package device

import "github.com/kgen-go/kgen/plan"

// Sources are the texts of a plan and its fallbacks, and what is compiled of them when.
type Sources struct {
	texts map[string]*Text // by Variant.File
	with  map[*plan.Variant][]Entry
}

// Entry is a kernel as it is compiled.
type Entry struct {
	Kernel  string // its name in the plan
	Variant *plan.Variant
}

// NewSources takes the texts of p by their names. Without a plan no kernel goes with another.
func NewSources(p *plan.Plan, texts map[string]string) *Sources {
	s := &Sources{texts: map[string]*Text{}, with: map[*plan.Variant][]Entry{}}
	for name, text := range texts {
		s.texts[name] = NewText(text)
	}
	for ; p != nil; p = p.Fallback {
		kernels := map[string]*plan.Kernel{}
		for i := range p.Kernels {
			kernels[p.Kernels[i].Name] = &p.Kernels[i]
		}
		s.group(p.Steps, kernels)
	}
	return s
}

// Alone returns the text that one kernel is compiled from; false if its file was not given.
func (s *Sources) Alone(v *plan.Variant) (string, bool) {
	if s == nil || s.texts[v.File] == nil {
		return "", false
	}
	return s.texts[v.File].Alone(v.Entry), true
}

// With returns the kernels that a run which launches v launches, too, unless it fails: those of
// the same list of steps. Those whose variant or constants depend on the machine are not among them.
func (s *Sources) With(v *plan.Variant) []Entry { return s.with[v] }

// group finds the kernels that steps launch in any case, and those of each branch.
func (s *Sources) group(steps []plan.Step, kernels map[string]*plan.Kernel) {
	var all []Entry
	s.collect(steps, kernels, &all)
	for _, e := range all {
		s.with[e.Variant] = all
	}
}

func (s *Sources) collect(steps []plan.Step, kernels map[string]*plan.Kernel, all *[]Entry) {
	for i := range steps {
		switch step := &steps[i]; {
		case step.Launch != nil:
			k := kernels[step.Launch.Kernel]
			if k == nil || len(k.Variants) != 1 || len(k.Variants[0].Spec) > 0 || s.with[&k.Variants[0]] != nil {
				continue
			}
			s.with[&k.Variants[0]] = []Entry{} // once
			*all = append(*all, Entry{k.Name, &k.Variants[0]})
		case step.If != nil:
			s.group(step.If.Then, kernels)
			s.group(step.If.Else, kernels)
		case step.While != nil:
			s.collect(step.While.Steps, kernels, all)
			s.group(step.While.Else, kernels)
		case step.Parts != nil:
			s.collect(step.Parts.Steps, kernels, all)
		}
	}
}

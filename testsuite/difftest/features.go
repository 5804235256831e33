package difftest

import "github.com/kgen-go/kgen/plan"

// PlanFeatures names the schemes of a plan and its fallbacks.
func PlanFeatures(p *plan.Plan) []string {
	var names []string
	for ; p != nil; p = p.Fallback {
		for _, k := range p.Kernels {
			for _, v := range k.Variants {
				if v.Schedule.Scheme != "" {
					names = append(names, "scheme "+v.Schedule.Scheme)
				}
			}
		}
	}
	return sortedUnique(names)
}

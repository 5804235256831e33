package difftest

import (
	"regexp"
	"slices"

	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/templates"
)

// PlanFeatures names the schemes and the other settings of a plan's schedules,
// without those of its fallbacks.
func PlanFeatures(p *plan.Plan) []string {
	var names []string
	for _, k := range p.Kernels {
		for _, v := range k.Variants {
			if v.Schedule.Scheme != "" {
				names = append(names, "scheme "+v.Schedule.Scheme)
			}
			if v.Schedule.IDs != "" {
				names = append(names, "ids "+v.Schedule.IDs)
			}
			if v.Schedule.Offsets != "" {
				names = append(names, "offsets "+v.Schedule.Offsets)
			}
			if v.Schedule.Chunk > 1 {
				names = append(names, "groups of several tiles")
			}
			if v.Schedule.Part > 0 {
				names = append(names, "launches in parts")
			}
			if slices.Contains(v.Needs, plan.CapChildLaunch) {
				names = append(names, "launches by kernels")
			}
			if v.Schedule.Variant != "" {
				names = append(names, "variant "+v.Schedule.Variant)
			}
		}
	}
	return sortedUnique(names)
}

var helperCall = regexp.MustCompile(`\b` + templates.HelperPrefix + `(\w+)\(`)

// TextFeatures names the helper functions that emitted texts call.
func TextFeatures(texts map[string]string) []string {
	var names []string
	for _, text := range texts {
		for _, m := range helperCall.FindAllStringSubmatch(text, -1) {
			names = append(names, m[1])
		}
	}
	return sortedUnique(names)
}

// sortedUnique sorts names and drops repetitions.
func sortedUnique(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

package simt

import (
	"slices"

	"github.com/kgen-go/kgen/plan"
)

// again returns the steps that run a kernel once more, on other buffers. What it
// takes for itself it has already.
func (l *lowering) again(steps []plan.Step, bind []plan.Arg) []plan.Step {
	var list []plan.Step
	for _, step := range steps {
		switch {
		case step.Alloc != nil:
			continue
		case step.Launch != nil:
			launch := *step.Launch
			launch.Bind = append(slices.Clone(launch.Bind), l.bound(launch.Kernel, bind)...)
			step.Launch = &launch
		case step.If != nil:
			choice := *step.If
			choice.Then, choice.Else = l.again(choice.Then, bind), l.again(choice.Else, bind)
			step.If = &choice
		case step.Parts != nil:
			parts := *step.Parts
			parts.Steps = l.again(parts.Steps, bind)
			step.Parts = &parts
		}
		list = append(list, step)
	}
	return list
}

// bound returns the arguments of a kernel whose buffers are others in a launch.
func (l *lowering) bound(kernel string, bind []plan.Arg) (list []plan.Arg) {
	i := slices.IndexFunc(l.out.Kernels, func(k plan.Kernel) bool { return k.Name == kernel })
	for _, arg := range l.out.Kernels[i].Variants[0].Args {
		if j := slices.IndexFunc(bind, func(b plan.Arg) bool { return b.Name == arg.Buffer }); arg.Buffer != "" && j >= 0 {
			arg.Buffer = bind[j].Buffer
			list = append(list, arg)
		}
	}
	return list
}

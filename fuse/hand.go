package fuse

import (
	"fmt"
	"slices"
	"strings"
)

// stageNamed returns the stage that name means: its name, or its kind where it
// is the only one.
func (g *Graph) stageNamed(name string) *Stage {
	for _, s := range g.Stages {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// byHand groups the stages as text says: "mask partial offset | add aggregate".
func (f *Fusion) byHand(text string) error {
	where := map[*Stage]int{}
	for i, part := range strings.Split(text, "|") {
		var group []*Stage
		for _, name := range strings.Fields(part) {
			s := f.Graph.stageNamed(name)
			if s == nil {
				return fmt.Errorf("the plan %q: there is no stage %q; the stages are %s", text, name, strings.Join(names(f.Graph.Stages), " "))
			}
			if _, twice := where[s]; twice {
				return fmt.Errorf("the plan %q: stage %s stands twice", text, name)
			}
			where[s] = i
			group = append(group, s)
		}
		if len(group) == 0 {
			return fmt.Errorf("the plan %q: kernel %d has no stages", text, i+1)
		}
		slices.SortFunc(group, func(a, b *Stage) int { return a.Index - b.Index })
		f.Groups = append(f.Groups, group)
	}
	for _, s := range f.Graph.Stages {
		at, there := where[s]
		if !there {
			return fmt.Errorf("the plan %q: stage %s is missing; the stages are %s", text, s.Name, strings.Join(names(f.Graph.Stages), " "))
		}
		for _, t := range f.Graph.Stages {
			if f.Graph.Needs(s, t) && where[t] > at {
				return fmt.Errorf("the plan %q: %s of kernel %d needs %s of kernel %d, which runs later", text, s.Name, at+1, t.Name, where[t]+1)
			}
		}
	}
	for i, group := range f.Groups {
		if _, err := f.legal(group, rule{}); err != nil {
			return fmt.Errorf("the plan %q: kernel %d (%s) is illegal: %w", text, i+1, strings.Join(names(group), " "), err)
		}
	}
	return nil
}

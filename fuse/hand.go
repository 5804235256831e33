package fuse

import (
	"fmt"
	"strings"
)

// stagesNamed returns the stages that name stands for: the stage of that name, or
// all of a kind. If a kind has one stage, its number may be left out.
func (g *Graph) stagesNamed(name string) []*Stage {
	var ofKind []*Stage
	for _, s := range g.Stages {
		if s.Name == name || s.Name == string(s.Kind) && s.Name+"1" == name {
			return []*Stage{s}
		}
		if string(s.Kind) == name {
			ofKind = append(ofKind, s)
		}
	}
	return ofKind
}

// byHand groups the stages as text says: "mask partial offset | add aggregate".
func (f *Fusion) byHand(text string) error {
	where := map[*Stage]int{}
	for i, part := range strings.Split(text, "|") {
		var group []*Stage
		for _, name := range strings.Fields(part) {
			stages := f.Graph.stagesNamed(name)
			if stages == nil {
				return fmt.Errorf("the plan %q: there is no stage %q; the stages are %s", text, name, strings.Join(names(f.Graph.Stages), " "))
			}
			for _, s := range stages {
				if _, twice := where[s]; twice {
					return fmt.Errorf("the plan %q: stage %s stands twice", text, s.Name)
				}
				where[s] = i
				group = append(group, s)
			}
		}
		if len(group) == 0 {
			return fmt.Errorf("the plan %q: kernel %d has no stages", text, i+1)
		}
		f.Groups = append(f.Groups, inOrder(group))
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

package fuse

import (
	"fmt"
	"go/token"
	"slices"

	"github.com/kgen-go/kgen/internal/naming"
	"github.com/kgen-go/kgen/ir"
)

// nameDomains gives every domain an identifier of its own.
func (l *lowering) nameDomains() {
	l.domainNames = map[*ir.Domain]string{}
	taken := naming.Taken{}
	for _, d := range l.Pipeline.Domains {
		name := d.Name
		if d.Kind != ir.DomainParam && !token.IsIdentifier(name) { // a parameter's is one, if perhaps a keyword of Go
			name = map[ir.DomainKind]string{ir.DomainMask: "selected", ir.DomainRuns: "group", ir.DomainStarts: "group",
				ir.DomainBins: "bin", ir.DomainRepeat: "repeated", ir.DomainJoin: "pair", ir.DomainOrder: "sorted", ir.DomainEither: "group", ir.DomainWords: "words", ir.DomainEvery: "every"}[d.Kind]
		}
		l.domainNames[d] = taken.Fresh(name, "_")
	}
}

// DomainName returns the identifier of d.
func (g *Graph) DomainName(d *ir.Domain) string { return g.domainNames[d] }

// finish puts the stages into an order in which they can run, names them,
// closes the dependence relation and indexes the values.
func (l *lowering) finish() {
	l.order()
	l.index()
	count := map[StageKind]int{}
	for _, s := range l.Stages {
		count[s.Kind]++
	}
	number := map[StageKind]int{}
	for i, s := range l.Stages {
		s.Index = i
		s.Name = string(s.Kind)
		if number[s.Kind]++; count[s.Kind] > 1 {
			s.Name = fmt.Sprintf("%s%d", s.Kind, number[s.Kind])
		}
	}
	l.depends = make([][]bool, len(l.Stages))
	for i, s := range l.Stages {
		needs := make([]bool, len(l.Stages))
		for _, before := range s.before() {
			needs[before.Index] = true
			for j, needed := range l.depends[before.Index] {
				needs[j] = needs[j] || needed
			}
		}
		l.depends[i] = needs
	}
	l.findWays()
}

// before lists the stages that have to run before s.
func (s *Stage) before() []*Stage {
	list := slices.Clone(s.after)
	for _, use := range s.Reads {
		if w := use.Value.Writer; w != nil {
			list = append(list, w)
		}
	}
	return list
}

// index finds values by name, their readers, and those that the caller gets.
func (l *lowering) index() {
	l.byName, l.readBy, l.outputs = map[string]*Value{}, map[*Value][]*Stage{}, map[*Value]bool{}
	for _, w := range l.Values {
		l.byName[w.Name] = w
	}
	for _, s := range l.Stages {
		for _, use := range s.Reads {
			l.readBy[use.Value] = append(l.readBy[use.Value], s)
		}
	}
	for _, r := range l.Pipeline.Results {
		for _, w := range []*Value{l.result(r.Value), l.writer[key{kind: Lengths, of: r.Value.Type.Domain}]} {
			if w != nil {
				l.outputs[w] = true
			}
		}
	}
}

// order sorts the stages so that operands come first: a column that joined a
// shared stage may be computed by a stage made later.
func (l *lowering) order() {
	var sorted []*Stage
	placed := map[*Stage]bool{}
	var place func(s *Stage)
	place = func(s *Stage) {
		if placed[s] {
			return
		}
		placed[s] = true
		for _, before := range s.before() {
			place(before)
		}
		sorted = append(sorted, s)
	}
	for _, s := range l.Stages {
		place(s)
	}
	l.Stages = sorted
}

package fuse

import (
	"fmt"
	"strings"
)

// String lists the stages with what they read and write.
func (g *Graph) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "pipeline %s\n", g.Pipeline.Name)
	for _, s := range g.Stages {
		domain := "scalars"
		if s.Domain != nil {
			domain = g.DomainName(s.Domain)
		}
		fmt.Fprintf(&b, "%-12s over %s", s.Name, domain)
		if s.Out != nil {
			fmt.Fprintf(&b, ", makes %s", g.DomainName(s.Out))
		}
		b.WriteByte('\n')
		for _, use := range s.Reads {
			whole := ""
			if use.Whole {
				whole = ", complete"
			}
			fmt.Fprintf(&b, "\tread  %s (%s%s)\n", use.Value.Name, use.Access, whole)
		}
		for _, w := range s.Writes {
			fmt.Fprintf(&b, "\twrite %s %v\n", w.Name, w.Type)
		}
	}
	return b.String()
}

// String writes the kernels as a plan by hand.
func (f *Fusion) String() string {
	parts := make([]string, len(f.Groups))
	for i, group := range f.Groups {
		parts[i] = strings.Join(names(group), " ")
	}
	return strings.Join(parts, " | ") + "\n"
}

package plan

// sizeScalars returns the scalars whose values decide a size: the length of a
// buffer or domain, or the rows or work-groups of a launch.
func sizeScalars(p *Plan) map[string]bool {
	sources := map[string][]Expr{} // the expressions that a scalar is set to
	var roots []Expr
	for _, d := range p.Domains {
		roots = append(roots, d.Len, d.Bound)
	}
	for _, b := range p.Buffers {
		roots = append(roots, b.Length)
	}
	for _, k := range p.Kernels {
		for _, variant := range k.Variants {
			roots = append(roots, variant.Grid)
		}
	}
	WalkSteps(p.Steps, func(s *Step) {
		switch {
		case s.Launch != nil:
			roots = append(roots, s.Launch.Rows, s.Launch.Row0)
		case s.Parts != nil:
			roots = append(roots, s.Parts.Len)
		case s.Read != nil:
			roots = append(roots, s.Read.Index)
		case s.Set != nil:
			sources[s.Set.Scalar] = append(sources[s.Set.Scalar], s.Set.Value)
		}
	})
	found := map[string]bool{}
	for len(roots) > 0 {
		e := roots[len(roots)-1]
		roots = append(roots[:len(roots)-1], e.Args...)
		if e.Op == OpScalar && !found[e.Name] {
			found[e.Name] = true
			roots = append(roots, sources[e.Name]...)
		}
	}
	return found
}

// buffersSizedBy returns, of each scalar, the buffers whose length depends on it.
func buffersSizedBy(p *Plan) map[string][]string {
	lengths := map[string]Expr{}
	for _, d := range p.Domains {
		lengths[d.Name] = d.Len
	}
	found := map[string][]string{}
	for _, b := range p.Buffers {
		if b.Length.IsZero() {
			continue
		}
		seen := map[string]bool{}
		for rest := []Expr{b.Length}; len(rest) > 0; {
			e := rest[len(rest)-1]
			rest = append(rest[:len(rest)-1], e.Args...)
			if e.Op != OpScalar && e.Op != OpLen || seen[string(e.Op)+e.Name] {
				continue
			}
			seen[string(e.Op)+e.Name] = true
			if e.Op == OpLen {
				rest = append(rest, lengths[e.Name])
			} else {
				found[e.Name] = append(found[e.Name], b.Name)
			}
		}
	}
	return found
}

// WalkSteps calls visit for every step, outer ones first.
func WalkSteps(steps []Step, visit func(*Step)) {
	for i := range steps {
		s := &steps[i]
		visit(s)
		switch {
		case s.If != nil:
			WalkSteps(s.If.Then, visit)
			WalkSteps(s.If.Else, visit)
		case s.While != nil:
			WalkSteps(s.While.Steps, visit)
			WalkSteps(s.While.Else, visit)
		case s.Parts != nil:
			WalkSteps(s.Parts.Steps, visit)
		}
	}
}

package ir

// A resultList collects the results of a return statement.
type resultList struct {
	g       *graph
	results []Result
	labels  map[string]bool
	bad     bool
}

// add appends result o; label is "" where the user gave none and o has none.
func (l *resultList) add(label string, labelPos Pos, o operand) {
	if l.labels == nil {
		l.labels = map[string]bool{}
	}
	if o.bad() || !l.g.plain(o.pos, o) {
		o.value = nil
	} else {
		o = l.g.typed(o)
	}
	switch {
	case label == "":
		l.g.fail(o.pos, "write label: before it; only a name, or an indexed name as x[mask], labels itself", "result without a label")
	case l.labels[label]:
		l.g.fail(labelPos, "labels differ: write another label before one of them", "two results are labelled %s", clip(label))
	}
	l.labels[label] = true
	l.bad = l.bad || o.value == nil
	l.results = append(l.results, Result{Label: label, Value: o.value, Pos: o.pos})
}

// unordered refuses results that depend on the order of a domain whose rows may
// come in any order.
func (l *resultList) unordered() {
	permuted := map[*Domain]bool{}
	for _, r := range l.results {
		if r.Value != nil {
			permuted[r.Value.Type.Domain] = true
		}
	}
	for _, r := range l.results {
		if r.Value == nil {
			continue
		}
		if t := r.Value.Type.Target; t != nil && permuted[t] {
			l.g.fail(r.Pos, "write return without unordered, or leave the index column out",
				"result %s points into %s, whose rows return unordered may permute", clip(r.Label), t.Origin())
		}
	}
}

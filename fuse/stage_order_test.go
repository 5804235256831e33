package fuse

import "testing"

// How many counters the digits of a sort have is known before they are counted, even where a stage
// that was made before both needs the sorted rows.
func TestDigitsAreCountedOnceTheirNumberIsKnown(t *testing.T) {
	g := graphOf(t, "x: [n]u32", `
	g = runs(x)
	s = sum(i8(6), by: g)
	most = max(i16(2), by: order(x, g))
	least = min(most, by: g)
	return s, least`, Options{Radix: DefaultRadix, RadixOfMany: DefaultRadix + 2, Cores: true, Sample: 32})
	counted := 0
	for _, s := range g.Stages {
		if s.Kind != Histogram {
			continue
		}
		for _, w := range s.Writes {
			length := g.writer[key{kind: Lengths, of: w.Domain}]
			if length == nil {
				continue
			}
			if counted++; length.Writer.Index > s.Index {
				t.Errorf("%s, which computes how long %s is, runs after %s", length.Writer.Name, w.Name, s.Name)
			}
		}
	}
	if counted == 0 {
		t.Error("no digits have a number that is computed")
	}
}

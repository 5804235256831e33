package tile

import (
	"fmt"
	"strings"
)

// String prints the kernel phase by phase, with each cut's state, how states
// combine, and what is alive across it: all that a single-pass scheme needs,
// and that the persistent scheme decides by.
func (a *Analysis) String() string {
	k := a.Kernel
	var b strings.Builder
	fmt.Fprintf(&b, "kernel %s\n", k.Name)
	for i, d := range k.Domains {
		fmt.Fprintf(&b, "  domain %d %s %s", i, d.Kind, d.Name)
		if d.Kind != Base {
			fmt.Fprintf(&b, " of %d where %s", d.Parent, k.id(d.Guard))
		}
		if d.Kind == Close {
			fmt.Fprintf(&b, " && %s, and at the end", k.id(d.Open))
		}
		if d.Counter != 0 {
			b.WriteString(", counted by " + k.id(d.Counter))
		}
		b.WriteByte('\n')
	}
	for i, s := range k.Streams {
		direction := "read"
		if s.Write {
			direction = "written"
		}
		fmt.Fprintf(&b, "  stream %d %s %v %s %s%s\n", i, s.Name, s.Kind, direction, s.Access, a.staging(i))
	}
	b.WriteString("  scheme persistent " + a.persistent() + "\n")
	a.writeOps(&b, "prologue", func(i int) bool { return k.Ops[i].isPrologue() })
	for phase := 0; phase <= len(a.Cuts); phase++ {
		a.writeOps(&b, fmt.Sprintf("phase %d", phase), func(i int) bool {
			return a.Phase[i] == phase && !k.Ops[i].Epilogue && !k.Ops[i].isPrologue()
		})
		if phase < len(a.Cuts) {
			a.writeCut(&b, phase)
		}
	}
	a.writeOps(&b, "epilogue", func(i int) bool { return k.Ops[i].Epilogue })
	return b.String()
}

// isPrologue reports whether the operation runs once, before the rows.
func (op *Op) isPrologue() bool {
	return op.Domain == Uniform && !op.Epilogue
}

// writeOps prints the operations of a section, if there are any.
func (a *Analysis) writeOps(b *strings.Builder, title string, in func(int) bool) {
	for i := range a.Kernel.Ops {
		if !in(i) {
			continue
		}
		if title != "" {
			b.WriteString(title + "\n")
			title = ""
		}
		op := &a.Kernel.Ops[i]
		b.WriteString("  " + a.Kernel.opString(op))
		if op.Domain > 0 {
			fmt.Fprintf(b, "  [%s]", a.Kernel.Domains[op.Domain].Name)
		}
		b.WriteByte('\n')
	}
}

// writeCut prints the state that a cut folds, scan by scan, and what is alive across it.
func (a *Analysis) writeCut(b *strings.Builder, index int) {
	k, cut := a.Kernel, a.Cuts[index]
	fmt.Fprintf(b, "cut %d: %s state of %s\n", index, cut.Monoid.Kind, plural(cut.Monoid.Words(), "word"))
	for _, scan := range cut.Scans {
		op := &k.Ops[scan]
		fmt.Fprintf(b, "  %s for %s\n", op.Monoid.Kind, k.ids(op.Res))
		for line := range strings.Lines(op.Monoid.String()) {
			b.WriteString("    " + line)
		}
	}
	for _, c := range cut.Live {
		kind := k.Values[c.Value].Kind
		fmt.Fprintf(b, "  live %s %v, %s a row: %s\n", k.id(c.Value), kind, plural(kind.Size(), "byte"), c.How)
	}
}

// staging says how much of a stream a ring holds.
func (a *Analysis) staging(stream int) string {
	for _, s := range a.Staged {
		if s.Stream != stream {
			continue
		}
		text := ", ring of " + plural(a.Kernel.Streams[stream].Kind.Size(), "byte") + " a row"
		if s.Before > 0 {
			text += ", " + plural(int(s.Before), "row") + " before the tile"
		}
		if s.After > 0 {
			text += ", " + plural(int(s.After), "row") + " after the tile"
		}
		return text
	}
	return ""
}

// persistent says whether the persistent scheme can run the kernel, and at what
// cost.
func (a *Analysis) persistent() string {
	if reason := a.RefusePersistent(); reason != "" {
		return "refused: " + reason
	}
	ring, registers := a.rowBytes()
	return fmt.Sprintf("legal: %s a row in the ring, %s a row in registers, %s of status a tile",
		plural(ring, "byte"), plural(registers, "byte"), plural(a.Cuts[0].Monoid.Words(), "word"))
}

func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

package tile

import (
	"fmt"
	"slices"
)

// Staged is a stream whose elements rows of the base load by their own number:
// a scheme may stage its tiles ahead in a ring.
type Staged struct {
	Stream        int
	Before, After int64 // rows beyond the tile that shifts and heads touch
}

// staged lists the streams of k that can be staged.
func (k *Kernel) staged() []Staged {
	var list []Staged
	for i := range k.Streams {
		if slices.ContainsFunc(k.Ops, func(op Op) bool { return op.LoadsElement() && op.Stream == i }) {
			list = append(list, Staged{Stream: i})
		}
	}
	k.neighbours(func(stream int, distance int64) {
		at := slices.IndexFunc(list, func(s Staged) bool { return s.Stream == stream })
		list[at].Before = max(list[at].Before, distance)
		list[at].After = max(list[at].After, -distance)
	})
	return list
}

// neighbours visits the streams that rows touch at a distance back.
func (k *Kernel) neighbours(visit func(stream int, distance int64)) {
	for i := range k.Ops {
		values, distance := k.Ops[i].Seen()
		k.elements(values, distance, visit)
	}
}

// elements visits the streams that values are computed from, row by row.
func (k *Kernel) elements(values []ID, distance int64, visit func(stream int, distance int64)) {
	seen := map[ID]bool{}
	for len(values) > 0 {
		v := values[0]
		values = values[1:]
		if seen[v] || k.Values[v].Domain == Uniform {
			continue
		}
		seen[v] = true
		op := &k.Ops[k.Values[v].Op]
		if op.LoadsElement() {
			visit(op.Stream, distance)
		}
		values = append(values[:len(values):len(values)], op.Args...)
	}
}

// metByPersistent are the demands that the persistent scheme meets.
const metByPersistent = Prefixes | Neighbours | Tables | AnEnd | Expansion

// RefusePersistent says why the persistent scheme, in which each round of tiles waits for
// one exchange of states, cannot run the kernel; "" if it can.
func (a *Analysis) RefusePersistent() string {
	if reason := a.Kernel.Asks().Refuse(metByPersistent); reason != "" {
		return reason
	}
	switch n := len(a.Cuts); {
	case n == 0:
		return "there is no cut: tiles have nothing to exchange"
	case n > 1:
		return fmt.Sprintf("there are %d cuts, each needs the state of the one before, and a round exchanges states once", n)
	}
	return ""
}

// rowBytes adds up the bytes that a row occupies in the ring, and keeps in
// registers across its cuts.
func (a *Analysis) rowBytes() (ring, registers int) {
	k := a.Kernel
	for _, s := range a.Staged {
		ring += k.Streams[s.Stream].Kind.Size()
	}
	kept := map[ID]bool{}
	for _, cut := range a.Cuts {
		for _, c := range cut.Live {
			if c.How == Register && !kept[c.Value] {
				kept[c.Value] = true
				registers += k.Values[c.Value].Kind.Size()
			}
		}
	}
	return ring, registers
}

package fuse

import (
	"fmt"
	"strings"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// passOf returns the rank by whose digit the rows of a kernel move; nil if they do
// not move.
func passOf(group []*Stage) *ir.Value {
	for _, s := range group {
		if s.Kind != Pass {
			continue
		}
		if rank := s.roots[0].Args[1]; rank.Op == ir.OpRank {
			return rank
		}
	}
	return nil
}

// reuse gives columns that a pass moves the memory of columns that nothing reads any
// more: two sets are enough for all passes.
func (m *planner) reuse(p *Program) {
	lastRead := map[*Value]int{}
	for i, k := range p.Kernels {
		for _, s := range k.Streams {
			if !s.Write {
				lastRead[m.byName[s.Buffer]] = i
			}
		}
	}
	holds := map[string]*Value{} // by buffer: the column that lies there
	buffer := map[*Value]string{}
	var buffers []string
	for i, k := range p.Kernels {
		for n := range k.Streams {
			s := &k.Streams[n]
			w := m.byName[s.Buffer]
			if s.Write && s.Access == tile.Permute && !m.outputs[w] {
				at := w.Name
				for _, b := range buffers {
					if now := holds[b]; now.Type == w.Type && now.Domain == w.Domain && lastRead[now] < i {
						at = b
						break
					}
				}
				if at == w.Name {
					buffers = append(buffers, at)
				}
				holds[at], buffer[w] = w, at
			}
			if at, ok := buffer[w]; ok {
				s.Buffer = at
			}
		}
	}
}

// argumentsOf lists the streams of a kernel under the names of their buffers.
func argumentsOf(k *tile.Kernel) (list []plan.Arg) {
	for _, s := range k.Streams {
		access := plan.Reads
		if s.Write {
			access = plan.Writes
		}
		list = append(list, plan.Arg{Name: s.Buffer, Buffer: s.Buffer, Access: access})
	}
	return list
}

// sharing finds kernels that differ in nothing but their buffers, as those of most
// passes do: it has the first of each shape.
type sharing map[string]*tile.Kernel

// kernel returns the kernel to launch in place of k, and the buffers that its streams
// have in this launch.
func (s sharing) kernel(k *tile.Kernel) (name string, bind []plan.Arg) {
	shape := shapeOf(k)
	first := s[shape]
	if first == nil {
		s[shape] = k
		return k.Name, nil
	}
	names := argumentsOf(first)
	for i, arg := range argumentsOf(k) {
		if arg.Name = names[i].Name; arg.Buffer != arg.Name {
			bind = append(bind, arg)
		}
	}
	return first.Name, bind
}

// shapeOf describes all of a kernel but names and places in the source.
func shapeOf(k *tile.Kernel) string {
	var b strings.Builder
	fmt.Fprintln(&b, k.Chunk)
	for _, d := range k.Domains {
		fmt.Fprintln(&b, d.Kind, d.Plan, d.Parent, d.Guard, d.Counter, d.Open, d.Position)
	}
	for _, s := range k.Streams {
		fmt.Fprintln(&b, s.Kind, s.Access, s.Write)
	}
	for _, v := range k.Values[1:] {
		fmt.Fprintln(&b, v.Kind, v.Domain)
	}
	for _, op := range k.Ops {
		op.Stage, op.Pos = "", ir.Pos{}
		monoid := ""
		if op.Monoid != nil {
			monoid, op.Monoid = op.Monoid.String(), nil
		}
		fmt.Fprintf(&b, "%+v %s\n", op, monoid)
	}
	return b.String()
}

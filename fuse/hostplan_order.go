package fuse

import (
	"fmt"
	"strings"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// passOf returns the rank by whose digit the rows of a kernel move; nil if they do
// not move, or by all digits at once.
func passOf(group []*Stage) *ir.Value {
	for _, s := range group {
		if s.Kind == Pass && s.place.Op == ir.OpRank && len(s.place.Args) > 1 {
			return s.place
		}
	}
	return nil
}

// turnOf returns the turn of a kernel.
func turnOf(group []*Stage) turn {
	for _, s := range group {
		if s.turn.of != nil {
			return s.turn
		}
	}
	return turn{}
}

// digitsOf returns how many digits rows move by, of which rank's is one.
func digitsOf(rank *ir.Value) int64 {
	digits := rank.Args[1].Args[0]
	return digits.Args[1].Const.Int64() >> digits.Shift
}

// isLastPass reports whether no pass comes after that of a rank.
func (g *Graph) isLastPass(rank *ir.Value) bool {
	if t := g.turns[rank]; t.of != nil {
		return t.part == lastPass || t.part == onlyPass
	}
	return rank.Shift/int64(rank.Split) == digitsOf(rank)-1
}

// passSteps returns the steps of a pass: the place of its digit becomes known to the
// kernel.
func (m *planner) passSteps(shift, digit plan.Expr, launch plan.Launch) []plan.Step {
	return []plan.Step{
		{Set: &plan.Set{Scalar: m.digitShift, Value: shift}},
		{Set: &plan.Set{Scalar: m.digitNumber, Value: digit}},
		{Launch: &launch},
	}
}

// movedColumns returns the buffers of the columns that a kernel moves, in the order
// of the pass.
func movedColumns(k *tile.Kernel) (list []string) {
	for _, s := range k.Streams {
		if s.Write && s.Access == tile.Permute {
			list = append(list, s.Buffer)
		}
	}
	return list
}

// reuse gives columns that a pass moves the memory of columns that nothing reads any
// more: two sets are enough for all passes.
func (m *planner) reuse(p *Program) {
	lastRead := map[*Value]int{}
	sort := map[*Value]series{} // that carries a column
	end := map[series]int{}     // the kernel of its last pass, which may read what any has moved
	for i, k := range p.Kernels {
		t := turnOf(p.Groups[i])
		of := seriesOf(t)
		for _, s := range k.Streams {
			w := m.byName[s.Buffer]
			if !s.Write {
				lastRead[w] = i
			} else if t.of != nil && s.Access == tile.Permute {
				sort[w] = series{t.of, t.part.isWide()}
			}
		}
		if t.of != nil {
			end[of] = i
		}
	}
	holds := map[string]*Value{} // by buffer: the column that lies there
	buffer := map[*Value]string{}
	var buffers []string
	isFree := func(now, w *Value, i int) bool {
		return now.Type == w.Type && now.Domain == w.Domain && lastRead[now] < i && (sort[now].of == nil || end[sort[now]] < i)
	}
	for i, k := range p.Kernels {
		for n := range k.Streams {
			s := &k.Streams[n]
			w := m.byName[s.Buffer]
			if s.Write && w.Writer.Kind == Pass && !m.outputs[w] && buffer[w] == "" {
				at := w.Name
				for _, b := range buffers {
					if isFree(holds[b], w, i) {
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
		fmt.Fprintf(&b, "%+v\n", op)
	}
	return b.String()
}

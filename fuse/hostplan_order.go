package fuse

import (
	"fmt"
	"slices"
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

// digitsOf returns how many digits rows move by, of which rank's is one.
func digitsOf(rank *ir.Value) int64 {
	digits := rank.Args[1].Args[0]
	return digits.Args[1].Const.Int64() >> digits.Shift
}

// isLastPass reports whether no pass comes after that of a rank.
func isLastPass(rank *ir.Value) bool { return rank.Shift/int64(rank.Split) == digitsOf(rank)-1 }

// passSteps returns the steps of a pass. Between the first pass and the last, one
// runs if a digit above its own differs. The last takes the highest digit that
// differs, and the rows from where the last pass before it has put them: moved is
// where passes put them, by the spread of the keys.
func (m *planner) passSteps(rank *ir.Value, k *tile.Kernel, launch plan.Launch, moved map[*ir.Value][][]string) []plan.Step {
	digit := rank.Shift / int64(rank.Split)
	run := func(digit int64, launch plan.Launch) []plan.Step {
		return []plan.Step{
			{Set: &plan.Set{Scalar: m.digitShift, Value: plan.Const(digit * int64(rank.Split))}},
			{Set: &plan.Set{Scalar: m.digitNumber, Value: plan.Const(digit)}},
			{Launch: &launch},
		}
	}
	if rank.Limit == nil {
		if next := m.passAfter(rank); next != nil {
			moved[next.Limit] = append(moved[next.Limit], movedColumns(k))
		}
		return run(digit, launch)
	}
	differs := func(digit int64) plan.Expr {
		return plan.Lt(plan.Const(digit*int64(rank.Split)), plan.Var(m.result(rank.Limit).Name))
	}
	if !isLastPass(rank) {
		moved[rank.Limit] = append(moved[rank.Limit], movedColumns(k))
		return []plan.Step{{If: &plan.If{Cond: differs(digit + 1), Then: run(digit, launch)}}}
	}
	from := moved[rank.Limit]
	last := from[len(from)-1]
	var steps []plan.Step
	for j := int64(1); j <= digit; j++ {
		early := launch
		for i, buffer := range from[j-1] {
			early.Bind = rebound(early.Bind, last[i], buffer)
		}
		if steps == nil {
			steps = run(j, early)
			continue
		}
		steps = []plan.Step{{If: &plan.If{Cond: differs(j), Then: run(j, early), Else: steps}}}
	}
	return steps
}

// passAfter returns the rank by which rows move next, if the plan may leave that out.
func (m *planner) passAfter(rank *ir.Value) *ir.Value {
	for _, v := range m.Pipeline.Values {
		if v.Op == ir.OpRank && v.Limit != nil && v.Args[1] == rank.Args[1] {
			return v
		}
	}
	return nil
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

// rebound is bind with another buffer for a column that a kernel reads, which is in
// from otherwise. Arguments keep the names that the kernel gives them.
func rebound(bind []plan.Arg, from, to string) []plan.Arg {
	if from == to {
		return bind
	}
	bind = slices.Clone(bind)
	at := slices.IndexFunc(bind, func(b plan.Arg) bool { return b.Buffer == from && b.Access == plan.Reads })
	if at < 0 {
		at = len(bind)
		bind = append(bind, plan.Arg{Name: from, Access: plan.Reads})
	}
	bind[at].Buffer = to
	return bind
}

// reuse gives columns that a pass moves the memory of columns that nothing reads any
// more: two sets are enough for all passes.
func (m *planner) reuse(p *Program) {
	lastRead := map[*Value]int{}
	spread := map[*Value]*ir.Value{} // of the keys by which a column moves
	end := map[*ir.Value]int{}       // the kernel of the last pass
	for i, k := range p.Kernels {
		pass := passOf(p.Groups[i])
		for _, s := range k.Streams {
			w := m.byName[s.Buffer]
			if !s.Write {
				lastRead[w] = i
			}
			// The last pass may read what any of them has written.
			if pass != nil && pass.Limit != nil && (s.Write && !isLastPass(pass) || !s.Write && s.Access == tile.Element) {
				spread[w], end[pass.Limit] = pass.Limit, i
			}
		}
	}
	holds := map[string]*Value{} // by buffer: the column that lies there
	buffer := map[*Value]string{}
	var buffers []string
	isFree := func(now, w *Value, i int) bool { // passes of the same keys take turns, whichever run
		keys := spread[now]
		return now.Type == w.Type && now.Domain == w.Domain && lastRead[now] < i && (keys == nil || keys == spread[w] || end[keys] < i)
	}
	for i, k := range p.Kernels {
		for n := range k.Streams {
			s := &k.Streams[n]
			w := m.byName[s.Buffer]
			if s.Write && s.Access == tile.Permute && !m.outputs[w] && w.Writer.Kind != Either {
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
		monoid := ""
		if op.Monoid != nil {
			monoid, op.Monoid = op.Monoid.String(), nil
		}
		fmt.Fprintf(&b, "%+v %s\n", op, monoid)
	}
	return b.String()
}

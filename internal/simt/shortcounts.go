package simt

import (
	"slices"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// shortCounts gives columns of counts that pass from kernel to kernel 32 bits: a count of the
// rows of one launch is below 2^31. It returns a copy of the program, or the program itself if it
// has no such column.
func shortCounts(program *backends.Program) *backends.Program {
	made := *program
	for i, b := range program.Plan.Buffers {
		if b.Role != plan.Temporary || b.Kind != plan.Kind(ir.I64.String()) || !isOfCounts(program, b.Name) {
			continue
		}
		if made.Plan == program.Plan {
			logical := *program.Plan
			logical.Buffers, made.Plan, made.Kernels = slices.Clone(logical.Buffers), &logical, slices.Clone(program.Kernels)
		}
		made.Plan.Buffers[i].Kind = plan.Kind(ir.I32.String())
		for j, t := range made.Kernels {
			made.Kernels[j] = shortened(t, b.Name)
		}
	}
	return &made
}

// isOfCounts reports whether a column has counts of rows, and kernels do nothing but store and
// load them.
func isOfCounts(program *backends.Program, buffer string) bool {
	stored, others := false, false
	for _, t := range program.Kernels {
		k := &kernel{Kernel: t}
		for i := range t.Ops {
			op := &t.Ops[i]
			if !t.Touches(op, buffer) {
				continue
			}
			isStore := op.Kind == tile.Store && k.isRowCount(op.Args[0])
			stored, others = stored || isStore, others || !isStore && !op.IsLoad()
		}
	}
	plan.WalkSteps(program.Plan.Steps, func(s *plan.Step) {
		switch {
		case s.Init != nil:
			others = others || s.Init.Buffer == buffer
		case s.Read != nil:
			others = others || s.Read.Buffer == buffer
		case s.Launch != nil:
			others = others || slices.ContainsFunc(s.Launch.Bind, func(a plan.Arg) bool { return a.Buffer == buffer || a.Name == buffer })
		case s.Parts != nil:
			others = others || slices.ContainsFunc(s.Parts.Carries, func(c plan.Carry) bool { return c.In == buffer || c.Out == buffer })
		}
	})
	return stored && !others
}

// shortened returns a kernel for which a column of counts has 32 bits.
func shortened(t *tile.Kernel, buffer string) *tile.Kernel {
	stream := slices.IndexFunc(t.Streams, func(s tile.Stream) bool { return s.Buffer == buffer })
	if stream < 0 {
		return t
	}
	k := *t
	k.Streams, k.Values, k.Ops = slices.Clone(t.Streams), slices.Clone(t.Values), nil
	for i := range k.Streams {
		if k.Streams[i].Buffer == buffer {
			k.Streams[i].Kind = ir.I32
		}
	}
	for _, op := range t.Ops {
		if op.IsLoad() && t.Touches(&op, buffer) {
			count := op.Res[0]
			short := tile.ID(len(k.Values))
			k.Values = append(k.Values, tile.Value{Kind: ir.I32, Domain: t.Values[count].Domain, Op: -1})
			op.Res = []tile.ID{short}
			k.Ops = append(k.Ops, op)
			op = tile.Op{Kind: tile.Map, Operator: ir.OpCast, Domain: op.Domain, Args: []tile.ID{short}, Res: []tile.ID{count}, Epilogue: op.Epilogue, Stage: op.Stage, Pos: op.Pos}
		}
		k.Ops = append(k.Ops, op)
	}
	for i := range k.Ops {
		for _, v := range k.Ops[i].Res {
			k.Values[v].Op = i
		}
	}
	return &k
}

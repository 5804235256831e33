package simt

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/plan"
)

// A launch spans less than 2^31 rows, and row numbers have 32 bits. Longer inputs
// go in parts: each launch over rows becomes one launch per part. Tiles are
// numbered over all parts and buffers are those of the whole input, so a part
// continues the previous one. Counters and counts of rows then have 64 bits.

// rowSpan is which rows a launch takes: all, or a part of them.
type rowSpan interface {
	// begin names the rows of the launch.
	begin(a *arguments)
	// firstTile returns the number of the first tile of the launch.
	firstTile(e *function) loop.Expr
	// launch returns the step that launches a kernel over all rows.
	launch(s *launches, kernel string, schedule plan.Schedule) plan.Step
	// rows returns the rows of the launch at hand, and most those of the largest.
	rows(s *launches) plan.Expr
	most(s *launches) plan.Expr
	// follow appends a step that follows each launch of the step before.
	follow(s *launches, next plan.Step)
}

// wholeSpan is the rows of a launch that takes all of them.
type wholeSpan struct{}

func (wholeSpan) begin(*arguments) {}

func (wholeSpan) firstTile(*function) loop.Expr { return loop.Int(0) }

func (wholeSpan) launch(s *launches, kernel string, _ plan.Schedule) plan.Step {
	return plan.Step{Launch: &plan.Launch{Kernel: kernel, Rows: s.span}}
}

func (wholeSpan) rows(s *launches) plan.Expr { return s.span }

func (wholeSpan) most(s *launches) plan.Expr { return s.span }

func (wholeSpan) follow(s *launches, next plan.Step) { s.out.Steps = append(s.out.Steps, next) }

// partSpan is the rows of one of the launches that go in parts.
type partSpan struct{ row0, rowsName string } // scalars of the plan

func (*partSpan) begin(a *arguments) { a.beginAt0() }

func (*partSpan) firstTile(e *function) loop.Expr {
	return e.b.Let("first_tile", loop.Div(e.arguments.part, loop.Int(e.kernel.rows())))
}

func (p *partSpan) launch(s *launches, kernel string, schedule plan.Schedule) plan.Step {
	if p.row0 == "" {
		p.row0, p.rowsName = s.fresh("part_row0"), s.fresh("part_rows")
		for _, name := range []string{p.row0, p.rowsName} {
			s.out.Scalars = append(s.out.Scalars, plan.Scalar{Name: name, Kind: plan.I64})
		}
	}
	launch := &plan.Launch{Kernel: kernel, Row0: plan.Var(p.row0), Rows: plan.Var(p.rowsName)}
	return plan.Step{Parts: &plan.Parts{Len: s.span, Row0: p.row0, Rows: p.rowsName,
		Limit: s.schedule.Part, Multiple: schedule.Rows(), Steps: []plan.Step{{Launch: launch}}}}
}

func (p *partSpan) rows(*launches) plan.Expr { return plan.Var(p.rowsName) }

func (p *partSpan) most(s *launches) plan.Expr { return plan.Min(s.span, plan.Const(s.schedule.Part)) }

func (p *partSpan) follow(s *launches, next plan.Step) {
	parts := s.out.Steps[len(s.out.Steps)-1].Parts
	parts.Steps = append(parts.Steps, next)
}

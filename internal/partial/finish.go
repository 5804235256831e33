package partial

import (
	"fmt"

	"github.com/kgen-go/kgen/ir"
)

func (s *splitter) buildFinish() error {
	for _, v := range s.Whole.Values {
		switch s.classes[v.ID] {
		case cut, finished:
			s.end(v)
		}
	}
	var results []any
	for _, r := range s.Whole.Results {
		if s.classes[r.Value.ID] == row {
			continue
		}
		s.finish.Place(r.Pos)
		results = append(results, s.end(r.Value).As(r.Label))
	}
	if len(results) == 0 {
		return nil
	}
	s.finish.Place(s.Whole.Pos)
	if s.Whole.Reproducible {
		s.finish.Reproducible()
	}
	if s.Whole.Unordered {
		s.finish.ReturnUnordered(results...)
	} else {
		s.finish.Return(results...)
	}
	var err error
	if s.Finish, err = s.finish.Pipeline(); err != nil {
		return err
	}
	s.Finish.Name, s.Finish.Pos = s.Whole.Name+"_finish", s.Whole.Pos
	whole := s.checks(s.ends)
	for _, site := range s.Finish.Sites {
		s.FinishChecks = append(s.FinishChecks, whole(site))
	}
	for _, site := range s.Whole.Sites {
		if site.Kind == ir.CheckEmpty && s.classes[site.Value.ID] == cut {
			s.Empty = append(s.Empty, EmptyCheck{Whole: site.Number, Rows: s.ofRows[site.Value]})
		}
	}
	return nil
}

// end returns v as a value of Finish.
func (s *splitter) end(v *ir.Value) ir.Operand {
	if o, made := s.ends[v]; made {
		return o
	}
	var o ir.Operand
	switch {
	case v.Op == ir.OpParam:
		o = parameter(s.finish, v)
		s.Inputs = append(s.Inputs, Input{State: -1, Parameter: v})
	case s.classes[v.ID] == cut:
		o = s.aggregate(v)
	default:
		o = s.finish.Copy(v, s.end)
	}
	s.ends[v] = o
	return o
}

// aggregate returns the result of an aggregate of all rows from its states.
func (s *splitter) aggregate(v *ir.Value) ir.Operand {
	b := s.finish
	b.Place(v.Pos)
	defer b.Place(ir.Pos{})
	x := s.input(s.ofCut[v])
	if v.Op == ir.OpLen {
		return x
	}
	switch a := v.Op.Aggregate(); a.Finish {
	case ir.FinishQuotient:
		x = b.Cast(ir.F64, x).Div(b.Cast(ir.F64, s.input(s.ofRows[v])))
	case ir.FinishField:
		if a.NoRows == ir.NoRowsIdentity || v.Else == nil { // the state of no rows is the result, or not needed
			return x
		}
	default:
		panic(fmt.Sprintf("partial: no finish %d of %v", a.Finish, v.Op))
	}
	if !mayBeEmpty(v) {
		return x
	}
	var none any = ir.Scalar{Kind: v.Type.Kind}
	if v.Else != nil {
		none = s.end(v.Else)
	}
	return b.Select(s.input(s.ofRows[v]).Gt(0), x, none)
}

// input returns state i as a parameter of Finish.
func (s *splitter) input(i int) ir.Operand {
	o, made := s.inputs[i]
	if !made {
		state := s.States[i]
		if state.Grouping < 0 {
			o = s.finish.Scalar(state.Name, state.Kind)
		} else {
			o = s.finish.Column(state.Name, s.Groupings[state.Grouping].Name, state.Kind)
		}
		s.inputs[i] = o
		s.Inputs = append(s.Inputs, Input{State: i})
	}
	return o
}

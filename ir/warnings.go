package ir

import (
	"fmt"
	"slices"
)

// warn gathers what is legal in p and most likely a mistake, in source order.
func (f *facts) warn(p *Pipeline) []Error {
	warnings := f.traceInexact(p)
	if p.expanded {
		return nil
	}
	for _, v := range p.Values {
		if msg, hint := f.alwaysFails(v); msg != "" {
			warnings = append(warnings, Error{Pos: v.Pos, Msg: msg, Hint: hint})
		}
		if v.Op == OpCast && v.Type.Kind.IsFloat() && v.Args[0].Op == OpDiv && v.Args[0].Type.Kind.IsInteger() {
			q := v.Args[0]
			warnings = append(warnings, Error{
				Pos:  v.Pos,
				Msg:  fmt.Sprintf("%s divides integers, which truncates, before it converts", expressionText(v)),
				Hint: fmt.Sprintf("for the exact quotient write %[1]v(%[2]s) / %[1]v(%[3]s)", v.Type.Kind, shortText(q.Args[0]), shortText(q.Args[1])),
			})
		}
	}
	slices.SortStableFunc(warnings, func(a, b Error) int {
		if a.Pos.Line != b.Pos.Line {
			return a.Pos.Line - b.Pos.Line
		}
		return a.Pos.Column - b.Pos.Column
	})
	return warnings
}

// alwaysFails finds checks that no data can pass.
func (f *facts) alwaysFails(v *Value) (msg, hint string) {
	negative := func(o *Value) bool { r := f.ranges[o.ID]; return r.bounded && r.hi < 0 }
	switch v.Op {
	case OpDiv, OpRem:
		if r := f.ranges[v.Args[1].ID]; v.Type.Kind.IsInteger() && r.bounded && r.lo == 0 && r.hi == 0 {
			return fmt.Sprintf("%s always divides by zero", expressionText(v)), ""
		}
	case OpGather:
		if negative(v.Args[1]) {
			return fmt.Sprintf("the index of %s is always negative", expressionText(v)),
				fmt.Sprintf("rows count from 0; the last one is %s[len(%[1]s) - 1]", shortText(v.Args[0]))
		}
	case OpBins:
		if negative(v.Args[0]) || negative(v.Args[1]) {
			return fmt.Sprintf("%s always fails: its operands are negative", expressionText(v)), ""
		}
	case OpRepeat:
		if negative(v.Args[0]) {
			return fmt.Sprintf("the length of %s is always negative", expressionText(v)), ""
		}
	case OpOrder:
		if v.Limit != nil && negative(v.Limit) {
			return fmt.Sprintf("the limit of %s is negative", expressionText(v)), ""
		}
	}
	return "", ""
}

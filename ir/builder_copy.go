package ir

import "slices"

// Copy returns a copy of v, a value of a finished pipeline, with other operands: it
// has the operator, attributes, name and position of v, and of(o) for each operand
// o. Parameters are not copied.
func (b *Builder) Copy(v *Value, of func(*Value) Operand) Operand {
	if !b.isOpen() {
		return Operand{}
	}
	switch {
	case v == nil:
		return b.wrap(b.g.fail(b.here(), "pass one of Pipeline.Values", "a copy of nil"))
	case !v.isWhole():
		return b.wrap(b.g.fail(b.here(), "pass one of Pipeline.Values", "a copy of what is no value of a pipeline"))
	case of == nil && len(v.Operands()) > 0:
		return b.wrap(b.g.fail(b.here(), "pass a function that returns the copy of each operand", "a copy of %s without its operands", shortText(v)))
	}
	defer b.Place(b.at)
	b.Place(v.Pos)
	o := b.copied(v, of)
	if v.Name != "" && o.o.value != nil && o.o.value.Name == "" && !b.names[v.Name] {
		return b.Let(v.Name, o)
	}
	return o
}

// isWhole reports whether v has the operands of its operator, as all values of
// pipelines have.
func (v *Value) isWhole() bool {
	if v.Op <= OpInvalid || v.Op >= opEnd || slices.Contains(v.Operands(), nil) || len(v.Desc) > len(v.Args) {
		return false
	}
	switch spellings[v.Op].form {
	case formInfix, formIndex:
		return len(v.Args) == 2
	case formPrefix, formCast, formField:
		return len(v.Args) == 1
	case formNone:
		return true
	}
	switch v.Op {
	case OpPrev, OpNext, OpAlign:
		return len(v.Args) == 2
	case OpFind, OpJoin:
		return 0 < v.Split && v.Split < len(v.Args)
	}
	f := functionsByName[v.Op.String()]
	return f.least <= len(v.Args) && len(v.Args) <= f.most
}

func (b *Builder) copied(v *Value, of func(*Value) Operand) Operand {
	args := make([]any, len(v.Args))
	for i, a := range v.Args {
		args[i] = of(a)
	}
	switch s := spellings[v.Op]; s.form {
	case formInfix:
		return b.Infix(args[0], s.text, args[1])
	case formPrefix:
		return b.Prefix(s.text, args[0])
	case formCast:
		return b.Cast(v.Type.Kind, args[0])
	case formIndex:
		return b.At(args[0], args[1])
	case formField:
		return b.field(args[0], s.text)
	case formNone:
		if v.Hidden {
			return b.Text(*v.Literal)
		}
		if v.Op == OpConst {
			return b.wrap(b.operand(b.here(), v.Const))
		}
		return b.wrap(b.g.fail(v.Pos, "declare it by Column or Scalar", "%v %s is not copied", v.Op, clip(v.Name)))
	}
	switch v.Op {
	case OpPrev, OpNext:
		args = []any{args[0], int(v.Shift), args[1]}
	case OpScan, OpExscan:
		args = append([]any{v.Reduce}, args...)
	case OpFind:
		args = []any{key(args[:v.Split]), Named{"in", key(args[v.Split:])}}
	case OpJoin:
		args = []any{key(args[:v.Split]), key(args[v.Split:])}
	case OpAlign:
		args[1] = Named{"to", args[1]}
	}
	for i, descends := range v.Desc {
		if descends {
			args[i] = Desc(args[i])
		}
	}
	for _, named := range []struct {
		name  string
		value *Value
	}{{"by", v.By}, {"else", v.Else}, {"limit", v.Limit}} {
		if named.value != nil {
			args = append(args, Named{named.name, of(named.value)})
		}
	}
	return b.call(v.Op, args...)
}

// key is the key of the columns: one alone is no tuple.
func key(columns []any) any {
	if len(columns) == 1 {
		return columns[0]
	}
	return Keys(columns...)
}

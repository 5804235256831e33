package ir

import (
	"fmt"
	"go/constant"
	"go/token"
	"os"
	"slices"
)

// Load parses and checks a source file. If the error list is not empty, there are
// no pipelines.
func Load(name string, source []byte) ([]*Pipeline, ErrorList) {
	file, errs := Parse(name, source)
	if len(errs) > 0 {
		return nil, errs
	}
	return resolve(file, nil)
}

// LoadFile loads the source file at path. An error of the file's text is an
// ErrorList.
func LoadFile(path string) ([]*Pipeline, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	pipelines, errs := Load(path, source)
	return pipelines, errs.Err()
}

// resolve makes the pipelines of a file's syntax tree. The types of its expressions
// go to types, unless that is nil.
func resolve(file *File, types map[Expr]Type) ([]*Pipeline, ErrorList) {
	var errs ErrorList
	report := func(pos Pos, msg, hint string) { errs = append(errs, NewError(file, pos, msg, hint)) }
	var pipelines []*Pipeline
	defined := map[string]Pos{}
	for _, decl := range file.Pipelines {
		if at, ok := defined[decl.Name]; ok {
			report(decl.NamePos, fmt.Sprintf("pipeline %s is already defined at line %d", clip(decl.Name), at.Line), "give it another name")
		}
		defined[decl.Name] = decl.NamePos
		r := &resolver{decl: decl, types: types, failed: file.broken, symbols: map[string]*symbol{}}
		r.report = func(pos Pos, msg, hint string) {
			r.failed = true
			report(pos, msg, hint)
		}
		r.g = newGraph(r.report)
		p := r.pipeline()
		if p == nil || len(errs) > 0 { // it may lack what is wrong
			continue
		}
		file.document(decl, p)
		for i, w := range p.Warnings {
			p.Warnings[i] = NewError(file, w.Pos, w.Msg, w.Hint)
		}
		pipelines = append(pipelines, p)
	}
	if len(errs) > 0 {
		return nil, errs.limited()
	}
	return pipelines, nil
}

// A resolver turns the syntax tree of one pipeline into its graph.
type resolver struct {
	decl    *PipelineDecl // nil for the default of a parameter
	g       *graph
	report  func(pos Pos, msg, hint string)
	types   map[Expr]Type // of expressions that are values; nil if nobody asks
	failed  bool          // whether anything was reported, by the parser perhaps
	symbols map[string]*symbol
	order   []*symbol
	hints   int // searches for what the user may have meant
}

// A symbol is what a name stands for.
type symbol struct {
	name      string
	operand   operand
	pos       Pos
	parameter bool
	used      bool
}

func (r *resolver) pipeline() *Pipeline {
	decl := r.decl
	for _, p := range decl.Params {
		r.define(&symbol{name: p.Name, operand: r.parameter(p), pos: p.Pos, parameter: true})
	}
	for _, s := range decl.Stmts {
		o := r.expr(s.X)
		if !o.bad() && !r.nameable(s.X, o) {
			o = operand{pos: s.Pos}
		}
		o = r.g.typed(o)
		r.note(s.X, o)
		if !o.bad() && r.symbols[s.Name] == nil {
			r.g.name(o.value, s.Name)
		}
		r.define(&symbol{name: s.Name, operand: o, pos: s.Pos})
	}
	if decl.Return == nil { // it could not be read
		return nil
	}
	results := r.results(decl.Return)
	if !r.failed { // or what failed may have been its use
		r.reportUnused()
	}
	if results.bad || r.failed {
		return nil
	}
	return r.g.finish(decl.Name, decl.Doc, decl.Pos, results.results, decl.Return.Unordered, decl.Return.Reproducible)
}

func (r *resolver) reportUnused() {
	for _, s := range r.order {
		switch {
		case s.used:
		case s.parameter:
			r.report(s.pos, fmt.Sprintf("parameter %s is never used", clip(s.name)), "delete it, or use it")
		default:
			r.report(s.pos, fmt.Sprintf("%s is never used", clip(s.name)), "return it, or delete the statement")
		}
	}
}

// nameable requires that a statement's expression denotes one value.
func (r *resolver) nameable(x Expr, o operand) bool {
	if o.kind() == Pair && !o.desc && len(o.parts) == 0 {
		return true
	}
	return r.g.plain(x.Position(), o)
}

func (r *resolver) define(s *symbol) {
	if old := r.symbols[s.name]; old != nil {
		r.report(s.pos, fmt.Sprintf("%s is already defined at line %d", clip(s.name), old.pos.Line), "a name stands for one value: choose another")
		return
	}
	r.symbols[s.name] = s
	r.order = append(r.order, s)
}

func (r *resolver) parameter(p *ParamDecl) operand {
	kind, ok := KindByName(p.Type)
	if !ok {
		return r.g.fail(p.TypePos, unknownTypeHint(p.Type), "unknown type %s", clip(p.Type))
	}
	v := Value{Name: p.Name, Type: Type{Kind: kind}, Pos: p.Pos}
	if p.Default != nil {
		v.Const, v.Literal = r.constant(p.Default, "the default of "+clip(p.Name), kind)
	}
	if p.Like != nil {
		if kind != Bool {
			return r.g.fail(p.TypePos, fmt.Sprintf("write %s: [%s]bool like %s", p.Name, p.Domain, p.Like.Text), "whether a text is like a pattern is a bool, and %s is %v", clip(p.Name), kind)
		}
		text := r.expr(p.Like)
		if text.bad() {
			return operand{pos: p.Pos}
		}
		pattern := Pattern(constant.StringVal(text.constant))
		v.Like = &pattern
	}
	if p.Missing != nil {
		v.Missing, v.Literal = r.constant(p.Missing, "the value of "+clip(p.Name)+" where it is missing", kind)
		if v.Missing.Kind == Invalid {
			return operand{pos: p.Pos}
		}
	}
	if p.Present != "" {
		of := r.symbols[p.Present]
		switch {
		case of == nil:
			return r.g.fail(p.PresentPos, "name a column parameter before this one", "no parameter %s has values that may be missing", clip(p.Present))
		case of.operand.bad():
			return operand{pos: p.Pos}
		}
		if v.Present = of.operand.value; !r.g.tellsOf(p.PresentPos, v, p.Domain) {
			return operand{pos: p.Pos}
		}
	}
	return operand{pos: p.Pos, value: r.g.parameter(v, p.Domain)}
}

// constant resolves an expression that has to be a constant of a kind; a text has a
// literal.
func (r *resolver) constant(x Expr, what string, kind Kind) (Scalar, *string) {
	constants := &resolver{g: newGraph(r.report), report: r.report}
	o := constants.g.as(constants.expr(x), kind)
	switch {
	case o.bad() || !r.g.plain(o.pos, o):
	case !o.value.isLiteral():
		r.g.fail(x.Position(), "", "%s is no constant", what)
	case o.kind() != kind:
		r.g.fail(x.Position(), "", "%s is %v, not %v", what, o.kind(), kind)
	case o.value.Hidden:
		return Scalar{Kind: Text}, o.value.Literal
	default:
		return o.value.Const, nil
	}
	return Scalar{}, nil
}

// results resolves the return statement.
func (r *resolver) results(ret *Return) resultList {
	list := resultList{g: r.g}
	for _, arg := range ret.Results {
		o := r.expr(arg.X)
		o.pos = arg.X.Position()
		label, labelPos := arg.Label, arg.LabelPos
		if label == "" {
			label, labelPos = labelOf(arg.X), o.pos
		}
		list.add(label, labelPos, o)
	}
	if ret.Unordered {
		list.unordered()
	}
	return list
}

// labelOf is the label of a result that is a name, perhaps indexed.
func labelOf(x Expr) string {
	switch x := x.(type) {
	case *Name:
		return x.Name
	case *Subscript:
		return labelOf(x.X)
	}
	return ""
}

// expr resolves an expression. It visits every operand, after errors too, so
// that all names count as used.
func (r *resolver) expr(x Expr) operand {
	o := r.operand(x)
	r.note(x, o)
	return o
}

// note keeps the type of x if it is a value.
func (r *resolver) note(x Expr, o operand) {
	if r.types != nil && o.value != nil {
		r.types[x] = o.typ()
	}
}

func (r *resolver) operand(x Expr) operand {
	switch x := x.(type) {
	case *Name:
		return r.use(x)
	case *Literal:
		return r.literal(x)
	case *Paren:
		o := r.expr(x.X)
		o.pos = x.Pos
		return o
	case *Unary:
		o := r.expr(x.X)
		if x.Op == "+" {
			return r.plus(x.Pos, o)
		}
		return r.g.unary(x.Pos, prefix[x.Op], o)
	case *Binary:
		left := r.expr(x.X)
		right := r.expr(x.Y)
		return r.g.binary(x.OpPos, infix[x.Op], left, right)
	case *Subscript:
		column := r.expr(x.X)
		index := r.expr(x.Index)
		return r.g.subscript(x.Position(), column, index)
	case *Field:
		return r.g.field(x.Position(), r.expr(x.X), x.Name)
	case *Tuple:
		o := operand{pos: x.Pos}
		for _, part := range x.Parts {
			o.parts = append(o.parts, r.expr(part))
		}
		return o
	case *Call:
		return r.call(x)
	}
	panic(fmt.Sprintf("ir: no expression %T", x))
}

// plus is +x: x, which must be a number.
func (r *resolver) plus(pos Pos, o operand) operand {
	if !r.g.plain(pos, o) {
		return operand{pos: pos}
	}
	if k := o.kind(); !k.IsNumeric() && !k.IsDecimal() && k != UntypedInt && k != UntypedFloat {
		return r.g.fail(pos, "+ takes numbers", "+%v where %v is %v", o, o, o.typ())
	}
	return o
}

func (r *resolver) use(x *Name) operand {
	s := r.symbols[x.Name]
	if s == nil {
		return r.unknown(x)
	}
	s.used = true
	o := s.operand
	o.pos = x.Pos
	return o
}

func (r *resolver) literal(x *Literal) operand {
	var tok token.Token
	switch x.Kind {
	case Bool:
		return r.g.scalar(x.Pos, BoolScalar(x.Text == "true"))
	case UntypedInt:
		tok = token.INT
	case UntypedFloat:
		tok = token.FLOAT
	case UntypedString:
		tok = token.STRING
	}
	c := constant.MakeFromLiteral(x.Text, tok, 0)
	o := r.g.folded(x.Pos, c)
	o.pos = x.Pos
	return o
}

func (r *resolver) call(x *Call) operand {
	kind, isCast := KindByName(x.Name)
	f := functionsByName[x.Name]
	c := &call{pos: x.Pos, op: f, named: map[string]operand{}}
	args, hasOperation := x.Args, true
	if f != nil && f.operation && len(args) > 0 {
		c.reduce, hasOperation = r.operation(f, args[0])
		args = args[1:]
	}
	r.operands(c, args)
	switch {
	case !hasOperation:
		return operand{pos: x.Pos}
	case f != nil:
		return r.g.call(c)
	case x.Name == decimalName:
		return r.g.decimal(c)
	case isCast || x.Name == "desc":
		if len(c.args) != 1 || len(c.named) > 0 {
			return r.g.fail(x.Pos, "", "%s takes one operand", x.Name)
		}
		if isCast {
			return r.g.cast(x.Pos, kind, c.args[0])
		}
		o := c.args[0]
		if o.bad() || !r.g.plain(x.Pos, o) {
			return operand{pos: x.Pos}
		}
		o.desc = true
		return o
	}
	return r.unknownFunction(x)
}

// operands resolves the operands of a call, in the order of Value.Operands, so
// that by: and else: may be written in any.
func (r *resolver) operands(c *call, args []*Arg) {
	for i, a := range args {
		if i > 0 && a.Label == "" && args[i-1].Label != "" {
			r.report(a.X.Position(), "an operand without a name stands after one with a name", "write the named operands last")
		}
	}
	place := map[string]int{"in": 1, "to": 1, "by": 2, "else": 3, "limit": 4}
	args = slices.Clone(args)
	slices.SortStableFunc(args, func(a, b *Arg) int { return place[a.Label] - place[b.Label] })
	for _, a := range args {
		o := r.expr(a.X)
		o.pos = a.X.Position()
		if a.Label == "" {
			c.args = append(c.args, o)
			continue
		}
		if _, twice := c.named[a.Label]; twice {
			r.report(a.LabelPos, fmt.Sprintf("%s: is given twice", clip(a.Label)), "delete one")
		}
		c.named[a.Label] = o
	}
}

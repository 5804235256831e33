package tile

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// Verify checks a finished kernel: operands are defined before use, of the
// right kinds, and visible where they are used, each fold matches its monoid,
// neighbours can be recomputed, and inputs are not written. It takes any
// kernel, and never panics.
func Verify(k *Kernel) error {
	if err := k.verifyIndices(); err != nil {
		return err
	}
	for i := range k.Domains {
		if err := k.verifyDomain(i); err != nil {
			return fmt.Errorf("domain %d %s: %w", i, k.Domains[i].Name, err)
		}
	}
	epilogue := false
	for i := range k.Ops {
		op := &k.Ops[i]
		err := k.verifyOperands(i, op)
		if err == nil {
			err = k.verifyKinds(op)
		}
		if epilogue && !op.Epilogue {
			err = errors.New("stands behind the epilogue")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", k.opString(op), err)
		}
		epilogue = op.Epilogue
	}
	return nil
}

// verifyIndices checks that everything that is named is there, so that all
// further checks, and messages, can look it up.
func (k *Kernel) verifyIndices() error {
	if len(k.Domains) == 0 || len(k.Values) == 0 {
		return errors.New("a kernel has a base domain, and value 0, which is none")
	}
	for i, s := range k.Streams {
		if !isKind(s.Kind) || s.Access > Scatter {
			return fmt.Errorf("stream %d %s has no element type or access", i, s.Name)
		}
		if slices.ContainsFunc(k.Streams[:i], func(other Stream) bool { return other.Buffer == s.Buffer }) {
			return fmt.Errorf("stream %d %s: buffer %s has a stream already; inputs are not written", i, s.Name, s.Buffer)
		}
	}
	for i, v := range k.Values[1:] {
		if !isKind(v.Kind) || v.Domain < Uniform || v.Domain >= len(k.Domains) || v.Op < 0 || v.Op >= len(k.Ops) {
			return fmt.Errorf("value %d %s has no element type, domain or definition", i+1, v.Name)
		}
		if !slices.Contains(k.Ops[v.Op].Res, ID(i+1)) {
			return fmt.Errorf("value %d %s is not defined by operation %d", i+1, v.Name, v.Op)
		}
	}
	for i, d := range k.Domains {
		if d.Kind > Close || d.Parent < 0 || d.Parent >= len(k.Domains) {
			return fmt.Errorf("domain %d %s has no kind or parent", i, d.Name)
		}
		for _, v := range []ID{d.Guard, d.Counter, d.Open, d.Position} {
			if v < 0 || int(v) >= len(k.Values) {
				return fmt.Errorf("domain %d %s: there is no value %d", i, d.Name, v)
			}
		}
	}
	for i := range k.Ops {
		if err := k.verifyOpIndices(i, &k.Ops[i]); err != nil {
			return fmt.Errorf("operation %d: %w", i, err)
		}
	}
	return nil
}

func isKind(k ir.Kind) bool { return k >= ir.Bool && k <= ir.Char8 }

func (k *Kernel) verifyOpIndices(index int, op *Op) error {
	if int(op.Kind) >= len(traits) {
		return fmt.Errorf("there is no operation of kind %d", op.Kind)
	}
	if op.Domain < Uniform || op.Domain >= len(k.Domains) {
		return fmt.Errorf("%v: there is no domain %d", op.Kind, op.Domain)
	}
	for _, v := range op.Args {
		if v <= 0 || int(v) >= len(k.Values) {
			return fmt.Errorf("%v: there is no value %d", op.Kind, v)
		}
	}
	for i, v := range op.Res {
		if v <= 0 || int(v) >= len(k.Values) {
			return fmt.Errorf("%v: there is no value %d", op.Kind, v)
		}
		if k.Values[v].Op != index || slices.Contains(op.Res[:i], v) {
			return fmt.Errorf("%v: value %d %s is defined twice", op.Kind, v, k.Values[v].Name)
		}
	}
	for _, stream := range op.Streams() {
		if stream < 0 || stream >= len(k.Streams) {
			return fmt.Errorf("%v: there is no stream %d", op.Kind, stream)
		}
	}
	if op.Kind == Const && !isKind(op.Const.Kind) {
		return errors.New("the constant has no element type")
	}
	return op.verifyShape()
}

func (op *Op) touchesStreams() bool {
	return op.Traits().hasStream() || len(op.Totals)+len(op.Offsets) > 0
}

// verifyShape checks numbers of operands, and the monoid.
func (op *Op) verifyShape() error {
	t := op.Traits()
	fields := 0
	if t.Folds {
		if op.Monoid == nil {
			return fmt.Errorf("%v has no monoid", op.Kind)
		}
		if err := op.Monoid.verify(); err != nil {
			return fmt.Errorf("%v: %w", op.Kind, err)
		}
		fields = len(op.Monoid.Fields)
	}
	least, most := countRoles(t.Args, fields)
	switch n := len(op.Args); {
	case slices.Contains(t.Args, Fields) && n != fields:
		return fmt.Errorf("%v: %d fields with %d elements", op.Kind, fields, n)
	case n < least || n > most:
		return fmt.Errorf("%v takes no %d operands", op.Kind, n)
	case slices.Contains(t.Args, Terms) && n != op.Operator.Arity():
		return fmt.Errorf("operator %v takes %d operands, not %d", op.Operator, op.Operator.Arity(), n)
	}
	if n, _ := countRoles(t.Res, fields); len(op.Res) != n {
		return fmt.Errorf("%v has no %d results", op.Kind, len(op.Res))
	}
	if t.Effect == Combines && fields != 1 {
		return fmt.Errorf("an update of %d fields; a table has one", fields)
	}
	if i := slices.Index(t.Args, Compared); i >= 0 && len(op.Args)-i != len(op.Keys) {
		return fmt.Errorf("%v compares %d keys with %d", op.Kind, len(op.Args)-i, len(op.Keys))
	}
	if (op.Kind == Cuckoo) != (len(op.Homes) > 0) {
		return fmt.Errorf("%v has %d streams of homes", op.Kind, len(op.Homes))
	}
	if t.Effect == Totals && (len(op.Totals) != fields || !op.IsRunning() && len(op.Offsets) != fields) {
		return fmt.Errorf("%v: %d fields, totals in %d streams, offsets in %d", op.Kind, fields, len(op.Totals), len(op.Offsets))
	}
	return nil
}

// countRoles returns how many operands roles stand for, with a monoid of some fields.
func countRoles(roles []Role, fields int) (least, most int) {
	for _, role := range roles {
		low, high := 1, 1
		switch role {
		case At, Most, Rest:
			low = 0
		case Terms:
			high = mostTerms
		case Keys:
			high = math.MaxInt32
		case Compared: // none if numbers are their own keys
			low, high = 0, math.MaxInt32
		case Fields:
			low, high = fields, fields
		}
		least, most = least+low, most+high
	}
	return least, most
}

// mostTerms is how many operands an element-wise operator takes at most.
const mostTerms = 3

// verify checks that states of m can be combined.
func (m *Monoid) verify() error {
	if m.Kind > Ordered || len(m.Fields) == 0 || len(m.Identity) != len(m.Fields) || len(m.Combine) != len(m.Fields) {
		return errors.New("a monoid has a kind, and an identity and a combination for each of its fields")
	}
	for i, f := range m.Fields {
		if !isKind(f.Kind) || m.Identity[i].Kind != f.Kind {
			return fmt.Errorf("the identity of %s is of another kind", f.Name)
		}
	}
	known := map[*Expr]bool{}
	for i, f := range m.Fields {
		if err := m.verifyExpr(m.Combine[i], 0, known); err != nil {
			return fmt.Errorf("the combination of %s: %w", f.Name, err)
		}
		if m.Combine[i].Kind != f.Kind {
			return fmt.Errorf("the combination of %s is of another kind", f.Name)
		}
	}
	return nil
}

// verifyExpr checks an expression, unless it is known to be one.
func (m *Monoid) verifyExpr(e *Expr, depth int, known map[*Expr]bool) error {
	switch {
	case known[e]:
		return nil
	case e == nil || !isKind(e.Kind) || depth > maxExprDepth:
		return errors.New("it has no element type, or no end")
	case e.Operator == ir.OpConst:
		if e.Const.Kind != e.Kind {
			return errors.New("a constant is of another kind")
		}
		return nil
	case e.Operator == ir.OpInvalid && e.Scalar != "":
		return nil
	case e.Operator == ir.OpInvalid:
		if e.Side > B || e.Field < 0 || e.Field >= len(m.Fields) || m.Fields[e.Field].Kind != e.Kind {
			return fmt.Errorf("there is no field %d of that kind", e.Field)
		}
		return nil
	case len(e.Args) == 0 || len(e.Args) != e.Operator.Arity():
		return fmt.Errorf("operator %v with %d operands", e.Operator, len(e.Args))
	}
	kinds := make([]ir.Kind, len(e.Args))
	for i, arg := range e.Args {
		if err := m.verifyExpr(arg, depth+1, known); err != nil {
			return err
		}
		kinds[i] = arg.Kind
	}
	known[e] = true
	return verifyOperator(e.Operator, e.Kind, kinds)
}

// maxExprDepth is more than any monoid needs.
const maxExprDepth = 64

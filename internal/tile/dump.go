package tile

import (
	"fmt"
	"strings"

	"github.com/kgen-go/kgen/ir"
)

// formatOperator prints an element-wise operator as source text does.
func formatOperator(operator ir.Op, kind ir.Kind, args []string) string {
	switch {
	case operator.IsInfix():
		return args[0] + " " + operator.String() + " " + args[1]
	case operator.IsPrefix():
		return operator.String() + args[0]
	case operator == ir.OpCast:
		return kind.String() + "(" + args[0] + ")"
	}
	return operator.String() + "(" + strings.Join(args, ", ") + ")"
}

func formatScalar(s ir.Scalar) string {
	switch {
	case s.Kind.IsFloat():
		return fmt.Sprint(s.Float64())
	case s.Kind == ir.Bool:
		return fmt.Sprint(s.IsTrue())
	case s.Kind == ir.Char8:
		b := s.Bytes()
		return fmt.Sprintf("%q", strings.TrimRight(string(b[:]), "\x00"))
	case s.Kind == ir.U64:
		return fmt.Sprint(s.Bits)
	}
	return fmt.Sprint(s.Int64())
}

// string prints the expression over the fields of a and b.
func (e *Expr) string(m *Monoid) string {
	switch {
	case e.Scalar != "":
		return e.Scalar
	case e.Operator == ir.OpInvalid:
		return e.Side.String() + "." + m.Fields[e.Field].Name
	case e.Operator == ir.OpConst:
		return formatScalar(e.Const)
	}
	args := make([]string, len(e.Args))
	for i, arg := range e.Args {
		args[i] = arg.string(m)
		if arg.Operator.IsInfix() && (e.Operator.IsInfix() || e.Operator.IsPrefix()) {
			args[i] = "(" + args[i] + ")"
		}
	}
	return formatOperator(e.Operator, e.Kind, args)
}

// String prints the monoid's state, identity and combination on one line each.
func (m *Monoid) String() string {
	if m == nil { // of most operations, which fmt prints for fuse to compare kernels: it would recover from a panic each time
		return "none"
	}
	var b strings.Builder
	for i, f := range m.Fields {
		fmt.Fprintf(&b, "%s %v = %s; %s\n", f.Name, f.Kind, formatScalar(m.Identity[i]), m.Combine[i].string(m))
	}
	return b.String()
}

func (k *Kernel) id(v ID) string {
	if name := k.Values[v].Name; name != "" {
		return fmt.Sprintf("%%%d.%s", v, name)
	}
	return fmt.Sprintf("%%%d", v)
}

// idOrNone is id, also for no value.
func (k *Kernel) idOrNone(v ID) string {
	if v <= 0 || int(v) >= len(k.Values) {
		return "no value"
	}
	return k.id(v)
}

func (k *Kernel) ids(list []ID) string {
	names := make([]string, len(list))
	for i, v := range list {
		names[i] = k.id(v)
	}
	return strings.Join(names, ", ")
}

// String prints one operation.
func (k *Kernel) opString(op *Op) string {
	var b strings.Builder
	if len(op.Res) > 0 {
		b.WriteString(k.ids(op.Res) + " = ")
	}
	switch op.Kind {
	case Map:
		args := make([]string, len(op.Args))
		for i, arg := range op.Args {
			args[i] = k.id(arg)
		}
		b.WriteString(formatOperator(op.Operator, k.Values[op.Res[0]].Kind, args))
		return b.String()
	case Const:
		b.WriteString(formatScalar(op.Const))
		return b.String()
	}
	b.WriteString(op.Kind.String())
	if op.Traits().hasStream() {
		b.WriteString(" " + k.Streams[op.Stream].Name)
	}
	if len(op.Keys) > 0 {
		names := make([]string, len(op.Keys))
		for i, stream := range op.Keys {
			names[i] = k.Streams[stream].Name
		}
		b.WriteString(" by " + strings.Join(names, ", "))
	}
	if op.Kind == Source && op.Width > 0 {
		fmt.Fprintf(&b, ", the end of every %d", op.Width)
	}
	if len(op.Homes) > 0 {
		names := make([]string, len(op.Homes))
		for i, stream := range op.Homes {
			names[i] = k.Streams[stream].Name
		}
		b.WriteString(" in " + strings.Join(names, ", "))
	}
	if op.Ref != "" {
		b.WriteString(" " + op.Ref)
	}
	if op.Does(Reports) {
		fmt.Fprintf(&b, " site %d", op.Site)
	}
	if op.Distance != 0 {
		fmt.Fprintf(&b, " %d", op.Distance)
	}
	if op.Exclusive {
		b.WriteString(" exclusive")
	}
	if op.Contiguous {
		b.WriteString(" contiguous")
	}
	if op.BySlot {
		b.WriteString(" by slot")
	}
	if op.First {
		b.WriteString(" first")
	}
	if op.AnyOrder {
		b.WriteString(" in any order")
	}
	if op.Kind == Store && op.Width > 0 {
		fmt.Fprintf(&b, " word %d of %d", op.Word, op.Width)
	}
	if op.Room > 0 {
		fmt.Fprintf(&b, " below %d", op.Room)
	}
	if op.Wide {
		b.WriteString(" wide")
	}
	if op.Padded {
		b.WriteString(" padded")
	}
	if op.Direct {
		b.WriteString(" direct")
	}
	if op.Bucket > 0 {
		fmt.Fprintf(&b, " in buckets of %d", op.Bucket)
	}
	if op.PartBits > 0 || op.WindowBits > 0 {
		b.WriteString(" partitioned")
	}
	if op.Monoid != nil {
		b.WriteString(" " + op.Monoid.summary())
	}
	if len(op.Args) > 0 {
		b.WriteString(" " + k.ids(op.Args))
	}
	if op.Segment != 0 {
		b.WriteString(" since " + k.idOrNone(op.Segment))
	}
	return b.String()
}

// summary names the monoid by its kind and fields.
func (m *Monoid) summary() string {
	names := make([]string, len(m.Fields))
	for i, f := range m.Fields {
		names[i] = f.Name + " " + f.Kind.String()
	}
	return m.Kind.String() + "{" + strings.Join(names, ", ") + "}"
}

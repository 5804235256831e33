package loop

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/kgen-go/kgen/internal/naming"
	"github.com/kgen-go/kgen/ir"
)

// String returns p as text, for dumps and messages.
func (p *Program) String() string {
	var b strings.Builder
	if p.Long {
		b.WriteString("// counters are i64\n\n")
	}
	for i, f := range p.Funcs {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(f.String())
	}
	return b.String()
}

// String returns f as text, for dumps and messages.
func (f *Func) String() string {
	d := newDumper()
	for _, line := range strings.Split(f.Doc, "\n") {
		if line != "" {
			d.line("// %s", line)
		}
	}
	params := make([]string, len(f.Params))
	for i, v := range f.Params {
		params[i] = d.name(v) + " " + v.T.String()
	}
	results := ""
	for i, r := range f.Results {
		results += [...]string{" ", ", "}[min(i, 1)] + r.Type().String()
	}
	keyword := "func"
	switch {
	case f.Occupancy > 0:
		keyword = fmt.Sprintf("kernel of %d, %d a unit", f.WorkgroupSize, f.Occupancy)
	case f.WorkgroupSize > 0:
		keyword = fmt.Sprintf("kernel of %d", f.WorkgroupSize)
	case f.Kernel:
		keyword = "kernel"
	}
	d.line("%s %s(%s)%s {", keyword, f.Name, strings.Join(params, ", "), results)
	d.depth++
	if f.Otherwise != nil {
		d.line("without vectors return %s", d.list(f.Otherwise))
	}
	d.body(f.Body)
	if len(f.Results) > 0 {
		d.line("return %s", d.list(f.Results))
	}
	d.depth--
	d.line("}")
	return d.b.String()
}

type dumper struct {
	b     strings.Builder
	depth int
	names map[*Var]string
	taken naming.Taken
}

func newDumper() *dumper { return &dumper{names: map[*Var]string{}, taken: naming.Taken{}} }

// name returns the name of v; a second variable of one name is name.2.
func (d *dumper) name(v *Var) string {
	if v == nil {
		return "_"
	}
	name, ok := d.names[v]
	if !ok {
		name = d.taken.Fresh(v.Name, ".")
		d.names[v] = name
	}
	return name
}

func (d *dumper) line(format string, args ...any) {
	d.b.WriteString(strings.Repeat("\t", d.depth))
	fmt.Fprintf(&d.b, format, args...)
	d.b.WriteByte('\n')
}

func (d *dumper) body(body []Stmt) {
	for _, s := range body {
		d.stmt(s)
	}
}

func (d *dumper) block(body []Stmt, format string, args ...any) {
	d.line(format+" {", args...)
	d.depth++
	d.body(body)
	d.depth--
	d.line("}")
}

func (d *dumper) stmt(s Stmt) {
	switch s := s.(type) {
	case *Decl:
		switch {
		case s.Init != nil:
			d.line("var %s %v = %s", d.name(s.Var), s.Var.T, d.expr(s.Init))
		case s.Length != nil:
			d.line("var %s %v of %s", d.name(s.Var), s.Var.T, d.expr(s.Length))
		case s.Launch:
			d.line("var %s %v of the launch", d.name(s.Var), s.Var.T)
		case s.Over != nil:
			d.line("var %s %v over %s", d.name(s.Var), s.Var.T, d.name(s.Over))
		default:
			d.line("var %s %v", d.name(s.Var), s.Var.T)
		}
	case *Let:
		d.line("let %s %v = %s", d.name(s.Var), s.Var.T, d.expr(s.X))
	case *Assign:
		d.line("%s = %s", d.name(s.Var), d.expr(s.X))
	case *Store:
		d.line("%s[%s] = %s", d.name(s.Memory), d.expr(s.Index), d.expr(s.X))
	case *Atomic:
		old := ""
		if s.Old != nil {
			old = fmt.Sprintf("let %s %v = ", d.name(s.Old), s.Old.T)
		}
		expected := ""
		if s.Expected != nil {
			expected = d.expr(s.Expected) + ", "
		}
		d.line("%satomic %v %s[%s], %s%s", old, s.Op, d.name(s.Memory), d.expr(s.Index), expected, d.expr(s.X))
	case *If:
		d.block(s.Then, "if %s", d.expr(s.Cond))
		if len(s.Else) > 0 {
			d.block(s.Else, "else")
		}
	case *For:
		step := ""
		if s.Step != 1 {
			step = fmt.Sprintf(" by %d", s.Step)
		}
		d.block(s.Body, "for %s = %s to %s%s", d.name(s.Var), d.expr(s.Lo), d.expr(s.Hi), step)
	case *While:
		d.block(s.Body, "while %s", d.expr(s.Cond))
	case *Break:
		d.line("break")
	case *Note:
		for _, line := range strings.Split(s.Text, "\n") {
			d.line("// %s", line)
		}
	case *Do:
		results := make([]string, len(s.Results))
		for i, v := range s.Results {
			results[i] = d.name(v)
		}
		if len(results) == 0 {
			d.line("do %s", d.expr(s.Call))
			break
		}
		d.line("let %s = %s", strings.Join(results, ", "), d.expr(s.Call))
	default:
		d.profileStmt(s)
	}
}

// profileStmt prints the statements of one profile only.
func (d *dumper) profileStmt(s Stmt) {
	switch s := s.(type) {
	case *StoreLanes:
		d.line("lanes %s[%s] = %s", d.name(s.Memory), d.expr(s.Index), d.expr(s.X))
	case *LoadWide:
		vars := make([]string, len(s.Vars))
		for i, v := range s.Vars {
			vars[i] = d.name(v)
		}
		once := ""
		if s.Once {
			once = " once"
		}
		d.line("let %s = wide%s %s[%s]", strings.Join(vars, ", "), once, d.name(s.Memory), d.expr(s.Index))
	case *StoreWide:
		d.line("wide %s[%s] = %s", d.name(s.Memory), d.expr(s.Index), d.list(s.X))
	case *Barrier:
		d.line("barrier %v", s.Scope)
	case *Fence:
		d.line("fence %v", s.Scope)
	case *Role:
		d.block(s.Body, "role %s of subgroups %d to %d", s.Name, s.First, s.First+s.Count)
	case *Child:
		d.block(s.Otherwise, "launch %s(%s) for %s work-groups, otherwise", s.Kernel.Name, d.list(s.Args), d.expr(s.Workgroups))
	case *Parallel:
		d.block(s.Body, "parallel %s takes %s to %s of %s by %s, grain %d%s",
			d.name(s.Worker), d.name(s.Lo), d.name(s.Hi), d.expr(s.Rows), d.expr(s.Workers), s.Grain, fixedText(s.Fixed))
	case *Chain:
		d.line("chain %s to %s of %s by %s, block %d%s {", d.name(s.Lo), d.name(s.Hi), d.expr(s.Rows), d.expr(s.Workers), s.Block, fixedText(s.Fixed)+d.dealtText(s.Worker))
		d.depth++
		d.body(s.Setup)
		d.block(s.Before, "before")
		d.block(s.Turn, "turn")
		for _, more := range s.More {
			d.block(more.Before, "before")
			d.block(more.Turn, "turn")
		}
		d.block(s.After, "after")
		if len(s.Finish) > 0 {
			d.block(s.Finish, "finish")
		}
		d.depth--
		d.line("}")
	case *Blocks:
		d.block(s.Body, "blocks %s to %s of %s, block %d", d.name(s.Lo), d.name(s.Hi), d.expr(s.Rows), s.Block)
	case *Grow:
		columns := make([]string, len(s.Columns))
		for i, column := range s.Columns {
			columns[i] = d.name(column)
		}
		d.line("grow %s of %s elements to %s, after %s of %s rows", strings.Join(columns, ", "), d.expr(s.Used), d.expr(s.Need), d.expr(s.Done), d.expr(s.Rows))
	case *View:
		end := ""
		if s.End != nil {
			end = d.expr(s.End)
		}
		verb := "let "
		if s.Var == s.Memory {
			verb = ""
		}
		d.line("%s%s %v = %s[%s:%s]", verb, d.name(s.Var), s.Var.T, d.name(s.Memory), d.expr(s.Start), end)
	case *Copy:
		d.line("%s[%s:] = %s[:%s]", d.name(s.To), d.expr(s.At), d.name(s.From), d.expr(s.Count))
	default:
		d.line("unknown %T", s)
	}
}

func (d *dumper) list(xs []Expr) string {
	texts := make([]string, len(xs))
	for i, x := range xs {
		texts[i] = d.expr(x)
	}
	return strings.Join(texts, ", ")
}

// expr prints x; an operand that has operators itself stands in parentheses.
func (d *dumper) expr(x Expr) string {
	part := func(x Expr) string {
		switch x.(type) {
		case *Unary, *Binary, *Compare:
			return "(" + d.expr(x) + ")"
		}
		return d.expr(x)
	}
	switch x := x.(type) {
	case nil:
		return "nothing"
	case *Const:
		return constText(x)
	case *Var:
		return d.name(x)
	case *Unary:
		if x.Op.IsPrefix() {
			return x.Op.String() + part(x.X)
		}
		return x.Op.String() + " " + part(x.X)
	case *Binary:
		return fmt.Sprintf("%s %v %s", part(x.X), x.Op, part(x.Y))
	case *Compare:
		key := ""
		if x.Key {
			key = "key"
		}
		return fmt.Sprintf("%s %s%v %s", part(x.X), key, x.Op, part(x.Y))
	case *Select:
		return fmt.Sprintf("select(%s, %s, %s)", d.expr(x.Cond), d.expr(x.Then), d.expr(x.Else))
	case *Cast:
		if x.Bits {
			return fmt.Sprintf("bits %v(%s)", x.To, d.expr(x.X))
		}
		return fmt.Sprintf("%v(%s)", x.To, d.expr(x.X))
	case *Load:
		volatile := ""
		if x.Volatile {
			volatile = "volatile "
		}
		return fmt.Sprintf("%s%s[%s]", volatile, d.name(x.Memory), d.expr(x.Index))
	case *Call:
		return fmt.Sprintf("%s(%s)", x.Callee.Name, d.list(x.Args))
	case *Len:
		return fmt.Sprintf("len(%s)", d.name(x.Memory))
	case *ID:
		return x.Kind.String()
	case *LoadLanes:
		return fmt.Sprintf("%d lanes %s[%s]", x.Lanes, d.name(x.Memory), d.expr(x.Index))
	case *Splat:
		return fmt.Sprintf("%v(%s)", x.Type(), d.expr(x.X))
	case *Compress:
		return fmt.Sprintf("compress(%s, %s)", d.expr(x.X), d.expr(x.Mask))
	case *AnyLane:
		return fmt.Sprintf("any(%s)", d.expr(x.Mask))
	case *CountLanes:
		return fmt.Sprintf("count(%s)", d.expr(x.Mask))
	}
	return fmt.Sprintf("unknown %T", x)
}

func constText(x *Const) string {
	v := x.Value
	switch {
	case v.Kind == ir.Bool:
		return strconv.FormatBool(v.IsTrue())
	case v.Kind == ir.Char8:
		b := v.Bytes()
		return strconv.Quote(strings.TrimRight(string(b[:]), "\x00"))
	case v.Kind.IsFloat():
		f := v.Float64()
		text := strconv.FormatFloat(f, 'g', -1, v.Kind.Size()*8)
		if f == math.Trunc(f) && !strings.ContainsAny(text, "eIN") {
			text += ".0"
		}
		return text
	case v.Kind.IsUnsigned():
		return strconv.FormatUint(v.Bits, 10)
	}
	return strconv.FormatInt(v.Int64(), 10)
}

func (d *dumper) dealtText(worker *Var) string {
	if worker == nil {
		return ""
	}
	return ", dealt to " + d.name(worker)
}

func fixedText(fixed bool) string {
	if fixed {
		return ", fixed"
	}
	return ""
}

package ctext

import (
	"fmt"
	"strings"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
)

// lanes has the names of a vector's elements.
const lanes = "xyzw"

// wideMemory returns the memory that body accesses several elements at a time,
// and the memory whose bytes it shares.
func wideMemory(body []loop.Stmt) map[*loop.Var]bool {
	wide := map[*loop.Var]bool{}
	loop.WalkStmts(body, func(s loop.Stmt) {
		switch s := s.(type) {
		case *loop.LoadWide:
			wide[s.Memory] = true
		case *loop.StoreWide:
			wide[s.Memory] = true
		case *loop.Decl:
			if s.Over != nil {
				wide[s.Over] = true
			}
		}
	})
	return wide
}

// vector prints several elements.
func (p *printer) vector(m *loop.Var, index loop.Expr, readOnly bool) string {
	return "*" + p.vectorAt(m, index, readOnly)
}

// vectorAt prints the place of several elements.
func (p *printer) vectorAt(m *loop.Var, index loop.Expr, readOnly bool) string {
	name, _ := p.wideType(m.T.Kind)
	if readOnly {
		name = "const " + name
	}
	return fmt.Sprintf("(%s%s *)(%s + %s)", p.dialect.Space[m.T.Space], name, p.use(m), p.value(index).within(productPrecedence))
}

func (p *printer) wideType(k ir.Kind) (vector, construct string) {
	if k == ir.F64 {
		p.valueType(loop.ScalarOf(k)) // notes that it is needed
	}
	return p.dialect.Wide(k)
}

func (p *printer) loadWide(s *loop.LoadWide) {
	name, _ := p.wideType(s.Memory.T.Kind)
	all := p.names.Fresh("wide")
	from := p.vector(s.Memory, s.Index, s.Memory.T.ReadOnly)
	if s.Once && p.dialect.LoadOnce != "" {
		from = fmt.Sprintf("%s(%s)", p.dialect.LoadOnce, p.vectorAt(s.Memory, s.Index, true))
	}
	p.line("const %s %s = %s;", name, all, from)
	for i, v := range s.Vars {
		if p.read[v] {
			p.line("const %s %s = %s.%c;", p.valueType(v.T), p.names.Declare(v), all, lanes[i])
		}
	}
}

func (p *printer) storeWide(s *loop.StoreWide) {
	_, construct := p.wideType(s.Memory.T.Kind)
	values := make([]string, len(s.X))
	for i, x := range s.X {
		values[i] = p.value(x).string
	}
	p.line("%s = %s(%s);", p.vector(s.Memory, s.Index, false), construct, strings.Join(values, ", "))
}

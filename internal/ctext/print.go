package ctext

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/templates"
)

// Print prints the functions of a program that [loop.Verify] accepts for
// profile Simt. Variables that no function reads are removed. The error names
// what the dialect lacks. Equal programs give equal text.
func Print(program *loop.Program, dialect *Dialect) (*Text, error) {
	p := &printer{
		dialect: dialect,
		counter: dialect.Counter,
		names:   newNames(dialect),
		funcs:   map[*loop.Signature]*function{},
		helpers: map[*templates.Helper]bool{},
		needs:   map[plan.Cap]bool{},
	}
	for _, f := range program.Funcs {
		p.funcs[f.Signature()] = &function{Func: f, name: p.names.FreshGlobal(f.Name)}
	}
	if program.Long {
		p.counter = dialect.Types[ir.I64]
	}
	p.orderGlobal = exchangesGlobal(program)
	for _, f := range program.Funcs {
		loop.RemoveUnread(f)
		p.function(f)
	}
	if len(p.errs) > 0 {
		return nil, errors.Join(p.errs...)
	}
	return &Text{Source: p.source(), Kernels: p.kernels, Needs: p.sortedNeeds()}, nil
}

// printer prints one program. It decides on spelling only: the statements decide
// what runs and in which order.
type printer struct {
	dialect *Dialect
	counter string // the type of counters
	names   *backends.Names
	funcs   map[*loop.Signature]*function
	helpers map[*templates.Helper]bool // used so far
	needs   map[plan.Cap]bool
	kernels []Kernel
	errs    []error

	orderGlobal bool // barriers order global memory too

	at    *loop.Func // being printed
	read  map[*loop.Var]bool
	wide  map[*loop.Var]bool // accessed several elements at a time
	depth int
	b     strings.Builder
}

// function is a function of the program and its names.
type function struct {
	*loop.Func
	name    string
	results string // the structure of several results
}

func (p *printer) fail(format string, args ...any) {
	err := fmt.Errorf("%s: func %s: %s", p.dialect.Name, p.at.Name, fmt.Sprintf(format, args...))
	if !slices.ContainsFunc(p.errs, func(e error) bool { return e.Error() == err.Error() }) {
		p.errs = append(p.errs, err)
	}
}

func (p *printer) line(format string, args ...any) {
	p.b.WriteString(strings.Repeat("\t", p.depth))
	fmt.Fprintf(&p.b, format, args...)
	p.b.WriteByte('\n')
}

// source assembles the text once it is known which helpers and types it uses.
func (p *printer) source() []byte {
	var b strings.Builder
	b.WriteString("// " + backends.Generated() + "\n\n")
	for _, line := range p.dialect.Preamble(func(c plan.Cap) bool { return p.needs[c] }) {
		b.WriteString(line + "\n")
	}
	spelling := templates.Spelling{
		Type:  func(k ir.Kind) string { return p.dialect.Types[k] },
		Bits:  func(k ir.Kind) string { return p.dialect.Bits[k] },
		Space: func(s loop.Space) string { return p.dialect.Space[s] },
	}
	for _, helper := range p.dialect.Helpers.All() {
		if p.helpers[helper] {
			b.WriteString("\n" + p.dialect.Function + helper.Text(spelling) + "\n")
		}
	}
	b.WriteString(p.b.String())
	return []byte(b.String())
}

func (p *printer) sortedNeeds() []plan.Cap {
	var needs []plan.Cap
	for c := range p.needs {
		needs = append(needs, c)
	}
	slices.Sort(needs)
	return needs
}

// helper records that the text calls a helper and returns its name there.
func (p *printer) helper(name string) string {
	helper, ok := p.dialect.Helpers.Lookup(name)
	if !ok {
		p.fail("there is no helper %s", name)
		return name
	}
	p.useHelper(helper)
	return templates.HelperPrefix + name
}

func (p *printer) useHelper(helper *templates.Helper) {
	p.helpers[helper] = true
	for _, c := range helper.Needs {
		p.needs[plan.Cap(c)] = true
	}
	for _, used := range helper.Uses {
		p.useHelper(used)
	}
}

// valueType is the type of a variable that holds one value of t.
func (p *printer) valueType(t loop.Type) string {
	switch {
	case t.Counter:
		return p.counter
	case t.Kind == ir.F64:
		p.needs[plan.CapFP64] = true
	}
	name := p.dialect.Types[t.Kind]
	if name == "" {
		p.fail("%v is no type of this language", t.Kind)
	}
	return name
}

// memoryType is the type of one value of t in memory.
func (p *printer) memoryType(t loop.Type) string {
	if t.Kind == ir.Bool {
		return p.dialect.Byte
	}
	return p.valueType(t.Elem())
}

// isSwapped reports whether memory of type t holds a value in another byte order
// than a register: a char8 in global memory, whose bytes the host sees.
func isSwapped(t loop.Type) bool { return t.Kind == ir.Char8 && t.Space == loop.Global }

// exchangesGlobal reports whether a work-item may load from global memory a
// value that another work-item of its work-group has stored. Volatile loads
// count only if there are stores, too: else they load words that only atomics change.
func exchangesGlobal(program *loop.Program) bool {
	found := false
	for _, f := range program.Funcs {
		stored := map[*loop.Var]bool{}
		loop.WalkStmts(f.Body, func(s loop.Stmt) {
			if s, ok := s.(*loop.Store); ok {
				stored[s.Memory] = true
			}
		})
		loop.Walk(f.Body, func(x loop.Expr) {
			if l, ok := x.(*loop.Load); ok && (!l.Volatile || stored[l.Memory]) && l.Memory.T.Space == loop.Global && !l.Memory.T.ReadOnly {
				found = true
			}
		})
	}
	return found
}

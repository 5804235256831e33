package gocpu

import (
	"go/token"
	"strconv"
	"strings"
	"unicode"

	"github.com/kgen-go/kgen/ir/loop"
)

// goName is name as Go spells local names: l_orderkey becomes lOrderkey.
func goName(name string) string {
	var b strings.Builder
	upper := false
	for _, r := range name {
		switch {
		case r == '_' || !unicode.IsLetter(r) && !unicode.IsDigit(r):
			upper = b.Len() > 0
		case b.Len() == 0 && unicode.IsDigit(r):
			b.WriteString("v")
			b.WriteRune(r)
		case b.Len() == 0:
			b.WriteRune(unicode.ToLower(r))
		case upper:
			b.WriteRune(unicode.ToUpper(r))
			upper = false
		default:
			b.WriteRune(r)
		}
	}
	if b.Len() == 0 {
		return "value"
	}
	return b.String()
}

// exportedName is name as Go spells names that other packages see.
func exportedName(name string) string {
	s := goName(name)
	r := []rune(s)
	r[0] = unicode.ToUpper(r[0])
	return string(r)
}

// isPredeclared reports whether emitted text may mean something else by name:
// a type, function or constant of Go, or a package that it imports.
func isPredeclared(name string) bool {
	switch name {
	case "append", "any", "bool", "byte", "cap", "clear", "close", "comparable", "complex", "complex64", "complex128",
		"copy", "delete", "error", "false", "float32", "float64", "imag", "int", "int8", "int16", "int32", "int64", "iota",
		"len", "make", "max", "min", "new", "nil", "panic", "print", "println", "real", "recover", "rune", "string", "true",
		"uint", "uint8", "uint16", "uint32", "uint64", "uintptr", "atomic", "binary", "math", "init", "main":
		return true
	}
	return token.IsKeyword(name)
}

// names gives variables their Go names: the name asked for where nothing in
// sight has it, else with a number behind it.
type names struct {
	of     map[*loop.Var]string
	scopes []map[string]bool
}

func newNames() *names {
	return &names{of: map[*loop.Var]string{}, scopes: []map[string]bool{{}}}
}

func (n *names) push() { n.scopes = append(n.scopes, map[string]bool{}) }
func (n *names) pop()  { n.scopes = n.scopes[:len(n.scopes)-1] }

func (n *names) isTaken(name string) bool {
	if isPredeclared(name) {
		return true
	}
	for _, s := range n.scopes {
		if s[name] {
			return true
		}
	}
	return false
}

// fresh reserves a Go name like name in the innermost scope.
func (n *names) fresh(name string) string {
	base := goName(name)
	if strings.HasPrefix(base, "kgen") { // as the names of the support file do
		base = "v" + exportedName(base)
	}
	unique := base
	for i := 2; n.isTaken(unique); i++ {
		unique = base + strconv.Itoa(i)
	}
	n.scopes[len(n.scopes)-1][unique] = true
	return unique
}

// freshGlobal reserves a Go name like name in the scope of the package, that
// nothing in sight has.
func (n *names) freshGlobal(name string) string {
	unique := n.fresh(name)
	delete(n.scopes[len(n.scopes)-1], unique)
	n.scopes[0][unique] = true
	return unique
}

// declare names v in the innermost scope.
func (n *names) declare(v *loop.Var) string {
	name := n.fresh(v.Name)
	n.of[v] = name
	return name
}

// freshExported reserves a name of the package that others see.
func (p *printer) freshExported(name string) string {
	unique := name
	for i := 2; p.names.scopes[0][unique]; i++ {
		unique = name + strconv.Itoa(i)
	}
	p.names.scopes[0][unique] = true
	return unique
}

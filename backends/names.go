package backends

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/internal/naming"
)

// Names gives the declarations of a program their names in emitted text: the
// requested name in the spelling of the target, followed by a number if a visible
// declaration has that name. No name shadows another.
type Names struct {
	spell    func(string) string
	reserved func(string) bool
	of       map[*loop.Var]string
	scopes   []map[string]bool
}

// NewNames returns the names of a program without declarations. Spell makes an
// identifier of any text; reserved reports identifiers with a meaning of their
// own in the target.
func NewNames(spell func(string) string, reserved func(string) bool) *Names {
	return &Names{spell: spell, reserved: reserved, of: map[*loop.Var]string{}, scopes: []map[string]bool{{}}}
}

// Spell returns name as the target spells it.
func (n *Names) Spell(name string) string { return n.spell(name) }

// Push opens a scope within the innermost scope; Pop closes it.
func (n *Names) Push() { n.scopes = append(n.scopes, map[string]bool{}) }

// Pop closes the innermost scope.
func (n *Names) Pop() { n.scopes = n.scopes[:len(n.scopes)-1] }

// Enter opens a scope in which only the names of the program are visible, such as
// that of a function. It returns the function that closes it.
func (n *Names) Enter() (leave func()) {
	outer := n.scopes
	n.scopes = []map[string]bool{outer[0], {}}
	return func() { n.scopes = outer }
}

// Fresh reserves a name similar to name in the innermost scope.
func (n *Names) Fresh(name string) string { return n.fresh(n.spell(name), n.scopes[len(n.scopes)-1]) }

// FreshGlobal reserves a name similar to name for the whole program.
func (n *Names) FreshGlobal(name string) string { return n.fresh(n.spell(name), n.scopes[0]) }

// FreshAsIs is FreshGlobal for a name that is in the spelling of the target
// already.
func (n *Names) FreshAsIs(name string) string { return n.fresh(name, n.scopes[0]) }

// Declare gives v a name in the innermost scope and returns it.
func (n *Names) Declare(v *loop.Var) string {
	name := n.Fresh(v.Name)
	n.of[v] = name
	return name
}

// Of returns the name of v, if it is declared.
func (n *Names) Of(v *loop.Var) (name string, declared bool) {
	name, declared = n.of[v]
	return name, declared
}

func (n *Names) fresh(base string, scope map[string]bool) string {
	unique := naming.Free(base, "", n.isTaken)
	scope[unique] = true
	return unique
}

func (n *Names) isTaken(name string) bool {
	if n.reserved(name) {
		return true
	}
	for _, s := range n.scopes {
		if s[name] {
			return true
		}
	}
	return false
}

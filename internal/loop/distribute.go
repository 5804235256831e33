package loop

import (
	"math/bits"
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// Distribute splits loops of which some statements pass a state from row to row and others do not: compilers for CPUs compute
// several rows at once only where a whole loop allows it. What one of the loops computes and a later one needs is kept in arrays,
// an element a row. That is loop distribution with scalar expansion: Kennedy and McKinley, Loop Distribution with Arbitrary Control
// Flow, 1990, section 2; here nothing jumps, as what is conditional stays together.
func Distribute(f *Func) {
	alone := map[*Var]bool{}
	for _, p := range f.Params {
		alone[p] = p.Alone || p.T.ReadOnly
	}
	f.Body = distributed(f.Body, alone)
}

// Only loops of so many rows are split: fewer fill no lanes, and arrays of more would not stay in a core's nearest cache.
const leastDistributed, mostDistributed = 16, 512

func distributed(body []Stmt, alone map[*Var]bool) (list []Stmt) {
	for _, s := range body {
		for _, nested := range bodies(s) {
			*nested = distributed(*nested, alone)
		}
		if s, isFor := s.(*For); isFor {
			if last, isConst := s.Hi.(*Const); isConst && isInt(s.Lo, 0) && s.Step == 1 && last.Value.Int64() >= leastDistributed && last.Value.Int64() <= mostDistributed {
				list = append(list, split(s, int(last.Value.Int64()), alone)...)
				continue
			}
		}
		list = append(list, s)
	}
	return list
}

// A unit is statements of a loop that stay together.
type unit struct {
	isSerial bool // one row after the other
	work     int  // operators, loads and stores of a row
	stage    int  // which of the loops it is in: even ones have nothing serial
	needs    []*unit
}

type distribution struct {
	loop      *For
	rows      int
	alone     map[*Var]bool
	named     map[*Var]int    // the statements that name values of a row
	copied    map[*Var]bool   // values that each loop computes for itself, from the number of the row
	operators map[*Var]int    // of the values of a row that are copied
	states    map[*Var]bool   // variables and memory that the loop changes
	of        []*unit         // per statement; nil for notes and what is copied
	uses      []map[*Var]bool // per statement: see touched
}

// split returns the loops that s is split into, or s.
func split(s *For, rows int, alone map[*Var]bool) []Stmt {
	d := &distribution{loop: s, rows: rows, alone: alone, named: map[*Var]int{}, copied: map[*Var]bool{}, operators: map[*Var]int{}, states: map[*Var]bool{}, of: make([]*unit, len(s.Body))}
	if !d.collect(s.Body) {
		return []Stmt{s}
	}
	for i, s := range s.Body {
		if let, isLet := s.(*Let); isLet {
			d.named[let.Var] = i
			d.copied[let.Var] = d.isCopied(let)
		}
	}
	d.unite()
	d.arrange()
	if !d.pays() {
		return []Stmt{s}
	}
	return d.loops()
}

// collect finds what the loop changes. It reports whether statements compute, store and choose, and nothing else.
func (d *distribution) collect(body []Stmt) bool {
	isPlain := true
	WalkStmts(body, func(s Stmt) {
		switch s := s.(type) {
		case *Note, *If, *Let:
		case *Decl:
			d.states[s.Var] = true
			isPlain = isPlain && s.Var.T.Form == Scalar
		case *Assign:
			d.states[s.Var] = true
		case *Store:
			d.states[d.place(s.Memory)] = true
		case *Atomic:
			d.states[d.place(s.Memory)] = true
			isPlain = isPlain && s.Old == nil
		default:
			isPlain = false
		}
	})
	Walk(body, func(x Expr) {
		load, isLoad := x.(*Load)
		isPlain = isPlain && !(isLoad && load.Volatile) && !hasEffects(x)
	})
	return isPlain
}

// Memory of which several names may be the same counts as one variable.
var manyNames, localMemory = &Var{Name: "global"}, &Var{Name: "local"}

// place returns a variable that stands for memory.
func (d *distribution) place(memory *Var) *Var {
	switch {
	case memory.T.Space == Local:
		return localMemory
	case memory.T.Space == Global && !d.alone[memory]:
		return manyNames
	}
	return memory
}

// mostCopied is how many operators a value takes at most, from the number of the row on, that each loop computes for itself: less than to
// store and load it.
const mostCopied = 1

// isCopied reports whether a value is had from the number of the row as cheaply as from an array.
func (d *distribution) isCopied(let *Let) bool {
	isPlain, operators := true, 0
	WalkExpr(let.X, func(x Expr) {
		switch x := x.(type) {
		case *Var:
			_, isRow := d.named[x]
			isPlain = isPlain && !d.states[x] && (!isRow || d.copied[x])
			operators += d.operators[x]
		case *Load:
			isPlain = isPlain && !d.states[d.place(x.Memory)] && d.isInOrder(x.Index)
		case *Const, *Cast, *ID:
		case *Call:
			isPlain = false
		case *Unary:
			operators++
			isPlain = isPlain && x.Op.Cost() != ir.Dear
		case *Binary:
			if !x.Type().Counter {
				operators++
			}
			isPlain = isPlain && (x.Op.Cost() != ir.Dear || x.Type().Kind.IsInteger() && !isScalar(x))
		default:
			operators++
		}
	})
	d.operators[let.Var] = operators
	return isPlain && operators <= mostCopied
}

// isInOrder reports whether an index is the number of the row and what is the same for all rows, so that neighbours are together.
func (d *distribution) isInOrder(index Expr) bool {
	isInOrder := true
	WalkExpr(index, func(x Expr) {
		switch x := x.(type) {
		case *Var:
			_, isRow := d.named[x]
			isInOrder = isInOrder && !d.states[x] && (!isRow || d.copied[x] && d.isInOrder(d.loop.Body[d.named[x]].(*Let).X))
		case *Binary:
			isInOrder = isInOrder && (x.Op == ir.OpAdd || x.Op == ir.OpSub || x.Op == ir.OpMul)
		case *Const, *Cast, *ID:
		default:
			isInOrder = false
		}
	})
	return isInOrder
}

// touched returns the variables of rows, and what changes, that a statement reads or changes.
func (d *distribution) touched(s Stmt) map[*Var]bool {
	touched := map[*Var]bool{}
	note := func(x *Var) {
		if place := d.place(x); d.states[place] {
			touched[place] = true
		} else if _, isRow := d.named[x]; isRow {
			touched[x] = true
		}
	}
	WalkStmts([]Stmt{s}, func(s Stmt) {
		for _, x := range assigns(s) {
			note(x)
		}
		switch s := s.(type) {
		case *Decl:
			note(s.Var)
		case *Let:
			note(s.Var)
		}
	})
	Walk([]Stmt{s}, func(x Expr) {
		if x, isVar := x.(*Var); isVar {
			note(x)
		}
	})
	return touched
}

// unite finds the units: statements that share what changes, and those that need each other both ways.
func (d *distribution) unite() {
	statements := d.loop.Body
	for _, s := range statements {
		d.uses = append(d.uses, d.touched(s))
	}
	follows := make([][]int, len(statements)) // the statements that stay with one or come behind it
	last := map[*Var]int{}
	for i, s := range statements {
		if let, isLet := s.(*Let); isLet && d.copied[let.Var] {
			continue
		}
		if _, isNote := s.(*Note); isNote {
			continue
		}
		d.of[i] = &unit{}
		for x := range d.uses[i] {
			if d.states[x] {
				if before, ok := last[x]; ok {
					follows[before], follows[i] = append(follows[before], i), append(follows[i], before)
				}
				last[x] = i
			} else if named := d.named[x]; named != i && !d.copied[x] {
				follows[named] = append(follows[named], i)
			}
		}
	}
	for _, component := range components(follows) {
		u := d.of[component[0]]
		for _, i := range component {
			if d.of[i] != nil {
				d.of[i] = u
			}
		}
	}
	for i, list := range follows {
		for _, next := range list {
			if u := d.of[next]; u != d.of[i] && !slices.Contains(u.needs, d.of[i]) {
				u.needs = append(u.needs, d.of[i])
			}
		}
	}
	for i, u := range d.of {
		if u != nil {
			u.work += d.work(statements[i])
			u.isSerial = u.isSerial || d.isSerial(i)
		}
	}
	for i, s := range statements {
		if store, isStore := s.(*Store); isStore && !d.of[i].isSerial {
			d.of[i].isSerial = d.isSerialValue(store.X)
		}
	}
}

// isSerialValue reports whether x is what a serial unit has named: to store it as it is takes no loop of its own.
func (d *distribution) isSerialValue(x Expr) bool {
	value, isVar := x.(*Var)
	if !isVar || d.copied[value] {
		return false
	}
	named, isRow := d.named[value]
	return isRow && d.of[named].isSerial
}

// work counts the operators of a statement, its loads and its stores.
func (d *distribution) work(s Stmt) (work int) {
	Walk([]Stmt{s}, func(x Expr) {
		switch x.(type) {
		case *Const, *Var, *ID:
		default:
			if !x.Type().Counter {
				work++
			}
		}
	})
	WalkStmts([]Stmt{s}, func(s Stmt) {
		if _, isStore := s.(*Store); isStore {
			work++
		}
	})
	return work
}

// isSerial reports whether compilers compute a statement one row after the other: a state goes from row to row, unless an
// operator of integers folds it, or elements are stored where others are between them.
func (d *distribution) isSerial(i int) bool {
	isSerial := false
	inside := map[*Var]bool{}
	own := d.of[i]
	for j, s := range d.loop.Body {
		if decl, isDecl := s.(*Decl); isDecl && d.of[j] == own {
			inside[decl.Var] = true
		}
	}
	WalkStmts([]Stmt{d.loop.Body[i]}, func(s Stmt) {
		switch s := s.(type) {
		case *Decl:
			inside[s.Var] = true
		case *Assign:
			isSerial = isSerial || !inside[s.Var] && !d.folds(s)
		case *Store:
			isSerial = isSerial || !d.isInOrder(s.Index)
		case *Atomic:
			isSerial = true
		}
	})
	Walk([]Stmt{d.loop.Body[i]}, func(x Expr) {
		switch x := x.(type) {
		case *Load: // of elements with others between them, processors load one after the other, too
			isSerial = isSerial || d.states[d.place(x.Memory)] || !d.isInOrder(x.Index)
		default:
			isSerial = isSerial || isScalar(x)
		}
	})
	return isSerial
}

// isScalar reports whether processors compute an operator only one row after the other: quotients of integers, unless the divisor is
// a constant that a product or a shift in lanes stands for.
func isScalar(x Expr) bool {
	quotient, isBinary := x.(*Binary)
	if !isBinary || quotient.Op != ir.OpDiv && quotient.Op != ir.OpRem || !quotient.Type().Kind.IsInteger() {
		return false
	}
	divisor, isConst := quotient.Y.(*Const)
	return !isConst || quotient.Type().Kind.Size() == 8 && bits.OnesCount64(divisor.Value.Bits) != 1
}

// folds reports whether a state is only combined with elements of rows, by an operator of integers.
func (d *distribution) folds(s *Assign) bool {
	named, isNamed := s.X.(*Var)
	if !isNamed {
		return false
	}
	at, isRow := d.named[named]
	if !isRow {
		return false
	}
	combined, isBinary := d.loop.Body[at].(*Let).X.(*Binary)
	if !isBinary || combined.X != Expr(s.Var) || !combined.X.Type().Kind.IsInteger() || !slices.Contains(foldsLanes, combined.Op) {
		return false
	}
	reads := 0
	for _, uses := range d.uses {
		if uses[s.Var] || uses[named] {
			reads++
		}
	}
	return reads == 2
}

// foldsLanes are the operators by which compilers fold rows in lanes.
var foldsLanes = []ir.Op{ir.OpAdd, ir.OpMul, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpLeast, ir.OpGreatest}

// arrange chooses the loop of each unit: what is not serial as late as what needs it allows.
func (d *distribution) arrange() {
	placed := map[*unit]bool{}
	var order []*unit
	var place func(u *unit)
	place = func(u *unit) {
		if placed[u] {
			return
		}
		placed[u] = true
		if u.isSerial {
			u.stage = 1
		}
		for _, needed := range u.needs {
			place(needed)
			stage := needed.stage
			if needed.isSerial != u.isSerial {
				stage++
			}
			u.stage = max(u.stage, stage)
		}
		order = append(order, u)
	}
	for _, u := range d.of {
		if u != nil {
			place(u)
		}
	}
	latest := map[*unit]int{}
	for _, u := range slices.Backward(order) {
		if at, isNeeded := latest[u]; isNeeded && !u.isSerial {
			u.stage = at
		}
		for _, needed := range u.needs {
			stage := u.stage
			if u.isSerial {
				stage--
			}
			if at, isNeeded := latest[needed]; !isNeeded || stage < at {
				latest[needed] = stage
			}
		}
	}
}

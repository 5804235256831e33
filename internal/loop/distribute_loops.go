package loop

import (
	"maps"
	"slices"
)

// apart is what an array or a loop of its own takes for a row, as operators.
const apart = 2

// pays reports whether enough is computed apart from what is serial.
func (d *distribution) pays() bool {
	work, loops, serial := 0, d.stages(), false
	counted := map[*unit]bool{}
	for _, u := range d.of {
		if u == nil || counted[u] {
			continue
		}
		counted[u] = true
		serial = serial || u.isSerial
		if !u.isSerial {
			work += u.work
		}
	}
	return serial && work > apart*(len(loops)+len(d.kept()))
}

// stages returns the numbers of the loops, in their order.
func (d *distribution) stages() []int {
	stages := map[int]bool{}
	for _, u := range d.of {
		if u != nil {
			stages[u.stage] = true
		}
	}
	return slices.Sorted(maps.Keys(stages))
}

// kept lists the values that one loop names and another one needs, in their order.
func (d *distribution) kept() (list []*Var) {
	isKept := map[*Var]bool{}
	for i, uses := range d.uses {
		if d.of[i] == nil {
			continue
		}
		for x := range uses {
			if named, isRow := d.named[x]; isRow && !d.copied[x] && d.of[named].stage != d.of[i].stage {
				isKept[x] = true
			}
		}
	}
	for _, s := range d.loop.Body {
		if let, isLet := s.(*Let); isLet && isKept[let.Var] {
			list = append(list, let.Var)
		}
	}
	return list
}

// loops returns the loops, behind the arrays that they share.
func (d *distribution) loops() (list []Stmt) {
	arrays := map[*Var]*Var{}
	for _, x := range d.kept() {
		arrays[x] = &Var{Name: x.Name + "_row", T: ArrayOf(d.rows, x.T)}
		list = append(list, &Decl{Var: arrays[x], Kept: true})
	}
	for _, stage := range d.stages() {
		list = append(list, d.stage(stage, arrays))
	}
	return list
}

// stage returns the loop of a number.
func (d *distribution) stage(stage int, arrays map[*Var]*Var) *For {
	needed := map[*Var]bool{}
	for i, s := range slices.Backward(d.loop.Body) {
		let, isLet := s.(*Let)
		if d.of[i] != nil && d.of[i].stage == stage || isLet && d.copied[let.Var] && needed[let.Var] {
			maps.Copy(needed, d.uses[i])
		}
	}
	item := &Var{Name: d.loop.Var.Name, T: d.loop.Var.T}
	names := map[*Var]*Var{d.loop.Var: item}
	s := &For{Var: item, Lo: d.loop.Lo, Hi: d.loop.Hi, Step: 1}
	var notes []Stmt
	for i, one := range d.loop.Body {
		let, isLet := one.(*Let)
		_, isNote := one.(*Note)
		isHere := d.of[i] != nil && d.of[i].stage == stage
		switch {
		case isNote:
			notes = append(notes, one)
			continue
		case isLet && d.copied[let.Var]: // the note is of what follows, too
			if needed[let.Var] {
				names[let.Var] = &Var{Name: let.Var.Name, T: let.Var.T}
				s.Body = append(s.Body, &Let{names[let.Var], renamedExpr(let.X, names)})
			}
			continue
		case isHere:
			s.Body = append(s.Body, append(notes, renamed(one, names))...)
			if isLet && arrays[let.Var] != nil {
				s.Body = append(s.Body, &Store{arrays[let.Var], item, let.Var})
			}
		case isLet && needed[let.Var]:
			names[let.Var] = &Var{Name: let.Var.Name, T: let.Var.T}
			s.Body = append(s.Body, &Let{names[let.Var], &Load{Memory: arrays[let.Var], Index: item}})
		}
		notes = nil
	}
	return s
}

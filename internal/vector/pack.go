package vector

import (
	"math/bits"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// A sort packs bits of its keys, and the number of the row, in one word. Shifts by what is the same for
// all rows, masks and disjunctions come to bits of values that turn to another place: one loop takes
// several of them.

// part is some bits of a value, after operations on the way to a word.
type part struct {
	of   tile.ID
	path []tile.ID // what the operations give, the last one first
}

// partsOf adds the parts of which a word consists.
func (l *linker) partsOf(v tile.ID, path []tile.ID, first bool, parts []part) []part {
	if _, waits := l.later[v]; (waits || first) && (first || l.left[v] == 1) {
		if or := l.mapped(v, ir.OpOr); or != nil && l.Values[or.Args[0]].Domain == l.Values[or.Args[1]].Domain {
			for _, arg := range or.Args {
				parts = l.partsOf(arg, path, false, parts)
			}
			return parts
		}
		for _, operator := range []ir.Op{ir.OpShl, ir.OpShr, ir.OpAnd} {
			if varies, _, ok := l.withUniform(v, operator); ok && (operator == ir.OpAnd || varies == l.Ops[l.Values[v].Op].Args[0]) {
				return l.partsOf(varies, append(path[:len(path):len(path)], v), false, parts)
			}
		}
	}
	return append(parts, part{v, path})
}

// packed links a word that consists of several parts, if an operation makes one.
func (l *linker) packed(op *tile.Op) (register, bool) {
	if op.Kind != tile.Map || op.Domain == tile.Uniform || l.Values[op.Res[0]].Kind != ir.U64 {
		return nil, false
	}
	parts := l.partsOf(op.Res[0], nil, true, nil)
	loops := len(parts) - 1
	for _, p := range parts {
		loops += len(p.path)
	}
	if loops < 2 {
		return nil, false
	}
	n, dst, base := l.count(op.Domain), &vector[uint64]{room: l.batch}, &l.domains[0]
	for at := 0; at < len(parts); {
		of := parts[at].of
		if at > 0 && len(parts[at].path) == 0 && l.isNumber(of) {
			l.add(func() { besideRow(dst.rows, uint64(base.first)) })
			at++
			continue
		}
		together := 1 // parts of one value
		for at+together < len(parts) && parts[at+together].of == of && together < mostTurned {
			together++
		}
		var turned [mostTurned]func() bitsTurned
		for i := range together {
			turned[i] = l.turned(parts[at+i])
		}
		x, isFirst := l.value(of, op.Domain).(*vector[uint64]), at == 0
		l.add(func() {
			to := dst.rows
			if isFirst {
				to = dst.sized(*n)
			}
			var by [mostTurned]bitsTurned
			for i := range together {
				by[i] = turned[i]()
			}
			if together > 1 {
				rotateAll(to, x.rows[:*n], by, !isFirst)
			} else {
				rotate(to, x.rows[:*n], by[0], !isFirst)
			}
		})
		at += together
	}
	return dst, true
}

// isNumber reports whether a value is the number of the row, and waits to be computed for one reader.
func (l *linker) isNumber(v tile.ID) bool {
	cast := l.mapped(v, ir.OpCast)
	return cast != nil && l.isOnlyFor(v) && l.Ops[l.Values[cast.Args[0]].Op].Kind == tile.Row && l.Values[v].Domain == 0 &&
		l.isOnlyFor(cast.Args[0]) && l.closes == 0
}

// bitsTurned are the bits of a value that it keeps, and how far to the left these turn.
type bitsTurned struct {
	mask uint64
	left int
}

// turned returns a function that follows the bits of a value on the way to a word.
func (l *linker) turned(p part) func() bitsTurned {
	type turning struct {
		operator ir.Op
		by       register
	}
	var way []turning
	for i := len(p.path) - 1; i >= 0; i-- {
		op := &l.Ops[l.Values[p.path[i]].Op]
		_, by, _ := l.withUniform(p.path[i], op.Operator)
		way = append(way, turning{op.Operator, l.value(by, tile.Uniform)})
	}
	return func() bitsTurned {
		left, kept := 0, ^uint64(0) // of the word so far
		for _, w := range way {
			switch x := w.by.bits(0); w.operator {
			case ir.OpShl:
				kept, left = kept<<(x&63), left+int(x&63)
			case ir.OpShr:
				kept, left = kept>>(x&63), left-int(x&63)
			default:
				kept &= x
			}
		}
		return bitsTurned{bits.RotateLeft64(kept, -left), left}
	}
}

// mostTurned is how many parts of one value are turned at once.
const mostTurned = 4

// rotateAll is rotate for several parts.
func rotateAll(to, of []uint64, by [mostTurned]bitsTurned, more bool) {
	of = of[:len(to)]
	a, b, c, d := by[0], by[1], by[2], by[3]
	kept := uint64(0) // of what is there
	if more {
		kept = ^kept
	}
	for i, x := range of {
		to[i] = to[i]&kept | bits.RotateLeft64(x&a.mask, a.left) | bits.RotateLeft64(x&b.mask, b.left) |
			bits.RotateLeft64(x&c.mask, c.left) | bits.RotateLeft64(x&d.mask, d.left)
	}
}

// besideRow adds the bits of the numbers of rows, from a first one on, to those that are there.
func besideRow(to []uint64, first uint64) {
	for i := range to {
		to[i] |= first + uint64(i)
	}
}

// rotate gives the bits of rows that are kept, turned to their place, beside those that are there.
func rotate(to, of []uint64, by bitsTurned, more bool) {
	of, left := of[:len(to)], by.left&63
	switch {
	case more && by.mask == 0:
	case more:
		for i, x := range of {
			to[i] |= bits.RotateLeft64(x&by.mask, left)
		}
	default:
		for i, x := range of {
			to[i] = bits.RotateLeft64(x&by.mask, left)
		}
	}
}

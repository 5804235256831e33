package fuse

import (
	"cmp"
	"slices"

	"github.com/kgen-go/kgen/ir"
)

// Columns that follow an order are gathered by one permutation of all rows. Each element that lies
// anywhere costs as much as the 32 or 64 bytes around it, so work-groups pack several columns first:
// the words of a row lie side by side, and one access to memory brings all of them.

// mostPacked is how many words of 64 bits are packed for a row: 64 bytes, which a gather brings in hardly more
// time than 32; see docs/performance.md.
const mostPacked = 8

// packedColumn is where a column lies in packed rows.
type packedColumn struct {
	words *ir.Value // all words of all rows
	word  int       // of a row
	shift int       // of its lowest bit in the word
}

// gatherPacked writes v, if it gathers one of several columns in the same order of all rows.
func (e *expansion) gatherPacked(v *ir.Value) bool {
	if !e.isPackable(v) {
		return false
	}
	o := &ordering{expansion: e, pos: v.Pos, rows: e.domain(v.Args[0].Type.Domain)}
	if !e.packedBy[v.Args[1]] {
		e.packedBy[v.Args[1]] = true
		o.packColumns(v.Args[1])
	}
	at, ok := e.packed[[2]*ir.Value{v.Args[0], v.Args[1]}]
	if !ok {
		return false
	}
	x := o.fromWords(at, e.column(v.Args[1]), v.Type.Kind)
	x.Name, x.Type.Target = v.Name, e.domain(v.Type.Target)
	e.values[v] = x
	return true
}

// isPackable reports whether v gathers a column by an order of all rows, and in words of which it
// could be a part.
func (e *expansion) isPackable(v *ir.Value) bool {
	if !e.short || v.Op != ir.OpGather || v.Args[1].Op != ir.OpOrder || v.Args[1].Limit != nil {
		return false
	}
	x := v.Args[0].Type
	isChecked := slices.ContainsFunc(e.from.Sites, func(s ir.Site) bool { return s.Value == v })
	return !isChecked && x.Domain == v.Args[1].Type.Target && (isInvertible(x.Kind) || x.Kind == ir.F64)
}

// packColumns packs the columns that are there and will be gathered in an order.
func (o *ordering) packColumns(order *ir.Value) {
	var columns []*ir.Value
	for _, v := range o.from.Values {
		if o.isPackable(v) && v.Args[1] == order && o.values[v.Args[0]] != nil && !slices.Contains(columns, v.Args[0]) && o.followedBy(v) == nil {
			columns = append(columns, v.Args[0])
		}
	}
	if len(columns) < 2 {
		return
	}
	for i, at := range o.inWords(o.columns(columns), o.rows, nil) {
		o.packed[[2]*ir.Value{columns[i], order}] = at
	}
}

// inWords packs columns, those of each row at its place among rows if it moves; it returns where they lie.
func (o *ordering) inWords(columns []*ir.Value, rows *ir.Domain, place *ir.Value) []packedColumn {
	bySize := slices.Clone(columns)
	slices.SortStableFunc(bySize, func(x, y *ir.Value) int { return cmp.Compare(y.Type.Kind.Size(), x.Type.Kind.Size()) })
	var words [][]*ir.Value // the columns of each
	used := maxWord
	for _, x := range bySize {
		width := 8 * x.Type.Kind.Size()
		if used+width > maxWord {
			words, used = append(words, nil), 0
		}
		last := len(words) - 1
		words[last] = append(words[last], x)
		used += width
	}
	at := make([]packedColumn, len(columns))
	for list := range slices.Chunk(words, mostPacked) {
		made := o.packWords(list, rows, place)
		for i, columnsOfWord := range list {
			shift := 0
			for _, x := range columnsOfWord {
				at[slices.Index(columns, x)] = packedColumn{made, i, shift}
				shift += 8 * x.Type.Kind.Size()
			}
		}
	}
	return at
}

// packWords packs words of which each has some columns.
func (o *ordering) packWords(words [][]*ir.Value, rows *ir.Domain, place *ir.Value) *ir.Value {
	d := o.newDomain(ir.DomainWords, rows.Name+"_words", rows)
	d.Width = len(words)
	pack := ir.Value{Op: ir.OpPack, By: place, Type: ir.Type{Kind: ir.U64, Domain: d}}
	for _, columns := range words {
		pack.Args = append(pack.Args, o.joined(columns))
	}
	d.By = o.add(o.pos, pack)
	return d.By
}

// fromWords returns a column from the words that have it, in the order that index has the numbers of their rows.
func (o *ordering) fromWords(at packedColumn, index *ir.Value, k ir.Kind) *ir.Value {
	d := at.words.Type.Domain
	place := o.apply(ir.OpAdd, o.apply(ir.OpMul, index, o.number(int64(d.Width))), o.number(int64(at.word)))
	place.Type.Target = d
	return o.unpacked(o.gather(o.pos, at.words, place), at, k)
}

// joined returns the bits of some columns as a word of 64, those of the first in its lowest.
func (o *ordering) joined(columns []*ir.Value) (word *ir.Value) {
	shift := 0
	for _, column := range columns {
		x := o.packedBits(column)
		if shift > 0 {
			x = o.apply(ir.OpOr, word, o.apply(ir.OpShl, x, o.number(int64(shift))))
		}
		word = x
		shift += 8 * column.Type.Kind.Size()
	}
	return word
}

// packedBits returns the bits of a column as the low ones of a word of 64.
func (o *ordering) packedBits(x *ir.Value) *ir.Value {
	k := x.Type.Kind
	if k == ir.F64 {
		return o.apply(ir.OpBits, x)
	}
	bits := o.cast(ir.U64, o.cast(k.Stored(), x))
	if k.IsSigned() || k.IsCoded() {
		bits = o.onlyBits(bits, 8*k.Size())
	}
	return bits
}

// unpacked returns a column from the words that have it.
func (o *ordering) unpacked(word *ir.Value, at packedColumn, k ir.Kind) *ir.Value {
	if k == ir.F64 {
		return o.apply(ir.OpOfBits, word)
	}
	if at.shift > 0 {
		word = o.apply(ir.OpShr, word, o.number(int64(at.shift)))
	}
	return o.ofBits(o.onlyBits(word, 8*k.Size()), k)
}

// onlyBits returns the lowest bits of a word.
func (o *ordering) onlyBits(word *ir.Value, bits int) *ir.Value {
	if bits >= maxWord {
		return word
	}
	return o.apply(ir.OpAnd, word, o.integer(word, 1<<bits-1))
}

package fuse

import "github.com/kgen-go/kgen/ir"

// Rows are sorted by the digits of their keys, the least significant first, each
// pass stable (Knuth, The Art of Computer Programming, volume 3, section 5.2.5).
// Keys are first mapped to unsigned integers of the same order and joined to words
// of up to 64 bits. A pass moves a row to the place that is the number of rows with
// lesser digits, from the digits' histograms, and of earlier rows with an equal one.

// ordering writes one sort.
type ordering struct {
	*expansion
	pos   ir.Pos
	rows  *ir.Domain // that are sorted
	out   *ir.Domain // the sorted rows
	limit *ir.Value  // the most rows of out, or nil
	name  string
}

// word is a part of the keys, as an unsigned integer.
type word struct {
	value *ir.Value
	bits  int
}

// maxWord is the most bits of a word.
const maxWord = 64

// sort returns the numbers of the rows, in the order of keys.
func (o *ordering) sort(keys []*ir.Value, desc []bool) *ir.Value {
	row := o.add(o.pos, ir.Value{Op: ir.OpIndex, Args: keys[:1], Type: ir.Type{Kind: ir.I64, Domain: o.rows, Target: o.rows}})
	words := o.words(keys, desc)
	for i, w := range words {
		digits := (w.bits + o.radix - 1) / o.radix
		before := o.before(w.value, digits)
		current := w.value
		if i > 0 {
			current = o.gather(o.pos, w.value, row)
		}
		for digit := range digits {
			place := o.add(o.pos, ir.Value{Op: ir.OpRank, Args: []*ir.Value{current, before}, Shift: int64(digit * o.radix), Split: o.radix,
				Type: ir.Type{Kind: ir.I64, Domain: o.rows, Target: o.rows}})
			if digit+1 < digits {
				current = o.add(o.pos, scattered(current, place))
			}
			moved := scattered(row, place)
			if digit+1 == digits && i+1 == len(words) {
				moved.Limit, moved.Name, moved.Type.Domain = o.limit, o.name, o.out
			}
			row = o.add(o.pos, moved)
		}
	}
	return row
}

// scattered is x with its rows moved.
func scattered(x, place *ir.Value) ir.Value {
	return ir.Value{Op: ir.OpScatter, Args: []*ir.Value{x, place}, Type: x.Type}
}

// before returns, for each value of each digit of x, how many digits of rows come
// before: those of the digits on its right, and of lesser value.
func (o *ordering) before(x *ir.Value, digits int) *ir.Value {
	results := int64(digits) << o.radix
	d := o.newDomain(ir.DomainBins, o.rows.Name+"_digits", nil)
	d.By = o.add(o.pos, ir.Value{Op: ir.OpDigits, Args: []*ir.Value{x, o.constant(ir.Int(ir.I64, results))}, Shift: int64(o.radix), Type: ir.Type{Kind: ir.I64, Domain: d}})
	return o.add(o.pos, ir.Value{Op: ir.OpExscan, Reduce: ir.ReduceAdd, Args: []*ir.Value{d.By}, Type: d.By.Type})
}

// words joins the keys, the last one in the least significant bits of the first word.
func (o *ordering) words(keys []*ir.Value, desc []bool) (list []word) {
	for i := len(keys) - 1; i >= 0; i-- {
		x, width := o.unsigned(keys[i])
		if desc[i] {
			x = o.apply(ir.OpXor, x, o.integer(x, 1<<width-1))
		}
		if n := len(list); n > 0 && list[n-1].bits+width <= maxWord {
			last := &list[n-1]
			last.value = o.cast(ir.U64, last.value)
			high := o.apply(ir.OpShl, o.cast(ir.U64, x), o.constant(ir.Int(ir.U64, int64(last.bits))))
			last.value = o.apply(ir.OpOr, last.value, high)
			last.bits += width
			continue
		}
		list = append(list, word{x, width})
	}
	for i, w := range list {
		if w.bits <= 32 {
			list[i].value = o.cast(ir.U32, w.value)
		}
	}
	return list
}

// unsigned maps a key to an unsigned integer of the same order, of so many bits. Of
// floats, both zeros are equal, and NaN is greater than all else.
func (o *ordering) unsigned(key *ir.Value) (x *ir.Value, width int) {
	width = 8 * key.Type.Kind.Size()
	sign := uint64(1) << (width - 1)
	switch k := key.Type.Kind; {
	case k == ir.Bool:
		return o.cast(ir.U32, key), 1
	case k.IsFloat():
		b := o.apply(ir.OpBits, key)
		below := o.apply(ir.OpGt, b, o.integer(b, sign)) // -0.0, whose bits are the sign, is not below 0.0
		x = o.choose(below, o.apply(ir.OpComplement, b), o.apply(ir.OpOr, b, o.integer(b, sign)))
		return o.choose(o.apply(ir.OpEq, key, key), x, o.integer(b, sign|(sign-1))), width
	case k == ir.Char8:
		return o.apply(ir.OpBits, key), width
	case k == ir.Date:
		return o.flipped(o.cast(ir.I32, key), width), width
	case k.IsSigned():
		return o.flipped(key, width), width
	case width < 32:
		return o.cast(ir.U32, key), width
	}
	return key, width
}

// flipped returns a signed integer of so many bits as an unsigned one: with the other
// sign.
func (o *ordering) flipped(x *ir.Value, width int) *ir.Value {
	to := map[int]ir.Kind{8: ir.U8, 16: ir.U16, 32: ir.U32, 64: ir.U64}[width]
	x = o.cast(to, x)
	if width < 32 {
		x = o.cast(ir.U32, x)
	}
	return o.apply(ir.OpXor, x, o.integer(x, 1<<(width-1)))
}

// apply applies an element-wise operator to rows.
func (o *ordering) apply(op ir.Op, args ...*ir.Value) *ir.Value {
	return o.add(o.pos, ir.Value{Op: op, Args: args, Type: ir.Type{Kind: op.Gives(args[0].Type.Kind), Domain: o.rows}})
}

func (o *ordering) choose(condition, x, y *ir.Value) *ir.Value {
	return o.add(o.pos, ir.Value{Op: ir.OpSelect, Args: []*ir.Value{condition, x, y}, Type: ir.Type{Kind: x.Type.Kind, Domain: o.rows}})
}

func (o *ordering) cast(to ir.Kind, x *ir.Value) *ir.Value {
	if x.Type.Kind == to {
		return x
	}
	return o.add(o.pos, ir.Value{Op: ir.OpCast, Args: []*ir.Value{x}, Type: ir.Type{Kind: to, Domain: o.rows}})
}

// integer returns a constant of the type of x, an unsigned integer.
func (o *ordering) integer(x *ir.Value, i uint64) *ir.Value {
	return o.constant(ir.Scalar{Kind: x.Type.Kind, Bits: i})
}

func (e *expansion) constant(s ir.Scalar) *ir.Value {
	if e.constants[s] == nil {
		e.constants[s] = e.add(ir.Pos{}, ir.Value{Op: ir.OpConst, Const: s, Type: ir.Type{Kind: s.Kind}})
	}
	return e.constants[s]
}

package fuse

import "github.com/kgen-go/kgen/ir"

// A plan that may choose what to launch looks at the bits in which words differ. They
// say how many passes there are, and by which digits. So the passes of a word are few
// kernels, each of which takes its digit from the plan.

// Of a word of more than 32 bits rows carry as much as is still to be sorted by. Those that
// differ in more bits have wide passes, by the key as it is beside the number of the row. As soon
// as 32 bits are left, the key loses all others: it shares a word of 64 bits with the number, as
// a narrow key does from the first pass on.

// sorting is a sort by a word whose passes the plan chooses when it runs.
type sorting struct {
	low, high *ir.Value // scalars: words differ in bits from low on and below high, if any

	// Or, in place of both: the lowest bit of the first digit, how many passes there are, and the bits
	// of digits. Words have no bits above the last one.
	first, count, width *ir.Value
	bases               []*ir.Value // scalars that these are made of, each of which is computed once

	radix    int       // bits that a digit has at most
	other    int       // and in passes that have kernels of their own, by fewer or more bits; 0 if there are none
	many     int64     // of more rows than this, digits are counted again for such passes
	anyOrder bool      // rows of equal words may lie in any order
	isTight  bool      // the plan chooses the width of digits, and there are only counters for as many values
	most     int       // passes if all bits differ
	cut      *ir.Value // scalar: from which bit on narrow passes have the key; nil if no passes are wide
	names    sortingNames
	chosen   *Stage // before which the plan chooses
}

// known returns the scalars that the plan reads to choose passes.
func (s *sorting) known() []*ir.Value {
	switch {
	case !s.isCountedTwice():
		return []*ir.Value{s.first, s.count, s.width}
	case s.cut != nil:
		return []*ir.Value{s.low, s.high, s.cut}
	}
	return []*ir.Value{s.low, s.high}
}

// mostNarrow is how many passes narrow keys have at most.
func (s *sorting) mostNarrow() int { return numberBits / s.radix }

// isCountedTwice reports whether digits are counted along with what finds where words differ, and
// again if other digits are better. Else they are counted when that is known.
func (s *sorting) isCountedTwice() bool { return s.count == nil }

// counted are the digits of rows that are sorted in one of two ways.
type counted struct {
	of     *sorting
	before *ir.Value
}

// sortingNames are scalars of the plan.
type sortingNames struct{ passes, shift, width string } // their number, the first one's digit, the bits of digits

// turn says when the plan runs what a sort consists of. That of all else is zero.
type turn struct {
	of      *sorting
	part    sortPart
	isOther bool // of a pass by the other number of bits
}

// isTight reports whether there are only counters for as many values as the plan chooses.
func (t turn) isTight() bool { return t.of != nil && t.of.isTight }

// ifChosen is t if the plan may leave that out.
func (t turn) ifChosen() turn {
	if t.of != nil && t.part == recount && !t.of.isCountedTwice() {
		return turn{}
	}
	return t
}

// sortPart is a part of a sort.
type sortPart uint8

// The parts of sorts.
const (
	recount    sortPart = iota // counts the digits of passes unless they have been counted
	aheadPass                  // before all others, by the digit of the last one: see expand_ahead.go
	wideFirst                  // of several wide passes
	wideMiddle                 // runs as often as there are wide passes between
	wideLast                   // of several: makes keys narrow
	firstPass                  // of several, unless wide passes came before
	middlePass                 // runs as often as there are passes between
	lastPass                   // of several
	onlyPass
	noPass // words are equal
)

// isFirst reports whether no pass comes before.
func (p sortPart) isFirst() bool { return p == wideFirst || p == firstPass || p == onlyPass }

// isWide reports whether a part leaves keys wide.
func (p sortPart) isWide() bool { return p == wideFirst || p == wideMiddle }

// carried is what rows carry to the next pass. Both may be one word, the number above
// the key.
type carried struct {
	key, beside *ir.Value
	both        *ir.Value
}

// passes sorts rows by the digits of a word, which is key in the order so far. The last
// passes of all give the rows as the caller wants them, those of groups with the key.
// Measured is the word, of which the differing bits are found, and again once more for
// digits that are counted again.
func (o *ordering) passes(w, measured word, again, key, beside *ir.Value, isLast, kept bool) sortedRows {
	digits, radix := o.digitsOf(w.bits)
	end := destination{o.rows, nil, isLast, kept}
	if isLast {
		end.out, end.limit = o.out, o.limit
	}
	if o.short && !o.isHash {
		s := &sorting{radix: radix, most: digits, anyOrder: o.anyOrder}
		if o.bits == nil {
			s.low, s.high = o.differing(measured)
		} else {
			s.low, s.high = o.apply(ir.OpSub, o.bits, o.bits), o.bits
		}
		if o.isMain && o.sample > 0 && w.bits <= numberBits {
			s.other, s.many = o.otherRadix(digits, radix), o.sample<<sampledBits
		}
		if w.bits > numberBits && numberBits%radix == 0 && !kept {
			s.cut = o.cut(s)
		}
		var before *ir.Value
		if o.counts != nil && o.counts.of != nil {
			s, before = o.counts.of, o.counts.before
		} else if before = o.before(w.value, s.most, again, s); o.counts != nil {
			*o.counts = counted{s, before}
		}
		row := o.index(w.value, o.rows)
		if o.ahead != nil {
			key, beside = o.ahead.move(key, before, s)
		}
		o.turns[row] = turn{of: s, part: noPass}
		return o.chosenPasses(s, before, row, o.carry(w, key, beside), end)
	}
	before, from := o.before(w.value, digits, nil, nil), o.carry(w, key, beside)
	for digit := range digits - 1 {
		from = o.move(from, o.place(from, before, digit, turn{}))
	}
	return o.arrive(end, arrival{from, o.place(from, before, digits-1, turn{})})
}

// carry returns what rows carry to the first pass by a word.
func (o *ordering) carry(w word, key, beside *ir.Value) carried {
	from := carried{key: key, beside: beside}
	if beside != nil && beside.Type.Kind.Size() <= numberBits/8 && o.fitsBeside(w) && o.columnWord == nil {
		from.both = o.besideKey(beside, key)
	}
	return from
}

// chosenPasses are the passes of which the plan runs those whose digits differ; row is where rows are if none do.
func (o *ordering) chosenPasses(s *sorting, before, row *ir.Value, from carried, end destination) sortedRows {
	moved := func(from carried, part sortPart) carried { return o.move(from, o.placesOf(from, before, s, part)...) }
	var ways []arrival
	if s.most > 1 {
		var x carried
		if s.cut == nil {
			x = moved(from, firstPass)
		} else {
			ways := []arrival{{from, o.place(from, before, 0, turn{of: s, part: firstPass})}}
			if wide := s.most - s.mostNarrow(); wide > 1 {
				x = moved(from, wideFirst)
				if wide > 2 {
					x = moved(x, wideMiddle)
				}
				ways = append(ways, arrival{x, o.place(x, before, 0, turn{of: s, part: wideLast})})
			}
			x = carried{both: o.scattered(ir.Value{Type: ir.Type{Domain: o.rows}}, ways, func(x carried) *ir.Value { return o.narrowed(x, s.cut) })}
		}
		if s.most > 2 {
			x = moved(x, middlePass)
		}
		for _, place := range o.placesOf(x, before, s, lastPass) {
			ways = append(ways, arrival{x, place})
		}
	}
	ways = append(ways, arrival{from, o.place(from, before, 0, turn{of: s, part: onlyPass})}, arrival{from, row})
	return o.arrive(end, ways...)
}

// lightBits is how many bits the digits of passes by few bits have at most. Their kernels have a quarter of the counters, and took
// 1.22 to 1.27 ms where others took 1.43 to 1.51, of 2^28 rows on an H200.
const lightBits = 6

// wideDigits is how many digits of one bit more there are counters for, those of four digits.
const wideDigits = 2

// otherRadix returns how many bits the digits of passes have that have kernels of their own: fewer, which are
// counted soon, or one more, if so many save a pass. Rows that may move ahead do so by digits of the same kernels.
func (o *ordering) otherRadix(digits, radix int) int {
	isWide := o.wide && o.counts == nil
	switch {
	case isWide && digits == 2*wideDigits:
		return radix + 1
	case !isWide && digits > 2 && radix > lightBits:
		return lightBits
	}
	return 0
}

// isWider reports whether digits of other passes have more bits than those of most. The counters of each digit
// then begin where those of the one before end, whatever its width.
func (t turn) isWider() bool { return t.of != nil && t.of.other > t.of.radix }

// placesOf returns where a pass moves rows to, by digits of either number of bits.
func (o *ordering) placesOf(from carried, before *ir.Value, s *sorting, part sortPart) []*ir.Value {
	places := []*ir.Value{o.place(from, before, 0, turn{of: s, part: part})}
	if s.other > 0 {
		places = append(places, o.place(from, before, 0, turn{of: s, part: part, isOther: true}))
	}
	return places
}

// cut returns the bit from which on narrow passes have a key. At most 32 bits are from there up
// to the last digit, which ends with the highest bit that differs if the plan chooses digits that
// save a pass; see recountSteps.
func (o *ordering) cut(s *sorting) *ir.Value {
	digits := func(bits *ir.Value) *ir.Value {
		return o.apply(ir.OpDiv, o.apply(ir.OpAdd, bits, o.number(int64(s.radix-1))), o.number(int64(s.radix)))
	}
	all := digits(s.high)
	isSaved := o.apply(ir.OpLt, digits(o.apply(ir.OpSub, s.high, s.low)), all)
	end := o.choose(isSaved, s.high, o.apply(ir.OpMul, all, o.number(int64(s.radix))))
	return o.apply(ir.OpGreatest, o.apply(ir.OpSub, end, o.number(numberBits)), o.number(0))
}

// narrowed returns 32 bits of a key, from a bit on, with the number of the row above.
func (o *ordering) narrowed(from carried, cut *ir.Value) *ir.Value {
	return o.besideKey(from.beside, o.cast(ir.U32, o.apply(ir.OpShr, from.key, cut)))
}

// besideKey returns a word that has the number of a row above its key.
func (o *ordering) besideKey(number, key *ir.Value) *ir.Value {
	high := o.apply(ir.OpShl, o.cast(ir.U64, number), o.constant(ir.Int(ir.U64, numberBits)))
	return o.apply(ir.OpOr, high, o.cast(ir.U64, key))
}

// differing returns the lowest bit in which words differ, and the number of bits up to
// the highest. Rows that failed a check may have bits above the word.
func (o *ordering) differing(w word) (low, high *ir.Value) {
	x := w.value
	fold := func(op ir.Op) *ir.Value {
		return o.add(o.pos, ir.Value{Op: op, Args: []*ir.Value{x}, Type: ir.Type{Kind: x.Type.Kind}})
	}
	bits := o.apply(ir.OpAndNot, fold(ir.OpAny), fold(ir.OpAll)) // that are set in some rows, and in all
	width := 8 * x.Type.Kind.Size()
	if w.bits < width {
		bits = o.apply(ir.OpAnd, bits, o.integer(x, 1<<w.bits-1))
	}
	equal := o.cast(ir.I64, o.apply(ir.OpLeadingzeros, bits))
	high = o.apply(ir.OpSub, o.constant(ir.Int(ir.I64, int64(width))), equal)
	return o.cast(ir.I64, o.apply(ir.OpTrailingzeros, bits)), high
}

// before returns, for each value of each digit of x, how many digits of rows come
// before: those of the digits on its right, and of lesser value. Which digits these
// are the plan may choose for a sort: again is x for that.
func (o *ordering) before(x *ir.Value, digits int, again *ir.Value, s *sorting) *ir.Value {
	radix := o.radix
	if s != nil {
		radix = s.radix
	}
	results := o.number(int64(digits) << radix)
	if s != nil && s.isTight {
		results = o.apply(ir.OpShl, s.count, s.width)
	}
	d := o.newDomain(ir.DomainBins, o.rows.Name+"_digits", nil)
	d.By = o.add(o.pos, ir.Value{Op: ir.OpDigits, Args: []*ir.Value{x, results}, Shift: int64(radix), Type: ir.Type{Kind: ir.I64, Domain: d}})
	if s != nil {
		if again != nil {
			d.By.Args = append(d.By.Args, again)
		}
		o.turns[d.By] = turn{of: s, part: recount}
	}
	return o.add(o.pos, ir.Value{Op: ir.OpExscan, Reduce: ir.ReduceAdd, Args: []*ir.Value{d.By}, Type: d.By.Type})
}

// place returns where a pass moves rows to. Its digit is that of t, if the plan
// chooses.
func (o *ordering) place(from carried, before *ir.Value, digit int, t turn) *ir.Value {
	place := o.add(o.pos, ir.Value{Op: ir.OpRank, Args: []*ir.Value{o.keyOf(from), before}, Shift: int64(digit * o.radix), Split: o.radix,
		Type: ir.Type{Kind: ir.I64, Domain: o.rows, Target: o.rows}})
	if t.of != nil {
		place.Split = t.of.radix
		if t.isOther {
			place.Split = t.of.other
		}
		o.turns[place] = t
		place.AnyOrder = t.of.anyOrder && t.part.isFirst()
	} else {
		place.AnyOrder = o.anyOrder && digit == 0
	}
	return place
}

// move moves all that rows carry, to one of several places.
func (o *ordering) move(from carried, places ...*ir.Value) (to carried) {
	scatter := func(x *ir.Value) *ir.Value {
		v := ir.Value{Op: ir.OpScatter, Type: x.Type}
		for _, place := range places {
			v.Args = append(v.Args, x, place)
		}
		return o.add(o.pos, v)
	}
	if from.both != nil {
		return carried{both: scatter(from.both)}
	}
	if from.beside == nil {
		return carried{key: scatter(from.key)}
	}
	if o.columnWord != nil {
		beside := scatter(from.beside)
		return carried{key: o.columnWord(beside), beside: beside}
	}
	return carried{key: scatter(from.key), beside: scatter(from.beside)}
}

// destination is how the last passes of a word leave the rows.
type destination struct {
	out    *ir.Domain
	limit  *ir.Value // the most rows of out, or nil
	isLast bool      // no other word follows
	kept   bool      // with the key
}

// arrival is a way to a destination.
type arrival struct {
	from  carried
	place *ir.Value
}

// arrive moves rows to their destination, on one of several ways.
func (o *ordering) arrive(end destination, ways ...arrival) (out sortedRows) {
	scatter := func(column func(carried) *ir.Value) *ir.Value {
		return o.scattered(ir.Value{Limit: end.limit, Type: ir.Type{Domain: end.out}}, ways, column)
	}
	switch {
	case o.leaves != nil && end.isLast:
		o.leave(o.leaves, scatter)
		switch from := ways[0].from; {
		case len(o.leaves.beside) > 0:
			out.number = o.leaves.columns[o.leaves.beside[0]]
			return out
		case from.beside == nil && from.both == nil:
			return out
		}
	case end.kept:
		out.word = scatter(func(from carried) *ir.Value {
			if o.kept == nil {
				return o.keyOf(from)
			}
			return o.kept(o.keyOf(from))
		})
		if from := ways[0].from; from.beside == nil && from.both == nil {
			return out
		}
	}
	isNarrow := end.kept || o.isNarrow
	if o.leaves != nil {
		isNarrow = o.leaves.isNarrow
	}
	out.number = scatter(func(from carried) *ir.Value {
		number := o.besideOf(from)
		if end.isLast && !isNarrow {
			number = o.numberOf(number)
		}
		return number
	})
	return out
}

// scattered moves a column of what rows carry, on one of several ways, to rows of v's domain.
func (o *ordering) scattered(v ir.Value, ways []arrival, column func(carried) *ir.Value) *ir.Value {
	v.Op = ir.OpScatter
	for _, way := range ways {
		v.Args = append(v.Args, column(way.from), way.place)
	}
	out := v.Type.Domain
	v.Type = v.Args[0].Type
	v.Type.Domain = out
	return o.add(o.pos, v)
}

// keyOf and besideOf return parts of what rows carry.
func (o *ordering) keyOf(from carried) *ir.Value {
	if from.key == nil {
		return o.cast(ir.U32, from.both)
	}
	return from.key
}

func (o *ordering) besideOf(from carried) *ir.Value {
	if from.beside == nil {
		return o.cast(ir.U32, o.apply(ir.OpShr, from.both, o.constant(ir.Int(ir.U64, numberBits))))
	}
	return from.beside
}

// fitsBeside reports whether the number of a row, which has to be short, fits one
// word with its keys, whose digits end where the number begins.
func (o *ordering) fitsBeside(w word) bool {
	digits, radix := o.digitsOf(w.bits)
	return o.short && digits*radix <= numberBits
}

// digitsOf returns how many digits a word of so many bits has, and how many bits a digit has. Those of a
// narrow word have no more bits than are needed, so that there are fewer values to count, or one more, if that saves a pass.
func (o *ordering) digitsOf(bits int) (digits, radix int) {
	digits = max((bits+o.radix-1)/o.radix, 1)
	if !o.short || bits > numberBits {
		return digits, o.radix
	}
	if o.wide && wideDigits*o.radix < bits && bits <= wideDigits*(o.radix+1) {
		return wideDigits, o.radix + 1
	}
	return digits, max((bits+digits-1)/digits, 1)
}

package tiletest

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// Memory is what a launch reads and writes, by the plan's names.
type Memory struct {
	Buffers   map[string][]ir.Scalar // an element of kind Invalid is unwritten
	Scalars   map[string]ir.Scalar
	Lengths   map[string]int64
	Failed    map[int]int64 // per site, the smallest failing row
	ChunkRows int           // of a ChunkScan
}

// NewMemory returns a memory that holds nothing.
func NewMemory() *Memory {
	return &Memory{Buffers: map[string][]ir.Scalar{}, Scalars: map[string]ir.Scalar{}, Lengths: map[string]int64{}, Failed: map[int]int64{}}
}

// fault is a panic with what is wrong with a kernel.
type fault struct{ error }

func fail(format string, args ...any) { panic(fault{fmt.Errorf(format, args...)}) }

// machine executes one launch of a kernel.
type machine struct {
	*tile.Kernel
	*Memory
	rows    int
	uniform []ir.Scalar      // per value, where it is uniform
	stored  []map[int64]bool // per stream: elements that this launch stored
	reduced map[int][]ir.Scalar
	total   map[int][]ir.Scalar  // per Scan
	words   map[tile.ID][]uint64 // per result of Order: the words of all rows
	claimed map[tile.ID]int64    // per result of Claim: how many rows have one
}

func newMachine(k *tile.Kernel, memory *Memory, rows int) *machine {
	m := &machine{Kernel: k, Memory: memory, rows: rows, uniform: make([]ir.Scalar, len(k.Values)),
		stored: make([]map[int64]bool, len(k.Streams)), reduced: map[int][]ir.Scalar{}, total: map[int][]ir.Scalar{}, words: map[tile.ID][]uint64{}, claimed: map[tile.ID]int64{}}
	for i := range m.stored {
		m.stored[i] = map[int64]bool{}
	}
	return m
}

// launch calls rows between what runs once before and once after.
func (m *machine) launch(rows func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			f, ok := r.(fault)
			if !ok {
				panic(r)
			}
			err = fmt.Errorf("kernel %s: %w", m.Name, f.error)
		}
	}()
	m.once(false)
	rows()
	for i, state := range m.reduced {
		for field, result := range m.Ops[i].Res {
			m.uniform[result] = state[field]
		}
	}
	m.once(true)
	return nil
}

// once runs the uniform operations before the rows, or the epilogue.
func (m *machine) once(epilogue bool) {
	r := &row{machine: m, end: -1}
	for i := range m.Ops {
		op := &m.Ops[i]
		if op.Epilogue != epilogue || !epilogue && (op.Domain != tile.Uniform || op.Kind == tile.Reduce) {
			continue
		}
		switch op.Kind {
		case tile.Total:
			scan := m.Values[op.Args[0]].Op
			if m.Ops[scan].Kind == tile.Claim {
				m.uniform[op.Res[0]] = ir.Int(ir.I64, m.claimed[op.Args[0]])
				continue
			}
			if m.Ops[scan].Kind == tile.Reduce {
				m.uniform[op.Res[0]] = m.uniform[op.Args[0]]
				continue
			}
			for field, result := range m.Ops[scan].Res {
				if result == op.Args[0] {
					m.uniform[op.Res[0]] = m.total[scan][field]
				}
			}
		case tile.ScanTotals:
			m.scanTotals(op)
		case tile.StoreScalar:
			m.Scalars[op.Ref] = r.need(op.Args[0])
		default:
			r.run(op)
		}
	}
}

// scanTotals makes offsets of the chunks' totals.
func (m *machine) scanTotals(op *tile.Op) {
	state := op.Monoid.Identity
	for chunk := range m.buffer(op.Totals[0]) {
		total := make([]ir.Scalar, len(state))
		for f := range state {
			m.buffer(op.Offsets[f])[chunk] = state[f]
			total[f] = m.load(op.Totals[f], int64(chunk), false)
		}
		state = m.Combine(op.Monoid, state, total)
	}
	for f, result := range op.Res {
		m.uniform[result] = state[f]
	}
}

func (m *machine) buffer(stream int) []ir.Scalar {
	name := m.Streams[stream].Buffer
	data, ok := m.Buffers[name]
	if !ok {
		fail("there is no buffer %s", name)
	}
	return data
}

// load reads an element; checked, one outside or unwritten is zero.
func (m *machine) load(stream int, at int64, checked bool) ir.Scalar {
	data := m.buffer(stream)
	inside := at >= 0 && at < int64(len(data))
	if inside && data[at].Kind != ir.Invalid {
		return data[at]
	}
	if !checked {
		fail("element %d of %s, which has %d, is loaded: inside %v", at, m.Streams[stream].Name, len(data), inside)
	}
	return ir.Scalar{Kind: m.Streams[stream].Kind}
}

// store writes an element, once in a launch.
func (m *machine) store(stream int, at int64, x ir.Scalar) {
	data, name := m.buffer(stream), m.Streams[stream].Name
	if at < 0 || at >= int64(len(data)) {
		fail("element %d of %s, which has %d, is stored", at, name, len(data))
	}
	if m.stored[stream][at] {
		fail("element %d of %s is stored twice", at, name)
	}
	if x.Kind != m.Streams[stream].Kind {
		fail("%v is stored in %s, which holds %v", x.Kind, name, m.Streams[stream].Kind)
	}
	m.stored[stream][at] = true
	data[at] = x
}

// update combines x into an element; one outside, which a check has reported, changes nothing.
func (m *machine) update(op *tile.Op, at int64, x ir.Scalar) {
	data := m.buffer(op.Stream)
	if at < 0 || at >= int64(len(data)) {
		return
	}
	data[at] = m.Combine(op.Monoid, data[at:at+1], []ir.Scalar{x})[0]
}

// insert enters a row in a hash table, unless more slots than the limit are taken. It
// returns the slot that has the row's keys, or -1.
func (m *machine) insert(op *tile.Op, args []ir.Scalar) int64 {
	data := m.buffer(op.Stream)
	taken := int64(0)
	for _, held := range data {
		if held != ir.Int(held.Kind, -1) {
			taken++
		}
	}
	if taken > args[3].Int64() {
		return -1
	}
	row := ir.Int(m.Streams[op.Stream].Kind, args[0].Int64())
	if len(op.Keys) == 0 {
		for slot := args[1].Int64(); ; slot = (slot + 1) % args[2].Int64() {
			if held := m.load(op.Stream, slot, false); held == row || held == ir.Int(held.Kind, -1) {
				data[slot] = row
				return slot
			}
		}
	}
	slot, held := m.slot(op, args[1].Int64(), args[2].Int64(), args[4:])
	if slot < 0 {
		slot = ^slot
		data[slot] = row
	} else if row.Int64() < held.Int64() {
		data[slot] = row
	}
	return slot
}

// enter enters a word in a hash table, unless one before has its key or it has no slot.
func (m *machine) enter(op *tile.Op, word ir.Scalar, slot, slots int64) {
	data := m.buffer(op.Stream)
	if slot < 0 || slot >= slots {
		return
	}
	if op.Direct {
		data[slot].Bits = min(data[slot].Bits, word.Bits)
		return
	}
	bucket := int64(1)
	if op.AnyOrder {
		bucket = int64(max(op.Bucket, 1))
	}
	for i := range slots { // looked at before
		at := (slot/bucket + i/bucket) * bucket % slots
		if last := bucket - 1; i%bucket == last {
			at += last
		} else {
			at += (slot%bucket + i%bucket) % last
		}
		held := m.load(op.Stream, at, false)
		if held == ir.Int(held.Kind, 0) {
			data[at] = word
			return
		}
		if held.Bits>>32 == word.Bits>>32 {
			if op.AnyOrder {
				data[at].Bits = min(held.Bits, word.Bits)
			}
			return
		}
	}
	fail("no slot is free")
}

// enterParts makes a hash table of all rows with a hash and a code.
func (m *machine) enterParts(op *tile.Op, shift int64) {
	data := m.buffer(op.Stream)
	for slot := range data {
		data[slot] = ir.Int(ir.U64, 0)
	}
	last := uint64(0)
	for row := range m.buffer(op.Keys[1]) {
		hash, code := m.load(op.Keys[1], int64(row), false).Bits, m.load(op.Keys[2], int64(row), false).Bits
		part := hash >> (32 - op.PartBits)
		if part < last || int64(row) >= m.load(op.Keys[0], int64(part), false).Int64() {
			fail("row %d with hash %x is not in its part", row, hash)
		}
		last = part
		slot := int64(hash) >> shift &^ int64(max(op.Bucket, 1)-1)
		m.enter(op, ir.Scalar{Kind: ir.U64, Bits: hash<<32 | code}, slot, int64(len(data)))
	}
}

// enterCuckoo enters a row in a cuckoo table. (The walk of one row at a time, with as many
// moves as the table has slots.)
func (m *machine) enterCuckoo(op *tile.Op, row int64) {
	data := m.buffer(op.Stream)
	kind := m.Streams[op.Stream].Kind
	free := ir.Int(kind, -1)
	for move := range len(data) {
		at := m.load(op.Homes[move%len(op.Homes)], row, false).Int64()
		if at < 0 || at >= int64(len(data))-1 {
			fail("home %d of %d slots", at, len(data))
		}
		held := data[at]
		if held == free {
			data[at] = ir.Int(kind, row)
			return
		}
		isEqual := true
		for _, key := range op.Keys {
			isEqual = isEqual && SameKey(m.load(key, row, false), m.load(key, held.Int64(), false))
		}
		if isEqual {
			data[at] = ir.Int(kind, min(row, held.Int64()))
			return
		}
		data[at], row = ir.Int(kind, row), held.Int64()
	}
	data[len(data)-1] = ir.Int(kind, row)
}

// slot returns the slot of a hash table that holds a row with keys, and the row; the
// complement of the free slot at which the search ends if there is none.
func (m *machine) slot(op *tile.Op, at, slots int64, keys []ir.Scalar) (slot int64, held ir.Scalar) {
	for {
		if at < 0 || at >= slots {
			fail("slot %d of %d", at, slots)
		}
		held = m.load(op.Stream, at, false)
		if held == ir.Int(held.Kind, -1) {
			return ^at, held
		}
		differs := false
		for i, key := range keys {
			other := m.load(op.Keys[i], held.Int64(), false)
			if other.Kind != key.Kind { // the key lies in the low bits
				other = cast(key.Kind, other)
			}
			differs = differs || !SameKey(key, other)
		}
		if !differs {
			return at, held
		}
		if slots&(slots-1) != 0 {
			fail("rows of slot %d have different keys, and there are %d slots", at, slots)
		}
		at = (at + 1) % slots
	}
}

// match returns the code of the word in a hash table that has a key.
func (m *machine) match(op *tile.Op, slot, slots int64, key []ir.Scalar) ir.Scalar {
	codeOf := func(word ir.Scalar) ir.Scalar { return ir.Scalar{Kind: ir.U32, Bits: word.Bits & (1<<32 - 1)} }
	for op.Wide {
		held, beside := m.load(op.Stream, 2*slot, false), m.load(op.Stream, 2*slot+1, false)
		isKey := held.Bits == key[0].Bits && (len(key) == 1 || beside.Bits>>32 == key[1].Bits)
		if isKey || codeOf(beside).Bits == 0 {
			return codeOf(beside)
		}
		slot = (slot + 1) % slots
	}
	for isOver := false; ; {
		word := m.load(op.Stream, slot, false)
		if word.Bits != 0 && word.Bits>>32 == key[0].Bits {
			return codeOf(word)
		}
		isOver = isOver || word.Bits == 0
		slot = (slot + 1) % slots
		if isOver && slot%int64(max(op.Bucket, 1)) == 0 { // a bucket with a free slot is the last one
			return codeOf(ir.Scalar{})
		}
	}
}

// matchParts stores the codes that words have for keys, and returns how many different keys these
// words have.
func (m *machine) matchParts(op *tile.Op, first, end, from, to int64) int64 {
	codes := map[uint64]ir.Scalar{}
	for at := first; at < end; at++ {
		word := m.load(op.Keys[0], at, false)
		if _, ok := codes[word.Bits>>32]; !ok {
			codes[word.Bits>>32] = ir.Scalar{Kind: ir.U32, Bits: word.Bits & (1<<32 - 1)}
		}
	}
	for at := from; at < to; at++ {
		code, ok := codes[m.load(op.Keys[1], at, false).Bits]
		if !ok {
			code = ir.Scalar{Kind: ir.U32}
		}
		m.store(op.Stream, at, code)
	}
	return int64(len(codes))
}

// partnerParts stores the codes of words by their keys, and where those of keys are, and returns how many different keys
// these words have.
func (m *machine) partnerParts(op *tile.Op, first, end, from, to int64) int64 {
	codes := map[uint64][]ir.Scalar{}
	var keys []uint64
	for at := first; at < end; at++ {
		word := m.load(op.Keys[0], at, false)
		key := word.Bits >> 32
		if codes[key] == nil {
			keys = append(keys, key)
		}
		codes[key] = append(codes[key], ir.Scalar{Kind: ir.U32, Bits: word.Bits & (1<<32 - 1)})
	}
	told, next := map[uint64]uint64{}, first
	for _, key := range keys {
		told[key] = uint64(next)<<32 | uint64(len(codes[key]))
		for _, code := range codes[key] {
			if op.HasPlaces() {
				m.store(op.Places, next, code)
			}
			next++
		}
	}
	for at := from; at < to; at++ {
		key := m.load(op.Keys[1], at, false)
		if key.Kind == ir.U64 {
			key.Bits >>= 32
		}
		m.store(op.Stream, at, ir.Scalar{Kind: ir.U64, Bits: told[key.Bits]})
	}
	return int64(len(keys))
}

// groupParts stores the different keys of words with their folds, and returns how many they are.
func (m *machine) groupParts(op *tile.Op, first, end int64) int64 {
	groups := map[uint64]int{}
	var states [][]ir.Scalar
	for at := first; at < end; at++ {
		word := m.load(op.Keys[0], at, false)
		key := word.Bits
		if word.Kind == ir.U64 {
			key >>= 32
		}
		group, ok := groups[key]
		if !ok {
			group = len(states)
			groups[key] = group
			var state []ir.Scalar
			for _, f := range op.Folds {
				state = append(state, f.Monoid.Identity[0])
			}
			states = append(states, state)
		}
		for i, f := range op.Folds {
			kind := f.Monoid.Fields[0].Kind
			x := ir.Int(kind, 1)
			switch {
			case f.From == tile.OnlyRows:
			case f.Kind != ir.Invalid:
				x = Apply(ir.OpCast, kind, ir.Scalar{Kind: f.Kind, Bits: m.load(f.From, at, false).Bits & (1<<32 - 1)})
			default:
				x = Apply(ir.OpCast, kind, m.load(f.From, at, false))
			}
			states[group][i] = m.Combine(f.Monoid, states[group][i:i+1], []ir.Scalar{x})[0]
		}
	}
	for number, key := range slices.Sorted(maps.Keys(groups)) {
		m.store(op.Stream, first+int64(number), ir.Scalar{Kind: ir.U32, Bits: key})
		group := groups[key]
		at := first + int64(group)
		if op.Places == tile.NoPlaces {
			at = first + int64(number)
		} else {
			m.store(op.Places, first+int64(number), ir.Int(ir.I64, at))
		}
		for i, f := range op.Folds {
			m.store(f.To, at, states[group][i])
		}
	}
	return int64(len(states))
}

// check notes a failing row.
func (m *machine) check(site int, failed bool, row int64) {
	if first, seen := m.Failed[site]; failed && (!seen || row < first) {
		m.Failed[site] = row
	}
}

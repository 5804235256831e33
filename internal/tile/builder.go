package tile

import (
	"encoding/binary"
	"fmt"

	"github.com/kgen-go/kgen/ir"
)

// Builder appends operations to a kernel. Pure operations are built once:
// asking again returns the same value.
type Builder struct {
	Kernel *Kernel
	Stage  string // recorded with each operation
	Pos    ir.Pos
	memo   map[string]ID
}

// NewBuilder starts a kernel over the plan's domain base.
func NewBuilder(name string, base, baseName string) *Builder {
	return &Builder{memo: map[string]ID{}, Kernel: &Kernel{Name: name,
		Domains: []Domain{{Kind: Base, Name: baseName, Plan: base}}, Values: make([]Value, 1)}}
}

// value adds a value that the operation appended next defines.
func (b *Builder) value(k ir.Kind, domain int, name string) ID {
	b.Kernel.Values = append(b.Kernel.Values, Value{Kind: k, Domain: domain, Name: name, Op: len(b.Kernel.Ops)})
	return ID(len(b.Kernel.Values) - 1)
}

func (b *Builder) emit(op Op) {
	op.Stage, op.Pos = b.Stage, b.Pos
	b.Kernel.Ops = append(b.Kernel.Ops, op)
}

// pure appends op with one result unless an equal operation exists.
func (b *Builder) pure(op Op, k ir.Kind, name string) ID {
	key := op.memoKey(k)
	if id, ok := b.memo[key]; ok {
		return id
	}
	id := b.value(k, op.Domain, name)
	op.Res = []ID{id}
	b.emit(op)
	b.memo[key] = id
	return id
}

// memoKey tells apart pure operations of result kind k. (Kernels are built many
// times while a plan is searched for, and this is most of the work.)
func (op *Op) memoKey(k ir.Kind) string {
	key := make([]byte, 0, 64)
	number := func(i int64) { key = binary.AppendVarint(key, i) }
	number(int64(op.Kind))
	number(int64(op.Domain))
	number(int64(op.Operator))
	number(int64(op.Const.Kind))
	number(int64(op.Const.Bits))
	number(int64(op.Stream))
	number(int64(len(op.Keys)))
	for _, stream := range op.Keys {
		number(int64(stream))
	}
	number(op.Distance)
	number(op.Digits)
	number(int64(k))
	number(int64(len(op.Args)))
	for _, arg := range op.Args {
		number(int64(arg))
	}
	if op.Checked {
		key = append(key, '?')
	}
	if op.First {
		key = append(key, '1')
	}
	if op.AnyOrder {
		key = append(key, '*')
	}
	return string(key) + " " + op.Ref
}

// Const returns a constant.
func (b *Builder) Const(s ir.Scalar) ID {
	return b.pure(Op{Kind: Const, Domain: Uniform, Const: s}, s.Kind, "")
}

// Int returns an i64 constant.
func (b *Builder) Int(i int64) ID { return b.Const(ir.Int(ir.I64, i)) }

// Scalar returns the plan's scalar name, known before the launch.
func (b *Builder) Scalar(name string, k ir.Kind) ID {
	return b.pure(Op{Kind: Scalar, Domain: Uniform, Ref: name}, k, name)
}

// Length returns the length of the plan's domain, known before the launch.
func (b *Builder) Length(domain string) ID {
	return b.pure(Op{Kind: Length, Domain: Uniform, Ref: domain}, ir.I64, "")
}

// Row returns the number of the base row.
func (b *Builder) Row() ID { return b.pure(Op{Kind: Row}, ir.I64, "row") }

// Stream declares a buffer, or returns its number if declared; the access
// becomes the least regular one asked for.
func (b *Builder) Stream(buffer string, k ir.Kind, name string, access Access, write bool) int {
	for i := range b.Kernel.Streams {
		if s := &b.Kernel.Streams[i]; s.Buffer == buffer && s.Write == write {
			s.Access = max(s.Access, access)
			return i
		}
	}
	b.Kernel.Streams = append(b.Kernel.Streams, Stream{Buffer: buffer, Kind: k, Name: name, Access: access, Write: write})
	return len(b.Kernel.Streams) - 1
}

// Load reads stream at the base row.
func (b *Builder) Load(stream int) ID {
	s := b.Kernel.Streams[stream]
	return b.pure(Op{Kind: Load, Stream: stream}, s.Kind, s.Name)
}

// LoadAt reads stream at place for the rows of domain; checked says that place may lie outside, which gives the zero value.
func (b *Builder) LoadAt(domain, stream int, place ID, checked bool) ID {
	s := b.Kernel.Streams[stream]
	return b.pure(Op{Kind: Load, Stream: stream, Args: []ID{place}, Checked: checked, Domain: domain}, s.Kind, s.Name)
}

// Map applies an element-wise operator for the rows of domain; the result is
// uniform if all arguments are and domain is the base or Uniform.
func (b *Builder) Map(domain int, operator ir.Op, k ir.Kind, name string, args ...ID) ID {
	if domain == 0 && b.uniform(args) {
		domain = Uniform
	}
	return b.pure(Op{Kind: Map, Operator: operator, Args: args, Domain: domain}, k, name)
}

// Expand applies an expression of a monoid to two states, for the rows of domain.
func (b *Builder) Expand(domain int, e *Expr, earlier, later []ID) ID {
	switch {
	case e.Scalar != "":
		return b.Scalar(e.Scalar, e.Kind)
	case e.Operator == ir.OpInvalid && e.Side == A:
		return earlier[e.Field]
	case e.Operator == ir.OpInvalid:
		return later[e.Field]
	case e.Operator == ir.OpConst:
		return b.Const(e.Const)
	}
	args := make([]ID, len(e.Args))
	for i, arg := range e.Args {
		args[i] = b.Expand(domain, arg, earlier, later)
	}
	return b.Map(domain, e.Operator, e.Kind, "", args...)
}

func (b *Builder) uniform(args []ID) bool {
	for _, arg := range args {
		if b.Kernel.Values[arg].Domain != Uniform {
			return false
		}
	}
	return true
}

// Ended returns x for rows of domain, and y at the end, where the last of the segments has closed of which these are made.
func (b *Builder) Ended(domain int, x, y ID) ID {
	return b.pure(Op{Kind: Ended, Domain: domain, Args: []ID{x, y}}, b.Kernel.Values[x].Kind, b.Kernel.Values[x].Name)
}

// Shift returns x at the base row distance rows back, or fill if there is none.
func (b *Builder) Shift(x, fill ID, distance int64) ID {
	return b.pure(Op{Kind: Shift, Args: []ID{x, fill}, Distance: distance}, b.Kernel.Values[x].Kind, "")
}

// Head returns whether the base row is the first or differs from the one before in any key.
func (b *Builder) Head(keys ...ID) ID {
	return b.pure(Op{Kind: Head, Args: keys}, ir.Bool, "head")
}

// Derive adds a domain: the rows of parent that guard selects, or the groups that close there.
func (b *Builder) Derive(kind DomainKind, parent int, guard ID, plan, name string) int {
	b.Kernel.Domains = append(b.Kernel.Domains, Domain{Kind: kind, Name: name, Plan: plan, Parent: parent, Guard: guard})
	return len(b.Kernel.Domains) - 1
}

// CountBy says that counter, a Scan, counts the rows of a derived domain, and
// numbers them by it. A row of a Close domain is the segment that began last.
func (b *Builder) CountBy(domain int, counter ID) {
	d := &b.Kernel.Domains[domain]
	d.Counter, d.Position = counter, counter
	if d.Kind == Close {
		d.Open = b.Map(d.Parent, ir.OpGt, ir.Bool, "", counter, b.Int(0))
		d.Position = b.Map(d.Parent, ir.OpSub, ir.I64, "slot", counter, b.Int(1))
	}
}

// Scan folds m over the rows of domain; see the operation Scan.
func (b *Builder) Scan(domain int, m *Monoid, exclusive bool, name string, element ...ID) []ID {
	return b.fold(Op{Kind: Scan, Domain: domain, Monoid: m, Exclusive: exclusive, Args: element}, domain, name)
}

// Rank returns the place of a row: that of the first row with its digit, of so many
// values, and how many earlier rows of the base have the same. Values is how many of these
// there are in this launch; nothing means all.
func (b *Builder) Rank(digit, first ID, digits int64, values ...ID) ID {
	return b.pure(Op{Kind: Rank, Args: append([]ID{digit, first}, values...), Digits: digits}, ir.I64, "place")
}

// RankInAnyOrder is Rank where rows with the same digit may have each other's places.
func (b *Builder) RankInAnyOrder(digit, first ID, digits int64) ID {
	return b.pure(Op{Kind: Rank, Args: []ID{digit, first}, Digits: digits, AnyOrder: true}, ir.I64, "place")
}

// Order returns the place of a row in the order of words of so many bits. Room is the scalar of the plan
// that says for how many rows that is.
func (b *Builder) Order(word ID, bits int64, room string) ID {
	return b.pure(Op{Kind: Order, Args: []ID{word}, Digits: bits, Ref: room}, ir.I64, "place")
}

// Claim returns a number of each row of domain, below how many these are, in any order.
func (b *Builder) Claim(domain int, name string) ID {
	return b.pure(Op{Kind: Claim, Domain: domain}, ir.I64, name)
}

// ChunkScan folds m over the rows of each chunk of the base and stores each chunk's fold in totals.
func (b *Builder) ChunkScan(m *Monoid, exclusive bool, totals []int, name string, element ...ID) []ID {
	return b.fold(Op{Kind: ChunkScan, Monoid: m, Exclusive: exclusive, Totals: totals, Args: element}, 0, name)
}

// Reduce folds m over all rows of domain; the results are defined in the epilogue.
func (b *Builder) Reduce(domain int, m *Monoid, name string, element ...ID) []ID {
	return b.fold(Op{Kind: Reduce, Domain: domain, Monoid: m, Args: element}, Uniform, name)
}

// ScanTotals turns the chunks' totals into the folds of the chunks before, and returns the grand total.
func (b *Builder) ScanTotals(m *Monoid, totals, offsets []int) []ID {
	return b.fold(Op{Kind: ScanTotals, Domain: Uniform, Monoid: m, Totals: totals, Offsets: offsets, Epilogue: true}, Uniform, "")
}

// fold appends op, which has a result per field of its monoid.
func (b *Builder) fold(op Op, domain int, name string) []ID {
	key := fmt.Sprint(op.Kind, op.Domain, op.Args, op.Exclusive, op.Totals, op.Monoid.Kind, op.Monoid.String())
	if id, ok := b.memo[key]; ok {
		return b.Kernel.Ops[b.Kernel.Values[id].Op].Res
	}
	op.Segment = b.Kernel.segmentOf(&op)
	for i, f := range op.Monoid.Fields {
		fieldName := f.Name
		if name != "" && i == len(op.Monoid.Fields)-1 {
			fieldName = name
		}
		op.Res = append(op.Res, b.value(f.Kind, domain, fieldName))
	}
	b.emit(op)
	b.memo[key] = op.Res[0]
	return op.Res
}

// Total returns the value that the Scan behind x reaches after the last row, or how many rows have claimed a number x, uniform and in the epilogue.
func (b *Builder) Total(x ID, name string) ID {
	return b.pure(Op{Kind: Total, Domain: Uniform, Args: []ID{x}, Epilogue: true}, b.Kernel.Values[x].Kind, name)
}

// Store writes x to stream at the base row.
func (b *Builder) Store(stream int, x ID) {
	b.emit(Op{Kind: Store, Stream: stream, Args: []ID{x}})
}

// StoreAt writes x to stream at place, for the rows of domain.
func (b *Builder) StoreAt(domain, stream int, x, place ID) {
	b.emit(Op{Kind: Store, Domain: domain, Stream: stream, Args: []ID{x, place}})
}

// StoreClaimed is StoreAt where stream has room for so many elements.
func (b *Builder) StoreClaimed(domain, stream int, x, place ID, room int64) {
	b.emit(Op{Kind: Store, Domain: domain, Stream: stream, Room: room, Args: []ID{x, place}})
}

// StoreWord writes x to stream, which has width elements for each row of domain, side by side: to one
// of those of row.
func (b *Builder) StoreWord(domain, stream, width, word int, x, row ID) {
	first := b.Map(domain, ir.OpMul, ir.I64, "", row, b.Int(int64(width)))
	place := b.Map(domain, ir.OpAdd, ir.I64, "", first, b.Int(int64(word)))
	b.emit(Op{Kind: Store, Domain: domain, Stream: stream, Width: width, Word: word, Args: []ID{x, place}})
}

// Update combines x into stream at index, for the rows of domain; contiguous
// says that rows of equal index lie together, and bins names the domain of the plan that
// they number, if stream may have more elements than that; windowBits is that of the operation.
func (b *Builder) Update(domain, stream int, m *Monoid, contiguous bool, bins string, windowBits int, index, x ID) {
	b.emit(Op{Kind: Update, Domain: domain, Stream: stream, Monoid: m, Contiguous: contiguous, Bins: bins, WindowBits: windowBits, Args: []ID{index, x}})
}

// UpdateSlot combines x into stream at a slot that Insert has found, for the rows of domain.
func (b *Builder) UpdateSlot(domain, stream int, m *Monoid, slot, x ID) {
	b.emit(Op{Kind: Update, Domain: domain, Stream: stream, Monoid: m, BySlot: true, Args: []ID{slot, x}})
}

// Search returns how many elements of stream, which ascend, are at most x: those before
// first are, and those from end on are not.
func (b *Builder) Search(domain, stream int, name string, x, first, end ID) ID {
	return b.pure(Op{Kind: Search, Domain: domain, Stream: stream, Args: []ID{x, first, end}}, ir.I64, name)
}

// Source returns how many elements of stream, which ascend, are at most the number of
// the base row; see the operation Source. It has an element for each row of domain sources.
func (b *Builder) Source(stream int, sources, name string, first, end ID) ID {
	return b.pure(Op{Kind: Source, Stream: stream, Sources: sources, Args: []ID{first, end}}, ir.I64, name)
}

// SourceOfLengths is [Builder.Source] where stream has the end of the last one of each width rows
// of domain sources, and lengths all lengths, perhaps with words of short ones behind.
func (b *Builder) SourceOfLengths(stream int, lengths []int, width int, sources, name string, first, end ID) ID {
	return b.pure(Op{Kind: Source, Stream: stream, Keys: lengths, Width: width, Sources: sources, Args: []ID{first, end}}, ir.I64, name)
}

// SourceOfWords is [Builder.SourceOfLengths] where words tell the lengths; see the operation Source.
func (b *Builder) SourceOfWords(stream, words, many, width int, sources, name string, first, end, bits, most ID) ID {
	return b.pure(Op{Kind: Source, Stream: stream, Keys: []int{words, many}, Width: width, Sources: sources, Args: []ID{first, end, bits, most}}, ir.I64, name)
}

// Placed returns which place a row has behind where the word of its source says that something begins.
func (b *Builder) Placed(source ID, name string) ID {
	return b.pure(Op{Kind: Placed, Args: []ID{source}}, ir.U32, name)
}

// Insert enters row in the hash table stream of so many slots, and returns the slot that has
// its keys; see the operation Insert. The limit slots is none. The streams others have the
// keys of all rows, partBits is that of the operation, and about its scalar.
func (b *Builder) Insert(domain, stream int, others []int, row, slot, slots, limit ID, keys []ID, partBits int, about string) ID {
	op := Op{Kind: Insert, Domain: domain, PartBits: partBits, Ref: about, Stream: stream, Keys: others, Args: append([]ID{row, slot, slots, limit}, keys...)}
	op.Res = []ID{b.value(ir.I64, domain, "entered")}
	b.emit(op)
	return op.Res[0]
}

// InsertDirect is [Builder.Insert] without a limit where rows of one slot have equal keys.
func (b *Builder) InsertDirect(domain, stream int, others []int, row, slot, slots ID, keys []ID) ID {
	entered := b.Insert(domain, stream, others, row, slot, slots, slots, keys, 0, "")
	b.Kernel.Ops[len(b.Kernel.Ops)-1].Direct = true
	return entered
}

// Enter enters word in the hash table stream of so many slots; see the operation Enter.
func (b *Builder) Enter(domain, stream int, word, slot, slots ID) {
	b.emit(Op{Kind: Enter, Domain: domain, Stream: stream, Args: []ID{word, slot, slots}})
}

// EnterLeast is [Builder.Enter] by rows in any order, where the least word of a key stays, in buckets of so many slots if not of 0.
func (b *Builder) EnterLeast(domain, stream int, word, slot, slots ID, bucket int) {
	b.emit(Op{Kind: Enter, Domain: domain, Stream: stream, AnyOrder: true, Bucket: bucket, Args: []ID{word, slot, slots}})
}

// EnterDirect is [Builder.EnterLeast] where words of one slot have equal keys, and free slots all bits set.
func (b *Builder) EnterDirect(domain, stream int, word, slot, slots ID) {
	b.emit(Op{Kind: Enter, Domain: domain, Stream: stream, AnyOrder: true, Direct: true, Args: []ID{word, slot, slots}})
}

// Cuckoo enters row in the cuckoo hash table stream of so many slots; see the operation Cuckoo.
// The streams others have the keys of all rows, and homes their slots.
func (b *Builder) Cuckoo(domain, stream int, others, homes []int, row, slots ID) {
	b.emit(Op{Kind: Cuckoo, Domain: domain, Stream: stream, Keys: others, Homes: homes, Args: []ID{row, slots}})
}

// Partners returns how many of so many rows have equal keys, which are those of the streams
// others, or with first the first one; see the operation Partners.
func (b *Builder) Partners(others []int, rows ID, keys []ID, first bool) ID {
	return b.pure(Op{Kind: Partners, Stream: others[0], Keys: others, First: first, Args: append([]ID{rows}, keys...)}, ir.I64, "partners")
}

// Pairs stores the rows that have equal keys in stream, from begin on; see the operation Pairs.
func (b *Builder) Pairs(stream int, others []int, begin, rows ID, keys []ID) {
	b.emit(Op{Kind: Pairs, Stream: stream, Keys: others, Args: append([]ID{begin, rows}, keys...)})
}

// EnterParts makes the hash table stream, whose slots are the rows of the base, of rows in the order of its parts; see the
// operation EnterParts.
func (b *Builder) EnterParts(stream, ends, hashes, codes int, shift ID, bucket, partBits int) {
	b.emit(Op{Kind: EnterParts, Stream: stream, Keys: []int{ends, hashes, codes}, Args: []ID{shift}, Bucket: bucket, PartBits: partBits})
}

// MatchParts stores the codes that words have for keys in stream, part by part, and returns how
// many different keys there are; see the operation MatchParts.
func (b *Builder) MatchParts(stream, words, keys int, first, end, from, to ID) ID {
	op := Op{Kind: MatchParts, Stream: stream, Keys: []int{words, keys}, Args: []ID{first, end, from, to}}
	op.Res = []ID{b.value(ir.I64, 0, "distinct")}
	b.emit(op)
	return op.Res[0]
}

// PartnerParts stores which words have the keys in stream, part by part, and the codes of words in places, and returns how
// many different keys words have; see the operation PartnerParts.
func (b *Builder) PartnerParts(stream, places, words, keys int, first, end, from, to ID) ID {
	op := Op{Kind: PartnerParts, Stream: stream, Places: places, Keys: []int{words, keys}, Args: []ID{first, end, from, to}}
	op.Res = []ID{b.value(ir.I64, 0, "distinct")}
	b.emit(op)
	return op.Res[0]
}

// GroupParts stores the different keys of words in stream, part by part, with the places of their folds, and returns how many
// they are; see the operation GroupParts.
func (b *Builder) GroupParts(stream, places int, streams []int, folds []PartFold, divided, shared int, first, end ID) ID {
	op := Op{Kind: GroupParts, Stream: stream, Places: places, Keys: streams, Folds: folds, Divided: divided, PartBits: shared, Args: []ID{first, end}}
	op.Res = []ID{b.value(ir.I64, 0, "distinct")}
	b.emit(op)
	return op.Res[0]
}

// Probe returns the slot of the hash table stream whose row has equal keys, or -1; see
// the operation Probe. The streams others have the keys of the rows in the table.
func (b *Builder) Probe(domain, stream int, others []int, slot, slots, direct, key ID, keys []ID, partBits int) ID {
	return b.pure(Op{Kind: Probe, Domain: domain, PartBits: partBits, Stream: stream, Keys: others, Args: append([]ID{slot, slots, direct, key}, keys...)}, ir.I64, "slot")
}

// Match returns the code that the hash table stream has for key, of two words at most; see the operation Match.
func (b *Builder) Match(domain, stream int, slot, slots, direct ID, key []ID, bucket int, isWide bool) ID {
	return b.pure(Op{Kind: Match, Domain: domain, Bucket: bucket, Wide: isWide, Stream: stream, Args: append([]ID{slot, slots, direct}, key...)}, ir.U32, "code")
}

// Check reports row at the plan's site if failed holds, for the rows of domain (Uniform: once).
// Asking again changes nothing.
func (b *Builder) Check(domain, site int, failed, row ID) {
	key := fmt.Sprint("check", domain, site)
	if _, made := b.memo[key]; made {
		return
	}
	b.memo[key] = failed
	b.emit(Op{Kind: Check, Domain: domain, Site: site, Args: []ID{failed, row}})
}

// StoreScalar sets the plan's scalar name to x, after all rows.
func (b *Builder) StoreScalar(name string, x ID) {
	b.emit(Op{Kind: StoreScalar, Domain: Uniform, Ref: name, Args: []ID{x}, Epilogue: true})
}

// Finish orders the operations: those that depend on a fold over all rows form
// the epilogue. It marks streams that neighbours are read from, and returns
// the kernel.
func (b *Builder) Finish() *Kernel {
	k := b.Kernel
	k.reduceTotals()
	var rows, epilogue []Op
	for i := range k.Ops {
		op := &k.Ops[i]
		for _, arg := range op.Args {
			by := k.Ops[k.Values[arg].Op]
			if op.Domain == Uniform && (by.Epilogue || by.IsReduction()) {
				op.Epilogue = true
			}
		}
		if op.Epilogue {
			epilogue = append(epilogue, *op)
		} else {
			rows = append(rows, *op)
		}
	}
	k.Ops = append(rows, epilogue...)
	for i, op := range k.Ops {
		for _, result := range op.Res {
			k.Values[result].Op = i
		}
	}
	k.neighbours(func(stream int, _ int64) { k.Streams[stream].Access = max(k.Streams[stream].Access, Halo) })
	return k
}

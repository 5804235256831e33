package fuse

import (
	"slices"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/ir"
)

// keysOfTable returns the keys of the rows in the table that v makes or searches, or of all
// rows. Rows are compared with any of them.
func keysOfTable(v *ir.Value) []*ir.Value {
	switch v.Op {
	case ir.OpInsert:
		return v.Args[2:]
	case ir.OpCollect, ir.OpEnter:
		return nil
	case ir.OpCuckoo, ir.OpPairs:
		return v.Args[1+v.Split:]
	case ir.OpPartners:
		return v.Args[v.Split:]
	}
	return v.Args[firstKey+(len(v.Args)-firstKey)/2:]
}

// storedKeysOf returns the columns that have the keys of the rows in the table that v makes or searches: keys themselves or, in
// a table of partitioned rows, words that have moved with these in their low bits.
func storedKeysOf(v *ir.Value) []*ir.Value {
	table, keys := v, keysOfTable(v)
	if v.Op == ir.OpProbe {
		table = v.Args[0]
	}
	if table.Op != ir.OpInsert || table.Split == 0 {
		return keys
	}
	list := slices.Clone(keys)
	for i, key := range list {
		list[i] = holding(key)
	}
	return list
}

// holding returns the moved word in whose low bits x lies, or x itself.
func holding(x *ir.Value) *ir.Value {
	if x.Op == ir.OpCast && x.Args[0].Op == ir.OpScatter && x.Type.Kind.IsInteger() && x.Type.Kind.Size() < x.Args[0].Type.Kind.Size() {
		return x.Args[0]
	}
	return x
}

// homesOf returns the slots that each row has in a cuckoo table.
func homesOf(v *ir.Value) []*ir.Value {
	return append([]*ir.Value{v.Args[0]}, v.Args[2:1+v.Split]...)
}

// firstKey is the operand of a probe that is the first key.
const firstKey = 4

// isEntered reports whether v is the slot that a row takes which it enters in a limited
// table itself: nothing else looks for slots there.
func isEntered(v *ir.Value) bool { return v.Op == ir.OpProbe && v.Args[0].Limit != nil }

// insert lowers a hash table.
func (l *lowering) insert(v *ir.Value) {
	if v.Op == ir.OpCollect { // of others, see entered
		l.sizedLength(v, v.Type.Domain)
	}
	s := l.stage(Insert, v.Pos, v.Args[0].Type.Domain)
	l.read(s, v.Args[0], tile.Element, false)
	if v.Op == ir.OpCollect || v.Op == ir.OpEnter {
		l.read(s, v.Args[2], tile.Element, false)
	}
	if v.Limit != nil {
		l.read(s, v.Limit, tile.Element, true)
	}
	l.tableKeys(s, v)
	l.length(s, v.Type.Domain)
	s.roots = append(s.roots, v)
	if w := l.defineResult(s, v); v.Op != ir.OpEnter || v.Direct {
		w.Fill = ir.Int(v.Type.Kind, -1)
	}
}

// tableKeys makes s read the keys of any row in a table.
func (l *lowering) tableKeys(s *Stage, v *ir.Value) {
	for _, key := range storedKeysOf(v) {
		l.read(s, key, tile.Gather, true)
	}
}

// cuckoo lowers a cuckoo table. Rows move others, whose keys and slots they read.
func (l *lowering) cuckoo(v *ir.Value) {
	l.sizedLength(v, v.Type.Domain)
	s := l.stage(Insert, v.Pos, v.Args[0].Type.Domain)
	for _, home := range homesOf(v) {
		l.read(s, home, tile.Gather, true)
	}
	l.tableKeys(s, v)
	l.length(s, v.Type.Domain)
	s.roots = append(s.roots, v)
	l.defineResult(s, v).Fill = ir.Int(v.Type.Kind, -1)
}

// cuckoo enters the rows of w, a cuckoo table.
func (b *kernelBuilder) cuckoo(w *Value) {
	v := w.IR
	b.known(w.Domain)
	domain := b.row(v.Args[0].Type.Domain)
	stream := b.Stream(w.Name, w.Type, w.Name, tile.Scatter, true)
	var homes []int
	for _, home := range homesOf(v) {
		homes = append(homes, b.complete(b.graph.result(home), tile.Gather))
	}
	b.Cuckoo(domain, stream, b.keyStreams(v), homes, b.place(v.Args[0].Type.Domain), b.lengthBefore(w.Domain))
}

// enter enters the rows of w, a hash table of words.
func (b *kernelBuilder) enter(w *Value) {
	v := w.IR
	b.known(w.Domain)
	stream := b.Stream(w.Name, w.Type, w.Name, tile.Scatter, true)
	domain, word, slot, slots := b.row(v.Args[0].Type.Domain), b.operand(v.Args[2]), b.column(v.Args[0]), b.lengthBefore(w.Domain)
	switch {
	case v.Direct:
		b.EnterDirect(domain, stream, word, slot, slots)
	case v.AnyOrder:
		b.EnterLeast(domain, stream, word, slot, slots, v.Split)
	default:
		b.Enter(domain, stream, word, slot, slots)
	}
}

// enterParts lowers a hash table whose rows lie in the order of its parts: whoever takes some slots enters their rows.
func (l *lowering) enterParts(v *ir.Value) {
	l.sizedLength(v, v.Type.Domain)
	s := l.stage(Insert, v.Pos, v.Type.Domain)
	for i, x := range v.Args {
		if i != 1 {
			l.read(s, x, tile.Gather, true)
		}
	}
	s.roots = append(s.roots, v)
	l.defineResult(s, v)
}

// enterParts makes w, a hash table whose rows lie in the order of its parts.
func (b *kernelBuilder) enterParts(w *Value) {
	v := w.IR
	b.onlyParts(w)
	b.known(w.Domain)
	of := func(x *ir.Value) int { return b.complete(b.graph.result(x), tile.Gather) }
	ends, hashes, codes := of(v.Args[0]), of(v.Args[2]), of(v.Args[3])
	b.EnterParts(b.Stream(w.Name, w.Type, w.Name, tile.Permute, true), ends, hashes, codes, b.scalar(v.Args[4], false), v.Split, int(v.Shift))
}

// insert enters the rows of w, a hash table, and returns their slots.
func (b *kernelBuilder) insert(w *Value) tile.ID {
	if slot, ok := b.built[w]; ok {
		return slot
	}
	v := w.IR
	b.known(w.Domain)
	domain := b.row(v.Args[0].Type.Domain)
	keys := make([]tile.ID, len(keysOfTable(v)))
	for i, key := range keysOfTable(v) {
		keys[i] = b.column(key)
	}
	stream := b.Stream(w.Name, w.Type, w.Name, tile.Scatter, true)
	slots := b.lengthBefore(w.Domain)
	limit := slots
	if v.Limit != nil {
		limit = b.scalar(v.Limit, false)
	}
	entered := tile.ID(0)
	if v.Op == ir.OpCollect {
		entered = b.column(v.Args[2])
	} else {
		entered = b.place(v.Args[0].Type.Domain)
	}
	about := ""
	if v.Else != nil {
		about = b.graph.result(v.Else).Name
	}
	slot := b.column(v.Args[0])
	if v.Direct {
		b.built[w] = b.InsertDirect(domain, stream, b.keyStreams(v), entered, slot, slots, keys)
	} else {
		b.built[w] = b.Insert(domain, stream, b.keyStreams(v), entered, slot, slots, limit, keys, v.Split, about)
	}
	return b.built[w]
}

// probe returns the slot of a hash table that has the keys of each row.
func (b *kernelBuilder) probe(v *ir.Value, domain int) tile.ID {
	table := b.graph.result(v.Args[0])
	if isEntered(v) && b.in[table.Writer] {
		return b.insert(table)
	}
	keys := make([]tile.ID, len(keysOfTable(v)))
	for i := range keys {
		keys[i] = b.column(v.Args[firstKey+i])
	}
	return b.Probe(domain, b.complete(table, tile.Gather), b.keyStreams(v), b.column(v.Args[1]), b.lengthBefore(table.Domain), b.scalar(v.Args[2], false), b.operand(v.Args[3]), keys, v.Args[0].Split)
}

// match returns the code that a hash table has for the key of each row.
func (b *kernelBuilder) match(v *ir.Value, domain int) tile.ID {
	words := b.graph.result(v.Args[0])
	stream, slots, isWide := b.complete(words, tile.Gather), words.Domain, words.Domain.Kind == ir.DomainWords
	if isWide {
		b.Kernel.Streams[stream].Long, slots = true, slots.Parent
	}
	var key []tile.ID
	for _, word := range v.Args[3:] {
		key = append(key, b.column(word))
	}
	return b.Match(domain, stream, b.column(v.Args[1]), b.lengthBefore(slots), b.scalar(v.Args[2], false), key, v.Split, isWide)
}

// keyStreams returns the streams of the keys of the rows in a table.
func (b *kernelBuilder) keyStreams(v *ir.Value) []int {
	keys := storedKeysOf(v)
	list := make([]int, len(keys))
	for i, key := range keys {
		list[i] = b.complete(b.graph.result(key), tile.Gather)
	}
	return list
}

// source returns the row from which each row of an expansion comes.
func (b *kernelBuilder) source(v *ir.Value, domain int) tile.ID {
	row := b.place(v.Type.Domain)
	binary := func(op ir.Op, x tile.ID, y int64) tile.ID { return b.Map(domain, op, ir.I64, "", x, b.Int(y)) }
	first, end := b.Int(0), tile.ID(0)
	if len(v.Args) > 2 {
		blocks := b.complete(b.graph.result(v.Args[2]), tile.Gather)
		at := binary(ir.OpShr, row, int64(v.Split))
		first = b.LoadAt(domain, blocks, at, false)
		end = b.LoadAt(domain, blocks, binary(ir.OpAdd, at, 1), false)
	} else {
		end = b.lengthBefore(v.Type.Target)
	}
	ends := b.complete(b.graph.result(v.Args[0]), tile.Gather)
	width := v.Args[0].Type.Domain.Width
	switch len(v.Args) {
	case 4, 5:
		var lengths []int
		for _, x := range v.Args[3:] {
			lengths = append(lengths, b.complete(b.graph.result(x), tile.Gather))
		}
		return b.SourceOfLengths(ends, lengths, width, b.graph.DomainName(v.Type.Target), v.Name, first, end)
	case 7:
		words, many := b.complete(b.graph.result(v.Args[3]), tile.Gather), b.complete(b.graph.result(v.Args[6]), tile.Gather)
		wide := func(x *ir.Value) tile.ID { return b.Map(tile.Uniform, ir.OpCast, ir.I64, "", b.scalar(x, false)) }
		return b.SourceOfWords(ends, words, many, width, b.graph.DomainName(v.Type.Target), v.Name, first, end, wide(v.Args[4]), wide(v.Args[5]))
	}
	if v.Shift == 0 {
		return b.Source(ends, b.graph.DomainName(v.Type.Target), v.Name, first, end)
	}
	x := b.Map(domain, ir.OpCast, b.Kernel.Streams[ends].Kind, "", binary(ir.OpShl, row, v.Shift))
	return b.Search(domain, ends, v.Name, x, first, end)
}

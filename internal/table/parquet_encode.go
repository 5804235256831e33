package table

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/klauspost/compress/snappy"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kgen-go/kgen/ir"
)

// chunkEncoder encodes the rows of one column in one row group after the other.
type chunkEncoder interface {
	write(c ir.Column) // adds rows
	flush()            // ends the last page
	chunk(at int64) (format.ColumnMetaData, pageIndex)
	pages() [][]byte // the bytes that chunk has described
	reset()
}

// pageIndex has the positions of a chunk's pages and the bounds of their
// values; it has no bounds if a page has a NaN.
type pageIndex struct {
	places format.OffsetIndex
	bounds *format.ColumnIndex
}

// newChunkEncoder returns an encoder that makes pages of up to page bytes.
func newChunkEncoder(f Field, page int) chunkEncoder {
	k := f.Kind
	e := pageEncoder{kind: k, page: page, withDictionary: k != ir.Bool, optional: f.mayMiss()} // one of two bools is no shorter than bits
	e.dictionary.most = page / 2 / writtenBytes(k)                                             // a first page of distinct values exceeds it
	switch k.Stored() {
	case ir.Bool:
		return &orderedEncoder[bool, uint8]{pageEncoder: e, missing: missingElement[bool](f), order: boolByte, bits: wide[uint8]}
	case ir.Char8:
		return &orderedEncoder[[8]byte, uint64]{pageEncoder: e, missing: missingElement[[8]byte](f), order: func(v [8]byte) uint64 { return binary.BigEndian.Uint64(v[:]) }, bits: wide[uint64]}
	case ir.F32:
		return &orderedEncoder[float32, float32]{pageEncoder: e, missing: missingElement[float32](f), order: same[float32], bits: func(v float32) uint64 { return uint64(math.Float32bits(v)) }}
	case ir.F64:
		return &orderedEncoder[float64, float64]{pageEncoder: e, missing: missingElement[float64](f), order: same[float64], bits: math.Float64bits}
	case ir.I8:
		return integerEncoder[int8](e, f)
	case ir.I16:
		return integerEncoder[int16](e, f)
	case ir.I32:
		return integerEncoder[int32](e, f)
	case ir.I64:
		return integerEncoder[int64](e, f)
	case ir.U8:
		return integerEncoder[uint8](e, f)
	case ir.U16:
		return integerEncoder[uint16](e, f)
	case ir.U32:
		return integerEncoder[uint32](e, f)
	case ir.U64:
		return integerEncoder[uint64](e, f)
	}
	panic(fmt.Sprintf("table: no columns of %v", k))
}

func integerEncoder[T integer](e pageEncoder, f Field) chunkEncoder {
	return &orderedEncoder[T, T]{pageEncoder: e, missing: missingElement[T](f), order: same[T], bits: wide[T]}
}

func same[T any](v T) T { return v }

func wide[T integer](v T) uint64 { return uint64(v) }

func boolByte(v bool) uint8 {
	if v {
		return 1
	}
	return 0
}

// orderedEncoder encodes elements E, which are compared as T and stored as bits.
type orderedEncoder[E comparable, T cmp.Ordered] struct {
	pageEncoder
	order   func(E) T
	bits    func(T) uint64
	missing *E // what a row without a value has; nil if all have one
	values  []E
	bounds  []bounds[T] // by page
	page    bounds[T]   // of the page that is being filled
	nan     bool        // in this row group
}

type bounds[T cmp.Ordered] struct {
	least, most  T
	nulls, total int // rows
}

func (e *orderedEncoder[E, T]) write(c ir.Column) {
	e.texts = c.Texts
	for s := c.Slice.([]E); len(s) > 0; {
		n := min(len(s), e.capacity()-e.count-e.nulls)
		if e.kind == ir.Text { // which may be long
			n = min(n, 64)
		}
		values := s[:n]
		if e.missing != nil {
			values = e.present(values)
		}
		if e.count == 0 && len(values) > 0 {
			first := e.order(values[0])
			e.page.least, e.page.most = first, first
		}
		least, most := e.page.least, e.page.most
		for _, element := range values {
			v := e.order(element)
			least, most = min(least, v), max(most, v)
			e.add(e.bits(v))
		}
		e.page.least, e.page.most = least, most
		if s = s[n:]; e.count+e.nulls >= e.capacity() || e.kind == ir.Text && len(e.body) >= e.pageEncoder.page { // more where the dictionary has just been given up
			e.flush()
		}
	}
}

// present returns the rows that have a value, and notes which they are.
func (e *orderedEncoder[E, T]) present(rows []E) []E {
	e.values = e.values[:0]
	for _, element := range rows {
		if element == *e.missing {
			e.levels = append(e.levels, 0)
			e.nulls++
			continue
		}
		e.levels = append(e.levels, 1)
		e.values = append(e.values, element)
	}
	return e.values
}

func (e *orderedEncoder[E, T]) flush() {
	if e.count+e.nulls == 0 {
		return
	}
	e.nan = e.nan || e.count > 0 && e.page.least != e.page.least // min keeps a NaN
	e.page.nulls, e.page.total = e.nulls, e.count+e.nulls
	e.bounds = append(e.bounds, e.page)
	e.endPage()
}

func (e *orderedEncoder[E, T]) reset() {
	e.pageEncoder.reset()
	e.bounds, e.nan = e.bounds[:0], false
}

// chunk describes the pages of a row group that will begin at offset at.
func (e *orderedEncoder[E, T]) chunk(at int64) (format.ColumnMetaData, pageIndex) {
	meta, places := e.pageEncoder.chunk(at)
	index := &format.ColumnIndex{}
	var known []bounds[T] // of pages that have a value
	for _, b := range e.bounds {
		meta.Statistics.NullCount += int64(b.nulls)
		index.NullPages = append(index.NullPages, b.nulls == b.total)
		index.NullCounts = append(index.NullCounts, int64(b.nulls))
		least, most := []byte{}, []byte{}
		if b.nulls < b.total {
			known = append(known, b)
			least, most = e.bound(b.least, true), e.bound(b.most, false)
		}
		index.MinValues, index.MaxValues = append(index.MinValues, least), append(index.MaxValues, most)
	}
	switch {
	case e.nan || len(e.bounds) == 0:
		return meta, pageIndex{places, nil}
	case len(known) == 0:
		return meta, pageIndex{places, index}
	}
	all := known[0]
	for _, b := range known {
		all.least, all.most = min(all.least, b.least), max(all.most, b.most)
	}
	falls := func(a, b bounds[T]) int { return min(cmp.Compare(a.least, b.least), cmp.Compare(a.most, b.most)) }
	rises := func(a, b bounds[T]) int { return falls(b, a) }
	switch {
	case slices.IsSortedFunc(known, falls):
		index.BoundaryOrder = format.Ascending
	case slices.IsSortedFunc(known, rises):
		index.BoundaryOrder = format.Descending
	}
	meta.Statistics.MinValue, meta.Statistics.MaxValue = e.bound(all.least, true), e.bound(all.most, false)
	return meta, pageIndex{places, index}
}

// bound returns a bound in the form of statistics: a zero gets the sign that
// includes the other zero, a text has no length.
func (e *orderedEncoder[E, T]) bound(v T, least bool) []byte {
	var zero T
	b := e.bits(v)
	if e.kind.IsFloat() && v == zero {
		if b = 0; least {
			b = 1 << (8*e.kind.Size() - 1)
		}
	}
	switch e.kind {
	case ir.Bool:
		return []byte{byte(b)}
	case ir.Char8, ir.Text:
		return e.plain([]byte{}, b)[4:]
	}
	return e.plain(nil, b)
}

// pageEncoder makes pages of stored values. As long as there are few distinct
// values, a page holds their numbers in a dictionary; after that, the values.
type pageEncoder struct {
	kind           ir.Kind
	texts          []string // of kind Text
	page           int      // bytes
	withDictionary bool
	optional       bool   // rows may have no value
	levels         []byte // then, of each row in the page, 1 if it has one
	nulls          int    // the rows of the page without a value
	dictionary     dictionary
	indexes        []int32 // the page that is being filled, as numbers in the dictionary
	body           []byte  // the same as values
	count          int     // the values in the page

	scratch, compressed []byte
	head                []byte // the dictionary as a page, once the row group is complete
	done                []byte // the pages that have ended
	ended               []endedPage
}

// endedPage describes a page in done.
type endedPage struct {
	start, size, uncompressed int // header included
	values                    int
	encoding                  format.Encoding
}

// capacity returns the values of a full page: as many as have its bytes before
// they are packed, be they bits, numbers in the dictionary or values.
func (e *pageEncoder) capacity() int {
	switch {
	case e.kind == ir.Bool:
		return 8 * e.page
	case e.withDictionary:
		return e.page / 4
	}
	return e.page / writtenBytes(e.kind)
}

// add adds a value to the page.
func (e *pageEncoder) add(v uint64) {
	e.count++
	if e.kind == ir.Bool {
		if e.count%8 == 1 {
			e.body = append(e.body, 0)
		}
		e.body[len(e.body)-1] |= byte(v) << ((e.count - 1) % 8)
		return
	}
	e.body = e.plain(e.body, v)
	if e.withDictionary {
		var index int32
		if index, e.withDictionary = e.dictionary.index(v); e.withDictionary {
			e.indexes = append(e.indexes, index)
		}
	}
}

// plain appends a value in the encoding PLAIN.
func (e *pageEncoder) plain(out []byte, v uint64) []byte {
	switch {
	case e.kind == ir.Text:
		text := e.texts[int32(v)]
		return append(binary.LittleEndian.AppendUint32(out, uint32(len(text))), text...)
	case e.kind == ir.Char8:
		length := 8 - bits.TrailingZeros64(v)/8
		out = binary.LittleEndian.AppendUint32(out, uint32(length))
		var text [8]byte
		binary.BigEndian.PutUint64(text[:], v)
		return append(out, text[:length]...)
	case e.kind.Size() == 8:
		return binary.LittleEndian.AppendUint64(out, v)
	}
	return binary.LittleEndian.AppendUint32(out, uint32(v))
}

// endPage encodes and compresses the page that is being filled.
func (e *pageEncoder) endPage() {
	header := format.DataPageHeader{NumValues: int32(e.count + e.nulls), Encoding: format.Plain, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE}
	body := e.body
	if e.withDictionary {
		var err error
		if e.scratch, err = new(rle.DictionaryEncoding).EncodeInt32(e.scratch[:0], e.indexes); err != nil {
			panic(err) // it has a width
		}
		body, header.Encoding = e.scratch, format.RLEDictionary
	}
	if e.optional {
		levels, err := (&rle.Encoding{BitWidth: 1}).EncodeLevels(nil, e.levels)
		if err != nil {
			panic(err) // they have a width
		}
		body = slices.Concat(binary.LittleEndian.AppendUint32(nil, uint32(len(levels))), levels, body)
	}
	page := endedPage{start: len(e.done), values: e.count + e.nulls, encoding: header.Encoding}
	e.done, page.uncompressed = e.appendPage(e.done, format.PageHeader{Type: format.DataPage, DataPageHeader: thrift.New(header)}, body)
	page.size = len(e.done) - page.start
	e.ended = append(e.ended, page)
	e.body, e.indexes, e.count = e.body[:0], e.indexes[:0], 0
	e.levels, e.nulls = e.levels[:0], 0
}

// appendPage appends a page, and returns how long it would be uncompressed.
func (e *pageEncoder) appendPage(out []byte, header format.PageHeader, body []byte) ([]byte, int) {
	e.compressed = snappy.Encode(e.compressed[:cap(e.compressed)], body)
	header.UncompressedPageSize, header.CompressedPageSize = int32(len(body)), int32(len(e.compressed))
	head, err := encodeThrift(&header)
	if err != nil {
		panic(err) // it is written to memory
	}
	return append(append(out, head...), e.compressed...), len(head) + len(body)
}

// dictionaryPage returns the page that other pages refer to; none if no page
// does.
func (e *pageEncoder) dictionaryPage() (page []byte, uncompressed int) {
	if len(e.ended) == 0 || e.ended[0].encoding != format.RLEDictionary {
		return nil, 0
	}
	e.scratch = e.scratch[:0]
	for _, v := range e.dictionary.entries {
		e.scratch = e.plain(e.scratch, v)
	}
	return e.appendPage(nil, format.PageHeader{Type: format.DictionaryPage, DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{
		NumValues: int32(len(e.dictionary.entries)), Encoding: format.Plain,
	})}, e.scratch)
}

func (e *pageEncoder) chunk(at int64) (format.ColumnMetaData, format.OffsetIndex) {
	meta := format.ColumnMetaData{Type: storedType(e.kind), Codec: format.Snappy, Encoding: []format.Encoding{format.Plain}, DataPageOffset: at}
	var uncompressed int
	if e.head, uncompressed = e.dictionaryPage(); e.head != nil {
		meta.DictionaryPageOffset, meta.DataPageOffset = at, at+int64(len(e.head))
		meta.Encoding = append(meta.Encoding, format.RLEDictionary)
		meta.EncodingStats = append(meta.EncodingStats, format.PageEncodingStats{PageType: format.DictionaryPage, Encoding: format.Plain, Count: 1})
		meta.TotalUncompressedSize, meta.TotalCompressedSize = int64(uncompressed), int64(len(e.head))
	}
	var places format.OffsetIndex
	for _, p := range e.ended {
		places.PageLocations = append(places.PageLocations, format.PageLocation{
			Offset: meta.DataPageOffset + int64(p.start), CompressedPageSize: int32(p.size), FirstRowIndex: meta.NumValues,
		})
		meta.NumValues += int64(p.values)
		meta.TotalUncompressedSize += int64(p.uncompressed)
		meta.TotalCompressedSize += int64(p.size)
		if last := len(meta.EncodingStats) - 1; last >= 0 && meta.EncodingStats[last].PageType == format.DataPage && meta.EncodingStats[last].Encoding == p.encoding {
			meta.EncodingStats[last].Count++
		} else {
			meta.EncodingStats = append(meta.EncodingStats, format.PageEncodingStats{PageType: format.DataPage, Encoding: p.encoding, Count: 1})
		}
	}
	return meta, places
}

func (e *pageEncoder) pages() [][]byte { return [][]byte{e.head, e.done} }

func (e *pageEncoder) reset() {
	e.done, e.ended = e.done[:0], e.ended[:0]
	e.dictionary.reset()
	e.withDictionary = e.kind != ir.Bool
}

// dictionary numbers up to most distinct values, by open addressing.
type dictionary struct {
	most    int
	entries []uint64
	slots   []int32 // the number of an entry and one
}

// index returns the number of v; false if the dictionary is full.
func (d *dictionary) index(v uint64) (int32, bool) {
	if d.slots == nil {
		d.slots = make([]int32, 1<<bits.Len(uint(2*d.most)))
	}
	for slot := v * 0x9E3779B97F4A7C15 >> (64 - bits.Len(uint(len(d.slots)-1))); ; slot = (slot + 1) % uint64(len(d.slots)) {
		switch n := d.slots[slot]; {
		case n == 0 && len(d.entries) == d.most:
			return 0, false
		case n == 0:
			d.entries = append(d.entries, v)
			d.slots[slot] = int32(len(d.entries))
			return int32(len(d.entries) - 1), true
		case d.entries[n-1] == v:
			return n - 1, true
		}
	}
}

func (d *dictionary) reset() {
	d.entries = d.entries[:0]
	clear(d.slots)
}

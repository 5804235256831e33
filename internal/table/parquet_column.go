package table

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/ir"
)

// columnReader converts a column of the file to a column of a kind.
type columnReader struct {
	field    Field
	leaf     int // the position of its chunk in a row group
	physical format.Type
	length   int // of a fixed-length byte array
	optional bool
	conversion
}

// chunkDecoder decodes the pages of one column chunk.
type chunkDecoder struct {
	*pageBuffers
	*columnReader
	pages pageReader
	rows  int64
	out   []byte // of rows elements
	row   int64  // the next one

	entries    []byte           // the dictionary as elements; nil before it is read
	unfitEntry map[int32]string // the entries that are not valid elements, with the reason
}

// page decodes the next page.
func (d *chunkDecoder) page() error {
	if d.pages.at >= d.pages.chunk.size {
		return damaged("the column claims %d values and has %d", d.rows, d.row)
	}
	header, body, err := d.pages.next()
	if err != nil {
		return err
	}
	switch {
	case header.Type == format.DictionaryPage && d.field.Present:
		return nil
	case header.Type == format.DictionaryPage && header.DictionaryPageHeader.Valid:
		return d.readDictionary(&header.DictionaryPageHeader.V, body, int(header.UncompressedPageSize))
	case header.Type == format.DataPage && header.DataPageHeader.Valid:
		return d.dataPage(&header.DataPageHeader.V, body, int(header.UncompressedPageSize))
	case header.Type == format.DataPageV2 && header.DataPageHeaderV2.Valid:
		return d.dataPageV2(&header.DataPageHeaderV2.V, body, int(header.UncompressedPageSize))
	case header.Type == format.IndexPage:
		return nil
	}
	return damaged("a page of the unknown type %d", header.Type)
}

// dataPage decodes a page whose levels are compressed with its values.
func (d *chunkDecoder) dataPage(header *format.DataPageHeader, body []byte, size int) error {
	n, err := d.count(header.NumValues)
	if err != nil || n == 0 {
		return err
	}
	data, err := d.decompress(d.pages.chunk.codec, body, size)
	if err != nil {
		return err
	}
	var present []byte
	if d.optional {
		var levels []byte
		switch header.DefinitionLevelEncoding {
		case format.RLE:
			if len(data) < 4 || uint64(binary.LittleEndian.Uint32(data)) > uint64(len(data)-4) {
				return damaged("the levels of a page are cut off")
			}
			end := 4 + int(binary.LittleEndian.Uint32(data))
			levels, data = data[4:end], data[end:]
		default:
			return &DataError{Msg: fmt.Sprintf("levels in the encoding %v are not supported; RLE is", header.DefinitionLevelEncoding)}
		}
		if present, err = d.presence(levels, n); err != nil {
			return err
		}
	}
	return d.dataValues(n, present, header.Encoding, data)
}

// dataPageV2 decodes a page whose levels precede its compressed values.
func (d *chunkDecoder) dataPageV2(header *format.DataPageHeaderV2, body []byte, size int) error {
	n, err := d.count(header.NumValues)
	if err != nil || n == 0 {
		return err
	}
	repetition, definition := int64(header.RepetitionLevelsByteLength), int64(header.DefinitionLevelsByteLength)
	if header.NumRows != header.NumValues {
		return damaged("a page claims %d rows and %d values", header.NumRows, header.NumValues)
	}
	if repetition < 0 || definition < 0 || repetition+definition > int64(min(len(body), size)) {
		return damaged("the levels of a page are cut off")
	}
	levels := body[repetition : repetition+definition]
	data := body[repetition+definition:]
	var present []byte
	if d.optional {
		if present, err = d.presence(levels, n); err != nil {
			return err
		}
	}
	if !header.IsCompressed.Valid || header.IsCompressed.V {
		if data, err = d.decompress(d.pages.chunk.codec, data, size-int(repetition+definition)); err != nil {
			return err
		}
	}
	return d.dataValues(n, present, header.Encoding, data)
}

// count checks the number of values that a page claims.
func (d *chunkDecoder) count(values int32) (int, error) {
	if values < 0 || int64(values) > d.rows-d.row {
		return 0, damaged("a page claims %d values, where %d are missing", values, d.rows-d.row)
	}
	return int(values), nil
}

// presence returns a byte 0 or 1 for each of n rows, nil if all have a value. A row
// without one is an error, unless the field allows it.
func (d *chunkDecoder) presence(levels []byte, n int) ([]byte, error) {
	null, err := firstZero(levels, n)
	if err != nil || null < 0 {
		return nil, err
	}
	if d.field.mayMiss() {
		d.present = slices.Grow(d.present[:0], n)[:n]
		return d.present, expandRuns(d.present, levels)
	}
	wants := "a text of at most 8 bytes (char8)"
	if d.field.Kind != ir.Char8 {
		wants = expected(d.field.Kind)
	}
	return nil, &valueFault{row: d.row + int64(null), msg: fmt.Sprintf("the value is NULL, but every row needs %s; the parameter may say what such rows have: missing", wants)}
}

// dataValues decodes the values of a page into the next n rows, those that are present if
// that is not nil.
func (d *chunkDecoder) dataValues(n int, present []byte, encoding format.Encoding, data []byte) error {
	size := int64(d.field.Kind.Size())
	out := d.out[d.row*size : (d.row+int64(n))*size]
	values := n
	if present != nil {
		values = bytes.Count(present, []byte{1})
	}
	var err error
	switch {
	case d.field.Present && present != nil:
		copy(out, present)
	case d.field.Present:
		for i := range out {
			out[i] = 1
		}
	case values == 0:
	case encoding == format.RLEDictionary || encoding == oldDictionary:
		err = d.indexed(out[:int64(values)*size], values, data)
	default:
		err = d.values(out[:int64(values)*size], values, encoding, data, func(i int, text string) error {
			return &valueFault{row: d.row + int64(i), msg: text}
		})
	}
	if err != nil {
		return inRow(err, d.row, present)
	}
	if present != nil && !d.field.Present {
		fill, err := d.field.fill()
		if err != nil {
			return err
		}
		spread(out, present, raw.Bytes(fill), values)
	}
	d.row += int64(n)
	return nil
}

// oldDictionary is the encoding that writers of version 1 give to dictionary
// pages and to pages of dictionary positions.
const oldDictionary = format.PlainDictionary //lint:ignore SA1019 files have it

// readDictionary decodes the values that later pages refer to.
func (d *chunkDecoder) readDictionary(header *format.DictionaryPageHeader, body []byte, size int) error {
	if d.entries != nil {
		return damaged("a column has two dictionaries")
	}
	if header.Encoding != format.Plain && header.Encoding != oldDictionary {
		return damaged("a dictionary in the encoding %v", header.Encoding)
	}
	data, err := d.decompress(d.pages.chunk.codec, body, size)
	if err != nil {
		return err
	}
	n := int(header.NumValues)
	if d.physical == format.Boolean || n < 0 || n > len(data) {
		return damaged("a dictionary of %d values in %d bytes", n, len(data))
	}
	d.entries = alignedSized(&d.dictionary, n*d.field.Kind.Size())
	return d.values(d.entries, n, format.Plain, data, func(i int, text string) error {
		if d.unfitEntry == nil {
			d.unfitEntry = map[int32]string{}
		}
		d.unfitEntry[int32(i)] = text
		return nil
	})
}

// indexed decodes n positions in the dictionary.
func (d *chunkDecoder) indexed(out []byte, n int, data []byte) error {
	if d.entries == nil {
		return damaged("a page refers to a dictionary that is not there")
	}
	if len(data) == 0 || data[0] > 32 {
		return damaged("a page of positions in a dictionary has no width")
	}
	size := d.field.Kind.Size()
	r := runs{data: data[1:], width: int(data[0])}
	var batch [unpackBatch]int32
	for done := 0; done < n; {
		count, value, packed, err := r.next()
		if err != nil {
			return err
		}
		if count = min(count, n-done); count == 0 {
			continue
		}
		if packed == nil {
			batch[0] = int32(value)
			if err := d.gather(out[done*size:(done+count)*size], batch[:1], done); err != nil {
				return err
			}
			done += count
			continue
		}
		for first := 0; first < count; first += unpackBatch {
			indexes := batch[:min(unpackBatch, count-first)]
			r.unpack(indexes, packed, first)
			if err := d.gather(out[done*size:(done+len(indexes))*size], indexes, done); err != nil {
				return err
			}
			done += len(indexes)
		}
	}
	return nil
}

// gather looks up the entries at indexes, or at the only one for all of out,
// which begins at row first of the page.
func (d *chunkDecoder) gather(out []byte, indexes []int32, first int) error {
	var ok bool
	switch d.field.Kind.Size() {
	case 1:
		ok = gatherEntries[uint8](out, d.entries, indexes)
	case 2:
		ok = gatherEntries[uint16](out, d.entries, indexes)
	case 4:
		ok = gatherEntries[uint32](out, d.entries, indexes)
	default:
		ok = gatherEntries[uint64](out, d.entries, indexes)
	}
	if !ok {
		return damaged("a position lies behind the end of the dictionary")
	}
	if d.unfitEntry != nil {
		for i, index := range indexes {
			if msg, ok := d.unfitEntry[index]; ok {
				return &valueFault{row: d.row + int64(first+i), msg: msg}
			}
		}
	}
	return nil
}

func gatherEntries[T any](outBytes, entryBytes []byte, indexes []int32) bool {
	out, entries := raw.SliceOf[T](outBytes), raw.SliceOf[T](entryBytes)
	if len(indexes) < len(out) { // one for all
		if uint32(indexes[0]) >= uint32(len(entries)) {
			return false
		}
		entry := entries[indexes[0]]
		for i := range out {
			out[i] = entry
		}
		return true
	}
	out = out[:len(indexes)]
	for i, index := range indexes {
		if uint32(index) >= uint32(len(entries)) {
			return false
		}
		out[i] = entries[index]
	}
	return true
}

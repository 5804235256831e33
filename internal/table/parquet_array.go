package table

import (
	"encoding/binary"

	"github.com/parquet-go/parquet-go/encoding/bytestreamsplit"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/ir"
)

// arrays decodes byte arrays. parquet-go decodes the lengths; the arrays are
// sliced here, without a copy, so that Go checks every bound.
func (d *chunkDecoder) arrays(out []byte, n int, encoding format.Encoding, data []byte, fault onFault) error {
	place := arrayPlacer{d: d, out: out, size: d.field.Kind.Size(), fault: fault}
	fixed := d.physical == format.FixedLenByteArray
	switch {
	case encoding == format.Plain && fixed:
		return place.fixed(n, data)
	case encoding == format.Plain:
		return place.plain(n, data)
	case encoding == format.ByteStreamSplit && fixed && len(data) == n*d.length && n > 0 && d.length > 0:
		joined, err := new(bytestreamsplit.Encoding).DecodeFixedLenByteArray(alignedSized(&d.pageBuffers.values, len(data)), data, d.length)
		if err != nil {
			return damaged("%v", err)
		}
		return place.fixed(n, joined)
	case encoding == format.DeltaLengthByteArray && !fixed:
		return place.deltaLengths(n, data)
	case encoding == format.DeltaByteArray:
		return place.deltaArrays(n, data)
	}
	return d.unsupported(encoding)
}

// arrayPlacer makes elements of byte arrays.
type arrayPlacer struct {
	d     *chunkDecoder
	out   []byte
	size  int // of an element
	fault onFault
}

// place makes element i of value.
func (p *arrayPlacer) place(i int, value []byte) error {
	out := p.out[i*p.size : (i+1)*p.size]
	switch {
	case p.d.array != nil:
		if p.d.array(out, value) {
			return nil
		}
	case len(value) <= 8:
		clear(out)
		copy(out, value)
		return nil
	}
	return p.fault(i, unfit(p.d.field.Kind, p.d.text(value)))
}

// short reports whether elements are the first 8 bytes of the arrays.
func (p *arrayPlacer) short() bool { return p.d.array == nil && p.d.field.Kind == ir.Char8 }

func (p *arrayPlacer) fixed(n int, data []byte) error {
	length := p.d.length
	if len(data) != n*length {
		return damaged("a page of %d bytes claims %d values of %d bytes", len(data), n, length)
	}
	for i := range n {
		if err := p.place(i, data[i*length:(i+1)*length]); err != nil {
			return err
		}
	}
	return nil
}

// plain decodes arrays that each follow their length.
func (p *arrayPlacer) plain(n int, data []byte) error {
	first := 0
	if p.short() {
		first, data = p.plainShort(n, data)
	}
	for i := first; i < n; i++ {
		if len(data) < 4 || uint64(binary.LittleEndian.Uint32(data)) > uint64(len(data)-4) {
			return damaged("the values of a page are cut off")
		}
		end := 4 + int(binary.LittleEndian.Uint32(data))
		if err := p.place(i, data[4:end]); err != nil {
			return err
		}
		data = data[end:]
	}
	if len(data) > 0 {
		return damaged("a page has more than the %d values that it claims", n)
	}
	return nil
}

// plainShort makes char8 values from the arrays at the start of data, up to the
// first array that is long or near the end. It returns their number and the
// rest of data.
func (p *arrayPlacer) plainShort(n int, data []byte) (int, []byte) {
	out := raw.SliceOf[uint64](p.out)[:n]
	at := 0
	for i := range out {
		if at+12 > len(data) {
			return i, data[at:]
		}
		value := data[at : at+12]
		length := int(binary.LittleEndian.Uint32(value))
		if length > 8 {
			return i, data[at:]
		}
		out[i] = binary.LittleEndian.Uint64(value[4:]) & firstBytes[length]
		at += 4 + length
	}
	return n, data[at:]
}

// firstBytes masks the first bytes of 8 in memory.
var firstBytes = [9]uint64{0, 1<<8 - 1, 1<<16 - 1, 1<<24 - 1, 1<<32 - 1, 1<<40 - 1, 1<<48 - 1, 1<<56 - 1, 1<<64 - 1}

// lengths decodes n lengths at the start of data into the part-th of two
// equal parts of the buffer, and returns what follows them.
func (p *arrayPlacer) lengths(part, n int, data []byte) (lengths []int32, rest []byte, err error) {
	end, err := deltaLength(data, n, 32)
	if err != nil {
		return nil, nil, err
	}
	if n > maxPageBytes/4 {
		return nil, nil, damaged("a page claims %d values", n)
	}
	buffer := raw.SliceOf[int32](alignedSized(&p.d.pageBuffers.values, 2*4*n))[part*n:][:n]
	lengths, err = new(delta.BinaryPackedEncoding).DecodeInt32(buffer[:0:n], data[:end])
	if err != nil || len(lengths) != n {
		return nil, nil, damaged("%d lengths instead of %d in a page: %v", len(lengths), n, err)
	}
	return lengths, data[end:], nil
}

// deltaLengths decodes arrays that follow each other after all of their
// lengths.
func (p *arrayPlacer) deltaLengths(n int, data []byte) error {
	lengths, data, err := p.lengths(0, n, data)
	if err != nil {
		return err
	}
	short, out := p.short(), raw.SliceOf[uint64](p.out)
	for i, length := range lengths {
		if length < 0 || int(length) > len(data) {
			return damaged("the values of a page are cut off")
		}
		if short && length <= 8 && len(data) >= 8 {
			out[i] = binary.LittleEndian.Uint64(data) & firstBytes[length]
			data = data[length:]
			continue
		}
		if err := p.place(i, data[:length]); err != nil {
			return err
		}
		data = data[length:]
	}
	return nil
}

// deltaArrays decodes arrays stored without the prefix that they share with the
// previous array.
func (p *arrayPlacer) deltaArrays(n int, data []byte) error {
	prefixes, data, err := p.lengths(0, n, data)
	if err != nil {
		return err
	}
	suffixes, data, err := p.lengths(1, n, data)
	if err != nil {
		return err
	}
	var value []byte
	for i := range prefixes {
		prefix, suffix := int(prefixes[i]), int(suffixes[i])
		if prefix < 0 || prefix > len(value) || suffix < 0 || suffix > len(data) {
			return damaged("the values of a page are cut off")
		}
		value = append(value[:prefix], data[:suffix]...)
		if p.d.physical == format.FixedLenByteArray && len(value) != p.d.length {
			return damaged("a value of %d bytes in a column of %d", len(value), p.d.length)
		}
		if err := p.place(i, value); err != nil {
			return err
		}
		data = data[suffix:]
	}
	return nil
}

package table

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/kgen-go/kgen/internal/raw"
	"github.com/parquet-go/parquet-go/encoding/bytestreamsplit"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/format"
)

// onFault is called for a value that is not a valid element, with the reason.
// An error that it returns ends the decoding.
type onFault func(i int, msg string) error

// values decodes the n values of data into out. Their counts and lengths are
// compared with n before a decoder of parquet-go sees them.
func (d *chunkDecoder) values(out []byte, n int, encoding format.Encoding, data []byte, fault onFault) error {
	switch d.physical {
	case format.Boolean:
		return d.booleans(out, n, encoding, data)
	case format.Int32, format.Float:
		return d.numbers32(out, n, encoding, data, fault)
	case format.Int64, format.Double:
		return d.numbers64(out, n, encoding, data, fault)
	case format.Int96:
		if encoding != format.Plain {
			return d.unsupported(encoding)
		}
		return d.plainNumbers(out, n, len(int96{}), data, fault)
	}
	return d.arrays(out, n, encoding, data, fault)
}

func (d *chunkDecoder) unsupported(encoding format.Encoding) error {
	return &DataError{Msg: fmt.Sprintf("%v values in the encoding %v are not supported", d.physical, encoding)}
}

func (d *chunkDecoder) booleans(out []byte, n int, encoding format.Encoding, data []byte) error {
	switch encoding {
	case format.Plain:
		if len(data) < (n+7)/8 {
			return damaged("a page of %d bytes claims %d values", len(data), n)
		}
		expandBits(out, data)
		return nil
	case format.RLE:
	default:
		return d.unsupported(encoding)
	}
	if len(data) < 4 || uint64(binary.LittleEndian.Uint32(data)) > uint64(len(data)-4) {
		return damaged("the values of a page are cut off")
	}
	return expandRuns(out, data[4:4+binary.LittleEndian.Uint32(data)])
}

// expandRuns writes a byte 0 or 1 for each of the runs of bits in data.
func expandRuns(out, data []byte) error {
	r := runs{data: data, width: 1}
	for len(out) > 0 {
		count, value, packed, err := r.next()
		if err != nil {
			return err
		}
		count = min(count, len(out))
		if packed != nil {
			expandBits(out[:count], packed)
		} else {
			for i := range out[:count] {
				out[i] = byte(value & 1)
			}
		}
		out = out[count:]
	}
	return nil
}

// bitBytes holds the bits of each byte as bytes.
var bitBytes = func() (table [256][8]byte) {
	for bits := range table {
		for i := range table[bits] {
			table[bits][i] = byte(bits >> i & 1)
		}
	}
	return table
}()

// expandBits writes a byte 0 or 1 for each bit, the lowest first.
func expandBits(out, bits []byte) {
	for len(out) >= 8 {
		copy(out[:8], bitBytes[bits[0]][:])
		out, bits = out[8:], bits[1:]
	}
	if len(out) > 0 {
		copy(out, bitBytes[bits[0]][:])
	}
}

// numbers32 decodes values of 4 bytes.
func (d *chunkDecoder) numbers32(out []byte, n int, encoding format.Encoding, data []byte, fault onFault) error {
	switch {
	case encoding == format.Plain:
		return d.plainNumbers(out, n, 4, data, fault)
	case encoding == format.ByteStreamSplit && len(data) == 4*n:
	case encoding == format.DeltaBinaryPacked && d.physical == format.Int32:
		if _, err := deltaLength(data, n, 64); err != nil {
			return err
		}
	default:
		return d.unsupported(encoding)
	}
	stored, err := d.stored(out, n, 4)
	if err != nil {
		return err
	}
	decode := new(bytestreamsplit.Encoding).DecodeInt32
	if encoding == format.DeltaBinaryPacked {
		decode = deltaInt32
	}
	values := raw.SliceOf[int32](stored)
	values, err = decode(values[:0:n], data)
	if err != nil || len(values) != n {
		return damaged("%d values instead of %d in a page: %v", len(values), n, err)
	}
	return d.convert(out, stored, 4, 0, fault)
}

// deltaInt32 decodes INT32 as cap(values) differences. Some writers, DuckDB's
// among them, store differences of more than 32 bits instead of wrapping as the
// format requires; modulo 2^32 the values are the same.
func deltaInt32(values []int32, data []byte) ([]int32, error) {
	n := cap(values)
	if _, err := deltaLength(data, n, 32); err == nil {
		if decoded, err := new(delta.BinaryPackedEncoding).DecodeInt32(values, data); err == nil {
			return decoded, nil
		}
	}
	if n > maxPageBytes/8 {
		return nil, errors.New("too many differences of more than 32 bits")
	}
	wide, err := new(delta.BinaryPackedEncoding).DecodeInt64(make([]int64, 0, n+paddingBytes/8), data)
	for _, v := range wide[:min(n, len(wide))] {
		values = append(values, int32(v))
	}
	return values, err
}

// numbers64 decodes values of 8 bytes.
func (d *chunkDecoder) numbers64(out []byte, n int, encoding format.Encoding, data []byte, fault onFault) error {
	switch {
	case encoding == format.Plain:
		return d.plainNumbers(out, n, 8, data, fault)
	case encoding == format.ByteStreamSplit && len(data) == 8*n:
	case encoding == format.DeltaBinaryPacked && d.physical == format.Int64:
		if _, err := deltaLength(data, n, 64); err != nil {
			return err
		}
	default:
		return d.unsupported(encoding)
	}
	stored, err := d.stored(out, n, 8)
	if err != nil {
		return err
	}
	decode := new(bytestreamsplit.Encoding).DecodeInt64
	if encoding == format.DeltaBinaryPacked {
		decode = new(delta.BinaryPackedEncoding).DecodeInt64
	}
	values := raw.SliceOf[int64](stored)
	values, err = decode(values[:0:n], data)
	if err != nil || len(values) != n {
		return damaged("%d values instead of %d in a page: %v", len(values), n, err)
	}
	return d.convert(out, stored, 8, 0, fault)
}

// plainNumbers decodes values that stand side by side.
func (d *chunkDecoder) plainNumbers(out []byte, n, width int, data []byte, fault onFault) error {
	if len(data) != n*width {
		return damaged("a page of %d bytes claims %d values of %d bytes", len(data), n, width)
	}
	if d.conversion.numbers == nil {
		copy(out, data)
		return nil
	}
	const window = 1024 // values; they may lie at odd addresses in data
	stored := alignedSized(&d.pageBuffers.values, window*width)
	for first := 0; first < n; first += window {
		m := copy(stored, data[first*width:])
		size := d.field.Kind.Size()
		if err := d.convert(out[first*size:(first+m/width)*size], stored[:m], width, first, fault); err != nil {
			return err
		}
	}
	return nil
}

// stored returns the memory for n stored values that convert will turn into out:
// out itself if they already are stored.
func (d *chunkDecoder) stored(out []byte, n, width int) ([]byte, error) {
	if d.conversion.numbers == nil {
		return out, nil
	}
	if n > maxPageBytes/width {
		return nil, &DataError{Msg: fmt.Sprintf("a page has %d values of %d bytes; pages of up to %d bytes are read; write the file with smaller pages", n, width, maxPageBytes)}
	}
	return alignedSized(&d.pageBuffers.values, n*width), nil
}

// convert turns stored values, the first of which is the page's value first,
// into stored.
func (d *chunkDecoder) convert(out, stored []byte, width, first int, fault onFault) error {
	if d.conversion.numbers == nil {
		return nil
	}
	size := d.field.Kind.Size()
	for i := 0; i*width < len(stored); i++ {
		bad := d.conversion.numbers(out[i*size:], stored[i*width:])
		if bad < 0 {
			return nil
		}
		i += bad
		msg := unfit(d.field.Kind, d.text(stored[i*width:(i+1)*width]))
		if err := fault(first+i, msg); err != nil {
			return err
		}
	}
	return nil
}

// deltaLength returns the bytes of n values of DELTA_BINARY_PACKED, each of at
// most that many bits, at the start of data.
func deltaLength(data []byte, n, bits int) (int, error) {
	at := 0
	number := func() uint64 {
		v, length := binary.Uvarint(data[at:])
		if length <= 0 {
			at = len(data) + 1
			return 0
		}
		at += length
		return v
	}
	// number moves beyond the end of data where that is reached, and so does
	// the check below.
	cutOff := func() bool { return at > len(data) }
	var header [4]uint64 // values a block, miniblocks a block, values, the first value
	for i := range header {
		if header[i] = number(); cutOff() {
			return 0, damaged("the values of a page are cut off")
		}
	}
	block, minis := header[0], header[1]
	if block == 0 || block > 1<<16 || minis == 0 || minis > block || block%minis != 0 || block/minis%32 != 0 || header[2] != uint64(n) {
		return 0, damaged("a page of %d values in %d blocks of %d claims %d", n, minis, block, header[2])
	}
	mini := int(block / minis)
	for left := n - 1; left > 0; {
		number() // the least difference
		if cutOff() || len(data)-at < int(minis) {
			return 0, damaged("the values of a page are cut off")
		}
		widths := data[at : at+int(minis)]
		at += int(minis)
		for _, width := range widths {
			if left <= 0 {
				break
			}
			size := mini * int(width) / 8
			if int(width) > bits || size > len(data)-at {
				return 0, damaged("the values of a page are cut off")
			}
			at += size
			left -= mini
		}
	}
	return at, nil
}

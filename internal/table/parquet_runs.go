package table

import (
	"encoding/binary"

	"github.com/parquet-go/bitpack"
)

// runs reads Parquet's hybrid of run-length encoding and bit packing, in which
// levels, dictionary indexes and booleans are stored. It iterates over runs
// instead of expanding them as parquet-go does, so that a long run costs no
// memory.
type runs struct {
	data  []byte // followed by paddingBytes of capacity
	width int    // bits of a value, at most 32
}

// next returns the next run: n times value or, if packed is not nil, n bit-packed
// values.
func (r *runs) next() (n int, value uint32, packed []byte, err error) {
	header, length := binary.Uvarint(r.data)
	if length <= 0 {
		return 0, 0, nil, damaged("a page has fewer values than it claims")
	}
	r.data = r.data[length:]
	count := header >> 1
	if header&1 == 0 {
		size := (r.width + 7) / 8
		if size > len(r.data) || count > 1<<40 {
			return 0, 0, nil, damaged("a run of a page is cut off")
		}
		for i, b := range r.data[:size] {
			value |= uint32(b) << (8 * i)
		}
		r.data = r.data[size:]
		return int(count), value, nil, nil
	}
	if r.width == 0 {
		return int(min(count, 1<<40)) * 8, 0, nil, nil
	}
	// The last 8 values may lack bytes that no value uses.
	size := min(count, uint64(len(r.data))) * uint64(r.width)
	size = min(size, uint64(len(r.data)))
	packed, r.data = r.data[:size], r.data[size:]
	return int(size * 8 / uint64(r.width)), 0, packed, nil
}

// unpackBatch is the number of values that are unpacked at once: a multiple of 8,
// so that each batch begins at a byte.
const unpackBatch = 1024

// unpack unpacks len(out) values from value first on, a multiple of 8.
func (r *runs) unpack(out []int32, packed []byte, first int) {
	bitpack.Unpack(out, packed[first/8*r.width:], uint(r.width))
}

// firstZero returns the position of the first zero among n levels of one bit;
// -1 if there is none.
func firstZero(data []byte, n int) (int, error) {
	r := runs{data: data, width: 1}
	for done := 0; done < n; {
		count, value, packed, err := r.next()
		if err != nil {
			return 0, err
		}
		count = min(count, n-done)
		if packed == nil {
			if value == 0 && count > 0 {
				return done, nil
			}
		} else {
			for i := 0; i < count; i++ {
				if packed[i/8] == 0xFF {
					i |= 7 // no zero in this byte
				} else if packed[i/8]>>(i%8)&1 == 0 {
					return done + i, nil
				}
			}
		}
		done += count
	}
	return -1, nil
}

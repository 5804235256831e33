package support

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"strings"
	"unsafe"
)

//lint:file-ignore U1000 A partial uses what it needs.

// Partials of earlier and later rows combine element by element, by one of
// these functions.

func kgenFoldSum[T kgenInteger | ~float32 | ~float64](a, b T) T { return a + b }

// min and max of Go are the language's: NaN wins, -0.0 is less than 0.0.
func kgenFoldLeast[T cmp.Ordered](a, b T) T    { return min(a, b) }
func kgenFoldGreatest[T cmp.Ordered](a, b T) T { return max(a, b) }

func kgenFoldLeastBytes(a, b [8]byte) [8]byte {
	if bytes.Compare(b[:], a[:]) < 0 {
		return b
	}
	return a
}

func kgenFoldGreatestBytes(a, b [8]byte) [8]byte {
	if bytes.Compare(b[:], a[:]) > 0 {
		return b
	}
	return a
}

func kgenFoldFirst[T any](a, _ T) T { return a }
func kgenFoldLast[T any](_, b T) T  { return b }

// kgenFoldPresent is fold(a, b), or one of them where no rows are behind the
// other.
func kgenFoldPresent[T any](a, b T, earlier, later int64, fold func(a, b T) T) T {
	switch {
	case later == 0:
		return a
	case earlier == 0:
		return b
	}
	return fold(a, b)
}

// kgenFoldBins folds later bins into bins. Where rows are counted, they are
// those behind each.
func kgenFoldBins[T any](bins, later []T, rows, laterRows []int64, fold func(a, b T) T) {
	for i := range bins {
		if rows == nil {
			bins[i] = fold(bins[i], later[i])
		} else {
			bins[i] = kgenFoldPresent(bins[i], later[i], rows[i], laterRows[i], fold)
		}
	}
}

// kgenFoldGroups appends later groups to groups. If the last one goes on, the
// first of the later ones is folded into it.
func kgenFoldGroups[T any](groups, later []T, goesOn bool, rows, laterRows []int64, fold func(a, b T) T) []T {
	if goesOn {
		last := len(groups) - 1
		if rows == nil {
			groups[last] = fold(groups[last], later[0])
		} else {
			groups[last] = kgenFoldPresent(groups[last], later[0], rows[last], laterRows[0], fold)
		}
		later = later[1:]
	}
	return append(groups, later...)
}

// kgenGoesOn reports whether the key of the last group is that of the first of
// the later ones. Keys are equal as the language has it: NaN to NaN, -0.0 to 0.0.
func kgenGoesOn[T comparable](groups, later []T) bool {
	if len(groups) == 0 || len(later) == 0 {
		return false
	}
	last, first := groups[len(groups)-1], later[0]
	return last == first || kgenIsNaN(last) && kgenIsNaN(first)
}

// kgenIsNaN reports whether x is not equal to itself.
func kgenIsNaN[T comparable](x T) bool {
	same := x
	return x != same
}

// kgenNone is the row of a check that has not failed.
const kgenNone = math.MaxInt64

func kgenError(text string) error { return errors.New(text) }

func kgenWrap(text string, err error) error { return fmt.Errorf("%s: %w", text, err) }

// kgenFailed returns the first row that failed a check: row of the earlier
// rows, or later of those that follow before of them; kgenNone is none.
func kgenFailed(row, later, before int64) int64 {
	if row != kgenNone || later == kgenNone {
		return row
	}
	return before + later
}

// kgenFirstEmpty is the first element behind which there are no rows.
func kgenFirstEmpty(rows ...int64) int64 {
	if i := slices.Index(rows, 0); i >= 0 {
		return int64(i)
	}
	return kgenNone
}

// kgenSeam returns which rows of the window around a seam have all neighbours
// there: the window is the last rows of n earlier ones and the first of later
// ones, at each side as many as a row looks back and ahead together, or all.
// Of fewer rows none had all neighbours in sight so far.
func kgenSeam(n, later, back, ahead int64) (from, to int64) {
	from, to = n-ahead, n+back
	if n <= back+ahead {
		from = back
	}
	if later <= back+ahead {
		to = n + later - ahead
	}
	begin := n - min(n, back+ahead) // of the window
	return from - begin, to - begin
}

// The encoding of a partial is the header of its type, a line of text; its
// fields, little-endian, columns with their length before them; and a checksum.

const kgenPartialMark = "kgen partial "

// kgenChecksum is a CRC-32C.
func kgenChecksum(data []byte) uint32 {
	return crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))
}

// kgenPut appends the elements of a column, whose number the decoder knows.
func kgenPut[T any](data []byte, column ...T) []byte {
	if texts, ok := any(column).([][8]byte); ok {
		for i := range texts {
			data = append(data, texts[i][:]...)
		}
		return data
	}
	data, err := binary.Append(data, binary.LittleEndian, column)
	if err != nil {
		panic(err) // T has no fixed size
	}
	return data
}

// kgenPutLength appends the length of the columns that follow.
func kgenPutLength(data []byte, n int) []byte { return binary.AppendUvarint(data, uint64(n)) }

// kgenSeal appends the checksum.
func kgenSeal(data []byte) []byte {
	return binary.LittleEndian.AppendUint32(data, kgenChecksum(data))
}

// kgenReader takes the fields of a partial from its bytes.
type kgenReader struct {
	data []byte
	err  error
}

// kgenOpen checks what stands around the fields.
func kgenOpen(data []byte, header string) *kgenReader {
	r := &kgenReader{}
	body := len(data) - crc32.Size
	switch {
	case !bytes.HasPrefix(data, []byte(kgenPartialMark)):
		r.err = errors.New("these are not the bytes of a partial")
	case !bytes.HasPrefix(data, []byte(header)):
		line, _, _ := bytes.Cut(data[:min(len(data), 400)], []byte("\n"))
		r.err = fmt.Errorf("these are the bytes of %q, and %q is needed: the pipelines or their versions differ", line, strings.TrimSpace(header))
	case body < len(header) || kgenChecksum(data[:body]) != binary.LittleEndian.Uint32(data[body:]):
		r.err = errors.New("the bytes are damaged: their checksum is wrong")
	default:
		r.data = data[len(header):body]
	}
	return r
}

// fail notes the first thing that is wrong.
func (r *kgenReader) fail() {
	if r.err == nil {
		r.err = errors.New("the bytes are damaged: a column does not end where the next begins")
	}
	r.data = nil
}

// end requires that nothing follows.
func (r *kgenReader) end() error {
	if len(r.data) > 0 {
		r.fail()
	}
	return r.err
}

// length takes the length of the columns that follow.
func (r *kgenReader) length() int {
	n, size := binary.Uvarint(r.data)
	if size <= 0 || n > uint64(len(r.data)-size) { // every element has a byte at least
		r.fail()
		return 0
	}
	r.data = r.data[size:]
	return int(n)
}

// kgenTake takes a column of n elements.
func kgenTake[T any](r *kgenReader, n int) []T {
	var element T
	if n > len(r.data)/int(unsafe.Sizeof(element)) {
		r.fail()
		return nil
	}
	column := make([]T, n)
	kgenTakeInto(r, column)
	return column
}

// kgenTakeInto takes as many elements as column has.
func kgenTakeInto[T any](r *kgenReader, column []T) {
	size := len(column) * int(unsafe.Sizeof(*new(T)))
	if size > len(r.data) {
		r.fail()
		return
	}
	if texts, ok := any(column).([][8]byte); ok {
		for i := range texts {
			copy(texts[i][:], r.data[8*i:])
		}
	} else if _, err := binary.Decode(r.data[:size], binary.LittleEndian, column); err != nil {
		r.fail()
		return
	}
	r.data = r.data[size:]
}

// kgenTakeOne takes one element.
func kgenTakeOne[T any](r *kgenReader) T {
	var one [1]T
	kgenTakeInto(r, one[:])
	return one[0]
}

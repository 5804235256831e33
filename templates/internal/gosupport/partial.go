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

//lint:file-ignore U1000 Each partial uses some of these.

// Partials of earlier and later rows combine element by element, by one of
// these functions.

func kgenFoldSum[T kgenInteger | ~float32 | ~float64](a, b T) T     { return a + b }
func kgenFoldProduct[T kgenInteger | ~float32 | ~float64](a, b T) T { return a * b }
func kgenFoldAny[T ~bool](a, b T) T                                 { return a || b }
func kgenFoldAll[T ~bool](a, b T) T                                 { return a && b }

// Go's min and max are those of the language: NaN wins, -0.0 is less than 0.0.
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

// kgenFoldPresent is fold(a, b), or one of the two if the other has no rows.
func kgenFoldPresent[T any](a, b T, earlier, later int64, fold func(a, b T) T) T {
	switch {
	case later == 0:
		return a
	case earlier == 0:
		return b
	}
	return fold(a, b)
}

// kgenFoldBins folds later bins into bins. Row counts, if there are any, are the
// number of rows of each bin.
func kgenFoldBins[T any](bins, later []T, rows, laterRows []int64, fold func(a, b T) T) {
	for i := range bins {
		if rows == nil {
			bins[i] = fold(bins[i], later[i])
		} else {
			bins[i] = kgenFoldPresent(bins[i], later[i], rows[i], laterRows[i], fold)
		}
	}
}

// kgenFoldGroups appends later groups to groups. If the last group continues,
// the first later group is folded into it.
func kgenFoldGroups[T any](groups, later []T, continues bool, rows, laterRows []int64, fold func(a, b T) T) []T {
	if continues {
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

// kgenPair has the places of one group among the earlier groups and the later ones, -1
// where it is not there.
type kgenPair struct{ earlier, later int }

// kgenPairGroups merges earlier and later groups, which both ascend by key. Compare
// compares the keys of earlier group i and later group j.
func kgenPairGroups(earlier, later int, compare func(i, j int) int) []kgenPair {
	pairs := make([]kgenPair, 0, max(earlier, later))
	i, j := 0, 0
	for i < earlier || j < later {
		order := -1
		if i == earlier {
			order = 1
		} else if j < later {
			order = compare(i, j)
		}
		pair := kgenPair{-1, -1}
		if order <= 0 {
			pair.earlier, i = i, i+1
		}
		if order >= 0 {
			pair.later, j = j, j+1
		}
		pairs = append(pairs, pair)
	}
	return pairs
}

// kgenFoldPairs returns the groups of all pairs.
func kgenFoldPairs[T any](groups, later []T, pairs []kgenPair, rows, laterRows []int64, fold func(a, b T) T) []T {
	all := make([]T, len(pairs))
	for i, pair := range pairs {
		switch {
		case pair.later < 0:
			all[i] = groups[pair.earlier]
		case pair.earlier < 0:
			all[i] = later[pair.later]
		case rows == nil:
			all[i] = fold(groups[pair.earlier], later[pair.later])
		default:
			all[i] = kgenFoldPresent(groups[pair.earlier], later[pair.later], rows[pair.earlier], laterRows[pair.later], fold)
		}
	}
	return all
}

// kgenOrder compares keys: NaN is the greatest, and -0.0 and 0.0 are equal.
func kgenOrder[T cmp.Ordered](a, b T) int {
	if kgenIsNaN(a) || kgenIsNaN(b) {
		return kgenOrderBools(kgenIsNaN(a), kgenIsNaN(b))
	}
	return cmp.Compare(a, b)
}

func kgenOrderBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func kgenOrderBytes(a, b [8]byte) int { return bytes.Compare(a[:], b[:]) }

// kgenContinues reports whether the last group and the first later group have
// the same key. As keys, all NaNs are equal, and so are -0.0 and 0.0.
func kgenContinues[T comparable](groups, later []T) bool {
	if len(groups) == 0 || len(later) == 0 {
		return false
	}
	last, first := groups[len(groups)-1], later[0]
	return last == first || kgenIsNaN(last) && kgenIsNaN(first)
}

// kgenIsNaN reports whether x is a NaN, the only value that is not equal to
// itself.
func kgenIsNaN[T comparable](x T) bool {
	same := x
	return x != same
}

// kgenNone is the row of a check that has not failed.
const kgenNone = math.MaxInt64

func kgenError(text string) error { return errors.New(text) }

func kgenWrap(text string, err error) error { return fmt.Errorf("%s: %w", text, err) }

// kgenFailed returns the first row that failed a check: row, among the earlier
// rows, or later, counted from 0 in the rows that follow before earlier ones.
// kgenNone means that no row failed.
func kgenFailed(row, later, before int64) int64 {
	if row != kgenNone || later == kgenNone {
		return row
	}
	return before + later
}

// kgenFirstEmpty returns the first element that has no rows.
func kgenFirstEmpty(rows ...int64) int64 {
	if i := slices.Index(rows, 0); i >= 0 {
		return int64(i)
	}
	return kgenNone
}

// kgenSeam returns the rows of the window around a seam whose neighbours are all
// in the window and that have not been aggregated. The window has the last of n
// earlier rows and the first of the later rows: back + ahead of each, or all if
// there are fewer. In that case none of them has been aggregated.
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

// An encoded partial is the header of its type, which is a line of text, then its
// fields in little-endian order, each column after its length, then a checksum.

const kgenPartialMark = "kgen partial "

// kgenChecksum returns the CRC-32C of data.
func kgenChecksum(data []byte) uint32 {
	return crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))
}

// kgenPut appends the elements of a column; the decoder knows their number.
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

// kgenReader reads the fields of a partial from its bytes.
type kgenReader struct {
	data []byte
	err  error
}

// kgenOpen checks the header and the checksum.
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

// fail records the first error.
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

// length reads the length of the columns that follow.
func (r *kgenReader) length() int {
	n, size := binary.Uvarint(r.data)
	if size <= 0 || n > uint64(len(r.data)-size) { // every element has at least one byte
		r.fail()
		return 0
	}
	r.data = r.data[size:]
	return int(n)
}

// kgenTake reads a column of n elements.
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

// kgenTakeInto reads as many elements as column has.
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

// kgenTakeOne reads one element.
func kgenTakeOne[T any](r *kgenReader) T {
	var one [1]T
	kgenTakeInto(r, one[:])
	return one[0]
}

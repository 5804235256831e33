package kgenarrow

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// goMemory is what Go's garbage collector frees, so that results need no release.
var goMemory = memory.NewGoAllocator()

// Result is a column of records to make.
type Result struct {
	name   string
	values arrow.Array
	err    error // why there are none
}

// NewRecord returns a record of results, none of which is NULL unless [Result.Valid] says so. Results of different
// lengths are an error, and so are strings that are not UTF-8.
func NewRecord(results ...Result) (arrow.RecordBatch, error) {
	fields, arrays := make([]arrow.Field, len(results)), make([]arrow.Array, len(results))
	for i, r := range results {
		if r.err != nil {
			return nil, r.err
		}
		if first := results[0]; r.values.Len() != first.values.Len() {
			return nil, fmt.Errorf("results of one record have one length, but %q has %d rows and %q has %d",
				first.name, first.values.Len(), r.name, r.values.Len())
		}
		fields[i], arrays[i] = arrow.Field{Name: r.name, Type: r.values.DataType()}, r.values
	}
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), arrays, -1), nil
}

// NumberResult returns numbers as a column, without a copy.
func NumberResult[T Number](name string, values []T) Result {
	return shared(name, arrow.GetDataType[T](), values)
}

// DateResult returns days since 1970-01-01 as date32, without a copy.
func DateResult(name string, days []int32) Result {
	return shared(name, arrow.FixedWidthTypes.Date32, days)
}

// TimestampResult returns microseconds since 1970 in UTC as timestamp[us, UTC], without a
// copy.
func TimestampResult(name string, micros []int64) Result {
	return shared(name, arrow.FixedWidthTypes.Timestamp_us, micros)
}

// DecimalResult returns numbers without their point, as a result decimal(scale) has them, as a
// column of type decimal128(19, scale).
func DecimalResult(name string, scale int, unscaled []int64) Result {
	if scale < 0 || scale > maxScale {
		return Result{err: fmt.Errorf("result %q: a decimal has 0 to %d digits after the point, not %d", name, maxScale, scale)}
	}
	b := array.NewDecimal128Builder(goMemory, &arrow.Decimal128Type{Precision: 19, Scale: int32(scale)})
	defer b.Release()
	b.Reserve(len(unscaled))
	for _, v := range unscaled {
		b.UnsafeAppend(decimal128.FromI64(v))
	}
	return Result{name: name, values: b.NewArray()}
}

// BoolResult returns bools as a column.
func BoolResult(name string, values []bool) Result {
	b := array.NewBooleanBuilder(goMemory)
	defer b.Release()
	b.AppendValues(values, nil)
	return Result{name: name, values: b.NewArray()}
}

// StringResult returns strings as a column of type utf8, whose bytes are less than 2^31.
func StringResult(name string, values []string) Result {
	total := 0
	for row, v := range values {
		if total += len(v); total > math.MaxInt32 {
			const reason = "a column of type utf8 holds less than 2 GiB; make records of fewer rows"
			return Result{err: &ValueError{name, int64(row), reason}}
		}
		if !utf8.ValidString(v) {
			return Result{err: &ValueError{name, int64(row), fmt.Sprintf("%.40q is not UTF-8", v)}}
		}
	}
	b := array.NewStringBuilder(goMemory)
	defer b.Release()
	b.AppendValues(values, nil)
	return Result{name: name, values: b.NewArray()}
}

// Char8Result returns char8 as a column of type utf8, without the NUL bytes at their ends.
func Char8Result(name string, values [][8]byte) Result {
	texts := make([]string, len(values))
	for row, v := range values {
		texts[row] = strings.TrimRight(string(v[:]), "\x00")
	}
	return StringResult(name, texts)
}

// TextResult returns texts by their codes in a dictionary, the emitted type Texts, as a
// column of type dictionary<int32, utf8>, which has the strings that occur, in the order of
// codes.
func TextResult(name string, codes []int32, texts interface{ Text(code int32) string }) Result {
	places := map[int32]int32{}
	for _, code := range codes {
		places[code] = 0
	}
	distinct := slices.Sorted(maps.Keys(places))
	list := make([]string, len(distinct))
	for i, code := range distinct {
		places[code], list[i] = int32(i), texts.Text(code)
	}
	dictionary := StringResult(name, list)
	if fault, ok := dictionary.err.(*ValueError); ok {
		fault.Row = int64(slices.Index(codes, distinct[fault.Row]))
		return dictionary
	}
	rows := make([]int32, len(codes))
	for row, code := range codes {
		rows[row] = places[code]
	}
	indices := NumberResult(name, rows)
	t := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	return Result{name: name, values: array.NewDictionaryArray(t, indices.values, dictionary.values)}
}

// Valid returns the result with NULL in the rows of which present is false.
func (r Result) Valid(present []bool) Result {
	if r.err != nil {
		return r
	}
	if len(present) != r.values.Len() {
		return Result{err: fmt.Errorf("result %q has %d rows, but %d of whether they are present", r.name, r.values.Len(), len(present))}
	}
	bits, nulls := make([]byte, bitutil.BytesForBits(int64(len(present)))), 0
	for row, p := range present {
		if p {
			bitutil.SetBit(bits, row)
		} else {
			nulls++
		}
	}
	data := r.values.Data()
	buffers := slices.Clone(data.Buffers())
	buffers[0] = memory.NewBufferBytes(bits)
	dictionary, _ := data.Dictionary().(*array.Data)
	marked := array.NewDataWithDictionary(data.DataType(), data.Len(), buffers, nulls, data.Offset(), dictionary)
	defer marked.Release()
	return Result{name: r.name, values: array.MakeFromData(marked)}
}

// shared returns an array whose values are those of a slice.
func shared[T Number](name string, t arrow.DataType, values []T) Result {
	data := array.NewData(t, len(values), []*memory.Buffer{nil, memory.NewBufferBytes(arrow.GetBytes(values))}, nil, 0, 0)
	defer data.Release()
	return Result{name: name, values: array.MakeFromData(data)}
}

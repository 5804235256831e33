package kgenarrow

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// Each type of Arrow that is read as a kind, with its values in text, and as the kind's; an
// error has the text behind "column "x", row 1: ".
func TestKinds(t *testing.T) {
	decimals := []arrow.DataType{
		&arrow.Decimal32Type{Precision: 9, Scale: 2}, &arrow.Decimal64Type{Precision: 18, Scale: 2},
		&arrow.Decimal128Type{Precision: 38, Scale: 2}, &arrow.Decimal256Type{Precision: 76, Scale: 2},
	}
	for _, dt := range slices.Concat(integers, decimals) {
		got, err := Numbers[int64](ArrayColumn("x", parse(t, dt, "0", "100", "7")))
		wantRows(t, got, err, 0, 100, 7)
		bytes, err := Numbers[uint8](ArrayColumn("x", parse(t, dt, "0", "100", "7")))
		wantRows(t, bytes, err, 0, 100, 7)
		floats, err := Numbers[float32](ArrayColumn("x", parse(t, dt, "0", "100", "7")))
		wantRows(t, floats, err, 0, 100, 7)
	}
	for _, dt := range integers {
		got, err := Bools(ArrayColumn("x", parse(t, dt, "1", "0")))
		wantRows(t, got, err, true, false)
		_, err = Bools(ArrayColumn("x", parse(t, dt, "0", "2")))
		wantError(t, err, `column "x", row 1: 2 does not fit bool: a bool is 0 or 1`)
	}
	for _, dt := range decimals {
		got, err := Numbers[float64](ArrayColumn("x", parse(t, dt, "0.1", "-3.25")))
		wantRows(t, got, err, 0.1, -3.25)
		_, err = Numbers[int64](ArrayColumn("x", parse(t, dt, "1", "1.5")))
		wantError(t, err, `column "x", row 1: 1.5 does not fit int64: it has a fraction`)
	}
	long := &arrow.Decimal256Type{Precision: 76, Scale: 0}
	u64, err := Numbers[uint64](ArrayColumn("x", parse(t, long, "18446744073709551615")))
	wantRows(t, u64, err, math.MaxUint64)
	_, err = Numbers[int64](ArrayColumn("x", parse(t, long, "18446744073709551615")))
	wantError(t, err, "row 0: 18446744073709551615 does not fit int64: it is out of range")
	_, err = Numbers[uint64](ArrayColumn("x", parse(t, long, "1", "18446744073709551616")))
	wantError(t, err, "row 1: 18446744073709551616 does not fit uint64: it is out of range")
	_, err = Numbers[float32](ArrayColumn("x", parse(t, long, "1"+strings.Repeat("0", 60))))
	wantError(t, err, "does not fit float32: it is out of range")
	hundreds, err := Numbers[int32](ArrayColumn("x", parse(t, &arrow.Decimal128Type{Precision: 9, Scale: -2}, "1200")))
	wantRows(t, hundreds, err, 1200)

	for _, dt := range []arrow.DataType{arrow.FixedWidthTypes.Float16, arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64} {
		got, err := Numbers[float32](ArrayColumn("x", parse(t, dt, "0.5", "-2", "inf")))
		wantRows(t, got, err, 0.5, -2, float32(math.Inf(1)))
		_, err = Numbers[int64](ArrayColumn("x", parse(t, dt, "1")))
		wantError(t, err, fmt.Sprintf(`column "x" is of type %s, which cannot be read as int64`, dt))
	}
	_, err = Numbers[float32](ArrayColumn("x", parse(t, arrow.PrimitiveTypes.Float64, "1", "1e300")))
	wantError(t, err, "row 1: 1e+300 does not fit float32: it is out of range")
	_, err = Numbers[int8](ArrayColumn("x", parse(t, arrow.PrimitiveTypes.Int64, "-128", "128")))
	wantError(t, err, "row 1: 128 does not fit int8: it is out of range")
	_, err = Numbers[uint64](ArrayColumn("x", parse(t, arrow.PrimitiveTypes.Int8, "1", "-1")))
	wantError(t, err, "row 1: -1 does not fit uint64: it is out of range")

	bits, err := Bools(ArrayColumn("x", parse(t, arrow.FixedWidthTypes.Boolean, "true", "false", "true")))
	wantRows(t, bits, err, true, false, true)
	_, err = Numbers[int64](ArrayColumn("x", parse(t, arrow.FixedWidthTypes.Boolean, "true")))
	wantError(t, err, "is of type bool, which cannot be read as int64")

	for _, dt := range []arrow.DataType{
		arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView,
	} {
		got, err := Strings(ArrayColumn("x", parse(t, dt, "é", "", "more than eight bytes", "é")))
		wantRows(t, got, err, "é", "", "more than eight bytes", "é")
		short, err := Char8s(ArrayColumn("x", parse(t, dt, "PROMO", "", "12345678")))
		wantRows(t, short, err, [8]byte{'P', 'R', 'O', 'M', 'O'}, [8]byte{}, [8]byte([]byte("12345678")))
		_, err = Char8s(ArrayColumn("x", parse(t, dt, "", "123456789")))
		wantError(t, err, `row 1: "123456789" does not fit char8: it has more than 8 bytes`)
	}
	for _, dt := range []arrow.DataType{
		arrow.BinaryTypes.Binary, arrow.BinaryTypes.LargeBinary, arrow.BinaryTypes.BinaryView, &arrow.FixedSizeBinaryType{ByteWidth: 3},
	} {
		a := parse(t, dt, "YWJj", "/wBj") // base64
		got, err := Strings(ArrayColumn("x", a))
		wantRows(t, got, err, "abc", "\xff\x00c")
		short, err := Char8s(ArrayColumn("x", a))
		wantRows(t, short, err, [8]byte{'a', 'b', 'c'}, [8]byte{0xff, 0, 'c'})
	}
	_, err = Strings(ArrayColumn("x", parse(t, arrow.PrimitiveTypes.Int64, "1")))
	wantError(t, err, "is of type int64, which cannot be read as text")
}

// times returns a column of timestamps from their numbers.
func times(unit arrow.TimeUnit, zone string, values ...int64) Column {
	b := array.NewTimestampBuilder(memory.DefaultAllocator, &arrow.TimestampType{Unit: unit, TimeZone: zone})
	for _, v := range values {
		b.Append(arrow.Timestamp(v))
	}
	return ArrayColumn("at", b.NewArray())
}

func TestTimes(t *testing.T) {
	day := time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)
	days, old := int32(day.Unix()/(24*60*60)), time.Date(1907, 2, 3, 4, 5, 6, 0, time.UTC)
	for _, zone := range []string{"", "UTC", "Europe/Berlin"} {
		for unit, perSecond := range map[arrow.TimeUnit]int64{arrow.Second: 1, arrow.Millisecond: 1e3, arrow.Microsecond: 1e6, arrow.Nanosecond: 1e9} {
			got, err := Timestamps(times(unit, zone, day.Unix()*perSecond, old.Unix()*perSecond))
			wantRows(t, got, err, day.UnixMicro(), old.UnixMicro())
			dates, err := Dates(times(unit, zone, day.Unix()*perSecond, -24*60*60*perSecond))
			wantRows(t, dates, err, days, -1)
			_, err = Dates(times(unit, zone, 0, perSecond))
			wantError(t, err, fmt.Sprintf(`column "at", row 1: %d %s since 1970 does not fit date: it is not a midnight of UTC`, perSecond, unit))
		}
	}
	for _, unit := range []arrow.TimeUnit{arrow.Second, arrow.Millisecond} {
		_, err := Timestamps(times(unit, "", 0, math.MaxInt64))
		wantError(t, err, "since 1970 does not fit timestamp: it is out of range")
	}
	nanos := times(arrow.Nanosecond, "UTC", 1000, 1500, 2500, 2501, -500, -1500, -1501)
	_, err := Timestamps(nanos)
	wantError(t, err, `column "at", row 1: 1500 ns since 1970 does not fit timestamp: it has a part of a microsecond; Rounded rounds it`)
	got, err := Timestamps(nanos, Rounded[int64]())
	wantRows(t, got, err, 1, 2, 2, 3, 0, -2, -2)
	dates, err := Dates(times(arrow.Nanosecond, "UTC", 24*60*60*1e9+500), Rounded[int32]())
	wantRows(t, dates, err, 1)

	for _, dt := range []arrow.DataType{arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Date64} {
		a := parse(t, dt, "2024-05-01", "1969-12-31")
		dates, err := Dates(ArrayColumn("day", a))
		wantRows(t, dates, err, days, -1)
		got, err := Timestamps(ArrayColumn("day", a))
		wantRows(t, got, err, day.UnixMicro(), -24*60*60*1e6)
	}
	b := array.NewDate64Builder(memory.DefaultAllocator)
	b.AppendValues([]arrow.Date64{0, 1, math.MaxInt64 / millisPerDay * millisPerDay}, nil)
	odd := b.NewArray()
	_, err = Dates(ArrayColumn("day", odd))
	wantError(t, err, "row 1: 1 ms since 1970 does not fit date: it is not a midnight of UTC")
	_, err = Dates(ArrayColumn("day", array.NewSlice(odd, 2, 3)))
	wantError(t, err, "does not fit date: it is out of range")
	_, err = Timestamps(ArrayColumn("day", array.NewSlice(odd, 2, 3)))
	wantError(t, err, "does not fit timestamp: it is out of range")
	for _, dt := range []arrow.DataType{arrow.PrimitiveTypes.Int32, arrow.FixedWidthTypes.Time32s, arrow.FixedWidthTypes.Duration_us} {
		_, err := Dates(ArrayColumn("day", empty(dt)))
		wantError(t, err, "cannot be read as date")
		_, err = Timestamps(ArrayColumn("day", empty(dt)))
		wantError(t, err, "cannot be read as timestamp")
	}
}

// Strings with and without a dictionary; a function is asked for each of a dictionary's once.
func TestMatches(t *testing.T) {
	for _, dt := range []arrow.DataType{arrow.BinaryTypes.String, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}} {
		a := parse(t, dt, "green", "red", "(null)", "green", "green")
		asked := 0
		like := func(text string) bool { asked++; return text == "green" }
		got, err := Matches(ArrayColumn("name", a), like, Missing(true))
		wantRows(t, got, err, true, false, true, true, true)
		if coded := dt.ID() == arrow.DICTIONARY; coded != (asked == 2) {
			t.Errorf("%v: asked for %d strings", dt, asked)
		}
		_, err = Matches(ArrayColumn("name", a), like)
		wantError(t, err, `column "name", row 2: the value is NULL`)
	}
	_, err := Matches(ArrayColumn("x", empty(arrow.PrimitiveTypes.Int8)), func(string) bool { return true })
	wantError(t, err, "cannot be read as text")
}

// NULLs at both ends, and nothing else, in every type: an error with its row, what Missing
// says, and what Present tells.
func TestMissing(t *testing.T) {
	a := parse(t, arrow.PrimitiveTypes.Int64, "(null)", "5", "6", "(null)")
	_, err := Numbers[int64](ArrayColumn("amount", a))
	wantError(t, err, `column "amount", row 0: the value is NULL, but every row needs int64; Missing may say what such rows have`)
	var fault *ValueError
	if !errors.As(err, &fault) || fault.Column != "amount" || fault.Row != 0 {
		t.Errorf("%#v", err)
	}
	got, err := Numbers(ArrayColumn("amount", a), Missing(int64(-1)))
	wantRows(t, got, err, -1, 5, 6, -1)
	got, err = Numbers[int64](ArrayColumn("amount", array.NewSlice(a, 1, 3)))
	wantRows(t, got, err, 5, 6)
	_, err = Numbers[int64](ArrayColumn("amount", array.NewSlice(a, 1, 4)))
	wantError(t, err, "row 2: the value is NULL")
	present, err := Present(ArrayColumn("amount", a))
	wantRows(t, present, err, false, true, true, false)
	_, err = Numbers[int8](ArrayColumn("amount", parse(t, arrow.PrimitiveTypes.Int64, "(null)", "300")), Missing(int8(0)))
	wantError(t, err, "row 1: 300 does not fit int8")

	for _, dt := range []arrow.DataType{arrow.PrimitiveTypes.Int16, arrow.BinaryTypes.String, arrow.FixedWidthTypes.Boolean, arrow.Null,
		arrow.ListOf(arrow.PrimitiveTypes.Int8), &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}} {
		c := ArrayColumn("x", array.MakeArrayOfNull(memory.DefaultAllocator, dt, 3))
		present, err := Present(c)
		wantRows(t, present, err, false, false, false)
		present, err = Present(ArrayColumn("x", empty(dt)))
		wantRows(t, present, err)
	}
	none := ArrayColumn("x", array.NewNull(2))
	texts, err := Strings(none, Missing("?"))
	wantRows(t, texts, err, "?", "?")
	dates, err := Dates(none, Missing(int32(3)))
	wantRows(t, dates, err, 3, 3)
	_, err = Bools(none)
	wantError(t, err, "row 0: the value is NULL, but every row needs bool")
	_, err = Present(ArrayColumn("x", empty(arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int8))))
	wantError(t, err, "cannot be read as bool")
}

// A dictionary's values are decoded; only those that rows have need to fit, and a NULL is
// one whether a row or its dictionary's value is.
func TestDictionary(t *testing.T) {
	values := parse(t, arrow.PrimitiveTypes.Int64, "300", "7", "(null)", "8")
	for _, index := range []arrow.DataType{arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Uint64} {
		dt := &arrow.DictionaryType{IndexType: index, ValueType: arrow.PrimitiveTypes.Int64}
		a := array.NewDictionaryArray(dt, parse(t, index, "3", "1", "(null)", "3", "2", "0"), values)
		got, err := Numbers(ArrayColumn("x", array.NewSlice(a, 0, 5)), Missing(int8(-1)))
		wantRows(t, got, err, 8, 7, -1, 8, -1)
		_, err = Numbers(ArrayColumn("x", a), Missing(int8(-1)))
		wantError(t, err, "row 5: 300 does not fit int8")
		two, err := Numbers[int64](ArrayColumn("x", array.NewSlice(a, 0, 2))) // fewer than the dictionary has
		wantRows(t, two, err, 8, 7)
		_, err = Numbers[int64](ArrayColumn("x", array.NewSlice(a, 3, 6)))
		wantError(t, err, "row 1: the value is NULL")
		present, err := Present(ArrayColumn("x", a))
		wantRows(t, present, err, true, true, false, true, false, true)
		_, err = Strings(ArrayColumn("x", a))
		wantError(t, err, "is of type dictionary<values=int64, indices="+index.String())

		for _, place := range []string{"4", "-1"} {
			if place == "-1" && arrow.IsUnsignedInteger(index.ID()) {
				continue
			}
			a := array.NewDictionaryArray(dt, parse(t, index, "1", place), values)
			_, err := Numbers[int64](ArrayColumn("x", a))
			wantError(t, err, fmt.Sprintf(`column "x", row 1: the row has place %s of a dictionary of 4 values`, place))
			_, err = Present(ArrayColumn("x", a))
			wantError(t, err, "row 1: the row has place")
		}
	}
}

// Damaged arrays, as a file may hold, are errors.
func TestDamaged(t *testing.T) {
	short := array.MakeFromData(array.NewData(arrow.PrimitiveTypes.Int64, 3, []*memory.Buffer{nil, nil}, nil, 0, 0))
	_, err := Numbers[int64](ArrayColumn("x", short))
	wantError(t, err, `column "x" is damaged`)
	offsets := memory.NewBufferBytes(arrow.GetBytes([]int32{0, 100, 1}))
	backwards := array.MakeFromData(array.NewData(arrow.BinaryTypes.String, 2, []*memory.Buffer{nil, offsets, memory.NewBufferBytes([]byte("ab"))}, nil, 0, 0))
	got, err := Strings(ArrayColumn("x", backwards))
	wantError(t, err, `column "x" is damaged`)
	if got != nil {
		t.Errorf("values %q beside an error", got)
	}
}

// id is an extension type over int64, whose meaning kgen does not know.
type id struct{ arrow.ExtensionBase }

func (*id) ArrayType() reflect.Type                                           { return reflect.TypeFor[ids]() }
func (*id) ExtensionName() string                                             { return "id" }
func (*id) ExtensionEquals(arrow.ExtensionType) bool                          { return true }
func (*id) Serialize() string                                                 { return "" }
func (t *id) Deserialize(arrow.DataType, string) (arrow.ExtensionType, error) { return t, nil }

type ids struct{ array.ExtensionArrayBase }

func (a *ids) Values() []int64 { return a.Storage().(*array.Int64).Values() }

// Types that are not known are refused, whatever they are stored as, but tell their NULLs.
func TestExtension(t *testing.T) {
	stored := parse(t, arrow.PrimitiveTypes.Int64, "1", "(null)", "3")
	a := array.NewExtensionArrayWithStorage(&id{arrow.ExtensionBase{Storage: arrow.PrimitiveTypes.Int64}}, stored)
	_, err := Numbers[int64](ArrayColumn("x", array.NewSlice(a, 0, 1)))
	wantError(t, err, `column "x" is of type extension_type<storage=int64>, which cannot be read as int64`)
	present, err := Present(ArrayColumn("x", a))
	wantRows(t, present, err, true, false, true)
}

// Strings do not lie in the array, which may be released or mapped.
func TestStringsAreCopies(t *testing.T) {
	text := []byte("abcabc")
	offsets := memory.NewBufferBytes(arrow.GetBytes([]int32{0, 3, 6}))
	a := array.MakeFromData(array.NewData(arrow.BinaryTypes.String, 2, []*memory.Buffer{nil, offsets, memory.NewBufferBytes(text)}, nil, 0, 0))
	got, err := Strings(ArrayColumn("x", a))
	copy(text, "xxxxxx")
	wantRows(t, got, err, "abc", "abc")
	many := make([]string, 3*remembered)
	for i := range many {
		many[i] = fmt.Sprint(i / 2)
	}
	b := array.NewStringBuilder(memory.DefaultAllocator)
	b.AppendValues(many, nil)
	if got, err = Strings(ArrayColumn("x", b.NewArray())); err != nil || !slices.Equal(got, many) {
		t.Errorf("more strings than a reader remembers differ: %v", err)
	}
}

// dictionaryOf is a small dictionary of texts.
type dictionaryOf []string

func (d dictionaryOf) Code(text string) (int32, bool) {
	at := slices.Index(d, text)
	return int32(at), at >= 0
}

func TestCodes(t *testing.T) {
	coded := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	for _, dt := range []arrow.DataType{arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, coded} {
		c := ChunkedColumn("x", arrow.NewChunked(dt, []arrow.Array{parse(t, dt, "b", "a"), parse(t, dt), parse(t, dt, "(null)", "b", "")}))
		list, err := Dictionary(c)
		slices.Sort(list)
		wantRows(t, list, err, "", "a", "b")
		codes, err := Codes(c, dictionaryOf{"", "a", "b"}, Missing(int32(7)))
		wantRows(t, codes, err, 2, 1, 7, 2, 0)
		_, err = Codes(c, dictionaryOf{"", "a", "b"})
		wantError(t, err, "row 2: the value is NULL")
		_, err = Codes(c, dictionaryOf{"", "b"})
		wantError(t, err, `column "x", row 1: "a" does not fit text: it is not in the dictionary`)
	}
	list, err := Dictionary(ArrayColumn("x", parse(t, arrow.Null, "(null)")))
	if len(list) > 0 || err != nil {
		t.Error(list, err)
	}
	_, err = Dictionary(ArrayColumn("x", parse(t, arrow.PrimitiveTypes.Int8, "1")))
	wantError(t, err, "cannot be read as text")
}

func TestInto(t *testing.T) {
	ints := arrow.PrimitiveTypes.Int32
	for _, chunks := range [][]arrow.Array{{parse(t, ints, "1", "2", "3")}, {parse(t, ints, "1"), parse(t, ints), parse(t, ints, "2", "3")}} {
		c := ChunkedColumn("x", arrow.NewChunked(ints, chunks))
		rows := make([]int32, 3)
		got, err := Numbers(c, Into(rows))
		wantRows(t, got, err, 1, 2, 3)
		wantRows(t, rows, nil, 1, 2, 3)
		wide := make([]int64, 3)
		_, err = Numbers(c, Into(wide))
		wantRows(t, wide, err, 1, 2, 3)
		_, err = Numbers(c, Into(rows[:2]))
		wantError(t, err, "has 3 rows, to be written to memory for 2")
		_, err = Numbers(c, Into[int32](nil))
		wantError(t, err, "memory for 0")
	}
}

func TestValid(t *testing.T) {
	present := []bool{true, false, true}
	for _, r := range []Result{NumberResult("x", []int32{1, 2, 3}), BoolResult("x", []bool{true, true, false}), StringResult("x", []string{"a", "b", "c"}),
		TextResult("x", []int32{1, 2, 3}, pages{}), DecimalResult("x", 2, []int64{1, 2, 3})} {
		record, err := NewRecord(r.Valid(present))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Present(RecordColumn(record, "x"))
		wantRows(t, got, err, present...)
		if _, err := NewRecord(r.Valid(present[:2])); err == nil {
			t.Error("two rows of whether three are present")
		}
	}
}

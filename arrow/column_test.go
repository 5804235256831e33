package kgenarrow

import (
	"bytes"
	"math"
	"slices"
	"testing"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// One chunk without NULL is returned itself, also behind an offset or beside empty chunks.
// Neither reading nor appending to what is read changes the array.
func TestShared(t *testing.T) {
	numbers := parse(t, arrow.PrimitiveTypes.Int64, "1", "2", "3", "4", "5")
	days := parse(t, arrow.FixedWidthTypes.Date32, "2024-05-01", "2024-05-02", "2024-05-03", "2024-05-04", "2024-05-05")
	at := parse(t, arrow.FixedWidthTypes.Timestamp_us, "2024-05-01T00:00:00Z", "2024-05-02T00:00:00Z", "2024-05-03T00:00:00Z", "2024-05-04T00:00:00Z", "2024-05-05T00:00:00Z")
	readNumbers := func(c Column) (unsafe.Pointer, int, int) { return address(Numbers[int64](c)) }
	readDates := func(c Column) (unsafe.Pointer, int, int) { return address(Dates(c)) }
	readTimes := func(c Column) (unsafe.Pointer, int, int) { return address(Timestamps(c)) }
	for _, test := range []struct {
		a    arrow.Array
		read func(Column) (unsafe.Pointer, int, int)
		size int
	}{{numbers, readNumbers, 8}, {days, readDates, 4}, {at, readTimes, 8}} {
		buffer := test.a.Data().Buffers()[1].Bytes()
		before := bytes.Clone(buffer)
		cut := array.NewSlice(test.a, 2, 4)
		none := array.NewSlice(test.a, 0, 0)
		for _, c := range []Column{
			ArrayColumn("x", cut),
			ChunkedColumn("x", arrow.NewChunked(test.a.DataType(), []arrow.Array{none, cut, none})),
			{name: "x", rows: 2, chunks: []arrow.Array{array.NewSlice(test.a, 2, 5)}},
		} {
			if at, length, capacity := test.read(c); at != unsafe.Pointer(&buffer[2*test.size]) || length != 2 || capacity != 2 {
				t.Errorf("%s: %d rows, room for %d, at %p; the array is at %p", test.a.DataType(), length, capacity, at, &buffer[0])
			}
		}
		for _, c := range []Column{
			ChunkedColumn("x", arrow.NewChunked(test.a.DataType(), []arrow.Array{cut, cut})),
			{name: "x", rows: 3, chunks: []arrow.Array{cut, cut}},
		} {
			if at, length, _ := test.read(c); length != c.rows || uintptr(at)-uintptr(unsafe.Pointer(&buffer[0])) < uintptr(len(buffer)) {
				t.Errorf("%s: %d rows of two chunks at %p; the array is at %p", test.a.DataType(), length, at, &buffer[0])
			}
		}
		if !bytes.Equal(buffer, before) {
			t.Errorf("%s: the array has changed", test.a.DataType())
		}
	}
	got, err := Numbers[int64](ArrayColumn("x", array.NewSlice(numbers, 0, 2)))
	_ = append(got, 77)
	wantRows(t, numbers.(*array.Int64).Values(), err, 1, 2, 3, 4, 5)
}

// address appends to values as well, which must not write behind them.
func address[T any](values []T, err error) (at unsafe.Pointer, length, capacity int) {
	if err != nil || len(values) == 0 {
		return nil, -1, -1
	}
	var zero T
	_ = append(values, zero)
	return unsafe.Pointer(&values[0]), len(values), cap(values)
}

func TestColumns(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64}, {Name: "n", Type: arrow.PrimitiveTypes.Int32}, {Name: "n", Type: arrow.PrimitiveTypes.Int32},
	}, nil)
	id, n := parse(t, arrow.PrimitiveTypes.Int64, "1", "2", "3"), parse(t, arrow.PrimitiveTypes.Int32, "4", "5", "6")
	record := array.NewRecordBatch(schema, []arrow.Array{id, n, n}, 2) // fewer rows than its columns have
	got, err := Numbers[int64](RecordColumn(record, "id"))
	wantRows(t, got, err, 1, 2)
	short, err := Numbers[int16](RecordColumn(record, "id"))
	wantRows(t, short, err, 1, 2)
	_, err = Numbers[int64](RecordColumn(record, "n"))
	wantError(t, err, `2 columns are named "n"`)
	_, err = Present(RecordColumn(record, "amount"))
	wantError(t, err, `there is no column "amount"; there are: id, n, n`)
	_, err = Bools(TableColumn(array.NewTableFromRecords(schema, nil), "amount"))
	wantError(t, err, `there is no column "amount"`)

	table := array.NewTableFromRecords(schema, []arrow.RecordBatch{record.NewSlice(1, 2), record.NewSlice(0, 0), record.NewSlice(0, 2)})
	got, err = Numbers[int64](TableColumn(table, "id"))
	wantRows(t, got, err, 2, 1, 2)
	cut := array.NewTable(schema, []arrow.Column{*table.Column(0), *table.Column(1), *table.Column(2)}, 2)
	got, err = Numbers[int64](TableColumn(cut, "id"))
	wantRows(t, got, err, 2, 1)
	got, err = Numbers[int64](TableColumn(array.NewTableFromRecords(schema, nil), "id"))
	wantRows(t, got, err)
	_, err = Dates(TableColumn(array.NewTableFromRecords(schema, nil), "id"))
	wantError(t, err, `column "id" is of type int64, which cannot be read as date`)

	chunks := arrow.NewChunked(arrow.PrimitiveTypes.Int64, []arrow.Array{id, parse(t, arrow.PrimitiveTypes.Int64, "1", "(null)")})
	_, err = Numbers[int64](ChunkedColumn("x", chunks))
	wantError(t, err, `column "x", row 4: the value is NULL`)
}

// What a record was made of is read from it again, the same memory where that is promised.
func TestResults(t *testing.T) {
	day, at, number := []int32{-1, 0, math.MaxInt32}, []int64{math.MinInt64, 0, 1}, []float32{0.5, float32(math.Inf(1)), -1}
	flag, text, char8 := []bool{true, false, true}, []string{"", "é", "\x00"}, [][8]byte{{'a'}, {}, [8]byte([]byte("12345678"))}
	codes := []int32{7, 3, 7}
	record, err := NewRecord(DateResult("day", day), TimestampResult("at", at), NumberResult("number", number), BoolResult("flag", flag),
		StringResult("text", text), Char8Result("char8", char8), TextResult("page", codes, pages{}))
	if err != nil {
		t.Fatal(err)
	}
	const schema = "schema:\n  fields: 7\n    - day: type=date32\n    - at: type=timestamp[us, tz=UTC]\n    - number: type=float32\n    - flag: type=bool\n" +
		"    - text: type=utf8\n    - char8: type=utf8\n    - page: type=dictionary<values=utf8, indices=int32, ordered=false>"
	if got := record.Schema().String(); got != schema {
		t.Error(got)
	}
	days, err := Dates(RecordColumn(record, "day"))
	wantRows(t, days, err, day...)
	micros, err := Timestamps(RecordColumn(record, "at"))
	wantRows(t, micros, err, at...)
	numbers, err := Numbers[float32](RecordColumn(record, "number"))
	wantRows(t, numbers, err, number...)
	if &days[0] != &day[0] || &micros[0] != &at[0] || &numbers[0] != &number[0] {
		t.Error("results are copied")
	}
	flags, err := Bools(RecordColumn(record, "flag"))
	wantRows(t, flags, err, flag...)
	texts, err := Strings(RecordColumn(record, "text"))
	wantRows(t, texts, err, text...)
	chars, err := Char8s(RecordColumn(record, "char8"))
	wantRows(t, chars, err, char8...)
	names, err := Strings(RecordColumn(record, "page"))
	wantRows(t, names, err, "page 7", "page 3", "page 7")
	dictionary, err := Strings(ArrayColumn("page", record.Column(6).(*array.Dictionary).Dictionary()))
	wantRows(t, dictionary, err, "page 3", "page 7")
	record.Release()
	if !slices.Equal(at, micros) {
		t.Error("results are gone with their record")
	}

	empty, err := NewRecord(NumberResult[int64]("number", nil), StringResult("text", nil), TextResult("page", nil, pages{}), BoolResult("flag", nil))
	if err != nil || empty.NumRows() != 0 || empty.NumCols() != 4 {
		t.Fatal(empty, err)
	}
	got, err := Numbers[int64](RecordColumn(empty, "number"))
	wantRows(t, got, err)
	names, err = Strings(RecordColumn(empty, "page"))
	wantRows(t, names, err)

	_, err = NewRecord(DateResult("day", day), NumberResult("n", []int64{1}))
	wantError(t, err, `results of one record have one length, but "day" has 3 rows and "n" has 1`)
	_, err = NewRecord(StringResult("text", []string{"a", "\xff"}))
	wantError(t, err, `column "text", row 1: "\xff" is not UTF-8`)
	_, err = NewRecord(Char8Result("char8", [][8]byte{{0xff}}))
	wantError(t, err, `column "char8", row 0: "\xff" is not UTF-8`)
	_, err = NewRecord(TextResult("page", []int32{1, 3, 0, 7, 0}, pages{}))
	wantError(t, err, `column "page", row 2: "\xff" is not UTF-8`)
	large := string(make([]byte, 1<<20))
	_, err = NewRecord(StringResult("text", slices.Repeat([]string{large}, 2048)))
	wantError(t, err, `column "text", row 2047: a column of type utf8 holds less than 2 GiB`)
	if none, err := NewRecord(); err != nil || none.NumCols() != 0 {
		t.Error(none, err)
	}
}

// pages is a dictionary of texts; that of code 0 is not UTF-8.
type pages struct{}

func (pages) Text(code int32) string {
	if code == 0 {
		return "\xff"
	}
	return "page " + string(rune('0'+code))
}

// A reader of columns leaves no reference behind: when its caller releases the arrays, their
// memory is free.
func TestRetainsNothing(t *testing.T) {
	checked := memory.NewCheckedAllocator(memory.NewGoAllocator())
	defer checked.AssertSize(t, 0)
	b := array.NewBuilder(checked, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String})
	for _, text := range []string{"a", "(null)", "b"} {
		if err := b.AppendValueFromString(text); err != nil {
			t.Fatal(err)
		}
	}
	a := b.NewArray()
	b.Release()
	texts, err := Strings(ArrayColumn("x", a), Missing("none"))
	present, err2 := Present(ArrayColumn("x", a))
	a.Release()
	wantRows(t, texts, err, "a", "none", "b")
	wantRows(t, present, err2, true, false, true)
}

package kgenarrow

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// edge returns a number near one at which some type of integer ends.
func edge(r *rand.Rand) int64 {
	return int64(1)<<(8<<r.IntN(4)-r.IntN(2))*int64(1-2*r.IntN(2)) + int64(r.IntN(3)-1)
}

// agree reads random columns, in chunks, and compares with arrow-go's cast to the type that
// T has. Where that fails, reading does.
func agree[T comparable](t *testing.T, r *rand.Rand, from, to arrow.DataType, read func(Column, ...Option[T]) ([]T, error), values func(arrow.Array) []T, missing T) {
	t.Helper()
	failed, null, unit := 0, 0, int64(1)
	if to.ID() == arrow.TIMESTAMP {
		unit = 1000 // of nanoseconds whole microseconds
	}
	for range 60 {
		texts := make([]string, r.IntN(20))
		small := r.IntN(2) == 0
		for i := range texts {
			v := edge(r)
			if small {
				v = int64(r.IntN(100)) * unit
			}
			for texts[i] = fmt.Sprint(v); ; texts[i] = fmt.Sprint(r.IntN(128)) {
				b := array.NewBuilder(memory.DefaultAllocator, storage(from))
				if b.AppendValueFromString(texts[i]) == nil {
					break // the type has such a value
				}
			}
			if r.IntN(8) == 0 {
				texts[i] = "(null)"
			}
		}
		stored := parse(t, storage(from), texts...)
		a := array.MakeFromData(array.NewData(from, stored.Len(), stored.Data().Buffers(), nil, stored.NullN(), 0))
		c := pieces(t, r, a)
		got, err := read(ChunkedColumn("x", c), Missing(missing))
		cast, castErr := compute.CastArray(context.Background(), a, compute.SafeCastOptions(to))
		if castErr != nil {
			failed++
			if err == nil {
				t.Fatalf("%v of %s to %s: %v; arrow-go: %v", texts, from, to, got, castErr)
			}
			continue
		}
		want := values(cast)
		present, presentErr := Present(ChunkedColumn("x", c))
		if len(present) != len(texts) || presentErr != nil {
			t.Fatalf("%v: %v, %v", texts, present, presentErr)
		}
		want = slices.Clone(want)
		for row := range want {
			if (texts[row] == "(null)") == present[row] {
				t.Fatalf("%v: %v", texts, present)
			}
			if !present[row] {
				want[row], null = missing, null+1
			}
		}
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%v of %s to %s: %v, %v; arrow-go: %v", texts, from, to, got, err, want)
		}
	}
	if null == 0 {
		t.Errorf("no NULL from %s to %s, %d failed", from, to, failed)
	}
}

// storage is the type of integers that values of a type are stored as.
func storage(t arrow.DataType) arrow.DataType {
	switch t.ID() {
	case arrow.DATE32:
		return arrow.PrimitiveTypes.Int32
	case arrow.DATE64, arrow.TIMESTAMP:
		return arrow.PrimitiveTypes.Int64
	}
	return t
}

func valuesOf[T any](a arrow.Array) []T { return a.(interface{ Values() []T }).Values() }

func TestIntegersAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, from := range integers {
		agree(t, r, from, arrow.PrimitiveTypes.Int8, Numbers[int8], valuesOf[int8], 1)
		agree(t, r, from, arrow.PrimitiveTypes.Int16, Numbers[int16], valuesOf[int16], 1)
		agree(t, r, from, arrow.PrimitiveTypes.Int32, Numbers[int32], valuesOf[int32], 1)
		agree(t, r, from, arrow.PrimitiveTypes.Int64, Numbers[int64], valuesOf[int64], 1)
		agree(t, r, from, arrow.PrimitiveTypes.Uint8, Numbers[uint8], valuesOf[uint8], 1)
		agree(t, r, from, arrow.PrimitiveTypes.Uint16, Numbers[uint16], valuesOf[uint16], 1)
		agree(t, r, from, arrow.PrimitiveTypes.Uint32, Numbers[uint32], valuesOf[uint32], 1)
		agree(t, r, from, arrow.PrimitiveTypes.Uint64, Numbers[uint64], valuesOf[uint64], 1)
	}
}

func TestTimestampsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	micros := arrow.FixedWidthTypes.Timestamp_us
	for _, unit := range arrow.TimeUnitValues {
		for _, zone := range []string{"UTC", "Asia/Kolkata"} {
			agree(t, r, &arrow.TimestampType{Unit: unit, TimeZone: zone}, micros, Timestamps, func(a arrow.Array) []int64 {
				return arrow.GetData[int64](arrow.GetBytes(a.(*array.Timestamp).Values()))
			}, -7)
		}
	}
}

// Values of every kind return as they were from records, in any chunks, with and without
// dictionary.
func TestRoundTrips(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		n := r.IntN(40)
		number, day, flag := make([]int64, n), make([]int32, n), make([]bool, n)
		text, codes, char8 := make([]string, n), make([]int32, n), make([][8]byte, n)
		for i := range n {
			number[i], day[i], flag[i] = edge(r), r.Int32(), r.IntN(2) == 0
			text[i], codes[i] = fmt.Sprint(r.IntN(5)), 1+int32(r.IntN(5))
			copy(char8[i][:], fmt.Sprint(r.Uint32N(100_000_000)))
		}
		record, err := NewRecord(NumberResult("number", number), TimestampResult("at", number), DateResult("day", day), BoolResult("flag", flag),
			StringResult("text", text), TextResult("page", codes, pages{}), Char8Result("char8", char8))
		if err != nil {
			t.Fatal(err)
		}
		column := func(name string) Column {
			return ChunkedColumn(name, pieces(t, r, record.Column(record.Schema().FieldIndices(name)[0])))
		}
		page := make([]string, n)
		for i, code := range codes {
			page[i] = pages{}.Text(code)
		}
		same(t, number)(Numbers[int64](column("number")))
		same(t, number)(Timestamps(column("at")))
		same(t, day)(Dates(column("day")))
		same(t, flag)(Bools(column("flag")))
		same(t, text)(Strings(column("text")))
		same(t, page)(Strings(column("page")))
		same(t, char8)(Char8s(column("char8")))
	}
}

func same[T comparable](t *testing.T, want []T) func([]T, error) {
	return func(got []T, err error) {
		t.Helper()
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%v, %v; want %v", got, err, want)
		}
	}
}

package kgenarrow

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

var integers = []arrow.DataType{
	arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64,
	arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64,
}

// parse returns an array of a type from the texts of its values, "(null)" being NULL.
func parse(t testing.TB, dt arrow.DataType, texts ...string) arrow.Array {
	t.Helper()
	b := array.NewBuilder(memory.DefaultAllocator, dt)
	defer b.Release()
	for _, text := range texts {
		if err := b.AppendValueFromString(text); err != nil {
			t.Fatal(err)
		}
	}
	return b.NewArray()
}

// pieces returns an array cut into chunks at random, some of which are empty or lie
// within a larger array.
func pieces(t testing.TB, r *rand.Rand, a arrow.Array) *arrow.Chunked {
	t.Helper()
	var chunks []arrow.Array
	for row := 0; row < a.Len() || r.IntN(3) == 0; {
		n := min(r.IntN(1+a.Len()), a.Len()-row)
		chunk := array.NewSlice(a, int64(row), int64(row+n))
		if r.IntN(2) == 0 { // behind another one's offset
			whole, err := array.Concatenate([]arrow.Array{a, chunk}, memory.DefaultAllocator)
			if err != nil {
				t.Fatal(err)
			}
			chunk = array.NewSlice(whole, int64(a.Len()), int64(whole.Len()))
		}
		chunks, row = append(chunks, chunk), row+n
	}
	return arrow.NewChunked(a.DataType(), chunks)
}

func wantRows[T comparable](t *testing.T, got []T, err error, want ...T) {
	t.Helper()
	if err != nil || !slices.Equal(got, want) || got == nil {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
}

func wantError(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("error %v, want %s", err, text)
	}
}

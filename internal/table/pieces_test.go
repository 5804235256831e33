package table

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/ir"
)

// pieces returns the rows of x, over n, and of y, over m, that pieces of so many rows have, and
// the most memory that columns took.
func pieces(t *testing.T, p *ir.Pipeline, rows int64, in ...string) (x []int64, y []int32, most int64, err error) {
	t.Helper()
	b, err := Bind(p, Flags{In: in})
	if err != nil {
		t.Fatal(err)
	}
	source := &Source{Context: t.Context(), Memory: memory.NewSpace(0)}
	defer source.Memory.Close()
	list, err := b.Pieces(source, rows, "")
	if err != nil {
		return nil, nil, 0, err
	}
	extents := list.Extents()
	for count := 0; ; count++ {
		piece, err := list.Next()
		most = max(most, source.Memory.Used())
		if err == io.EOF {
			if count == 0 || extents[0].Rows != int64(len(x)) || extents[1].Rows != int64(len(y)) {
				t.Errorf("%d pieces; extents %v, %d and %d rows", count, extents, len(x), len(y))
			}
			return x, y, most, nil
		}
		if err != nil {
			return x, y, most, err
		}
		if n := max(piece[0].Len(), piece[1].Len()); int64(n) > rows || n == 0 && count > 0 {
			t.Errorf("a piece of %d rows", n)
		}
		x, y = append(x, piece[0].Slice.([]int64)...), append(y, piece[1].Slice.([]int32)...)
	}
}

// Pieces have all rows in order: of row groups that are smaller and larger than pieces, of files
// that are read whole, and of several domains.
func TestPieces(t *testing.T) {
	p := pipeline(t, "pipeline p(x: [n]i64, y: [m]i32) { return s: sum(x), t: sum(y) }\n")
	for _, n := range []int{0, 1, 999} {
		column := ir.NewColumn(ir.I64, n)
		want := column.Slice.([]int64)
		text := "y\n"
		var wantY []int32
		for i := range want {
			want[i] = int64(i * i)
			if i%3 == 0 {
				text += fmt.Sprintln(i)
				wantY = append(wantY, int32(i))
			}
		}
		path := writeParquet(t, parquetOptions{groupRows: 100}, []Named{{"x", column}}, parquetNode(ir.I64))
		csv := filepath.Join(t.TempDir(), "y.csv")
		if err := os.WriteFile(csv, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, rows := range []int64{1, 7, 100, 250, 5000} {
			x, y, most, err := pieces(t, p, rows, "n="+path, "m="+csv)
			if err != nil || !slices.Equal(x, want) || !slices.Equal(y, wantY) {
				t.Errorf("%d rows in pieces of %d: %d and %d rows, %v", n, rows, len(x), len(y), err)
			}
			if bound := max(rows, 100)*8 + int64(len(wantY))*4; rows < 300 && most > bound {
				t.Errorf("%d rows in pieces of %d take %d bytes", n, rows, most)
			}
		}
	}
}

// Faults of a row group are told as those of the file, after the pieces before it.
func TestPiecesOfDamagedFiles(t *testing.T) {
	p := pipeline(t, "pipeline p(x: [n]i64, y: [n]i32) { return s: sum(x), t: sum(y) }\n")
	values := []Named{{"x", ir.NewColumn(ir.I64, 300)}, {"y", ir.NewColumn(ir.I64, 300)}}
	values[1].Data.Slice.([]int64)[257] = 1 << 40
	path := writeParquet(t, parquetOptions{groupRows: 100}, values, parquetNode(ir.I64), parquetNode(ir.I64))
	x, _, _, err := pieces(t, p, 100, path)
	if len(x) != 200 || err == nil || !strings.Contains(err.Error(), `column "y", row 257`) {
		t.Errorf("%d rows, %v", len(x), err)
	}
	list, err := func() (*Pieces, error) {
		b, err := Bind(p, Flags{In: []string{path}})
		if err != nil {
			t.Fatal(err)
		}
		return b.Pieces(NewSource(t.Context(), nil), 100, "")
	}()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := list.Next(); err != nil {
		t.Fatal(err)
	}
	shorter := writeParquet(t, parquetOptions{}, []Named{{"x", ir.NewColumn(ir.I64, 5)}, {"y", ir.NewColumn(ir.I64, 5)}}, parquetNode(ir.I64), parquetNode(ir.I64))
	if err := os.Rename(shorter, path); err != nil {
		t.Fatal(err)
	}
	if _, err := list.Next(); err == nil || errors.Is(err, io.EOF) || !strings.Contains(err.Error(), "the file has changed") {
		t.Errorf("another file: %v", err)
	}
}

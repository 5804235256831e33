package table

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/ir"
)

// someColumns returns columns of every kind, named after it: first values at
// the ends of their range, then random ones, of few different values where few
// is true.
func someColumns(rows int, few bool, seed uint64) ([]Named, []Field) {
	random := rand.New(rand.NewPCG(seed, 1))
	var columns []Named
	var fields []Field
	floats := []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 0.1, math.MaxFloat32, math.SmallestNonzeroFloat64, math.MaxFloat64}
	texts := []string{"", "a", "12345678", "\xff\xfe", "é", "a\x00b", " ", "AIR"}
	for k := ir.Bool; k <= ir.Char8; k++ {
		if k == ir.Text { // TestTexts has it
			continue
		}
		c := ir.NewColumn(k, rows)
		for row := range rows {
			bits := random.Uint64()
			if few {
				bits %= 7
			}
			var s ir.Scalar
			switch {
			case k == ir.Bool:
				s = ir.BoolScalar(bits&1 == 1)
			case k.IsFloat():
				if s = ir.Float(k, float64(int64(bits))/1e3); row < len(floats) {
					s = ir.Float(k, floats[row])
				}
			case k == ir.Char8:
				if s = ir.Char8Scalar(fmt.Sprintf("%.*d", bits%9, bits%1000)); row < len(texts) {
					s = ir.Char8Scalar(texts[row])
				}
			case row == 0:
				s = ir.Int(k, math.MinInt64>>(64-8*k.Size()))
			case row == 1:
				s = ir.Int(k, math.MaxInt64>>(64-8*k.Size()))
			default:
				s = ir.Int(k, int64(bits)>>(64-8*k.Size()))
				if few {
					s = ir.Int(k, int64(bits))
				}
			}
			c.Set(row, s)
		}
		columns = append(columns, Named{k.String(), c})
		fields = append(fields, Field{Column: k.String(), Param: "p", Kind: k})
	}
	return columns, fields
}

func TestParquetRoundTrip(t *testing.T) {
	for _, rows := range []int{0, 1, 9, 1000, 70_000} {
		for _, few := range []bool{false, true} {
			path := filepath.Join(t.TempDir(), "out.parquet")
			columns, fields := someColumns(rows, few, uint64(rows))
			if err := Write(t.Context(), path, Table{Columns: columns}, nil); err != nil {
				t.Fatal(err)
			}
			got, err := readFile(t.Context(), path, fields, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i, c := range columns {
				if d := differ(c.Data, got[i]); d != "" {
					t.Errorf("%d rows, few %v, %s: %s", rows, few, c.Name, d)
				}
			}
		}
	}
}

// differ compares all bits; "" if they are equal.
func differ(want, got ir.Column) string {
	if want.Kind == got.Kind && bytes.Equal(raw.Bytes(want), raw.Bytes(got)) {
		return ""
	}
	if want.Len() != got.Len() || want.Kind != got.Kind {
		return fmt.Sprintf("%d rows of %v, want %d of %v", got.Len(), got.Kind, want.Len(), want.Kind)
	}
	row := 0
	for want.At(row) == got.At(row) {
		row++
	}
	return fmt.Sprintf("row %d: %v, want %v", row, got.At(row), want.At(row))
}

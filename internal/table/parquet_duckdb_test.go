package table

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kgen-go/kgen/ir"
)

// TestReadDuckDB reads files that DuckDB wrote; testdata/README.md has the query.
func TestReadDuckDB(t *testing.T) {
	const rows = 250
	texts := []string{"AIR", "", "REG AIR", "12345678"}
	for _, name := range []string{"duckdb_zstd.parquet", "duckdb_v2.parquet"} {
		for _, c := range []struct {
			column string
			kind   ir.Kind
			want   func(i int) ir.Scalar
		}{
			{"i64", ir.I64, func(i int) ir.Scalar { return ir.Int(ir.I64, int64(i)) }},
			{"i64", ir.F64, func(i int) ir.Scalar { return ir.Float(ir.F64, float64(i)) }},
			{"i32", ir.I32, func(i int) ir.Scalar { return ir.Int(ir.I32, int64(i)) }},
			{"i32", ir.I64, func(i int) ir.Scalar { return ir.Int(ir.I64, int64(i)) }},
			{"i8", ir.I8, func(i int) ir.Scalar { return ir.Int(ir.I8, int64(i%100)) }},
			{"u16", ir.U16, func(i int) ir.Scalar { return ir.Int(ir.U16, int64(i)) }},
			{"u64", ir.U64, func(i int) ir.Scalar { return ir.Int(ir.U64, int64(i)) }},
			{"f64", ir.F64, func(i int) ir.Scalar { return ir.Float(ir.F64, float64(i)/8) }},
			{"f32", ir.F32, func(i int) ir.Scalar { return ir.Float(ir.F32, float64(i)/8) }},
			{"bool", ir.Bool, func(i int) ir.Scalar { return ir.BoolScalar(i%3 == 0) }},
			{"date", ir.Date, func(i int) ir.Scalar { return ir.Int(ir.Date, int64(i)-2) }},
			{"text", ir.Char8, func(i int) ir.Scalar { return ir.Char8Scalar(texts[i%4]) }},
			{"price", ir.F64, func(i int) ir.Scalar { return ir.Float(ir.F64, float64(i)*1.25) }},
			{"price", ir.F32, func(i int) ir.Scalar { return ir.Float(ir.F32, float64(i)*1.25) }},
			{"whole", ir.I16, func(i int) ir.Scalar { return ir.Int(ir.I16, int64(i)) }},
			{"wide", ir.F64, func(i int) ir.Scalar { return ir.Float(ir.F64, float64(i)*1.25) }},
		} {
			got, err := readFile(t.Context(), filepath.Join("testdata", name), []Field{{Column: c.column, Param: "p", Kind: c.kind}}, nil)
			if err != nil {
				t.Errorf("%s: %s as %v: %v", name, c.column, c.kind, err)
				continue
			}
			want := ir.NewColumn(c.kind, rows)
			for i := range rows {
				want.Set(i, c.want(i))
			}
			if d := cmp.Diff(textOf(want), textOf(got[0])); d != "" {
				t.Errorf("%s: %s as %v: %.500s", name, c.column, c.kind, d)
			}
		}
		for field, want := range map[Field]string{
			{Column: "holes", Param: "p", Kind: ir.I64}:     `column "holes", row 177: the value is NULL`,
			{Column: "ts", Param: "p", Kind: ir.I64}:        "column ts for parameter p has the type TIMESTAMP",
			{Column: "comment", Param: "p", Kind: ir.Char8}: `column "comment", row 0: "a comment of more than 8 bytes 0" has 32 bytes`,
			{Column: "price", Param: "p", Kind: ir.I64}:     `column "price", row 1: "1.25" is not an integer (i64)`,
			{Column: "wide", Param: "p", Kind: ir.I32}:      `column "wide", row 1: "1.2500" is not an integer (i32)`,
		} {
			if _, err := readFile(t.Context(), filepath.Join("testdata", name), []Field{field}, nil); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v\n want %s", name, err, fmt.Sprint(want))
			}
		}
	}
}

package table

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/encoding"

	"github.com/kgen-go/kgen/ir"
)

// benchmarkColumn returns rows values like those of lineitem: few different
// ones, or ascending numbers.
func benchmarkColumn(k ir.Kind, rows int) ir.Column {
	c := ir.NewColumn(k, rows)
	for row := range rows {
		x := uint64(row) * 0x9E3779B97F4A7C15 >> 32
		switch k {
		case ir.I64:
			c.Set(row, ir.Int(k, int64(row)/4))
		case ir.F64:
			c.Set(row, ir.Float(k, float64(x%1000)*1.25+900))
		case ir.Bool:
			c.Set(row, ir.BoolScalar(x%3 == 0))
		case ir.Char8:
			c.Set(row, ir.Char8Scalar([]string{"AIR", "MAIL", "SHIP", "TRUCK", "REG AIR", "FOB", "RAIL"}[x%7]))
		default:
			c.Set(row, ir.Int(k, int64(8000+x%2500)))
		}
	}
	return c
}

// BenchmarkReadParquet reads one column of one row group a goroutine, in the
// encodings and compressions that files have.
func BenchmarkReadParquet(b *testing.B) {
	const rows = 1 << 20
	for _, k := range []ir.Kind{ir.I64, ir.I32, ir.F64, ir.Bool, ir.Date, ir.Char8} {
		for _, e := range []encoding.Encoding{&parquet.Plain, &parquet.RLEDictionary, &parquet.DeltaBinaryPacked, &parquet.DeltaLengthByteArray} {
			node := plainNode(k)
			if k == ir.Bool && e != &parquet.Plain || !canEncode(node, e) {
				continue
			}
			for _, codec := range []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Zstd} {
				b.Run(fmt.Sprintf("%v/%v/%v", k, e, codec), func(b *testing.B) {
					column := Named{"a", benchmarkColumn(k, rows)}
					path := writeParquet(b, parquetOptions{codec: codec}, []Named{column}, parquet.Encoded(node, e))
					fields := []Field{{Column: "a", Param: "a", Kind: k}}
					benchmarkRead(b, path, fields, rows)
				})
			}
		}
	}
}

// BenchmarkConvertParquet reads columns of other types than the kind.
func BenchmarkConvertParquet(b *testing.B) {
	const rows = 1 << 20
	for _, c := range []struct {
		name     string
		from, to ir.Kind
		node     parquet.Node
	}{
		{"INT32 to i64", ir.I32, ir.I64, parquet.Int(32)},
		{"INT64 to f64", ir.I64, ir.F64, parquet.Int(64)},
		{"DECIMAL to f64", ir.I64, ir.F64, parquet.Decimal(2, 15, parquet.Int64Type)},
		{"optional INT64", ir.I64, ir.I64, parquet.Optional(parquet.Int(64))},
	} {
		b.Run(c.name, func(b *testing.B) {
			path := writeParquet(b, parquetOptions{}, []Named{{"a", benchmarkColumn(c.from, rows)}}, parquet.Encoded(c.node, &parquet.Plain))
			benchmarkRead(b, path, []Field{{Column: "a", Param: "a", Kind: c.to}}, rows)
		})
	}
}

// benchmarkRead decodes a file again and again into the same memory: what the
// system takes for new memory differs widely, and is not measured.
func benchmarkRead(b *testing.B, path string, fields []Field, rows int) {
	source := NewSource(context.Background(), nil)
	defer source.Memory.Close()
	in, err := source.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer in.close(nil)
	columns := make([]ir.Column, len(fields))
	for i, f := range fields {
		columns[i] = ir.NewColumn(f.Kind, rows)
	}
	b.SetBytes(int64(rows * len(fields) * fields[0].Kind.Size()))
	for b.Loop() {
		file, err := openParquet(in)
		if err != nil {
			b.Fatal(err)
		}
		readers, err := file.readers(fields)
		if err != nil {
			b.Fatal(err)
		}
		if err := file.decode(source, in, readers, columns); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows*len(fields)), "ns/value")
	b.ReportMetric(float64(in.Size)/float64(rows), "filebytes/row")
}

// BenchmarkReadParquetFile reads columns like those of lineitem as kgen run
// does: the file as kgen writes it, into new memory.
func BenchmarkReadParquetFile(b *testing.B) {
	const rows = 6_000_000
	t := Table{}
	for name, value := range map[string]func(row int, x uint64) ir.Scalar{
		"l_orderkey":      func(row int, _ uint64) ir.Scalar { return ir.Int(ir.I64, int64(row)/4) },
		"l_quantity":      func(_ int, x uint64) ir.Scalar { return ir.Float(ir.F64, float64(1+x%50)) },
		"l_extendedprice": func(_ int, x uint64) ir.Scalar { return ir.Float(ir.F64, float64(90_000+x%10_000_000)/100) },
		"l_discount":      func(_ int, x uint64) ir.Scalar { return ir.Float(ir.F64, float64(x%11)/100) },
		"l_shipdate":      func(_ int, x uint64) ir.Scalar { return ir.Int(ir.Date, int64(8000+x%2500)) },
	} {
		c := ir.NewColumn(value(0, 0).Kind, rows)
		for row := range rows {
			c.Set(row, value(row, uint64(row)*0x9E3779B97F4A7C15>>32))
		}
		t.Columns = append(t.Columns, Named{name, c})
	}
	path := filepath.Join(b.TempDir(), "lineitem.parquet")
	if err := Write(b.Context(), path, t, nil); err != nil {
		b.Fatal(err)
	}
	var fields []Field
	for _, c := range t.Columns {
		fields = append(fields, Field{Column: c.Name, Param: c.Name, Kind: c.Data.Kind})
	}
	t = Table{}
	for b.Loop() {
		source := NewSource(b.Context(), nil)
		if _, err := source.Read(path, fields); err != nil {
			b.Fatal(err)
		}
		source.Memory.Close()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows*len(fields)), "ns/value")
}

// BenchmarkWriteParquet writes columns, each of its own kind of values.
func BenchmarkWriteParquet(b *testing.B) {
	const rows = 1 << 20
	for _, k := range []ir.Kind{ir.I64, ir.I32, ir.F64, ir.Bool, ir.Date, ir.Char8} {
		b.Run(k.String(), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "out.parquet")
			t := Table{Columns: []Named{{"a", benchmarkColumn(k, rows)}}}
			b.SetBytes(int64(rows * k.Size()))
			for b.Loop() {
				if err := Write(context.Background(), path, t, nil); err != nil {
					b.Fatal(err)
				}
			}
			info, _ := os.Stat(path)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/value")
			b.ReportMetric(float64(info.Size())/rows, "filebytes/row")
		})
	}
}

package oracle

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kgen-go/kgen/internal/table"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/testsuite"
)

// everyKind has a column of each type; its results are its parameters.
const everyKind = `pipeline every_kind(b: [n]bool, a8: [n]i8, a16: [n]i16, a32: [n]i32, a64: [n]i64, u8: [n]u8, u16: [n]u16, u32: [n]u32,
	u64: [n]u64, x32: [n]f32, x64: [n]f64, day: [n]date, at: [n]timestamp, price: [n]decimal(2), rate: [n]decimal(9), name: [n]char8) {
	return b, a8, a16, a32, a64, u8, u16, u32, u64, x32, x64, day, at, price, rate, name
}`

// fileForms are the files that DuckDB can write, as options of COPY.
var fileForms = map[string]string{
	"uncompressed.parquet": "FORMAT parquet, COMPRESSION uncompressed",
	"snappy.parquet":       "FORMAT parquet, COMPRESSION snappy",
	"gzip.parquet":         "FORMAT parquet, COMPRESSION gzip",
	"zstd.parquet":         "FORMAT parquet, COMPRESSION zstd",
	"brotli.parquet":       "FORMAT parquet, COMPRESSION brotli",
	"lz4.parquet":          "FORMAT parquet, COMPRESSION lz4_raw",
	"version2.parquet":     "FORMAT parquet, PARQUET_VERSION v2",
	"groups.parquet":       "FORMAT parquet, ROW_GROUP_SIZE 2048",
	"standard.csv":         "FORMAT csv, HEADER",
}

// kgen reads the same values as DuckDB from files that DuckDB writes.
func TestReadFiles(t *testing.T) {
	eachKind(t, func(t *testing.T, s *session, p *ir.Pipeline, in []ir.Column) {
		columns := "* EXCLUDE (row)"
		if isText(in[len(in)-1]) {
			columns += " REPLACE (decode(name) AS name)"
		}
		for name, options := range fileForms {
			if strings.HasSuffix(name, ".csv") && !isText(in[len(in)-1]) {
				continue // DuckDB has escapes there for what is no UTF-8
			}
			path := filepath.Join(t.TempDir(), name)
			if err := s.exec(fmt.Sprintf("COPY (SELECT %s FROM n ORDER BY row) TO '%s' (%s)", columns, path, options)); err != nil {
				t.Fatal(err)
			}
			binding, err := table.Bind(p, table.Flags{In: []string{path}})
			if err != nil {
				t.Fatal(err)
			}
			got, err := binding.Read(table.NewSource(context.Background(), nil))
			if difference := differ(p, answer{columns: in}, got, err, 0); difference != "" {
				t.Errorf("%s: %s", name, difference)
			}
		}
	})
}

// DuckDB reads the same values as kgen from files that kgen writes, and their
// columns have DuckDB's types.
func TestWriteFiles(t *testing.T) {
	eachKind(t, func(t *testing.T, s *session, p *ir.Pipeline, in []ir.Column) {
		for _, name := range []string{"every.parquet", "every.csv"} {
			path := filepath.Join(t.TempDir(), name)
			if err := table.Write(context.Background(), path, table.Results(p, in)[0], nil); err != nil {
				t.Fatal(err)
			}
			from := "read_parquet('" + path + "')"
			want := types(p)
			for i, text := range want {
				if text == "TIMESTAMP" && name == "every.parquet" { // of UTC
					want[i] = "TIMESTAMP WITH TIME ZONE"
				}
			}
			if strings.HasSuffix(name, ".csv") {
				if !isText(in[len(in)-1]) {
					continue // DuckDB refuses a CSV file that is no UTF-8
				}
				from = "read_csv('" + path + "', header = true, types = {" + csvTypes(p) + "})"
			}
			coalesced := "coalesce(name, '')" // of CSV, where an empty text is NULL
			if !isText(in[len(in)-1]) {
				want[len(want)-1], coalesced = "BLOB", "name"
			}
			sameTypes := ir.NewColumn(ir.Bool, 0)
			_, err := s.fetch("SELECT string_agg(column_type, ' ') = '"+strings.Join(want, " ")+"' FROM (DESCRIBE SELECT * FROM "+from+")",
				[]*ir.Column{&sameTypes}, nil)
			if err != nil || !sameTypes.At(0).IsTrue() {
				t.Errorf("%s: its columns are not %v (%v)", name, want, err)
			}
			got := answer{columns: emptyResults(p)}
			var columns []*ir.Column
			for i := range got.columns {
				columns = append(columns, &got.columns[i])
			}
			null, err := s.fetch("SELECT * REPLACE ("+coalesced+" AS name) FROM "+from, columns, nil)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			got.fails = null
			if difference := differ(p, got, in, nil, 0); difference != "" {
				t.Errorf("%s: %s", name, difference)
			}
		}
	})
}

// types are those of p's columns in files, where char8 is a text.
func types(p *ir.Pipeline) (list []string) {
	for _, v := range p.Params {
		k := v.Type.Kind
		if k.IsDecimal() {
			list = append(list, fmt.Sprintf("DECIMAL(18,%d)", k.Scale()))
			continue
		}
		list = append(list, strings.Replace(sqlTypes[k], "BLOB", "VARCHAR", 1))
	}
	return list
}

func csvTypes(p *ir.Pipeline) string {
	var pairs []string
	for i, name := range types(p) {
		pairs = append(pairs, "'"+p.Params[i].Name+"': '"+name+"'")
	}
	return strings.Join(pairs, ", ")
}

// eachKind calls test with random data of several shapes in every type, which
// the tables of the session hold too; extreme ones also with bytes that are no
// text.
func eachKind(t *testing.T, test func(t *testing.T, s *session, p *ir.Pipeline, in []ir.Column)) {
	pipelines, errs := ir.Load("every_kind.kg", []byte(everyKind))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	p := pipelines[0]
	for _, c := range []struct {
		shape testsuite.Shape
		bytes bool
	}{{testsuite.Small, false}, {testsuite.Distinct, false}, {testsuite.Extreme, false}, {testsuite.Extreme, true}} {
		for _, rows := range []int{0, 1, 5000} {
			t.Run(fmt.Sprintf("%s of %d rows, bytes %v", c.shape, rows, c.bytes), func(t *testing.T) {
				s, err := openSession(p, &query{})
				if err != nil {
					t.Fatal(err)
				}
				defer s.close()
				in := testsuite.RandomData{Rows: rows, Shape: c.shape, Seed: *seedFlag}.Columns(p)
				if !c.bytes {
					makeText(in[len(in)-1])
				}
				for _, c := range in { // what Parquet stores in 8 bytes
					for row := 0; c.Kind.IsDecimal() && row < c.Len(); row++ {
						c.Set(row, ir.Int(c.Kind, c.At(row).Int64()%1e18))
					}
				}
				if err := s.load(in, true); err != nil {
					t.Fatal(err)
				}
				test(t, s, p, in)
			})
		}
	}
}

// makeText replaces bytes that are not UTF-8 by a text that CSV must quote.
func makeText(c ir.Column) {
	for row := range c.Len() {
		if !utf8.Valid(table.AppendScalar(nil, c.At(row))) {
			c.Set(row, ir.Char8Scalar("\u00ff\n,\""))
		}
	}
}

// isText reports whether all values are UTF-8. Otherwise the column is of
// bytes, for kgen and for DuckDB.
func isText(c ir.Column) bool {
	for row := range c.Len() {
		if !utf8.Valid(table.AppendScalar(nil, c.At(row))) {
			return false
		}
	}
	return true
}

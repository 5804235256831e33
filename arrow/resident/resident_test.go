package resident_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/kgen-go/kgen"
	kgenarrow "github.com/kgen-go/kgen/arrow"
	"github.com/kgen-go/kgen/arrow/resident"
)

// onDevices runs a test on each kind of device that this machine has.
func onDevices(t *testing.T, test func(t *testing.T, d *kgen.Device)) {
	for _, name := range []string{"interp", "vector", "gocpu", "cudaemu", "opencl:0", "cuda:0"} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath("g++"); name == "cudaemu" && err != nil {
				t.Skip("the emulation needs g++")
			}
			d, err := kgen.Open(t.Context(), name)
			var missing *kgen.MissingError
			if errors.As(err, &missing) {
				t.Skip(err)
			}
			must(t, err)
			defer d.Close()
			test(t, d)
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func compile(t *testing.T, d *kgen.Device, text string) (*kgen.Program, *kgen.Executable) {
	t.Helper()
	p, err := kgen.Compile(text, "")
	must(t, err)
	e, err := p.On(t.Context(), d)
	must(t, err)
	return p, e
}

const keptText = `pipeline kept(
	keep: [n]bool, a: [n]i8, b: [n]i16, c: [n]i32, d: [n]i64, e: [n]u8, f: [n]u16, g: [n]u32, h: [n]u64, i: [n]f32, j: [n]f64,
	day: [n]date, at: [n]timestamp, price: [n]decimal(2), page: [n]text, city: [n]text missing "none", known: [n]bool present city,
	amount: [n]i64 missing -1, paid: [n]bool present amount, ones: [n]bool like "%1%" missing true,
) {
	return keep: keep[keep], a: a[keep], b: b[keep], c: c[keep], d: d[keep], e: e[keep], f: f[keep], g: g[keep], h: h[keep], i: i[keep], j: j[keep],
		day: day[keep], at: at[keep], price: price[keep], page: page[keep], city: city[keep], known: known[keep],
		amount: amount[keep], paid: paid[keep], ones: ones[keep]
}
`

// dictionary is the type of texts in records.
var dictionary = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}

var keptSchema = arrow.NewSchema([]arrow.Field{
	{Name: "keep", Type: arrow.FixedWidthTypes.Boolean},
	{Name: "a", Type: arrow.PrimitiveTypes.Int8}, {Name: "b", Type: arrow.PrimitiveTypes.Int16},
	{Name: "c", Type: arrow.PrimitiveTypes.Int32}, {Name: "d", Type: arrow.PrimitiveTypes.Int64},
	{Name: "e", Type: arrow.PrimitiveTypes.Uint8}, {Name: "f", Type: arrow.PrimitiveTypes.Uint16},
	{Name: "g", Type: arrow.PrimitiveTypes.Uint32}, {Name: "h", Type: arrow.PrimitiveTypes.Uint64},
	{Name: "i", Type: arrow.PrimitiveTypes.Float32}, {Name: "j", Type: arrow.PrimitiveTypes.Float64},
	{Name: "day", Type: arrow.FixedWidthTypes.Date32}, {Name: "at", Type: arrow.FixedWidthTypes.Timestamp_us},
	{Name: "price", Type: &arrow.Decimal128Type{Precision: 19, Scale: 2}},
	{Name: "page", Type: dictionary}, {Name: "city", Type: arrow.BinaryTypes.String, Nullable: true},
	{Name: "amount", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
}, nil)

// randomRecord returns a record of the schema, some of whose nullable values are NULL.
func randomRecord(t *testing.T, r *rand.Rand, rows int) arrow.RecordBatch {
	t.Helper()
	b := array.NewRecordBuilder(memory.DefaultAllocator, keptSchema)
	defer b.Release()
	for range rows {
		for i, f := range keptSchema.Fields() {
			text := fmt.Sprint(r.IntN(120))
			switch {
			case f.Nullable && r.IntN(4) == 0:
				b.Field(i).AppendNull()
				continue
			case f.Name == "keep":
				text = fmt.Sprint(r.IntN(3) > 0)
			case f.Name == "day":
				text = fmt.Sprintf("2026-0%d-11", 1+r.IntN(9))
			case f.Name == "at":
				text = fmt.Sprintf("2026-0%d-11 01:02:03.45678%d", 1+r.IntN(9), r.IntN(10))
			case f.Name == "price":
				text += ".25"
			}
			must(t, b.Field(i).AppendValueFromString(text))
		}
	}
	return b.NewRecordBatch()
}

// table returns records as one table, which has chunks without rows, too.
func table(t *testing.T, r *rand.Rand, records int) arrow.Table {
	t.Helper()
	list := []arrow.RecordBatch{randomRecord(t, r, 0)}
	for range records {
		whole := randomRecord(t, r, r.IntN(300))
		from := r.Int64N(1 + whole.NumRows())
		list = append(list, whole.NewSlice(from, whole.NumRows()), randomRecord(t, r, 0))
	}
	return array.NewTableFromRecords(keptSchema, list)
}

// Columns of every kind, in chunks, come back from a device as those that arrow-go's own
// compute selects.
func TestRoundTrip(t *testing.T) {
	ctx := t.Context()
	onDevices(t, func(t *testing.T, d *kgen.Device) {
		r := rand.New(rand.NewPCG(1, 2))
		program, kept := compile(t, d, keptText)
		for _, records := range []int{0, 1, 5} {
			from := table(t, r, records)
			if records == 5 {
				from = throughParquet(t, from)
			}
			columns, err := resident.Upload(ctx, d, resident.FromTable(from), []*kgen.Program{program}, resident.Bind("ones", "city"))
			must(t, err)
			out, err := kept.Run(ctx, columns.Args(program, nil), kgen.KeepAll())
			must(t, err)
			got, err := resident.NewRecord(ctx, out, resident.Present("known", "city"), resident.Present("paid", "amount"))
			must(t, err)
			keep := compute.NewDatum(plain(t, from.Column(0).Data()))
			for i, f := range keptSchema.Fields() {
				want := plain(t, from.Column(i).Data())
				if want.Len() > 0 { // on no strings arrow-go 18.5 panics
					selected, err := compute.Filter(ctx, compute.NewDatum(want), keep, *compute.DefaultFilterOptions())
					must(t, err)
					want = selected.(*compute.ArrayDatum).MakeArray()
				}
				if got.ColumnName(i) != f.Name {
					t.Fatalf("column %d is %s, want %s", i, got.ColumnName(i), f.Name)
				}
				if !array.Equal(plain(t, arrow.NewChunked(got.Column(i).DataType(), []arrow.Array{got.Column(i)})), want) {
					t.Errorf("%d records, %s: %v\nwant %v", records, f.Name, got.Column(i), want)
				}
				if type_ := got.Schema().Field(i).Type; !arrow.TypeEqual(type_, f.Type) && f.Name != "city" {
					t.Errorf("%s is a %v, want %v", f.Name, type_, f.Type)
				}
			}
			city, ones := got.Column(15).(*array.Dictionary), got.Column(17).(*array.Boolean)
			for row := range ones.Len() {
				if want := city.IsNull(row) || strings.Contains(city.ValueStr(row), "1"); ones.Value(row) != want {
					t.Errorf("%d records, row %d: ones are %v, the city is %s", records, row, ones.Value(row), city.ValueStr(row))
				}
			}
			if records == 5 && (got.NumRows() == 0 || got.Column(15).NullN() == 0 || got.Column(16).NullN() == 0) {
				t.Errorf("nothing is NULL: %v", got)
			}
			out.Free()
			columns.Free()
		}
	})
}

// throughParquet has arrow-go write a table to a Parquet file and read it in small batches,
// pages and cities with dictionaries.
func throughParquet(t *testing.T, from arrow.Table) arrow.Table {
	t.Helper()
	var written bytes.Buffer
	must(t, pqarrow.WriteTable(from, &written, 200, nil, pqarrow.NewArrowWriterProperties(pqarrow.WithStoreSchema())))
	r, err := file.NewParquetReader(bytes.NewReader(written.Bytes()))
	must(t, err)
	properties := pqarrow.ArrowReadProperties{BatchSize: 100}
	for _, name := range []string{"page", "city"} {
		properties.SetReadDict(r.MetaData().Schema.ColumnIndexByName(name), true)
	}
	reader, err := pqarrow.NewFileReader(r, properties, memory.DefaultAllocator)
	must(t, err)
	read, err := reader.ReadTable(t.Context())
	must(t, err)
	if read.NumRows() != from.NumRows() || read.Column(15).DataType().ID() != arrow.DICTIONARY {
		t.Fatalf("%d rows of %d, cities are %v", read.NumRows(), from.NumRows(), read.Column(15).DataType())
	}
	return read
}

// Uploads write to the memory that a device takes columns from: the host makes no other copy.
func TestNoCopy(t *testing.T) {
	d, err := kgen.Open(t.Context(), "vector")
	must(t, err)
	defer d.Close()
	const rows = 1 << 20
	chunk := kgenarrow.NumberResult("x", make([]int64, rows))
	record, err := kgenarrow.NewRecord(chunk)
	must(t, err)
	program, _ := compile(t, d, "pipeline p(x: [n]i64) { return s: sum(x) }")
	for _, from := range []resident.Source{
		resident.FromRecord(record),
		resident.FromTable(array.NewTableFromRecords(record.Schema(), []arrow.RecordBatch{record, record.NewSlice(5, rows), record})),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		columns, err := resident.Upload(t.Context(), d, from, []*kgen.Program{program})
		must(t, err)
		runtime.ReadMemStats(&after)
		columns.Free()
		if allocated := after.TotalAlloc - before.TotalAlloc; runtime.GOOS == "linux" && allocated > rows { // memory of devices is not Go's there
			t.Errorf("%d bytes for a column of %d", allocated, 8*rows)
		}
	}
}

// plain returns chunks as one array without a dictionary.
func plain(t *testing.T, c *arrow.Chunked) arrow.Array {
	t.Helper()
	to := c.DataType()
	if d, ok := to.(*arrow.DictionaryType); ok {
		to = d.ValueType
	}
	b := array.NewBuilder(memory.DefaultAllocator, to)
	defer b.Release()
	chunks := []arrow.Array{b.NewArray()}
	for _, chunk := range c.Chunks() {
		cast, err := compute.CastArray(context.Background(), chunk, compute.SafeCastOptions(to))
		must(t, err)
		chunks = append(chunks, cast)
	}
	one, err := array.Concatenate(chunks, memory.DefaultAllocator)
	must(t, err)
	return one
}

// Programs share columns and a dictionary, and results are arguments of the next program.
func TestPrograms(t *testing.T) {
	ctx := t.Context()
	onDevices(t, func(t *testing.T, d *kgen.Device) {
		from := table(t, rand.New(rand.NewPCG(3, 4)), 4)
		sums, onSums := compile(t, d, `pipeline sums(page: [n]text, x: [n]i64, other: text) {
			kept = page != other
			p = page[kept]
			g = groups(p)
			return page: first(p, by: g), total: sum(x[kept], by: g)
		}`)
		total, onTotal := compile(t, d, "pipeline total(page: [n]text, total: [n]i64, d: [m]i64) { return all: sum(total), lowest: min(page), rows: len(d) }")
		columns, err := resident.Upload(ctx, d, resident.FromTable(from), []*kgen.Program{sums}, resident.Bind("x", "d"), resident.Texts("no page", "7"))
		must(t, err)
		defer columns.Free()
		first, err := onSums.Run(ctx, columns.Args(sums, kgen.Args{"other": "7"}), kgen.KeepAll())
		must(t, err)
		defer first.Free()
		rest, err := resident.Upload(ctx, d, resident.FromTable(from), nil)
		must(t, err)
		second, err := onTotal.Run(ctx, rest.Args(total, kgen.Args{"page": first.Column("page"), "total": first.Column("total"), "d": columns.Args(sums, nil)["x"]}))
		must(t, err)
		got, err := resident.NewRecord(ctx, second, resident.Only("rows", "lowest", "all"))
		must(t, err)

		want, lowest := int64(0), "~"
		page, value := plain(t, from.Column(14).Data()).(*array.String), plain(t, from.Column(4).Data()).(*array.Int64)
		for row := range page.Len() {
			if page.Value(row) != "7" {
				want, lowest = want+value.Value(row), min(lowest, page.Value(row))
			}
		}
		if s := fmt.Sprint(got.Column(0), got.Column(2)); s != fmt.Sprintf("[%d] [%d]", page.Len(), want) || got.Column(1).ValueStr(0) != lowest {
			t.Errorf("%s %s, want %d %d %s", s, got.Column(1), page.Len(), want, lowest)
		}
	})
}

// Sums and products are those of arrow-go's compute.
func TestCompute(t *testing.T) {
	ctx := t.Context()
	onDevices(t, func(t *testing.T, d *kgen.Device) {
		from := table(t, rand.New(rand.NewPCG(5, 6)), 3)
		program, e := compile(t, d, "pipeline p(d: [n]i64, amount: [n]i64 missing 0, known: [n]bool present amount, j: [n]f64) { return sum: d + amount, product: j * j, known }")
		columns, err := resident.Upload(ctx, d, resident.FromTable(from), []*kgen.Program{program})
		must(t, err)
		defer columns.Free()
		out, err := e.Run(ctx, columns.Args(program, nil), kgen.KeepAll())
		must(t, err)
		got, err := resident.NewRecord(ctx, out, resident.Present("known", "sum"))
		must(t, err)
		for i, operation := range []struct {
			name string
			x, y int
		}{{"add", 4, 16}, {"multiply", 10, 10}} {
			x, y := plain(t, from.Column(operation.x).Data()), plain(t, from.Column(operation.y).Data())
			want, err := compute.CallFunction(ctx, operation.name, nil, compute.NewDatum(x), compute.NewDatum(y))
			must(t, err)
			if want := want.(*compute.ArrayDatum).MakeArray(); !array.Equal(got.Column(i), want) {
				t.Errorf("%s: %v\nwant %v", operation.name, got.Column(i), want)
			}
		}
	})
}

// What does not fit names the parameter, the column and the row.
func TestRefused(t *testing.T) {
	ctx := t.Context()
	d, err := kgen.Open(ctx, "vector")
	must(t, err)
	defer d.Close()
	from := table(t, rand.New(rand.NewPCG(7, 8)), 4)
	upload := func(text string, options ...resident.Option) error {
		p, err := kgen.Compile(text, "")
		must(t, err)
		_, err = resident.Upload(ctx, d, resident.FromTable(from), []*kgen.Program{p}, options...)
		return err
	}
	amount := plain(t, from.Column(16).Data())
	null := int64(slices.IndexFunc(make([]bool, amount.Len()), func(bool) bool { return false }))
	for row := range amount.Len() {
		if amount.IsNull(row) {
			null = int64(row)
			break
		}
	}
	var fault *kgenarrow.ValueError
	if err := upload("pipeline p(amount: [n]i64) { return s: sum(amount) }"); !errors.As(err, &fault) || fault.Row != null || !strings.Contains(err.Error(), "parameter amount of p") {
		t.Errorf("the first NULL is in row %d: %v", null, err)
	}
	for text, want := range map[string]string{
		"pipeline p(z: [n]i64) { return s: sum(z) }":       `there is no column "z"; there are: keep, a`,
		"pipeline p(z: [n]text) { return s: min(z) }":      `there is no column "z"`,
		"pipeline p(d: [n]text) { return s: min(d) }":      "which cannot be read as text",
		"pipeline p(page: [n]i64) { return s: sum(page) }": "which cannot be read as int64",
	} {
		if err := upload(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if err := upload("pipeline p(z: [n]i64) { return s: sum(z) }", resident.Bind("z", "d")); err != nil {
		t.Error(err)
	}
	program, e := compile(t, d, "pipeline p(d: [n]i64) { return all: sum(d), d: d + 1 }")
	columns, err := resident.Upload(ctx, d, resident.FromTable(from), []*kgen.Program{program})
	must(t, err)
	out, err := e.Run(ctx, columns.Args(program, nil))
	must(t, err)
	for want, options := range map[string][]resident.RecordOption{
		"results of one record have one length": nil,
		"the run has no such result":            {resident.Only("z")},
		`no column "z" of the record`:           {resident.Only("d"), resident.Present("d", "z")},
		"which bool does not hold":              {resident.Only("d"), resident.Present("all", "d")},
	} {
		if _, err := resident.NewRecord(ctx, out, options...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %s", err, want)
		}
	}
}

package table

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kgen-go/kgen/ir"
)

var (
	allEncodings = []encoding.Encoding{&parquet.Plain, &parquet.RLEDictionary, &parquet.RLE, &parquet.DeltaBinaryPacked,
		&parquet.DeltaLengthByteArray, &parquet.DeltaByteArray, &parquet.ByteStreamSplit}
	allCodecs = []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip, &parquet.Brotli, &parquet.Zstd, &parquet.Lz4Raw}
)

// TestReadParquetEncodings reads every encoding that parquet-go writes of
// every kind, in both versions of pages, required and optional.
func TestReadParquetEncodings(t *testing.T) {
	read := 0
	for _, few := range []bool{false, true} {
		columns, fields := someColumns(5000, few, 3)
		for i, c := range columns {
			for j, e := range allEncodings {
				node := plainNode(c.Data.Kind)
				if c.Data.Kind == ir.Bool && e == &parquet.RLEDictionary || c.Data.Kind != ir.Bool && e == &parquet.RLE || !canEncode(node, e) {
					continue
				}
				node = parquet.Encoded(node, e)
				for version := 1; version <= 2; version++ {
					if read++; read%2 == 0 {
						node = parquet.Optional(node)
					}
					codec := allCodecs[(i+j+version)%len(allCodecs)]
					path := writeParquet(t, parquetOptions{codec: codec, version: version, groupRows: 1999, pageBytes: 1 << 12}, []Named{c}, node)
					got, err := readFile(t.Context(), path, fields[i:i+1], nil)
					if err != nil {
						t.Errorf("%s %v %v version %d: %v", c.Name, e, codec, version, err)
						continue
					}
					if d := differ(c.Data, got[0]); d != "" {
						t.Errorf("%s %v %v version %d: %s", c.Name, e, codec, version, d)
					}
				}
			}
		}
	}
	if read != 2*2*(2+8*4+2*3+4+4+4) {
		t.Errorf("%d files were read", read)
	}
}

// TestReadParquetCompressions reads one column in every compression.
func TestReadParquetCompressions(t *testing.T) {
	columns, fields := someColumns(3000, true, 4)
	for _, codec := range allCodecs {
		var nodes []parquet.Node
		for _, c := range columns {
			nodes = append(nodes, plainNode(c.Data.Kind))
		}
		path := writeParquet(t, parquetOptions{codec: codec, groupRows: 1000}, columns, nodes...)
		got, err := readFile(t.Context(), path, fields, nil)
		if err != nil {
			t.Errorf("%v: %v", codec, err)
			continue
		}
		for i, c := range columns {
			if d := differ(c.Data, got[i]); d != "" {
				t.Errorf("%v %s: %s", codec, c.Name, d)
			}
		}
	}
}

// parquetValues are the values of a test column of a type that no kind writes.
type parquetValues struct {
	node   parquet.Node
	values []parquet.Value
}

// writeValuesFile writes columns a, b, ... of a file with one row group for
// each element of groups, and returns the path.
func writeValuesFile(t testing.TB, columns []parquetValues, groupRows int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "in.parquet")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	root := parquetRoot{}
	for i, c := range columns {
		root.fields = append(root.fields, parquetField{c.node, string(rune('a' + i))})
	}
	w := parquet.NewWriter(f, parquet.NewSchema("test", root), parquet.DataPageVersion(1))
	for lo := 0; lo < len(columns[0].values); lo += groupRows {
		for i, c := range w.ColumnWriters() {
			if _, err := c.WriteRowValues(columns[i].values[lo:min(lo+groupRows, len(columns[i].values))]); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func int32Values(values ...int32) (out []parquet.Value) {
	for _, v := range values {
		out = append(out, parquet.Int32Value(v))
	}
	return out
}

func int64Values(values ...int64) (out []parquet.Value) {
	for _, v := range values {
		out = append(out, parquet.Int64Value(v))
	}
	return out
}

func textValues(values ...string) (out []parquet.Value) {
	for _, v := range values {
		out = append(out, parquet.ByteArrayValue([]byte(v)))
	}
	return out
}

func fixedValues(values ...string) (out []parquet.Value) {
	for _, v := range values {
		out = append(out, parquet.FixedLenByteArrayValue([]byte(v)))
	}
	return out
}

// TestConvertParquet reads types into kinds: what CSV reads of the values'
// texts, or the fault that it reports.
func TestConvertParquet(t *testing.T) {
	wide := func(scale int, values ...int64) parquetValues { // DECIMAL in 16 bytes
		var texts []string
		for _, v := range values {
			sign := byte(v >> 63)
			b := []byte{sign, sign, sign, sign, sign, sign, sign, sign}
			for shift := 56; shift >= 0; shift -= 8 {
				b = append(b, byte(v>>shift))
			}
			texts = append(texts, string(b))
		}
		return parquetValues{parquet.Decimal(scale, 38, parquet.FixedLenByteArrayType(16)), fixedValues(texts...)}
	}
	decimal64 := func(scale int, values ...int64) parquetValues {
		return parquetValues{parquet.Decimal(scale, 18, parquet.Int64Type), int64Values(values...)}
	}
	decimal32 := func(scale int, values ...int32) parquetValues {
		return parquetValues{parquet.Decimal(scale, 9, parquet.Int32Type), int32Values(values...)}
	}
	double := func(values ...float64) (c parquetValues) {
		c.node = parquet.Leaf(parquet.DoubleType)
		for _, v := range values {
			c.values = append(c.values, parquet.DoubleValue(v))
		}
		return c
	}
	int64s := func(values ...int64) parquetValues {
		return parquetValues{parquet.Leaf(parquet.Int64Type), int64Values(values...)}
	}
	texts := func(node parquet.Node, values ...string) parquetValues {
		return parquetValues{node, textValues(values...)}
	}
	for _, c := range []struct {
		name   string
		column parquetValues
		kind   ir.Kind
		want   any // a slice, or a string that the error contains
	}{
		{"i32 in i64", parquetValues{parquet.Int(32), int32Values(-1, math.MaxInt32)}, ir.I64, []int64{-1, math.MaxInt32}},
		{"i64 in i8", int64s(-128, 127), ir.I8, []int8{-128, 127}},
		{"i64 beyond i8", int64s(1, 2, 128), ir.I8, `column "a", row 2: "128" is out of range for i8; it holds -128 to 127`},
		{"u32 in u64", parquetValues{parquet.Uint(32), int32Values(-1)}, ir.U64, []uint64{math.MaxUint32}},
		{"u32 in i64", parquetValues{parquet.Uint(32), int32Values(-1)}, ir.I64, []int64{math.MaxUint32}},
		{"u32 in f64", parquetValues{parquet.Uint(32), int32Values(-1)}, ir.F64, []float64{math.MaxUint32}},
		{"u64 beyond i64", parquetValues{parquet.Uint(64), int64Values(-1)}, ir.I64, `"18446744073709551615" is out of range for i64`},
		{"i64 beyond u64", int64s(0, -1), ir.U64, `column "a", row 1: "-1" is out of range for u64`},
		{"i64 beyond u32", int64s(-1), ir.U32, `"-1" is out of range for u32`},
		{"u8 in u8", parquetValues{parquet.Uint(8), int32Values(255)}, ir.U8, []uint8{255}},
		{"i16 in i16", parquetValues{parquet.Int(16), int32Values(-32768)}, ir.I16, []int16{-32768}},
		{"i64 in f64", int64s(1<<53+1, -3), ir.F64, []float64{1 << 53, -3}},
		{"i64 in f32", int64s(1<<24 + 1), ir.F32, []float32{1 << 24}},
		{"0 and 1 in bool", int64s(0, 1), ir.Bool, []bool{false, true}},
		{"2 in bool", int64s(0, 1, 2), ir.Bool, `row 2: "2" is not a bool`},
		{"float in f64", parquetValues{parquet.Leaf(parquet.FloatType), []parquet.Value{parquet.FloatValue(0.1)}}, ir.F64, []float64{float64(float32(0.1))}},
		{"double in f32", double(0.1, math.Inf(1)), ir.F32, []float32{0.1, float32(math.Inf(1))}},
		{"double beyond f32", double(0, 1e39), ir.F32, `row 1: "1e+39" is out of range for f32`},
		{"double in i64", double(1), ir.I64, `column a for parameter p has the type DOUBLE; i64 is read from columns of integers`},
		{"bool in i64", parquetValues{parquet.Leaf(parquet.BooleanType), []parquet.Value{parquet.BooleanValue(true)}}, ir.I64, `has the type BOOLEAN; i64 is read from`},
		{"i32 in date", parquetValues{parquet.Int(32), int32Values(1)}, ir.Date, `has the type INT(32,true) (INT32); date is read from DATE columns`},
		{"date in i32", parquetValues{parquet.Date(), int32Values(1)}, ir.I32, `has the type DATE (INT32); i32 is read from`},
		{"date", parquetValues{parquet.Date(), int32Values(-1)}, ir.Date, []int32{-1}},
		{"timestamp", parquetValues{parquet.Timestamp(parquet.Microsecond), int64Values(1)}, ir.I64, `has the type TIMESTAMP(isAdjustedToUTC=true,unit=MICROS) (INT64); i64 is read from`},
		{"milliseconds", parquetValues{parquet.Timestamp(parquet.Millisecond), int64Values(-1, 2)}, ir.Timestamp, []int64{-1000, 2000}},
		{"far milliseconds", parquetValues{parquet.Timestamp(parquet.Millisecond), int64Values(0, math.MaxInt64/1000+1)}, ir.Timestamp, `column "a", row 1: "294247-01-10T04:00:54.776Z" is out of range for timestamp; timestamps reach from`},
		{"microseconds", parquetValues{parquet.Timestamp(parquet.Microsecond), int64Values(-1, math.MinInt64)}, ir.Timestamp, []int64{-1, math.MinInt64}},
		{"nanoseconds", parquetValues{parquet.Timestamp(parquet.Nanosecond), int64Values(-1000, 5000)}, ir.Timestamp, []int64{-1, 5}},
		{"parts of microseconds", parquetValues{parquet.Timestamp(parquet.Nanosecond), int64Values(0, 1714566600000000001)}, ir.Timestamp, `column "a", row 1: "2024-05-01T12:30:00.000000001Z" is not a timestamp: it has a part of a microsecond`},
		{"midnights in date", parquetValues{parquet.Timestamp(parquet.Millisecond), int64Values(-86400000, 0)}, ir.Date, []int32{-1, 0}},
		{"a time in date", parquetValues{parquet.Timestamp(parquet.Microsecond), int64Values(1)}, ir.Date, `row 0: "1970-01-01T00:00:00.000001Z" is not a date (YYYY-MM-DD)`},
		{"date in timestamp", parquetValues{parquet.Date(), int32Values(-1)}, ir.Timestamp, []int64{-86400000000}},
		{"far date in timestamp", parquetValues{parquet.Date(), int32Values(math.MaxInt32)}, ir.Timestamp, `"5881580-07-11" is out of range for timestamp`},
		{"INT96", parquetValues{parquet.Leaf(parquet.Int96Type), []parquet.Value{parquet.Int96Value(deprecated.Int96{1000, 0, 2440589}), parquet.Int96Value(deprecated.Int96{0, 0, 2440587})}}, ir.Timestamp, []int64{86400000001, -86400000000}},
		{"INT96 of nanoseconds", parquetValues{parquet.Leaf(parquet.Int96Type), []parquet.Value{parquet.Int96Value(deprecated.Int96{1, 0, 2440588})}}, ir.Timestamp, `"1970-01-01T00:00:00.000000001Z" is not a timestamp: it has a part of a microsecond`},
		{"decimal in f64", decimal64(2, 10, -199, 123456789012345678), ir.F64, []float64{0.10, -1.99, 1234567890123456.78}},
		{"decimal in f32", decimal64(2, 10, 1677721701), ir.F32, []float32{0.10, 16777217.01}},
		{"decimal of INT32 in f64", decimal32(3, 1, -1), ir.F64, []float64{0.001, -0.001}},
		{"decimal of 16 bytes in f64", wide(2, 10, -199, math.MinInt64), ir.F64, []float64{0.10, -1.99, -92233720368547758.08}},
		{"decimal of 3 bytes in f64", parquetValues{parquet.Decimal(2, 6, parquet.FixedLenByteArrayType(3)), fixedValues("\x00\x00\xc7", "\xff\xff\x39")}, ir.F64, []float64{1.99, -1.99}},
		{"decimal of any bytes in i64", parquetValues{parquet.Decimal(0, 6, parquet.ByteArrayType), textValues("\xff", "\x00\x80", "")}, ir.I64, []int64{-1, 128, 0}},
		{"decimal of 100 bytes", parquetValues{parquet.Decimal(0, 6, parquet.ByteArrayType), textValues(strings.Repeat("\x01", 100))}, ir.F64, `"a DECIMAL of 100 bytes" is not a number (f64)`},
		{"decimal beyond 64 bits", parquetValues{parquet.Decimal(1, 38, parquet.FixedLenByteArrayType(16)), fixedValues("\x00\x00\x00\x00\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00\x00")}, ir.F64, []float64{9223372036854775808.0}},
		{"decimal beyond i64", parquetValues{parquet.Decimal(0, 38, parquet.FixedLenByteArrayType(16)), fixedValues("\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00")}, ir.I64, `"18446744073709551616" is out of range for i64`},
		{"whole decimal in i64", decimal64(2, 300, -100), ir.I64, []int64{3, -1}},
		{"whole decimal of 16 bytes in i8", wide(2, 300, -100), ir.I8, []int8{3, -1}},
		{"fraction in i64", decimal64(2, 300, 1250), ir.I64, `column "a", row 1: "12.50" is not an integer (i64)`},
		{"fraction below 1 in i64", wide(3, 0, -5), ir.I64, `row 1: "-0.005" is not an integer (i64)`},
		{"decimal beyond u8", decimal32(1, 2560), ir.U8, `"256" is out of range for u8; it holds 0 to 255`},
		{"decimal without scale", decimal64(0, 7), ir.U16, []uint16{7}},
		{"decimal", decimal64(2, 10, -199, math.MinInt64), ir.DecimalOf(2), []int64{10, -199, math.MinInt64}},
		{"decimal of INT32", decimal32(2, 10, -199), ir.DecimalOf(2), []int64{10, -199}},
		{"decimal of 16 bytes", wide(2, 10, -199, math.MaxInt64), ir.DecimalOf(2), []int64{10, -199, math.MaxInt64}},
		{"decimal of any bytes", parquetValues{parquet.Decimal(2, 6, parquet.ByteArrayType), textValues("\xff", "\x00\x80", "")}, ir.DecimalOf(2), []int64{-1, 128, 0}},
		{"decimal of fewer digits", decimal64(2, 10, -199), ir.DecimalOf(4), []int64{1000, -19900}},
		{"decimal of far fewer digits", decimal64(0, 9, 10), ir.DecimalOf(18), `column "a", row 1: "10" is out of range for decimal(18); it holds -9.223372036854775808 to`},
		{"decimal of more digits", decimal64(4, 1000, -19900), ir.DecimalOf(2), []int64{10, -199}},
		{"decimal of digits too many", wide(4, 1000, 12345), ir.DecimalOf(2), `column "a", row 1: "1.2345" is not a decimal(2): it has more digits after the point`},
		{"decimal of 30 digits after the point", wide(30, 0, 1), ir.DecimalOf(2), `row 1: "0.000000000000000000000000000001" is not a decimal(2)`},
		{"whole decimal beyond 64 bits", parquetValues{parquet.Decimal(20, 38, parquet.FixedLenByteArrayType(16)), fixedValues("\x00\x00\x00\x00\x00\x00\x00\x05\x6b\xc7\x5e\x2d\x63\x10\x00\x00")}, ir.DecimalOf(2), []int64{100}},
		{"decimal beyond", parquetValues{parquet.Decimal(2, 38, parquet.FixedLenByteArrayType(16)), fixedValues("\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00")}, ir.DecimalOf(2), `"184467440737095516.16" is out of range for decimal(2)`},
		{"integer in decimal", parquetValues{parquet.Int(32), int32Values(7, -7)}, ir.DecimalOf(2), []int64{700, -700}},
		{"u64 in decimal", parquetValues{parquet.Uint(64), int64Values(7, -1)}, ir.DecimalOf(0), `row 1: "18446744073709551615" is out of range for decimal(0)`},
		{"f64 in decimal", parquetValues{parquet.Leaf(parquet.DoubleType), []parquet.Value{parquet.DoubleValue(1)}}, ir.DecimalOf(2), `has the type DOUBLE; decimal(2) is read from columns of DECIMAL and of integers; an f64 parameter takes`},
		{"text", texts(parquet.String(), "", "12345678"), ir.Char8, [][8]byte{{}, ir.Char8Scalar("12345678").Bytes()}},
		{"bytes", texts(parquet.Leaf(parquet.ByteArrayType), "a\x00"), ir.Char8, [][8]byte{{'a'}}},
		{"enum", texts(parquet.Enum(), "a"), ir.Char8, [][8]byte{{'a'}}},
		{"long text", texts(parquet.String(), "x", "ABCDEFGHI"), ir.Char8, `column "a", row 1: "ABCDEFGHI" has 9 bytes; a char8 holds at most 8`},
		{"fixed", parquetValues{parquet.Leaf(parquet.FixedLenByteArrayType(3)), fixedValues("abc", "d  ")}, ir.Char8, [][8]byte{{'a', 'b', 'c'}, {'d', ' ', ' '}}},
		{"long fixed", parquetValues{parquet.Leaf(parquet.FixedLenByteArrayType(9)), fixedValues("123456789")}, ir.Char8, `has the type FIXED_LEN_BYTE_ARRAY(9); char8 is read from STRING`},
		{"json", texts(parquet.JSON(), "1"), ir.Char8, `has the type JSON (BYTE_ARRAY)`},
		{"uuid", parquetValues{parquet.UUID(), fixedValues("0123456789abcdef")}, ir.Char8, `has the type UUID (FIXED_LEN_BYTE_ARRAY(16))`},
		{"text in i64", texts(parquet.String(), "1"), ir.I64, `has the type STRING (BYTE_ARRAY); i64 is read from`},
	} {
		for _, dictionary := range []bool{false, true} {
			column := c.column
			if dictionary && column.node.Type().Kind() != parquet.Boolean {
				column.node = parquet.Encoded(column.node, &parquet.RLEDictionary)
			}
			t.Run(fmt.Sprintf("%s/dictionary %v", c.name, dictionary), func(t *testing.T) {
				path := writeValuesFile(t, []parquetValues{column}, 10)
				got, err := readFile(t.Context(), path, []Field{{Column: "a", Param: "p", Kind: c.kind}}, nil)
				if want, ok := c.want.(string); ok {
					if err == nil || !strings.Contains(err.Error(), want) {
						t.Errorf("error %v\n want %s", err, want)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(c.want, got[0].Slice); d != "" {
					t.Error(d)
				}
			})
		}
	}
}

// TestDecimalsRoundOnce compares with the conversion of the decimal's text.
func TestDecimalsRoundOnce(t *testing.T) {
	columns, _ := someColumns(20_000, false, 5)
	for i, v := range columns[ir.I64-ir.Bool].Data.Slice.([]int64) {
		scale := i % 40
		v >>= i / 40 % 64
		text := decimalText(longInteger([]byte{byte(v >> 56), byte(v >> 48), byte(v >> 40), byte(v >> 32), byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)}), scale)
		f64, err64 := ParseScalar(ir.F64, text)
		f32, err32 := ParseScalar(ir.F32, text)
		if err64 != nil || err32 != nil {
			t.Fatal(err64, err32)
		}
		if got := decimalFloat64(v, scale); got != f64.Float64() {
			t.Errorf("%s: %v, want %v", text, got, f64.Float64())
		}
		if got := decimalFloat32(v, scale); float64(got) != f32.Float64() {
			t.Errorf("%s: %v, want %v", text, got, f32.Float64())
		}
	}
	// Beside the middle between two float32, by less than a float64 shows.
	for _, c := range []struct {
		v     int64
		scale int
		want  float32
	}{
		{16777217_000000001, 9, 16777218}, {16777216_999999999, 9, 16777216}, {2101947696487225606, 63, 0x1p-149},
	} {
		if got := decimalFloat32(c.v, c.scale); got != c.want {
			t.Errorf("%de-%d: %v, want %v", c.v, c.scale, got, c.want)
		}
	}
}

func TestNullsAndFirstFaults(t *testing.T) {
	optional := func(nulls ...int) parquetValues {
		c := parquetValues{node: parquet.Optional(parquet.Int(64))}
		for row := range 300 {
			c.values = append(c.values, parquet.Int64Value(int64(row)).Level(0, 1, 0))
		}
		for _, row := range nulls {
			c.values[row] = parquet.Value{}
		}
		return c
	}
	read := func(columns []parquetValues, kind ir.Kind) error {
		path := writeValuesFile(t, columns, 20)
		var fields []Field
		for i := range columns {
			fields = append(fields, Field{Column: string(rune('a' + i)), Param: "p", Kind: kind})
		}
		_, err := readFile(t.Context(), path, fields, nil)
		return err
	}
	for range 20 { // whichever goroutine is first
		for _, c := range []struct {
			columns []parquetValues
			kind    ir.Kind
			want    string
		}{
			{[]parquetValues{optional()}, ir.I64, ""},
			{[]parquetValues{optional(299, 57)}, ir.I64, `column "a", row 57: the value is NULL, but every row needs an integer (i64)`},
			{[]parquetValues{optional(299), optional(123, 298)}, ir.I64, `column "b", row 123: the value is NULL`},
			{[]parquetValues{optional(), optional(60), optional(60)}, ir.I64, `column "b", row 60: `},
			{[]parquetValues{optional(150), optional()}, ir.U8, `column "a", row 150: the value is NULL`},
			{[]parquetValues{optional(270), optional()}, ir.U8, `column "a", row 256: "256" is out of range`},
		} {
			if err := read(c.columns, c.kind); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Fatalf("error %v, want %q", err, c.want)
			}
		}
	}
}

func TestParquetColumns(t *testing.T) {
	type Inner struct {
		X int64 `parquet:"x"`
	}
	type Row struct {
		Nested Inner   `parquet:"nested"`
		List   []int64 `parquet:"list,list"`
		Many   []int64 `parquet:"many"`
		Long   string  `parquet:"long"`
		Last   int64   `parquet:"last"`
	}
	path := filepath.Join(t.TempDir(), "in.parquet")
	if err := parquet.WriteFile(path, []Row{{Inner{1}, []int64{2, 3}, []int64{4}, "not for char8", 5}, {Last: 6}}); err != nil {
		t.Fatal(err)
	}
	got, err := readFile(t.Context(), path, []Field{{Column: "last", Param: "p", Kind: ir.I64}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]int64{5, 6}, got[0].Slice); d != "" {
		t.Error(d)
	}
	for column, want := range map[string]string{
		"nested":  "column nested for parameter p has the type GROUP, which is nested; i64 is read from",
		"list":    "column list for parameter p has the type LIST, which is nested",
		"many":    "has the type repeated INT(64,true) (INT64)",
		"x":       `no column x for parameter p; the file has nested, list, many, long, last (bind another by --bind p=COLUMN)`,
		"missing": "in.parquet: no column missing",
	} {
		if _, err := readFile(t.Context(), path, []Field{{Column: column, Param: "p", Kind: ir.I64}}, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v\n want %s", err, want)
		}
	}
	source := NewSource(t.Context(), nil)
	if rows, known, err := source.Rows(path); rows != 2 || !known || err != nil {
		t.Errorf("%d rows, %v, %v", rows, known, err)
	}
	// The same column twice, and none.
	if got, err := readFile(t.Context(), path, []Field{{Column: "last", Param: "p", Kind: ir.I64}, {Column: "last", Param: "q", Kind: ir.F64}}, nil); err != nil || got[1].At(1).Float64() != 6 {
		t.Errorf("twice: %v", err)
	}
	if got, err := readFile(t.Context(), path, nil, nil); err != nil || len(got) != 0 {
		t.Errorf("none: %v", err)
	}
}

func TestParquetReportsProgress(t *testing.T) {
	columns, fields := someColumns(10_000, false, 6)
	path := filepath.Join(t.TempDir(), "out.parquet")
	if err := Write(t.Context(), path, Table{Columns: columns}, nil); err != nil {
		t.Fatal(err)
	}
	var most, total int64
	source := NewSource(t.Context(), nil)
	done := make(chan [2]int64, 1000)
	source.Progress = func(d, t int64) { done <- [2]int64{d, t} }
	if _, err := source.Read(path, fields); err != nil {
		t.Fatal(err)
	}
	close(done)
	for d := range done {
		most, total = max(most, d[0]), d[1]
	}
	if most != total || total == 0 {
		t.Errorf("%d of %d bytes", most, total)
	}
}

// TestFirstFaultOfLaterGroup: a fault that is found first does not end the
// search before it.
func TestFirstFaultOfLaterGroup(t *testing.T) {
	const group = 200_000
	c := ir.NewColumn(ir.I64, 2*group)
	c.Set(group-1, ir.Int(ir.I64, 256))
	c.Set(group, ir.Int(ir.I64, 257))
	path := writeParquet(t, parquetOptions{groupRows: group, pageBytes: 1 << 16}, []Named{{"a", c}}, parquet.Encoded(parquet.Int(64), &parquet.Plain))
	for range 5 {
		source := NewSource(t.Context(), nil)
		source.Progress = func(int64, int64) { time.Sleep(time.Millisecond) } // after each page
		if _, err := source.Read(path, []Field{{Column: "a", Param: "p", Kind: ir.U8}}); err == nil || !strings.Contains(err.Error(), `row 199999: "256" is out of range`) {
			t.Fatalf("error %v", err)
		}
	}
}

// TestFirstZero compares with a look at every bit.
func TestFirstZero(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 8))
	for range 2000 {
		var levels []byte
		var bits []bool
		for range random.IntN(4) + 1 {
			if random.IntN(2) == 0 { // a run
				n, bit := random.IntN(20), random.IntN(8) > 0
				levels = append(levels, byte(n<<1), 0)
				for range n {
					bits = append(bits, bit)
				}
				if bit {
					levels[len(levels)-1] = 1
				}
				continue
			}
			n := random.IntN(4)
			levels = append(levels, byte(n<<1|1))
			for range n {
				b := byte(0xFF)
				if random.IntN(4) == 0 {
					b ^= 1 << random.IntN(8)
				}
				levels = append(levels, b)
				for i := range 8 {
					bits = append(bits, b>>i&1 == 1)
				}
			}
		}
		n := random.IntN(len(bits) + 1)
		data := append(make([]byte, 0, len(levels)+paddingBytes), levels...)
		if got, err := firstZero(data, n); err != nil || got != slices.Index(bits[:n], false) {
			t.Fatalf("%x, %d values: %d, %v; want %d", levels, n, got, err, slices.Index(bits[:n], false))
		}
		if _, err := firstZero(data, len(bits)+1); err == nil && !slices.Contains(bits, false) {
			t.Fatalf("%x has more than %d values", levels, len(bits))
		}
	}
}

// TestUnusualPages: what some writers do and the format does not forbid, or
// what can only mean one thing.
func TestUnusualPages(t *testing.T) {
	seven := binary.LittleEndian.AppendUint64(nil, 7)
	noRun := []byte{1, 0, 0, 4 << 1, 0} // none, then four of the entry 0, of one bit
	got, err := readBytes(t, handmade(t, 4, 0, page(t, dictionaryPage(1), seven), page(t, dataPage(4, format.RLEDictionary), noRun)), []Field{{Column: "a", Param: "p", Kind: ir.I64}}, 0)
	if err != nil || !slices.Equal(got[0].Slice.([]int64), []int64{7, 7, 7, 7}) {
		t.Errorf("a run of no values: %v, %v", got, err)
	}
	// DuckDB stores the differences of INT32 without wrapping them around.
	values := make([]int64, 1000)
	want := make([]int32, len(values))
	for i := range values {
		if values[i] = math.MaxInt32; i%2 == 1 {
			values[i] = math.MinInt32
		}
		want[i] = int32(values[i])
	}
	wide, err := parquet.DeltaBinaryPacked.EncodeInt64(nil, values)
	if err != nil {
		t.Fatal(err)
	}
	body, meta := footerOf(t, handmade(t, int64(len(values)), 0, page(t, dataPage(int32(len(values)), format.DeltaBinaryPacked), wide)))
	meta.Schema[1].Type = thrift.New(format.Int32)
	got, err = readBytes(t, withFooter(t, body, meta), []Field{{Column: "a", Param: "p", Kind: ir.I32}}, 0)
	if err != nil || !slices.Equal(got[0].Slice.([]int32), want) {
		t.Errorf("differences of more than 32 bits: %v", err)
	}
}

package table

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/ir"
)

// read reads text as data.csv; fields are name:kind.
func read(t testing.TB, text string, fields ...string) ([]ir.Column, error) {
	t.Helper()
	return readFile(context.Background(), writeTemp(t, text), parseFields(t, fields), nil)
}

func readFile(ctx context.Context, path string, fields []Field, stdin io.Reader) ([]ir.Column, error) {
	return NewSource(ctx, stdin).Read(path, fields)
}

// readText reads CSV as standard input.
func readText(in io.Reader, fields []Field) ([]ir.Column, error) {
	return readFile(context.Background(), Standard, fields, in)
}

// writeText writes t as CSV to standard output.
func writeText(out io.Writer, t Table) error {
	return Write(context.Background(), Standard, t, out)
}

func writeTemp(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func parseFields(t testing.TB, texts []string) []Field {
	t.Helper()
	var fields []Field
	for _, text := range texts {
		name, kindName, _ := strings.Cut(text, ":")
		kind, ok := ir.KindByName(kindName)
		if !ok {
			t.Fatalf("no kind %s", kindName)
		}
		fields = append(fields, Field{Column: name, Param: name, Kind: kind})
	}
	return fields
}

func TestReadCSV(t *testing.T) {
	char8 := func(s string) [8]byte { return ir.Char8Scalar(s).Bytes() }
	for _, c := range []struct {
		name, text string
		fields     []string
		want       []any
	}{
		{"plain", "a,b\n1,2\n3,4\n", []string{"a:i64", "b:i32"}, []any{[]int64{1, 3}, []int32{2, 4}}},
		{"order and types of the request", "a,b\n1,2\n", []string{"b:f64", "a:u8", "b:i8"}, []any{[]float64{2}, []uint8{1}, []int8{2}}},
		{"byte order mark", "\uFEFFa\n1\n", []string{"a:i64"}, []any{[]int64{1}}},
		{"CRLF", "a,b\r\n1,x\r\n2,y\r\n", []string{"a:i64", "b:char8"}, []any{[]int64{1, 2}, [][8]byte{char8("x"), char8("y")}}},
		{"no last newline", "a\n1\n2", []string{"a:i64"}, []any{[]int64{1, 2}}},
		{"quotes", "\"a,1\",b\n\"7\",\"x,\"\"y\"\"\"\n", []string{"a,1:i64", "b:char8"}, []any{[]int64{7}, [][8]byte{char8(`x,"y"`)}}},
		{"newline in quotes", "a,b\n\"1\n2\",3\n", []string{"a:char8", "b:i64"}, []any{[][8]byte{char8("1\n2")}, []int64{3}}},
		{"CRLF in quotes", "a,b\r\n\"1\r\n2\",\"\r\n\"\r\n\"\"\"\r\n\",\n", []string{"a:char8", "b:char8"}, []any{[][8]byte{char8("1\r\n2"), char8("\"\r\n")}, [][8]byte{char8("\r\n"), char8("")}}},
		{"CRLF in the header", "\"a\r\na\",b\r\n1,2\r\n", []string{"a\r\na:i64", "b:i64"}, []any{[]int64{1}, []int64{2}}},
		{"unbound columns hold anything", "a,b\nnot a number,1\n", []string{"b:i64"}, []any{[]int64{1}}},
		{"blanks", "a , b\n 1, 2 \n", []string{"a:i64", "b:f64"}, []any{[]int64{1}, []float64{2}}},
		{"header only", "a,b\n", []string{"a:i64", "b:date"}, []any{[]int64{}, []int32{}}},
		{"header without newline", "a", []string{"a:char8"}, []any{[][8]byte{}}},
		{"no columns asked", "a\n1\n", nil, nil},
		{"dates", "d\n1970-01-01\n1969-12-31\n2000-02-29\n0001-01-01\n-0001-12-31\n12345-06-07\n", []string{"d:date"},
			[]any{[]int32{0, -1, 11016, -719162, -719529, 3789548}}},
		{"bools", "b\ntrue\nfalse\n1\n0\nTRUE\nFalse\n", []string{"b:bool"}, []any{[]bool{true, false, true, false, true, false}}},
		{"extremes", "a,b\n-9223372036854775808,18446744073709551615\n+9223372036854775807,0\n", []string{"a:i64", "b:u64"},
			[]any{[]int64{math.MinInt64, math.MaxInt64}, []uint64{math.MaxUint64, 0}}},
		{"floats", "f\n1e300\n-Inf\n0x1p-2\n.5\n", []string{"f:f64"}, []any{[]float64{1e300, math.Inf(-1), 0.25, 0.5}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			columns, err := read(t, c.text, c.fields...)
			if err != nil {
				t.Fatal(err)
			}
			var got []any
			for _, column := range columns {
				got = append(got, column.Slice)
			}
			if d := cmp.Diff(c.want, got, cmpopts.EquateEmpty()); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestBadCSV(t *testing.T) {
	for _, c := range []struct {
		name, text, field string
		want              string
	}{
		{"word in an integer column", "a,b\n1,2\n3,abc\n", "b:i32", `data.csv:3: column "b", row 1: "abc" is not an integer (i32)`},
		{"fraction in an integer column", "a\n1.5\n", "a:i64", `"1.5" is not an integer (i64)`},
		{"overflow", "a\n1\n300\n", "a:i8", `data.csv:3: column "a", row 1: "300" is out of range for i8; it holds -128 to 127`},
		{"overflow of 64 bits", "a\n9223372036854775808\n", "a:i64", `"9223372036854775808" is out of range for i64`},
		{"negative in unsigned", "a\n-1\n", "a:u16", `"-1" is out of range for u16; it holds 0 to 65535`},
		{"no digits in unsigned", "a\n-\n", "a:u16", `"-" is not an integer (u16)`},
		{"float overflow", "a\n1e39\n", "a:f32", `"1e39" is out of range for f32`},
		{"word in a float column", "a\nx\n", "a:f64", `"x" is not a number (f64)`},
		{"bad bool", "a\nyes\n", "a:bool", `"yes" is not a bool (true, false, 1 or 0)`},
		{"bad date", "a\n01.02.1999\n", "a:date", `"01.02.1999" is not a date (YYYY-MM-DD)`},
		{"no such day", "a\n1999-02-29\n", "a:date", `"1999-02-29" is not a date: the calendar has no such day`},
		{"date out of range", "a\n9999999-01-01\n", "a:date", `dates reach from -5877641-06-23 to 5881580-07-11`},
		{"long char8", "a\nABCDEFGHI\n", "a:char8", `"ABCDEFGHI" has 9 bytes; a char8 holds at most 8`},
		{"empty field", "a,b\n,2\n", "a:i64", `data.csv:2: column "a", row 0: the field is empty, but every row needs an integer (i64); the parameter may say what such rows have: missing`},
		{"long field", "a\n" + strings.Repeat("9", 1000) + "\n", "a:i64", `"9999999999999999999999999999999999999999"... is out of range`},
		{"line numbers count lines, rows count records", "a,b\n1,\"x\ny\"\nz,1\n", "a:i64", `data.csv:4: column "a", row 1: "z"`},
		{"short row", "a,b\n1,2\n3\n", "a:i64", "data.csv:3: the row has 1 fields, the header 2"},
		{"long row", "a,b\n1,2,3\n", "a:i64", "data.csv:2: the row has 3 fields, the header 2"},
		{"missing column", "a,b c\n1,2\n", "d:i64", `data.csv:1: no column d for parameter d; the file has a, "b c" (bind another by --bind d=COLUMN)`},
		{"empty file", "", "a:i64", "data.csv: the file is empty; its first line must name the columns: a"},
		{"duplicate header", "a,b,a\n1,2,3\n", "a:i64", `data.csv:1: the header names the column "a" twice, as number 1 and 3`},
		{"bare quote", "a\n1\"2\n", "a:i64", "data.csv:2: byte 2: a quote inside a field"},
		{"open quote", "a\n\"12\n3\n", "a:i64", "a quoted field is not closed, or text follows its closing quote; its row begins in line 2"},
		// Bytes count as in the file, in which a CRLF has two.
		{"open quote before CRLF", "a\r\n\"12\r\n345\r\n", "a:i64", "data.csv:3: byte 6: a quoted field is not closed"},
		{"text behind a quoted CRLF", "a\r\n\"1\r\n2\"x\r\n", "a:i64", "data.csv:3: byte 2: a quoted field is not closed, or text follows"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := read(t, c.text, c.field)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v\n want %s", err, c.want)
			}
			if err != nil && len(err.Error()) > 500 {
				t.Errorf("the message has %d bytes", len(err.Error()))
			}
		})
	}
}

func TestDuplicateHeaderElsewhereIsNoMatter(t *testing.T) {
	if _, err := read(t, ",,a\n1,2,3\n", "a:i64"); err != nil {
		t.Error(err)
	}
}

func TestManyColumnsMissingOneStaysReadable(t *testing.T) {
	var names []string
	for i := range 1000 {
		names = append(names, fmt.Sprint("column", i))
	}
	_, err := read(t, strings.Join(names, ",")+"\n", "x:i64")
	if err == nil || !strings.Contains(err.Error(), "and 960 more") {
		t.Errorf("error %v", err)
	}
}

func TestReadFileErrors(t *testing.T) {
	folder := t.TempDir()
	for path, want := range map[string]string{
		filepath.Join(folder, "missing.csv"): "no such file",
		filepath.Join(folder, "data.xyz"):    "unknown file format .xyz; known: .csv",
		filepath.Join(folder, "data"):        "this name has none; known: .csv",
	} {
		if _, err := readFile(t.Context(), path, nil, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", path, err, want)
		}
	}
	if err := os.Mkdir(filepath.Join(folder, "folder.csv"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := readFile(t.Context(), filepath.Join(folder, "folder.csv"), nil, nil); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("folder: error %v", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := readFile(cancelled, Standard, nil, strings.NewReader("a\n")); err != context.Canceled {
		t.Errorf("cancelled: error %v", err)
	}
	silent, _ := io.Pipe()
	soon, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := readFile(soon, Standard, nil, silent); err != context.DeadlineExceeded {
		t.Errorf("cancelled while waiting for input: error %v", err)
	}
	if _, err := readFile(t.Context(), Standard, parseFields(t, []string{"a:i64"}), strings.NewReader("a\nx\n")); err == nil ||
		!strings.HasPrefix(err.Error(), "standard input:2: ") {
		t.Errorf("standard input: error %v", err)
	}
}

// TestRoundTrip writes extreme values of every kind and reads them back.
func TestRoundTrip(t *testing.T) {
	f64 := []float64{0, math.Copysign(0, -1), 0.1, 1e21, 1e20, 123456789012345680, 1e-5, 9.99e-6, math.MaxFloat64,
		math.SmallestNonzeroFloat64, math.Inf(1), math.Inf(-1), math.NaN()}
	n := len(f64)
	table := Table{Name: "t"}
	var fields []Field
	for k := ir.Bool; k <= ir.Char8; k++ {
		if k == ir.Text { // TestTexts has it
			continue
		}
		c := ir.NewColumn(k, n)
		for row := range n {
			switch {
			case k == ir.F32:
				c.Set(row, ir.Float(k, f64[row]))
			case k == ir.F64:
				c.Set(row, ir.Float(k, f64[row]))
			case k == ir.Char8:
				c.Set(row, ir.Char8Scalar([]string{"", "a", "12345678", `"`, ",", "\n", " x ", "é", "a\x00b", "\xff\xfe", "'", ";", "true"}[row]))
			case k == ir.U64:
				c.Set(row, ir.Scalar{Kind: k, Bits: math.MaxUint64 >> row})
			case k == ir.Bool:
				c.Set(row, ir.BoolScalar(row%3 == 0))
			default:
				c.Set(row, ir.Int(k, int64(math.MinInt64)>>(row*5)^int64(row)))
			}
		}
		name := fmt.Sprintf("the %v, \"quoted\"", k)
		table.Columns = append(table.Columns, Named{name, c})
		fields = append(fields, Field{Column: name, Param: "p", Kind: k})
	}
	check := func(table Table, fields []Field) {
		t.Helper()
		path := filepath.Join(t.TempDir(), "out.csv")
		if err := Write(t.Context(), path, table, nil); err != nil {
			t.Fatal(err)
		}
		got, err := readFile(t.Context(), path, fields, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range table.Columns {
			if d := cmp.Diff(textOf(c.Data), textOf(got[i])); d != "" {
				t.Errorf("%s: %s", c.Name, d)
			}
		}
	}
	check(table, fields)
	for i := range table.Columns { // a column alone: its empty fields make empty lines
		check(Table{Columns: table.Columns[i : i+1]}, fields[i:i+1])
	}
}

// TestRoundTripOfBytes: what is written is read, whatever its bytes and wherever
// blocks end.
func TestRoundTripOfBytes(t *testing.T) {
	var texts []string
	for b := range 256 {
		for _, around := range []string{"@", "@\n", "\r@", "@\r\n", "\r\n@\r\n", "\"@\r\n", "\r\r\n\"\"@", ",@\r\n\""} {
			texts = append(texts, strings.ReplaceAll(around, "@", string([]byte{byte(b)})))
		}
	}
	c := ir.NewColumn(ir.Char8, len(texts))
	for row, text := range texts {
		c.Set(row, ir.Char8Scalar(text))
	}
	name := "\"a\r\na\""
	fields := []Field{{Column: name, Param: "p", Kind: ir.Char8}, {Column: "n", Param: "n", Kind: ir.I64}}
	for _, width := range []int{1, 2} {
		var out bytes.Buffer
		if err := writeText(&out, Table{Columns: []Named{{name, c}, {"n", sequence(len(texts))}}[:width]}); err != nil {
			t.Fatal(err)
		}
		for _, size := range blockSizes {
			source := NewSource(t.Context(), bytes.NewReader(out.Bytes()))
			got, err := readCSV(source, Standard, fields[:width], csvSizes{block: size, record: 1 << 20})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(textOf(c), textOf(got[0])); d != "" {
				t.Errorf("%d columns, blocks of %d: %.300s", width, size, d)
			}
		}
	}
}

// textOf shows all bits of a column, NaN apart.
func textOf(c ir.Column) []string {
	var texts []string
	for i := range c.Len() {
		s := c.At(i)
		if s.Kind.IsFloat() && math.IsNaN(s.Float64()) {
			s.Bits = 0x7ff8
		}
		texts = append(texts, fmt.Sprintf("%v %x", s.Kind, s.Bits))
	}
	return texts
}

func TestShortestForms(t *testing.T) {
	for want, s := range map[string]ir.Scalar{
		"0.1": ir.Float(ir.F32, 0.1), "1000000": ir.Float(ir.F64, 1e6), "1e+21": ir.Float(ir.F64, 1e21), "1e-06": ir.Float(ir.F64, 1e-6),
		"-0.0": ir.Float(ir.F64, math.Copysign(0, -1)), "NaN": ir.Float(ir.F64, math.NaN()), "-Inf": ir.Float(ir.F32, math.Inf(-1)),
		"1994-01-01": ir.Int(ir.Date, 8766), "2024-05-01T12:30:00Z": ir.Int(ir.Timestamp, 1714566600000000),
		"1969-12-31T23:59:59.999Z": ir.Int(ir.Timestamp, -1000), "1970-01-01T00:00:00.000001Z": ir.Int(ir.Timestamp, 1),
		"true": ir.BoolScalar(true), "AIR": ir.Char8Scalar("AIR"),
	} {
		if got := string(AppendScalar(nil, s)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestRawBytes(t *testing.T) {
	for k := ir.Bool; k <= ir.Char8; k++ {
		if k == ir.Text { // TestTexts has it
			continue
		}
		c := ir.NewColumn(k, 3)
		c.Set(1, ir.Scalar{Kind: k, Bits: 1})
		b := raw.Bytes(c)
		if len(b) != 3*k.Size() {
			t.Errorf("%v: %d bytes", k, len(b))
		}
		if d := cmp.Diff(c, raw.FromBytes(k, b)); d != "" {
			t.Errorf("%v: %s", k, d)
		}
		if e := raw.FromBytes(k, raw.Bytes(ir.NewColumn(k, 0))); e.Len() != 0 {
			t.Errorf("%v: %d rows of nothing", k, e.Len())
		}
	}
}

func FuzzReadCSV(f *testing.F) {
	f.Add("a,b\n1,2\n")
	f.Add("\uFEFFa,b\r\n\"1\",\"x\"\"\"\r\n")
	fields := []Field{{Column: "a", Param: "a", Kind: ir.F64}, {Column: "b", Param: "b", Kind: ir.Date}}
	f.Fuzz(func(t *testing.T, text string) {
		columns, err := readText(strings.NewReader(text), fields)
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := writeText(&out, Table{Columns: []Named{{"a", columns[0]}, {"b", columns[1]}}}); err != nil {
			t.Fatal(err)
		}
		again, err := readText(&out, fields)
		if err != nil {
			t.Fatal(err)
		}
		for i := range columns {
			if d := cmp.Diff(textOf(columns[i]), textOf(again[i])); d != "" {
				t.Error(d)
			}
		}
	})
}

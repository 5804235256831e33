package table

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/kgen-go/kgen/ir"
)

func TestParseDecimal(t *testing.T) {
	for _, test := range []struct {
		text  string
		scale int
		want  int64
	}{
		{"12.5", 2, 1250}, {"12.50", 2, 1250}, {"12.5000", 2, 1250}, {" -12.5\t", 2, -1250}, {"+7", 2, 700}, {".05", 2, 5}, {"5.", 2, 500},
		{"-0", 2, 0}, {"-0.01", 2, -1}, {"007", 0, 7}, {"7.000", 0, 7}, {"0", 18, 0}, {"9.223372036854775807", 18, math.MaxInt64},
		{"92233720368547758.07", 2, math.MaxInt64}, {"-92233720368547758.08", 2, math.MinInt64}, {"-9223372036854775808", 0, math.MinInt64},
		{"00000000000000000000000000000001.10", 1, 11},
	} {
		if got, err := parseDecimal(test.text, test.scale); err != nil || got != test.want {
			t.Errorf("%q of scale %d is %d (%v), want %d", test.text, test.scale, got, err, test.want)
		}
	}
}

func TestNoDecimals(t *testing.T) {
	for text, said := range map[string]string{
		"":                      "the field is empty, but every row needs a number with at most 2 digits after the point (decimal(2))",
		"x":                     `"x" is not a number with at most 2 digits after the point (decimal(2))`,
		".":                     "is not a number",
		"-":                     "is not a number",
		"1e3":                   "is not a number",
		"1,5":                   "is not a number",
		"1 000":                 "is not a number",
		"--1":                   "is not a number",
		"1.-5":                  "is not a number",
		"NaN":                   "is not a number",
		"1.2.3":                 "is not a number",
		"12.345":                `"12.345" is not a decimal(2): it has more digits after the point`,
		"0.001":                 "more digits after the point",
		"92233720368547758.08":  `"92233720368547758.08" is out of range for decimal(2); it holds -92233720368547758.08 to 92233720368547758.07`,
		"-92233720368547758.09": "is out of range",
		"92233720368547759":     "is out of range",
		"18446744073709551616":  "is out of range",
		"184467440737095516.16": "is out of range",
	} {
		if s, err := ParseScalar(ir.DecimalOf(2), text); err == nil || !strings.Contains(err.Error(), said) {
			t.Errorf("%q is %d (%v), want %s", text, s.Int64(), err, said)
		}
	}
}

// Texts are those that math/big writes, and are read back.
func TestDecimalTexts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for scale := range ir.MaxScale + 1 {
		k := ir.DecimalOf(scale)
		values := []int64{0, 1, -1, 9, 10, -10, 99, 100, math.MaxInt64, math.MinInt64}
		for shift := range 60 {
			values = append(values, random.Int64()>>shift, -random.Int64()>>shift)
		}
		for _, v := range values {
			text := string(AppendScalar(nil, ir.Int(k, v)))
			unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
			if want := new(big.Rat).SetFrac(big.NewInt(v), unit).FloatString(scale); text != want {
				t.Errorf("%d of scale %d is written %s, want %s", v, scale, text, want)
			}
			if back, err := ParseScalar(k, text); err != nil || back.Int64() != v {
				t.Errorf("%s is read as %d (%v), want %d", text, back.Int64(), err, v)
			}
		}
	}
}

// decimalTable has a column for each of some scales: values of up to 18 digits.
func decimalTable(rows int, distinct uint64) Table {
	random := rand.New(rand.NewPCG(2, distinct))
	var t Table
	for _, scale := range []int{0, 2, 9, 18} {
		c := ir.NewColumn(ir.DecimalOf(scale), rows)
		for row, values := 0, c.Slice.([]int64); row < rows; row++ {
			values[row] = int64(random.Uint64N(distinct)) % 1e18
			if row%3 == 0 {
				values[row] = -values[row]
			}
		}
		t.Columns = append(t.Columns, Named{fmt.Sprintf("scale %d", scale), c})
	}
	return t
}

func TestDecimalsGoThroughFiles(t *testing.T) {
	for _, table := range []Table{decimalTable(0, 1), decimalTable(1, 1<<62), decimalTable(1000, 7), decimalTable(70_000, 1<<63)} {
		for _, name := range []string{"out.csv", "out.parquet"} {
			path := filepath.Join(t.TempDir(), name)
			if err := Write(t.Context(), path, table, nil); err != nil {
				t.Fatal(err)
			}
			var fields []Field
			for _, c := range table.Columns {
				fields = append(fields, Field{Column: c.Name, Param: "p", Kind: c.Data.Kind})
			}
			got, err := NewSource(t.Context(), nil).Read(path, fields)
			if err != nil {
				t.Fatal(err)
			}
			for i, c := range table.Columns {
				if got[i].Kind != c.Data.Kind || !slices.Equal(got[i].Slice.([]int64), c.Data.Slice.([]int64)) {
					t.Errorf("%s: %s is not what was written", name, c.Name)
				}
			}
		}
	}
}

// Another reader of Parquet finds DECIMAL with the scale.
func TestParquetWritesDecimal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.parquet")
	if err := Write(t.Context(), path, decimalTable(3, 100), nil); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for i, scale := range []int{0, 2, 9, 18} {
		if got, want := file.Schema().Fields()[i].Type().String(), fmt.Sprintf("DECIMAL(18,%d)", scale); got != want {
			t.Errorf("column %d is %s, want %s", i, got, want)
		}
	}
}

func TestFormatsThatHoldNoDecimals(t *testing.T) {
	c := ir.NewColumn(ir.DecimalOf(2), 3)
	c.Slice.([]int64)[2] = -1e18
	table := Table{Name: "t", Columns: []Named{{"price", c}}}
	for name, said := range map[string]string{
		"out.npy":     "arrays hold no decimals; write .csv or .parquet, or return unscaled(x) or f64(x)",
		"out.parquet": `column "price", row 2: -10000000000000000.00 has more than the 18 digits of a DECIMAL of 8 bytes; .csv holds it`,
	} {
		if err := Write(t.Context(), filepath.Join(t.TempDir(), name), table, nil); err == nil || !strings.Contains(err.Error(), said) {
			t.Errorf("%s: %v, want %s", name, err, said)
		}
	}
	c.Slice.([]int64)[2] = 1e18 - 1
	if err := Write(t.Context(), filepath.Join(t.TempDir(), "out.parquet"), table, nil); err != nil {
		t.Error(err)
	}
}

func TestDecimalsInJSON(t *testing.T) {
	c := ir.NewColumn(ir.DecimalOf(2), 2)
	copy(c.Slice.([]int64), []int64{1250, -5})
	var out bytes.Buffer
	if err := (Table{Name: "t", Columns: []Named{{"price", c}}}).WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	if want := `{"name":"t","rows":2,"columns":[{"name":"price","type":"decimal(2)","values":[12.50,-0.05]}]}`; out.String() != want {
		t.Errorf("got %s, want %s", out.String(), want)
	}
}

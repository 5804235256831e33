package plan

import (
	"math"
	"strings"
	"testing"
)

func TestLiterals(t *testing.T) {
	signed := func(v int64) uint64 { return uint64(v) }
	for _, test := range []struct {
		kind Kind
		text Literal
		want uint64
	}{
		{Bool, "true", 1}, {Bool, "false", 0},
		{I8, "-128", signed(-128)}, {I16, "-1", signed(-1)}, {I32, "2147483647", math.MaxInt32}, {I64, "-9223372036854775808", 1 << 63}, {"decimal(2)", "-5", signed(-5)}, {"decimal(18)", "", 0},
		{U8, "255", 255}, {U64, "18446744073709551615", math.MaxUint64},
		{F32, "1.5", uint64(math.Float32bits(1.5))}, {F64, "-Inf", math.Float64bits(math.Inf(-1))},
		{F64, "1e-3", math.Float64bits(1e-3)},
		{Date, "1970-01-02", 1}, {Date, "1969-12-31", signed(-1)}, {Date, "1994-01-01", 8766}, {Date, "0001-01-01", signed(-719162)}, {Date, "-2147483648", signed(math.MinInt32)},
		{Char8, `"ab"`, 0x6162 << 48}, {Char8, `""`, 0},
		{F64, "", 0}, {Date, "", 0}, {Char8, "", 0},
	} {
		if got, err := test.kind.Parse(test.text); err != nil || got != test.want {
			t.Errorf("%s %s = %#x, %v; want %#x", test.kind, test.text, got, err, test.want)
		}
	}
}

func TestLiteralErrors(t *testing.T) {
	for _, test := range []struct {
		kind Kind
		text Literal
		want string
	}{
		{Bool, "1", `"1" is no bool: write true or false`},
		{I8, "128", `"128" is no i8: value out of range`},
		{U8, "-1", `"-1" is no u8: invalid syntax`},
		{I64, "1.0", `"1.0" is no i64: invalid syntax`},
		{F32, "1e39", `"1e39" is no f32: value out of range`},
		{Date, "1994-13-01", `"1994-13-01" is no date: write a day as 1994-01-01`},
		{Date, "2147483648", `"2147483648" is no date: write a day as 1994-01-01`},
		{"decimal(2)", "0.05", `"0.05" is no decimal(2): invalid syntax`},
		{Char8, "ab", `"ab" is no char8: write at most 8 bytes in double quotes`},
		{Char8, `"123456789"`, `is no char8: write at most 8 bytes in double quotes`},
		{"i128", "1", `"1" is no i128: there are bool`},
		{"", "", `"" is no : there are bool`},
	} {
		if got, err := test.kind.Parse(test.text); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %s = %#x, %v; want %s", test.kind, test.text, got, err, test.want)
		}
	}
}

func TestKinds(t *testing.T) {
	sizes := map[Kind]int{Bool: 1, I8: 1, I16: 2, I32: 4, I64: 8, U8: 1, U16: 2, U32: 4, U64: 8, F32: 4, F64: 8, Date: 4, Timestamp: 8, Text: 4, Char8: 8, "decimal(2)": 8}
	if got := len(strings.Fields(kindNames)); got != len(sizes) {
		t.Errorf("%d names of %d kinds", got, len(sizes))
	}
	for _, name := range strings.Fields(kindNames) {
		if size := Kind(name).Size(); size == 0 || size != sizes[Kind(name)] {
			t.Errorf("%s has %d bytes", name, size)
		}
	}
	for _, kind := range []Kind{I32, U32, I64, U64} {
		b := Buffer{Kind: kind, Role: Errors}
		if b.FillBits() != kind.NoRow() || kind.NoRow() != 1<<(kind.Size()*8-map[bool]int{true: 1}[kind[0] == 'i'])-1 {
			t.Errorf("no row of %s is %#x", kind, kind.NoRow())
		}
	}
	if fill := (&Buffer{Kind: I32, Role: Temporary, Fill: "-1"}).FillBits(); fill != math.MaxUint64 {
		t.Errorf("fill of -1 is %#x", fill)
	}
}

package ir

import (
	"math"
	"testing"
)

func TestDecimalKinds(t *testing.T) {
	for scale := range MaxScale + 1 {
		k := DecimalOf(scale)
		if named, ok := KindByName(k.String()); !ok || named != k || !k.IsDecimal() || k.Scale() != scale || k.Stored() != I64 || k.Size() != 8 || !k.isElement() {
			t.Errorf("%v is not the decimal of scale %d", k, scale)
		}
		if k.IsInteger() || k.IsNumeric() || k.IsFloat() || k.IsUntyped() || k.IsCalendar() {
			t.Errorf("%v is another type, too", k)
		}
	}
	for _, name := range []string{"decimal", "decimal()", "decimal(19)", "decimal(-1)", "decimal(02)", "decimal(2) ", "decimal(2", "decimal (2)"} {
		if k, ok := KindByName(name); ok {
			t.Errorf("%q is %v", name, k)
		}
	}
	for k := Bool; k <= Pair; k++ {
		if k.IsDecimal() || k.Scale() != 0 {
			t.Errorf("%v is a decimal", k)
		}
	}
}

func TestAppendDecimal(t *testing.T) {
	for _, c := range []struct {
		unscaled int64
		scale    int
		want     string
	}{
		{1250, 2, "12.50"}, {-5, 2, "-0.05"}, {0, 2, "0.00"}, {7, 0, "7"}, {-7, 0, "-7"}, {100, 2, "1.00"}, {-100, 2, "-1.00"}, {99, 2, "0.99"},
		{math.MinInt64, 18, "-9.223372036854775808"}, {math.MaxInt64, 2, "92233720368547758.07"}, {1, 18, "0.000000000000000001"},
	} {
		if got := string(AppendDecimal([]byte("x"), c.unscaled, c.scale)); got != "x"+c.want {
			t.Errorf("%d of scale %d is %s, want x%s", c.unscaled, c.scale, got, c.want)
		}
	}
}

// The types of arithmetic, and the constants that take part.
func TestDecimalTypes(t *testing.T) {
	for expression, want := range map[string]string{
		"p + p": "decimal(2)", "p - 0.5": "decimal(2)", "-p": "decimal(2)", "+p": "decimal(2)", "abs(p)": "decimal(2)", "least(p, 1)": "decimal(2)",
		"p * p": "decimal(4)", "p * w": "decimal(18)", "p * q": "decimal(2)", "q * p": "decimal(2)", "p * 2": "decimal(2)", "3 * p": "decimal(2)",
		"p * 1.05": "decimal(4)", "p * 1.50": "decimal(3)", "p * 2.0": "decimal(2)", "p * (1 - p)": "decimal(4)", "p * (1 + 0.5)": "decimal(3)", "p * 1e-3": "decimal(5)",
		"p * decimal(2, 1)": "decimal(3)", "p < 1": "bool", "p == p": "bool", "unscaled(p)": "i64", "f64(p)": "f64", "i8(p)": "i8", "decimal(p, 7)": "decimal(7)",
		"decimal(q, 0)": "decimal(0)", "decimal(1.5, 3) + decimal(p, 3)": "decimal(3)", "select(p > 1, p, 0)": "decimal(2)", "prev(p, 1, 0.01)": "decimal(2)",
		"sum(p)": "decimal(2)", "min(p, else: 0.5)": "decimal(2)", "avg(p)": "f64", "avg(p, else: 0)": "f64", "scan(add, p)": "decimal(2)", "exscan(max, p)": "decimal(2)",
		"p[0]": "decimal(2)", "argmax(p)": "i64", "find(p, in: p)": "i64", "count(p > 0)": "i64",
	} {
		pipelines, errs := Load("p.kg", []byte("pipeline x(p: [n]decimal(2), q: [n]i64, w: [n]decimal(16)) {\n\treturn p, q, w, y: "+expression+"\n}\n"))
		if err := errs.Err(); err != nil {
			t.Errorf("%s: %v", expression, err)
			continue
		}
		if got := pipelines[0].Results[3].Value.Type.Kind.String(); got != want {
			t.Errorf("%s is %s, want %s", expression, got, want)
		}
	}
}

// Constants of Go are those that their text is.
func TestDecimalsOfGoConstants(t *testing.T) {
	b := NewBuilder("p")
	price := b.Column("price", "n", DecimalOf(2))
	limit := b.ScalarWithDefault("limit", DecimalOf(2), 0.07)
	known := b.ColumnMissing("known", "n", DecimalOf(1), -0.5)
	b.Return(price.Mul(1.1).As("tax"), price.Sub(0.29).As("less"), b.Select(price.Gt(limit), b.Constant(1).Sub(price), 0).As("rest"),
		b.Cast(DecimalOf(3), 0.125).As("eighth"), b.Unscaled(known).As("tenths"))
	p, err := b.Pipeline()
	if err != nil {
		t.Fatal(err)
	}
	const want = `pipeline p(price: [n]decimal(2), limit: decimal(2) = 0.07, known: [n]decimal(1) missing -0.5) {
	return tax: price * 1.1, less: price - 0.29, rest: select(price > limit, 1.00 - price, 0.00), eighth: decimal(0.125, 3), tenths: unscaled(known)
}
`
	if p.String() != want {
		t.Errorf("got\n%s\nwant\n%s", p, want)
	}
}

package random

import (
	"fmt"
	"strconv"

	"github.com/kgen-go/kgen/ir"
)

// literal returns a constant of kind k.
func (g *generator) literal(k ir.Kind) *value {
	return &value{op: ir.OpConst, text: g.literalText(k), kind: k, literal: true}
}

func (g *generator) literalText(k ir.Kind) string {
	choose := func(texts ...string) string { return texts[g.r.IntN(len(texts))] }
	switch {
	case k == ir.Bool:
		return choose("true", "false")
	case k == ir.Date:
		return choose(`date("1994-01-01")`, `date("1994-01-03")`, `date("1900-02-28")`, `date("2000-02-29")`, `date("0001-01-01")`, `date("9999-12-31")`)
	case k == ir.Text:
		return choose(`text("")`, `text("AUTOMOBILE")`, `text("home")`)
	case k == ir.Timestamp:
		return choose(`timestamp("1994-01-01")`, `timestamp("1994-01-01T12:30:00.5Z")`, `timestamp("2000-02-29T23:59:59.999999Z")`, `timestamp("1969-12-31T23:00:00Z")`, `timestamp("0001-01-01T00:00:00Z")`)
	case k.IsDecimal():
		number := string(ir.AppendDecimal(nil, []int64{0, 1, 5, 10, 125, -5, -100, 99995}[g.r.IntN(8)], k.Scale()))
		return fmt.Sprintf("decimal(%s, %d)", number, k.Scale())
	case k == ir.Char8:
		return choose(`""`, `"A"`, `"Aab"`, `"Aad"`, `"ABCDEFGH"`, `"\xff"`, `"a\"b\x00c"`)
	case k.IsFloat():
		return choose("0.0", "1.0", "(-1.0)", "0.5", "2.0", "3.0", "(-0.25)", "1e10", "(-1e-3)")
	}
	bits := 8 * k.Size()
	if g.r.IntN(5) > 0 {
		small := g.r.IntN(8)
		if k.IsSigned() && g.r.IntN(3) == 0 {
			return fmt.Sprintf("(-%d)", small+1)
		}
		return strconv.Itoa(small)
	}
	if k.IsUnsigned() {
		return choose(strconv.FormatUint(1<<bits-1, 10), strconv.FormatUint(1<<(bits-1), 10), strconv.Itoa(100))
	}
	return choose(fmt.Sprintf("(-%d)", uint64(1)<<(bits-1)), strconv.FormatUint(1<<(bits-1)-1, 10), strconv.Itoa(100))
}

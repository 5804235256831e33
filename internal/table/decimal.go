package table

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kgen-go/kgen/ir"
)

var errTooManyDigits = errors.New("it has more digits after the point")

// parseDecimal reads a number with a sign, perhaps, and digits before and after a point,
// as the unscaled number of a decimal. Digits that the scale lacks must be 0: nothing is
// rounded.
func parseDecimal(text string, scale int) (int64, error) {
	text = trim(text)
	digits := text
	if text != "" && (text[0] == '-' || text[0] == '+') {
		digits = text[1:]
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	if whole == "" && fraction == "" || strings.Trim(whole, "0123456789") != "" || strings.Trim(fraction, "0123456789") != "" {
		return 0, strconv.ErrSyntax
	}
	if len(fraction) > scale {
		if strings.Trim(fraction[scale:], "0") != "" {
			return 0, errTooManyDigits
		}
		fraction = fraction[:scale]
	}
	most := uint64(math.MaxInt64)
	if text[0] == '-' {
		most++
	}
	n := uint64(0)
	add := func(digit uint64) bool {
		ok := n <= (most-digit)/10
		n = 10*n + digit
		return ok
	}
	for _, part := range [...]string{whole, fraction} {
		for i := range len(part) {
			if !add(uint64(part[i] - '0')) {
				return 0, strconv.ErrRange
			}
		}
	}
	for range scale - len(fraction) {
		if !add(0) {
			return 0, strconv.ErrRange
		}
	}
	if text[0] == '-' {
		return int64(-n), nil
	}
	return int64(n), nil
}

// rescaled converts unscaled numbers of one scale, of up to maxDecimalScale digits, to
// another; false where that loses digits or does not fit.
func rescaled[P integer](from, to int) func(P) (int64, bool) {
	whole := func(v P) (int64, bool) { return resize[int64](v) }
	if from == to {
		return whole
	}
	if from-to > ir.MaxScale { // no int64 but 0 ends in so many zeros
		return func(v P) (int64, bool) { return 0, v == 0 }
	}
	unit := ir.PowerOfTen(max(from-to, to-from))
	if from > to {
		return func(v P) (int64, bool) {
			n, ok := whole(v)
			return n / unit, ok && n%unit == 0
		}
	}
	return func(v P) (int64, bool) {
		n, ok := whole(v)
		product, fits := scaled(n, unit)
		return product, ok && fits
	}
}

// toDecimal converts DECIMAL of one scale, in its physical type, to a decimal.
func toDecimal(k ir.Kind, physical format.Type, scale int) (conversion, bool) {
	c, ok := decimalTo(k, physical, scale, rescaled[int64](scale, k.Scale()))
	if physical == format.Int64 && scale == k.Scale() {
		c.numbers = nil // columns hold the same
	}
	return c, ok
}

// precision is how many digits a DECIMAL has that an INT64 stores, as the format defines.
const precision = 18

// tooLong returns the first row of c that has more digits than DECIMAL in an INT64; -1 if
// none has.
func tooLong(c ir.Column) int {
	most := ir.PowerOfTen(precision)
	if values, ok := c.Slice.([]int64); ok && c.Kind.IsDecimal() {
		for row, v := range values {
			if v <= -most || v >= most {
				return row
			}
		}
	}
	return -1
}

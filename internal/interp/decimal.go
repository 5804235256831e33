package interp

import (
	"math"
	"math/big"

	"github.com/kgen-go/kgen/ir"
)

// castDecimal converts to a decimal or from one. The number is its unscaled number over a
// power of ten, exactly; only floats round.
func castDecimal(from, to ir.Kind, x uint64) uint64 {
	ten := func(k ir.Kind) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(k.Scale())), nil) }
	float := func(k ir.Kind) float64 { return math.Pow10(k.Scale()) }
	switch {
	case from.IsFloat():
		return truncate(ir.I64, math.Round(floatOf(from, x)*float(to)))
	case to.IsFloat():
		return ir.Float(to, float64(int64(x))/float(from)).Bits
	}
	n, unit := new(big.Int).Mul(big.NewInt(int64(x)), ten(to)), ten(from)
	n, rest := n.QuoRem(n, unit, new(big.Int))
	if to.IsDecimal() && rest.Abs(rest).Lsh(rest, 1).Cmp(unit) >= 0 { // half or more
		if int64(x) < 0 {
			n.Sub(n, big.NewInt(1))
		} else {
			n.Add(n, big.NewInt(1))
		}
	}
	low := n.Mod(n, new(big.Int).Lsh(big.NewInt(1), 64)).Uint64()
	return ir.Int(to, int64(low)).Bits
}

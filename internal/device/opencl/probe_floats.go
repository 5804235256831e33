//go:build opencl

package opencl

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/kgen-go/kgen/plan"
)

// floats: are division and square root correctly rounded, are denormals kept?
func (p *prober) floats(ctx context.Context) error {
	a, b := floatCases()
	n := int64(len(a))
	buffers := []*buffer{p.floatsOf(a), p.floatsOf(b), p.zeros(n), p.zeros(n), p.zeros(n)}
	for _, m := range buffers {
		defer p.release(m)
	}
	if err := p.launch(ctx, "arithmetic", n/64, 64, 0, buffers[0], buffers[1], buffers[2], buffers[3], buffers[4]); err != nil {
		return err
	}
	rounding, denormal := "", "" // the first wrong case of each
	note := func(what string, i int64, got, want float32) {
		list := &rounding
		if isDenormal(want) || isDenormal(a[i]) || isDenormal(b[i]) {
			list = &denormal
		}
		if *list == "" && math.Float32bits(got) != math.Float32bits(want) && (got == got || want == want) {
			*list = fmt.Sprintf("%s of %g and %g gave %g, not %g", what, a[i], b[i], got, want)
		}
	}
	results := make([][]float32, 3)
	for i := range results {
		var err error
		if results[i], err = p.readFloats(buffers[2+i], n); err != nil {
			return err
		}
	}
	for i := range n {
		note("the quotient", i, results[0][i], a[i]/b[i])
		note("the square root", i, results[1][i], float32(math.Sqrt(float64(a[i]))))
		note("the product", i, results[2][i], a[i]*b[i])
	}
	with := "without an option for it"
	if p.dividesExactly {
		with = "with -cl-fp32-correctly-rounded-divide-sqrt"
	}
	right := fmt.Sprintf("%d quotients and square roots are those of IEEE 754, %s", n, with)
	if rounding != "" {
		right = rounding + ", " + with
	}
	p.capability(plan.CapDivideF32, rounding == "", plan.Probed, "%s", right)
	kept := "denormal operands and results are right"
	if denormal != "" {
		kept = denormal
	}
	p.capability(plan.CapDenormalsF32, denormal == "", plan.Probed, "%s", kept)
	return nil
}

func isDenormal(f float32) bool {
	return f != 0 && f > -0x1p-126 && f < 0x1p-126
}

// floatCases are pairs that show wrong rounding: near ties, with extreme
// exponents, and special values. Their number is a multiple of 64.
func floatCases() (a, b []float32) {
	special := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 3, 7, 0.1, 1.0 / 3, math.MaxFloat32, 0x1p-126, 0x1p-149, 0x1.fffffep-127,
		float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), 16777215}
	for _, x := range special {
		for _, y := range special {
			a, b = append(a, x), append(b, y)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for len(a) < 8192 {
		x, y := math.Float32frombits(random.Uint32()), math.Float32frombits(random.Uint32())
		switch len(a) % 4 {
		case 0: // significands only
			x, y = 1+float32(random.Uint32()>>9)*0x1p-23, 1+float32(random.Uint32()>>9)*0x1p-23
		case 1: // a quotient close to halfway between two floats
			q := 1 + float64(random.Uint32()>>9)*0x1p-23 + 0x1p-24
			y = 1 + float32(random.Uint32()>>9)*0x1p-23
			x = float32(q * float64(y))
		case 2: // a root close to halfway
			root := 1 + float64(random.Uint32()>>9)*0x1p-23 + 0x1p-24
			x = float32(root * root)
		}
		a, b = append(a, x), append(b, y)
	}
	return a, b
}

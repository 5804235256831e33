package generate

const (
	// maxZipfValues is the most ranks that a Zipf distribution may have. The
	// areas of more ranks would be closer than the floats that choose them.
	maxZipfValues = 1 << 40
	firstRanks    = 1 << 13
	guideBits     = 16
)

// zipf draws ranks 1 to n, rank r with probability in proportion to 1 / r^s, by
// rejection-inversion (Hörmann and Derflinger, Rejection-Inversion to Generate
// Variates from Monotone Discrete Distributions, 1996): the integral of x^-s
// chooses a rank by rounding x, and the part of a rank's area that exceeds its
// weight is rejected. That takes hardly more than one attempt, whatever n is.
// For the first ranks, a table holds the bounds to compare with. Later ranks are
// never rejected: their excess is below s (s + 1) / 24 r^2 of the weight.
type zipf struct {
	n, s        float64
	area0, area float64 // the integral up to 1.5, less the weight of rank 1; up to n + 0.5
	first       []bounds
	guide       []int16 // by the upper bits of a random number: where to start in first
	random      stream
}

// bounds are the areas for which a rank is drawn: from low to high. Areas below
// low are rejected.
type bounds struct{ low, high float64 }

func newZipf(n int64, s float64, random stream) *zipf {
	z := &zipf{n: float64(n), s: s, random: random}
	z.area0, z.area = z.integral(1.5)-1, z.integral(z.n+0.5)
	for k := 1.0; k <= min(z.n, firstRanks); k++ {
		high := z.integral(k + 0.5)
		z.first = append(z.first, bounds{high - z.weight(k), high})
	}
	z.guide = make([]int16, 1<<guideBits)
	k := 0
	for i := len(z.guide) - 1; i >= 0; i-- {
		least := z.areaOf(uint64(i+1)<<(64-guideBits) - 1)
		for k < len(z.first)-1 && z.first[k].high < least {
			k++
		}
		z.guide[i] = int16(k)
	}
	return z
}

// weight returns x^-s.
func (z *zipf) weight(x float64) float64 { return exponential(-float64(z.s * logarithm(x))) }

// integral returns the integral of weight from 1 to x.
func (z *zipf) integral(x float64) float64 {
	log := logarithm(x)
	return float64(expRatio(float64((1-z.s)*log)) * log)
}

// inverse returns the x of which area is the integral.
func (z *zipf) inverse(area float64) float64 {
	t := max(float64(area*(1-z.s)), -1+0x1p-53)
	return exponential(float64(logRatio(t) * area))
}

// areaOf returns the area that random bits choose. Larger bits choose smaller
// areas.
func (z *zipf) areaOf(b uint64) float64 {
	u := (float64(b>>12) + 0.5) * 0x1p-52 // both exact
	return z.area + float64(u*(z.area0-z.area))
}

// rank returns the rank of a row.
func (z *zipf) rank(row int64) uint64 {
	for b := z.random.at(row); ; b = mix(b + gamma) {
		area := z.areaOf(b)
		if area <= z.first[len(z.first)-1].high {
			i := z.guide[b>>(64-guideBits)]
			for z.first[i].high < area {
				i++
			}
			if area >= z.first[i].low {
				return uint64(i) + 1
			}
			continue
		}
		return uint64(min(z.inverse(area), z.n) + 0.5)
	}
}

package vector

import (
	"math/bits"
	"unsafe"
)

func add[T number](dst, x, y []T) {
	x = x[:len(dst)]
	if len(y) == 1 {
		c := y[0]
		for i := range dst {
			dst[i] = x[i] + c
		}
		return
	}
	y = y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] + y[i]
	}
}

func subtract[T number](dst, x, y []T) {
	x = x[:len(dst)]
	if len(y) == 1 {
		c := y[0]
		for i := range dst {
			dst[i] = x[i] - c
		}
		return
	}
	y = y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] - y[i]
	}
}

func multiply[T number](dst, x, y []T) {
	x = x[:len(dst)]
	if len(y) == 1 {
		c := y[0]
		for i := range dst {
			dst[i] = x[i] * c
		}
		return
	}
	y = y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] * y[i]
	}
}

func quotient[T float](dst, x, y []T) {
	x = x[:len(dst)]
	if len(y) == 1 {
		c := y[0]
		for i := range dst {
			dst[i] = x[i] / c
		}
		return
	}
	y = y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] / y[i]
	}
}

func negate[T number](dst, x []T) {
	for i := range dst {
		dst[i] = -x[i]
	}
}

func least[T number](dst, x, y []T) {
	x = x[:len(dst)]
	if len(y) == 1 {
		c := y[0]
		for i := range dst {
			dst[i] = min(x[i], c)
		}
		return
	}
	y = y[:len(dst)]
	for i := range dst {
		dst[i] = min(x[i], y[i])
	}
}

func greatest[T number](dst, x, y []T) {
	x = x[:len(dst)]
	if len(y) == 1 {
		c := y[0]
		for i := range dst {
			dst[i] = max(x[i], c)
		}
		return
	}
	y = y[:len(dst)]
	for i := range dst {
		dst[i] = max(x[i], y[i])
	}
}

// divide divides integers; by 0 it gives 0. A power of two is a shift, which rounds toward 0
// if what it loses is added to negative numbers.
func divide[T integer](dst, x, y []T) {
	x = x[:len(dst)]
	if len(y) != 1 {
		y = y[:len(dst)]
		for i := range dst {
			dst[i] = 0
			if y[i] != 0 {
				dst[i] = x[i] / y[i]
			}
		}
		return
	}
	c := y[0]
	switch {
	case c == 0:
		clear(dst)
	case c > 0 && c&(c-1) == 0:
		shift, width := bits.TrailingZeros64(uint64(c)), 8*unsafe.Sizeof(c)
		isSigned := ^T(0) < 0
		for i := range dst {
			v := x[i]
			if isSigned {
				v += v >> (width - 1) & (c - 1)
			}
			dst[i] = v >> shift
		}
	default:
		for i := range dst {
			dst[i] = x[i] / c
		}
	}
}

// remainder gives what divide leaves; of a division by 0, it gives 0.
func remainder[T integer](dst, x, y []T) {
	x = x[:len(dst)]
	if len(y) != 1 {
		y = y[:len(dst)]
		for i := range dst {
			dst[i] = 0
			if y[i] != 0 {
				dst[i] = x[i] % y[i]
			}
		}
		return
	}
	c := y[0]
	switch {
	case c == 0:
		clear(dst)
	case c > 0 && c&(c-1) == 0:
		width := 8 * unsafe.Sizeof(c)
		isSigned := ^T(0) < 0
		for i := range dst {
			v := x[i]
			lost := T(0)
			if isSigned {
				lost = v >> (width - 1) & (c - 1)
			}
			dst[i] = (v+lost)&(c-1) - lost
		}
	default:
		for i := range dst {
			dst[i] = x[i] % c
		}
	}
}

func bitsAnd[T integer](dst, x, y []T) {
	x = x[:len(dst)]
	if len(y) == 1 {
		c := y[0]
		for i := range dst {
			dst[i] = x[i] & c
		}
		return
	}
	y = y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] & y[i]
	}
}

func bitsOr[T integer](dst, x, y []T) {
	x = x[:len(dst)]
	if len(y) == 1 {
		c := y[0]
		for i := range dst {
			dst[i] = x[i] | c
		}
		return
	}
	y = y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] | y[i]
	}
}

func bitsXor[T integer](dst, x, y []T) {
	x = x[:len(dst)]
	if len(y) == 1 {
		c := y[0]
		for i := range dst {
			dst[i] = x[i] ^ c
		}
		return
	}
	y = y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] ^ y[i]
	}
}

func bitsAndNot[T integer](dst, x, y []T) {
	x = x[:len(dst)]
	if len(y) == 1 {
		c := y[0]
		for i := range dst {
			dst[i] = x[i] &^ c
		}
		return
	}
	y = y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] &^ y[i]
	}
}

func shiftLeft[T integer](dst, x []T, y []uint64) {
	mask := uint64(8*unsafe.Sizeof(T(0))) - 1
	x = x[:len(dst)]
	if len(y) == 1 {
		c := y[0] & mask & 63
		for i := range dst {
			dst[i] = x[i] << c
		}
		return
	}
	y = y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] << (y[i] & mask)
	}
}

func shiftRight[T integer](dst, x []T, y []uint64) {
	mask := uint64(8*unsafe.Sizeof(T(0))) - 1
	x = x[:len(dst)]
	if len(y) == 1 {
		c := y[0] & mask & 63
		for i := range dst {
			dst[i] = x[i] >> c
		}
		return
	}
	y = y[:len(dst)]
	for i := range dst {
		dst[i] = x[i] >> (y[i] & mask)
	}
}

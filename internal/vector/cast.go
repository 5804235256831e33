package vector

import (
	"math"
	"unsafe"

	"github.com/kgen-go/kgen/ir"
)

// cast links a conversion to kind k.
func (l *linker) cast(k ir.Kind, x register, n *int) register {
	switch x := x.(type) {
	case *vector[int8]:
		return castOf(l, k, x, n)
	case *vector[int16]:
		return castOf(l, k, x, n)
	case *vector[int32]:
		return castOf(l, k, x, n)
	case *vector[int64]:
		return castOf(l, k, x, n)
	case *vector[uint8]:
		return castOf(l, k, x, n)
	case *vector[uint16]:
		return castOf(l, k, x, n)
	case *vector[uint32]:
		return castOf(l, k, x, n)
	case *vector[uint64]:
		return castOf(l, k, x, n)
	case *vector[float32]:
		return castFloat(l, k, x, n)
	}
	return castFloat(l, k, x.(*vector[float64]), n)
}

func castOf[T integer](l *linker, k ir.Kind, x *vector[T], n *int) register {
	switch k.Stored() {
	case ir.Bool, ir.U8:
		return castInteger[uint8](l, x, n)
	case ir.I8:
		return castInteger[int8](l, x, n)
	case ir.I16:
		return castInteger[int16](l, x, n)
	case ir.I32:
		return castInteger[int32](l, x, n)
	case ir.I64:
		return castInteger[int64](l, x, n)
	case ir.U16:
		return castInteger[uint16](l, x, n)
	case ir.U32:
		return castInteger[uint32](l, x, n)
	case ir.U64, ir.Char8:
		return castInteger[uint64](l, x, n)
	case ir.F32:
		return link1(l, l.room(n), n, x, func(dst []float32, x []T) {
			for i := range dst {
				dst[i] = float32(x[i])
			}
		})
	}
	return link1(l, l.room(n), n, x, func(dst []float64, x []T) {
		for i := range dst {
			dst[i] = float64(x[i])
		}
	})
}

// castInteger keeps the low bits; those of an element of the same size are seen as they are.
func castInteger[R, T integer](l *linker, x *vector[T], n *int) register {
	if unsafe.Sizeof(R(0)) == unsafe.Sizeof(T(0)) {
		return seenAs[R](l, x)
	}
	return link1(l, l.room(n), n, x, func(dst []R, x []T) {
		x = x[:len(dst)]
		for i := range dst {
			dst[i] = R(x[i])
		}
	})
}

// seenAs returns the bits of a vector as elements of another type of the same size.
func seenAs[R, T number](l *linker, x *vector[T]) register {
	if same, ok := any(x).(*vector[R]); ok {
		return same
	}
	dst := &vector[R]{}
	sees(l, dst)
	l.add(func() { dst.rows = unsafe.Slice((*R)(unsafe.Pointer(unsafe.SliceData(x.rows))), len(x.rows)) })
	return dst
}

// pattern links the bits of a float or char8.
func (l *linker) pattern(x register) register {
	switch x := x.(type) {
	case *vector[float32]:
		return seenAs[uint32](l, x)
	case *vector[float64]:
		return seenAs[uint64](l, x)
	}
	return x
}

func castFloat[T float](l *linker, k ir.Kind, x *vector[T], n *int) register {
	switch k.Stored() {
	case ir.U8:
		return truncated[uint8](l, x, n, 0, math.MaxUint8)
	case ir.I8:
		return truncated[int8](l, x, n, math.MinInt8, math.MaxInt8)
	case ir.I16:
		return truncated[int16](l, x, n, math.MinInt16, math.MaxInt16)
	case ir.I32:
		return truncated[int32](l, x, n, math.MinInt32, math.MaxInt32)
	case ir.I64:
		return truncated[int64](l, x, n, math.MinInt64, math.MaxInt64)
	case ir.U16:
		return truncated[uint16](l, x, n, 0, math.MaxUint16)
	case ir.U32:
		return truncated[uint32](l, x, n, 0, math.MaxUint32)
	case ir.U64:
		return truncated[uint64](l, x, n, 0, math.MaxUint64)
	case ir.F32:
		return link1(l, l.room(n), n, x, func(dst []float32, x []T) {
			for i := range dst {
				dst[i] = float32(x[i])
			}
		})
	case ir.F64:
		return link1(l, l.room(n), n, x, func(dst []float64, x []T) {
			for i := range dst {
				dst[i] = float64(x[i])
			}
		})
	}
	l.fail("internal error: no vector form of a cast to %v", k)
	return nil
}

// truncated casts floats to integers: one out of range becomes the nearest, NaN 0.
func truncated[R integer, T float](l *linker, x *vector[T], n *int, low, high R) register {
	limit := float64(high) // what rounds to more is one too many
	return link1(l, l.room(n), n, x, func(dst []R, x []T) {
		for i := range dst {
			f := float64(x[i])
			switch {
			case f > float64(low) && f < limit:
				dst[i] = R(f)
			case f != f:
				dst[i] = 0
			case f >= limit:
				dst[i] = high
			default:
				dst[i] = low
			}
		}
	})
}

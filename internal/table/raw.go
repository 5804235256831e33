package table

import (
	"fmt"
	"unsafe"

	"github.com/kgen-go/kgen/ir"
)

// Bytes returns the elements of c in memory order, without a copy.
func Bytes(c ir.Column) []byte {
	switch s := c.Slice.(type) {
	case []bool:
		return bytesOf(s)
	case []int8:
		return bytesOf(s)
	case []int16:
		return bytesOf(s)
	case []int32:
		return bytesOf(s)
	case []int64:
		return bytesOf(s)
	case []uint8:
		return s
	case []uint16:
		return bytesOf(s)
	case []uint32:
		return bytesOf(s)
	case []uint64:
		return bytesOf(s)
	case []float32:
		return bytesOf(s)
	case []float64:
		return bytesOf(s)
	case [][8]byte:
		return bytesOf(s)
	}
	panic(fmt.Sprintf("table: no columns of %T", c.Slice))
}

// FromBytes returns the column of kind k whose elements data holds in memory
// order, without a copy: data must be aligned for k and stay unchanged.
func FromBytes(k ir.Kind, data []byte) ir.Column {
	c := ir.Column{Kind: k}
	switch k.Stored() {
	case ir.Bool:
		c.Slice = sliceOf[bool](data)
	case ir.I8:
		c.Slice = sliceOf[int8](data)
	case ir.I16:
		c.Slice = sliceOf[int16](data)
	case ir.I32:
		c.Slice = sliceOf[int32](data)
	case ir.I64:
		c.Slice = sliceOf[int64](data)
	case ir.U8:
		c.Slice = data
	case ir.U16:
		c.Slice = sliceOf[uint16](data)
	case ir.U32:
		c.Slice = sliceOf[uint32](data)
	case ir.U64:
		c.Slice = sliceOf[uint64](data)
	case ir.F32:
		c.Slice = sliceOf[float32](data)
	case ir.F64:
		c.Slice = sliceOf[float64](data)
	case ir.Char8:
		c.Slice = sliceOf[[8]byte](data)
	default:
		panic(fmt.Sprintf("table: no columns of %v", k))
	}
	return c
}

func bytesOf[T any](s []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(zero)))
}

func sliceOf[T any](b []byte) []T {
	var zero T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(zero)))
}

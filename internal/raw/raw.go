// Package raw views columns as the bytes that programs exchange.
package raw

import (
	"fmt"
	"unsafe"

	"github.com/kgen-go/kgen/ir"
)

// Bytes returns the elements of c in memory order, without a copy.
func Bytes(c ir.Column) []byte {
	switch s := c.Slice.(type) {
	case []bool:
		return BytesOf(s)
	case []int8:
		return BytesOf(s)
	case []int16:
		return BytesOf(s)
	case []int32:
		return BytesOf(s)
	case []int64:
		return BytesOf(s)
	case []uint8:
		return s
	case []uint16:
		return BytesOf(s)
	case []uint32:
		return BytesOf(s)
	case []uint64:
		return BytesOf(s)
	case []float32:
		return BytesOf(s)
	case []float64:
		return BytesOf(s)
	case [][8]byte:
		return BytesOf(s)
	}
	panic(fmt.Sprintf("raw: no columns of %T", c.Slice))
}

// FromBytes returns the column of kind k whose elements data holds in memory
// order, without a copy: data must be aligned for k and stay unchanged.
func FromBytes(k ir.Kind, data []byte) ir.Column {
	c := ir.Column{Kind: k}
	switch k.Stored() {
	case ir.Bool:
		c.Slice = SliceOf[bool](data)
	case ir.I8:
		c.Slice = SliceOf[int8](data)
	case ir.I16:
		c.Slice = SliceOf[int16](data)
	case ir.I32:
		c.Slice = SliceOf[int32](data)
	case ir.I64:
		c.Slice = SliceOf[int64](data)
	case ir.U8:
		c.Slice = data
	case ir.U16:
		c.Slice = SliceOf[uint16](data)
	case ir.U32:
		c.Slice = SliceOf[uint32](data)
	case ir.U64:
		c.Slice = SliceOf[uint64](data)
	case ir.F32:
		c.Slice = SliceOf[float32](data)
	case ir.F64:
		c.Slice = SliceOf[float64](data)
	case ir.Char8:
		c.Slice = SliceOf[[8]byte](data)
	default:
		panic(fmt.Sprintf("raw: no columns of %v", k))
	}
	return c
}

// BytesOf returns the bytes of a slice, without a copy.
func BytesOf[T any](s []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(zero)))
}

// SliceOf returns the elements that bytes hold, without a copy.
func SliceOf[T any](b []byte) []T {
	var zero T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(zero)))
}

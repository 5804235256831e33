package exec

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/kgen-go/kgen/plan"
)

// Value is a scalar; Bits are as [plan.Kind.Parse] returns them.
type Value struct {
	Kind plan.Kind
	Bits uint64
}

// Bytes returns v as the element of a column.
func (v Value) Bytes() []byte { return encode(v.Kind, v.Bits) }

// ValueOf returns an element of a column as a scalar.
func ValueOf(k plan.Kind, element []byte) Value { return Value{k, decode(k, element)} }

// Column is the elements of a column, in the host's byte order, with char8 as
// its 8 bytes in order and bool as a byte of 0 or 1.
type Column struct {
	Kind     plan.Kind
	Data     []byte
	Resident *Resident // if it is in memory of the device, and Data is nil
}

// Resident is a column in memory of the device.
type Resident struct {
	Memory Memory
	Bytes  int64 // of the column; the memory may be larger
}

// Rows returns the number of rows.
func (c Column) Rows() int64 { return c.Bytes() / int64(c.Kind.Size()) }

// Bytes returns the size of the column.
func (c Column) Bytes() int64 {
	if c.Resident != nil {
		return c.Resident.Bytes
	}
	return int64(len(c.Data))
}

// Inputs are the arguments of a run, by the names of the plan's ports.
type Inputs struct {
	Columns map[string]Column
	Scalars map[string]Value
}

// Result is what a run returns, by the names of the plan's ports.
type Result struct {
	Columns map[string]Column
	Scalars map[string]Value
	Depths  map[string]int64 // depths of the results whose port has one
	Level   string           // of the plan that computed the result, perhaps a fallback
	Peak    int64            // bytes of device memory in use at once, inputs included
	GaveUp  []GiveUpError    // the plans that gave up before, in order
}

// encode returns the element with the value bits.
func encode(k plan.Kind, bits uint64) []byte {
	order := binary.NativeEndian
	switch {
	case k == plan.Char8:
		return binary.BigEndian.AppendUint64(nil, bits)
	case k.Size() == 1:
		return []byte{byte(bits)}
	case k.Size() == 2:
		return order.AppendUint16(nil, uint16(bits))
	case k.Size() == 4:
		return order.AppendUint32(nil, uint32(bits))
	}
	return order.AppendUint64(nil, bits)
}

// decode returns the value of an element.
func decode(k plan.Kind, element []byte) uint64 {
	order := binary.NativeEndian
	switch k {
	case plan.I8:
		return uint64(int64(int8(element[0])))
	case plan.I16:
		return uint64(int64(int16(order.Uint16(element))))
	case plan.I32, plan.Date, plan.Text:
		return uint64(int64(int32(order.Uint32(element))))
	case plan.Char8:
		return binary.BigEndian.Uint64(element)
	}
	switch k.Size() {
	case 1:
		return uint64(element[0])
	case 2:
		return uint64(order.Uint16(element))
	case 4:
		return uint64(order.Uint32(element))
	}
	return order.Uint64(element)
}

// toInt64 widens an integer or bool for use in expressions.
func toInt64(v Value) (int64, error) {
	if v.Kind == plan.U64 && v.Bits > 1<<63-1 {
		return 0, fmt.Errorf("%d: %w", v.Bits, plan.ErrOverflow)
	}
	return int64(v.Bits), nil
}

// alignedBytes returns n bytes that may be viewed as elements of any kind.
func alignedBytes(n int64) []byte {
	if n == 0 {
		return nil
	}
	words := make([]uint64, (n+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), n)
}

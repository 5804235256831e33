package loop

import (
	"fmt"

	"github.com/kgen-go/kgen/ir"
)

// Form says whether a type is one value or memory that holds many.
type Form uint8

// The forms of a type.
const (
	Scalar Form = iota // one value
	Slice              // memory of a length known at run time: a Go slice, a C pointer
	Array              // storage of Len values
	Window             // Len values of a slice, seen through a pointer (profile cores)
	Vector             // Len values that are computed together, lane by lane (profile cores)
)

// Space is the kind of memory that a type of form Slice or Array lives in.
type Space uint8

// The memory spaces. Profile cores knows only Private.
const (
	Private Space = iota
	Local         // shared by a work-group
	Global        // of the device
)

var spaceNames = [...]string{"", "local ", "global "}

// Type is the type of an expression or variable.
type Type struct {
	Kind     ir.Kind // of one value; never a calendar type
	Counter  bool    // counts or numbers rows: an i64 that is spelled int where the target has it
	Form     Form
	Len      int // of form Array, Window and Vector
	Space    Space
	ReadOnly bool // memory that is never stored to
}

// The scalar types used most.
var (
	Counter = Type{Kind: ir.I64, Counter: true}
	Bool    = Type{Kind: ir.Bool}
)

// ScalarOf returns the type of one value of kind k.
func ScalarOf(k ir.Kind) Type { return Type{Kind: k.Stored()} }

// SliceOf returns the type of memory that holds values of t's scalar type.
func SliceOf(t Type) Type { t = t.Elem(); t.Form = Slice; return t }

// ArrayOf returns the type of storage for n values of t's scalar type.
func ArrayOf(n int, t Type) Type { t = t.Elem(); t.Form, t.Len = Array, n; return t }

// VectorOf returns the type of n values of t's scalar type in lanes. Operators on
// vectors of one length work lane by lane, and a vector of bools is a mask.
func VectorOf(n int, t Type) Type { t = t.Elem(); t.Form, t.Len = Vector, n; return t }

// lanewise returns t for each lane of x if that is a vector.
func (t Type) lanewise(x Type) Type {
	if x.Form == Vector {
		return VectorOf(x.Len, t)
	}
	return t
}

// In returns t as memory of space s.
func (t Type) In(s Space) Type { t.Space = s; return t }

// AsReadOnly returns t as memory that is never stored to.
func (t Type) AsReadOnly() Type { t.ReadOnly = true; return t }

// Elem returns the type of one value of t.
func (t Type) Elem() Type { return Type{Kind: t.Kind, Counter: t.Counter} }

// IsMemory reports whether values are loaded from and stored to t by index.
func (t Type) IsMemory() bool { return t.Form != Scalar && t.Form != Vector }

func (t Type) String() string {
	name := t.Kind.String()
	if t.Counter {
		name = "counter"
	}
	switch t.Form {
	case Slice:
		name = "[]" + name
	case Array:
		name = fmt.Sprintf("[%d]%s", t.Len, name)
	case Window:
		name = fmt.Sprintf("*[%d]%s", t.Len, name)
	case Vector:
		name = fmt.Sprintf("%sx%d", name, t.Len)
	}
	name = spaceNames[t.Space] + name
	if t.ReadOnly {
		name = "const " + name
	}
	return name
}

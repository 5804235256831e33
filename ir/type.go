package ir

import (
	"fmt"
	"slices"
	"strings"
)

// Kind is an element type.
type Kind uint8

// The element types. Date is an int32 of days since 1970-01-01 (proleptic Gregorian),
// Timestamp an int64 of microseconds since then, in UTC; Text is an int32, the place of a
// string in the sorted dictionary of all strings of a run; Char8 is 8 bytes, NUL-padded,
// ordered as unsigned bytes. The untyped kinds exist only while a constant waits for its
// context. Pair is the result of join, of which only the fields left and right are values.
// The decimals come last, see [DecimalOf].
const (
	Invalid Kind = iota
	Bool
	I8
	I16
	I32
	I64
	U8
	U16
	U32
	U64
	F32
	F64
	Date
	Timestamp
	Text
	Char8
	UntypedInt
	UntypedFloat
	UntypedString
	Pair
	decimal0
	endOfKinds = decimal0 + MaxScale + 1
)

var kindNames = [...]string{"invalid", "bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64",
	"f32", "f64", "date", "timestamp", "text", "char8", "an integer constant", "a float constant", "a string constant", "join"}

// String returns the name of k in source text, or words for a kind that source
// text cannot name.
func (k Kind) String() string {
	if k.IsDecimal() {
		return fmt.Sprintf("%s(%d)", decimalName, k.Scale())
	}
	if int(k) >= len(kindNames) {
		return fmt.Sprintf("ir.Kind(%d)", uint8(k))
	}
	return kindNames[k]
}

// isElement reports whether columns can be of kind k.
func (k Kind) isElement() bool { return k >= Bool && k <= Char8 || k.IsDecimal() }

// typeNames are the words by which source text calls element types; decimal has its
// scale behind it.
func typeNames() []string { return append(slices.Clone(kindNames[Bool:Char8+1]), decimalName) }

// KindByName returns the element type that source text calls name, such as i32 or
// decimal(2).
func KindByName(name string) (Kind, bool) {
	if scale, ok := strings.CutPrefix(name, decimalName+"("); ok {
		for k := decimal0; k < endOfKinds; k++ {
			if scale == fmt.Sprintf("%d)", k.Scale()) {
				return k, true
			}
		}
	}
	for k := Bool; k <= Char8; k++ {
		if kindNames[k] == name {
			return k, true
		}
	}
	return Invalid, false
}

// IsInteger reports whether k is i8 to u64. The calendar types are not integers.
func (k Kind) IsInteger() bool { return k >= I8 && k <= U64 }

// IsSigned reports whether k is a signed integer.
func (k Kind) IsSigned() bool { return k >= I8 && k <= I64 }

// IsUnsigned reports whether k is an unsigned integer.
func (k Kind) IsUnsigned() bool { return k >= U8 && k <= U64 }

// IsFloat reports whether k is f32 or f64.
func (k Kind) IsFloat() bool { return k == F32 || k == F64 }

// IsNumeric reports whether k is an integer or a float.
func (k Kind) IsNumeric() bool { return k >= I8 && k <= F64 }

// IsCalendar reports whether k is date or timestamp.
func (k Kind) IsCalendar() bool { return k == Date || k == Timestamp }

// Stored returns the integer by which columns of k stand for a date, a timestamp, a
// text or a decimal: the count of its days or microseconds, its place in the dictionary,
// or the unscaled number; other kinds are their own.
func (k Kind) Stored() Kind {
	switch k {
	case Date, Text:
		return I32
	case Timestamp:
		return I64
	}
	if k.IsDecimal() {
		return I64
	}
	return k
}

// IsCoded reports whether columns of k hold integers that stand for something else.
func (k Kind) IsCoded() bool { return k.Stored() != k }

// EqualBits reports whether keys of kind k that are equal have the same bits, so
// that any row of a group has the key of all its rows. Floats do not: -0.0 equals
// 0.0, and a NaN equals every other.
func (k Kind) EqualBits() bool { return !k.IsFloat() }

// IsUntyped reports whether k is the kind of a constant without context.
func (k Kind) IsUntyped() bool { return k >= UntypedInt && k <= UntypedString }

// Size returns the size of an element of k in bytes, in columns of every device.
func (k Kind) Size() int {
	switch k {
	case Bool, I8, U8:
		return 1
	case I16, U16:
		return 2
	case I32, U32, F32, Date, Text:
		return 4
	case I64, U64, F64, Timestamp, Char8:
		return 8
	}
	if k.IsDecimal() {
		return 8
	}
	panic(fmt.Sprintf("ir: %v has no size", k))
}

// DomainKind says which operator made a domain.
type DomainKind uint8

// The origins of a domain.
const (
	DomainParam  DomainKind = iota // declared by a parameter, as [n]
	DomainMask                     // rows of Parent where By (a bool column) is true
	DomainRuns                     // By = runs(keys): a row per run of equal neighbours of Parent
	DomainStarts                   // By = starts(mask)
	DomainGroups                   // By = groups(keys): a row per distinct key, ascending
	DomainBins                     // By = bins(i, size): size rows
	DomainRepeat                   // By = repeat(length): the expansion of Parent
	DomainOrder                    // By = order(keys): at most limit rows of Parent
	DomainJoin                     // By = join(left, right): matching pairs
	DomainEither                   // the rows of one domain or of another, which only the compiler makes
	DomainWords                    // Width words for each row of Parent, side by side, which only the compiler makes
	DomainEvery                    // a row for each Width rows of Parent, or fewer at its end, which only the compiler makes
)

// Domain is a set of rows with an identity; its length is known at run time.
// Columns combine element by element only over the same *Domain.
type Domain struct {
	ID     int // position in Pipeline.Domains
	Kind   DomainKind
	Name   string  // for messages: the parameter's letter, or the statement that made it
	By     *Value  // the value that made it; nil for DomainParam
	Width  int     // of DomainWords and DomainEvery
	Room   int64   // of DomainMask: rows may lie in any order, and those that are more are not stored; 0 if all are, in order
	Parent *Domain // the domain whose rows By reads, of a join those of its left key; nil for DomainParam and, unless none of them is empty, DomainBins
}

// Ordered reports whether the order of the domain's rows is part of the
// meaning on every device without a sort (it is for all but groups).
func (d *Domain) Ordered() bool { return d.Kind != DomainGroups }

// String returns the name of d, or "scalar" if d is nil.
func (d *Domain) String() string {
	if d == nil {
		return "scalar"
	}
	return d.Name
}

// Type is the type of a value: a scalar of Kind where Domain is nil, else a
// column over Domain. Target is set on index columns: i64 values known to be
// rows of Target.
type Type struct {
	Kind   Kind
	Domain *Domain
	Target *Domain
}

// IsScalar reports whether t is no column.
func (t Type) IsScalar() bool { return t.Domain == nil }

// String returns t as in [n]i32, or [n]→m for an index column.
func (t Type) String() string {
	s := t.Kind.String()
	if t.Target != nil {
		s = "→" + t.Target.String()
	}
	if t.Domain != nil {
		s = "[" + t.Domain.String() + "]" + s
	}
	return s
}

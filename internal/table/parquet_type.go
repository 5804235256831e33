package table

import (
	"fmt"
	"strings"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// valueClass is what the values of a file's column mean.
type valueClass uint8

const (
	classOther valueClass = iota // nothing that a kind could hold
	classSigned
	classUnsigned
	classFloat
	classBool
	classDate
	classTimestamp
	classText
	classDecimal
)

// maxDecimalScale is the largest scale of a DECIMAL of 256 bits.
const maxDecimalScale = 76

// classify returns the class of a column, and the scale of a DECIMAL or the digits of the
// second of a TIMESTAMP.
func classify(e *format.SchemaElement) (class valueClass, scale int) {
	if e.NumChildren.V > 0 || !e.Type.Valid || e.RepetitionType.V == format.Repeated {
		return classOther, 0
	}
	switch t := e.LogicalType.Value.(type) {
	case nil:
		if e.ConvertedType.Valid {
			class, scale = classifyConverted(e)
		} else {
			class = classifyPhysical(e.Type.V)
		}
	case *format.StringType, *format.EnumType:
		class = classText
	case *format.DateType:
		class = classDate
	case *format.TimestampType:
		class, scale = classTimestamp, digitsOf(t.Unit)
	case *format.IntType:
		if class = classUnsigned; t.IsSigned {
			class = classSigned
		}
	case *format.DecimalType:
		class, scale = classDecimal, int(t.Scale)
	}
	if !class.storedAs(e.Type.V) || scale < 0 || scale > maxDecimalScale {
		return classOther, 0
	}
	if e.TypeLength.V < 0 {
		return classOther, 0
	}
	return class, scale
}

// digitsOf returns the digits of a second that a unit of time has.
func digitsOf(unit format.TimeUnit) int {
	switch unit.Value.(type) {
	case *format.MilliSeconds:
		return 3
	case *format.MicroSeconds:
		return 6
	case *format.NanoSeconds:
		return 9
	}
	return -1
}

// classifyConverted reads the annotation of older files.
func classifyConverted(e *format.SchemaElement) (valueClass, int) {
	switch e.ConvertedType.V {
	case deprecated.UTF8, deprecated.Enum:
		return classText, 0
	case deprecated.Date:
		return classDate, 0
	case deprecated.TimestampMillis:
		return classTimestamp, 3
	case deprecated.TimestampMicros:
		return classTimestamp, 6
	case deprecated.Decimal:
		return classDecimal, int(e.Scale.V)
	case deprecated.Int8, deprecated.Int16, deprecated.Int32, deprecated.Int64:
		return classSigned, 0
	case deprecated.Uint8, deprecated.Uint16, deprecated.Uint32, deprecated.Uint64:
		return classUnsigned, 0
	}
	return classOther, 0
}

func classifyPhysical(t format.Type) valueClass {
	switch t {
	case format.Boolean:
		return classBool
	case format.Int32, format.Int64:
		return classSigned
	case format.Float, format.Double:
		return classFloat
	case format.Int96:
		return classTimestamp
	case format.ByteArray, format.FixedLenByteArray:
		return classText
	}
	return classOther
}

// storedAs reports whether the format lets values of c be stored as t.
func (c valueClass) storedAs(t format.Type) bool {
	integer := t == format.Int32 || t == format.Int64
	array := t == format.ByteArray || t == format.FixedLenByteArray
	switch c {
	case classSigned, classUnsigned:
		return integer
	case classFloat:
		return t == format.Float || t == format.Double
	case classBool:
		return t == format.Boolean
	case classDate:
		return t == format.Int32
	case classTimestamp:
		return t == format.Int64 || t == format.Int96
	case classText:
		return array
	case classDecimal:
		return integer || array
	}
	return false
}

// convertedNames names the annotations of older files that no kind holds.
var convertedNames = map[deprecated.ConvertedType]string{
	deprecated.UTF8: "STRING", deprecated.Map: "MAP", deprecated.MapKeyValue: "MAP", deprecated.List: "LIST", deprecated.Enum: "ENUM",
	deprecated.Decimal: "DECIMAL", deprecated.Date: "DATE", deprecated.TimeMillis: "TIME_MILLIS", deprecated.TimeMicros: "TIME_MICROS",
	deprecated.TimestampMillis: "TIMESTAMP_MILLIS", deprecated.TimestampMicros: "TIMESTAMP_MICROS", deprecated.Json: "JSON",
	deprecated.Bson: "BSON", deprecated.Interval: "INTERVAL",
}

// typeName names a column's type as the format's documents do.
func typeName(e *format.SchemaElement) string {
	var name string
	switch {
	case e.LogicalType.Value != nil:
		name = e.LogicalType.String()
	case e.ConvertedType.Valid:
		name = convertedNames[e.ConvertedType.V]
	}
	switch {
	case e.NumChildren.V > 0 || !e.Type.Valid:
		if name == "" {
			name = "GROUP"
		}
		name += ", which is nested"
	case name == "":
		name = physicalName(e)
	default:
		name += " (" + physicalName(e) + ")"
	}
	if e.RepetitionType.V == format.Repeated {
		name = "repeated " + name
	}
	return name
}

func physicalName(e *format.SchemaElement) string {
	name := strings.ToUpper(e.Type.V.String())
	if e.Type.V == format.FixedLenByteArray {
		name += fmt.Sprintf("(%d)", e.TypeLength.V)
	}
	return name
}

package kgen

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"time"
	"unsafe"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Args are arguments by the names of parameters.
//
// For a column: a slice of its [Element] type, a *Column of the device, or []string for texts,
// char8, and a bool that tells whether a text is like a pattern. A column that tells which rows of another have a value may be left out if all
// do. For a scalar: a Go value that the kind holds exactly, a string for text and char8, or
// a [time.Time] for date and timestamp. Scalars with a default may be left out.
type Args map[string]any

// storedKinds are the kinds as which elements of Go types are stored.
var storedKinds = map[reflect.Kind]ir.Kind{
	reflect.Bool: ir.Bool, reflect.Int8: ir.I8, reflect.Int16: ir.I16, reflect.Int32: ir.I32, reflect.Int64: ir.I64,
	reflect.Uint8: ir.U8, reflect.Uint16: ir.U16, reflect.Uint32: ir.U32, reflect.Uint64: ir.U64, reflect.Float32: ir.F32, reflect.Float64: ir.F64,
}

var char8Type = reflect.TypeFor[[8]byte]()

// kindOfType returns the kind as which elements of a Go type are stored.
func kindOfType(t reflect.Type) (ir.Kind, bool) {
	if t.Kind() == reflect.Array && t.Len() == 8 && t.Elem().Kind() == reflect.Uint8 {
		return ir.Char8, true
	}
	kind, ok := storedKinds[t.Kind()]
	return kind, ok
}

// binding makes the columns of a call from its arguments.
type binding struct {
	program *Program
	device  *Device
	args    Args
	coded   bool   // texts are places already
	texts   *Texts // the dictionary of the call, once it is known; nil if they are places already
	rows    []domainRows
}

// domainRows are the rows of a domain.
type domainRows struct {
	domain *ir.Domain
	rows   int64
}

// rowsOf returns the rows of a domain, if they are known.
func (b *binding) rowsOf(d *ir.Domain) (rows int64, known bool) {
	for _, r := range b.rows {
		if r.domain == d {
			return r.rows, true
		}
	}
	return 0, false
}

// bind returns a column for each parameter.
func (p *Program) bind(d *Device, args Args, coded bool) (*binding, []exec.Column, error) {
	b := &binding{program: p, device: d, args: args, coded: coded}
	declared := p.pipeline.Declared()
	if coded {
		declared = p.pipeline.Params
	}
	var unknown []string
	for name := range args {
		if !slices.ContainsFunc(declared, func(v *ir.Value) bool { return v.Name == name }) {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) > 0 {
		var names []string
		for _, v := range declared {
			names = append(names, v.Name)
		}
		return nil, nil, &ArgumentError{slices.Min(unknown), fmt.Sprintf("pipeline %s has no such parameter; it has %v", p.pipeline.Name, names)}
	}
	if !coded {
		if err := b.findTexts(); err != nil {
			return nil, nil, err
		}
	}
	columns := make([]exec.Column, len(p.pipeline.Params))
	for i, v := range p.pipeline.Params {
		var problem error
		switch {
		case v.Type.IsScalar():
			columns[i].Data, problem = b.scalar(v)
		case b.args[v.Name] == nil && v.Present != nil:
			continue // when the rows are known
		default:
			columns[i], problem = b.column(v)
		}
		var gone *ColumnError
		switch {
		case errors.As(problem, &gone):
			return nil, nil, fmt.Errorf("%s: %w", v.Name, problem)
		case problem != nil:
			return nil, nil, &ArgumentError{v.Name, problem.Error()}
		}
		columns[i].Kind = plan.Kind(v.Type.Kind.String())
	}
	for i, v := range p.pipeline.Params {
		if !v.Type.IsScalar() && v.Present != nil && b.args[v.Name] == nil {
			rows, _ := b.rowsOf(v.Type.Domain)
			all := make([]bool, rows)
			for row := range all {
				all[row] = true
			}
			columns[i] = exec.Column{Kind: plan.Bool, Data: raw.BytesOf(all)}
		}
	}
	return b, columns, nil
}

// findTexts finds the dictionary of the call: that of its columns, or else one of all its
// strings.
func (b *binding) findTexts() error {
	var all [][]string
	for _, v := range b.program.pipeline.Declared() {
		if v.Type.Kind != ir.Text {
			continue
		}
		switch given := b.args[v.Name].(type) {
		case *Column:
			if given == nil || given.texts == nil || given.texts == b.texts {
				continue
			}
			if b.texts != nil {
				return &ArgumentError{v.Name, "its dictionary is not that of the other texts of the call"}
			}
			b.texts = given.texts
		case []string:
			all = append(all, given)
		case string:
			all = append(all, []string{given})
		}
	}
	if b.texts == nil {
		b.texts = NewTexts(append(all, b.program.Texts())...)
	}
	return nil
}

// column returns the column of a parameter.
func (b *binding) column(v *ir.Value) (exec.Column, error) {
	content, err := b.content(v)
	if err != nil {
		return content, err
	}
	rows := content.Bytes() / int64(v.Type.Kind.Size())
	known, ok := b.rowsOf(v.Type.Domain)
	if ok && known != rows {
		return content, fmt.Errorf("%d rows; other columns over %v have %d", rows, v.Type.Domain, known)
	}
	if !ok {
		b.rows = append(b.rows, domainRows{v.Type.Domain, rows})
	}
	return content, nil
}

func (b *binding) content(v *ir.Value) (exec.Column, error) {
	kind := v.Type.Kind
	given, ok := b.args[v.Name]
	if !ok || given == nil {
		return exec.Column{}, fmt.Errorf("a column of %v is missing", kind)
	}
	switch given := given.(type) {
	case *Column:
		return given.argument(b.device, kind, b.coded)
	case []string:
		switch {
		case v.Like != nil:
			column := make([]bool, len(given))
			for i, text := range given {
				column[i] = v.Like.Matches(text)
			}
			return exec.Column{Data: raw.BytesOf(column)}, nil
		case kind == ir.Text && !b.coded:
			codes := make([]int32, len(given))
			err := b.texts.codes(given, codes)
			return exec.Column{Data: raw.BytesOf(codes)}, err
		case kind == ir.Char8:
			column := make([][8]byte, len(given))
			for i, text := range given {
				if copy(column[i][:], text) < len(text) {
					return exec.Column{}, fmt.Errorf("row %d: %q has more than 8 bytes", i, text)
				}
			}
			return exec.Column{Data: raw.BytesOf(column)}, nil
		}
	}
	slice := reflect.ValueOf(given)
	if slice.Kind() == reflect.Slice && (kind != ir.Text || b.coded) {
		if stored, known := kindOfType(slice.Type().Elem()); known && stored == kind.Stored() {
			return exec.Column{Data: bytesOfSlice(slice)}, nil
		}
	}
	return exec.Column{}, fmt.Errorf("a %T is given; a column of %v takes a *kgen.Column or %s", given, kind, b.goSlice(kind))
}

// argument returns the content of c for a parameter.
func (c *Column) argument(d *Device, kind ir.Kind, coded bool) (exec.Column, error) {
	switch {
	case c == nil:
		return exec.Column{}, fmt.Errorf("the *kgen.Column is nil; a column of %v is needed", kind)
	case c.stored != kind.Stored() || c.kind != ir.Invalid && c.kind != kind:
		return exec.Column{}, fmt.Errorf("the column is of %v; one of %v is needed", c.Kind(), kind)
	case kind == ir.Text && c.texts == nil && !coded:
		return exec.Column{}, fmt.Errorf("the column has no dictionary; kgen.UploadTexts gives it one")
	case c.device != nil && c.device != d:
		return exec.Column{}, fmt.Errorf("the column lies on %s and the program runs on %s: read it, or upload it there", c.device.name, d.name)
	}
	return c.content, c.usable()
}

func bytesOfSlice(slice reflect.Value) []byte {
	if slice.Len() == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(slice.UnsafePointer()), slice.Len()*int(slice.Type().Elem().Size()))
}

// goSlice names the Go type of a column.
func (b *binding) goSlice(kind ir.Kind) string {
	if kind == ir.Text && !b.coded {
		return "[]string"
	}
	return fmt.Sprintf("%T", ir.NewColumn(kind, 0).Slice)
}

// scalar returns the element of a scalar parameter.
func (b *binding) scalar(v *ir.Value) ([]byte, error) {
	kind := v.Type.Kind
	given := b.args[v.Name]
	if kind == ir.Text && !b.coded {
		text, ok := given.(string)
		switch {
		case given == nil && v.Literal != nil:
			text = *v.Literal
		case !ok:
			return nil, fmt.Errorf("a %T is given; a scalar of text takes a string", given)
		}
		code, err := b.texts.code(text)
		return element(ir.Int(ir.Text, int64(code))), err
	}
	if given == nil {
		if v.Const.Kind == ir.Invalid || kind == ir.Text {
			return nil, fmt.Errorf("a scalar of %v is missing", kind)
		}
		return element(v.Const), nil
	}
	s, ok := scalarOf(kind, given)
	if !ok {
		return nil, fmt.Errorf("%v (%T) is given, which a scalar of %v does not hold", given, given, kind)
	}
	return element(s), nil
}

// scalarOf returns a Go value as a scalar, if the kind holds it exactly.
func scalarOf(kind ir.Kind, given any) (ir.Scalar, bool) {
	switch given := given.(type) {
	case time.Time:
		const day = int64(24 * time.Hour / time.Microsecond)
		switch micros := given.UnixMicro(); {
		case kind == ir.Timestamp:
			return ir.Int(kind, micros), true
		case kind == ir.Date && micros%day == 0:
			return ir.Int(kind, micros/day), true
		}
		return ir.Scalar{}, false
	case string:
		if kind != ir.Char8 || len(given) > 8 {
			return ir.Scalar{}, false
		}
		return ir.Char8Scalar(given), true
	case ir.Scalar:
		return given, given.Kind == kind
	}
	value, stored := reflect.ValueOf(given), kind.Stored()
	switch {
	case stored == ir.Bool && value.Kind() == reflect.Bool:
		return ir.BoolScalar(value.Bool()), true
	case stored == ir.Char8 && value.Kind() == reflect.Array && value.Type().ConvertibleTo(char8Type):
		bytes := value.Convert(char8Type).Interface().([8]byte)
		return ir.Scalar{Kind: kind, Bits: binary.BigEndian.Uint64(bytes[:])}, true
	case stored.IsFloat() && value.CanFloat():
		s := ir.Float(kind, value.Float())
		return s, s.Float64() == value.Float() || math.IsNaN(value.Float())
	case stored.IsFloat() && value.CanInt():
		s := ir.Float(kind, float64(value.Int()))
		return s, int64(s.Float64()) == value.Int()
	case stored == ir.U64 && value.CanUint():
		return ir.Scalar{Kind: kind, Bits: value.Uint()}, true
	case stored.IsInteger() && value.CanUint():
		s := ir.Int(kind, int64(value.Uint()))
		return s, value.Uint() <= math.MaxInt64 && s.Int64() == int64(value.Uint())
	case stored.IsInteger() && value.CanInt():
		s := ir.Int(kind, value.Int())
		return s, s.Int64() == value.Int() && (stored.IsSigned() || value.Int() >= 0)
	}
	return ir.Scalar{}, false
}

// element returns a scalar as a column of one row.
func element(s ir.Scalar) []byte {
	return exec.Value{Kind: plan.Kind(s.Kind.Stored().String()), Bits: s.Bits}.Bytes()
}

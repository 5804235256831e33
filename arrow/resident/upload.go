package resident

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/kgen-go/kgen"
	kgenarrow "github.com/kgen-go/kgen/arrow"
	"github.com/kgen-go/kgen/ir"
)

// Source returns a column by its name.
type Source func(name string) kgenarrow.Column

// FromRecord is the source of a record.
func FromRecord(r arrow.RecordBatch) Source {
	return func(name string) kgenarrow.Column { return kgenarrow.RecordColumn(r, name) }
}

// FromTable is the source of a table.
func FromTable(t arrow.Table) Source {
	return func(name string) kgenarrow.Column { return kgenarrow.TableColumn(t, name) }
}

// Columns are columns on a device.
type Columns struct {
	names   func(parameter string) string
	texts   *kgen.Texts
	columns map[form]*kgen.Column
}

// form is what a parameter needs: a column of the source, of some kind.
type form struct {
	column  string
	kind    ir.Kind
	present bool   // which rows have a value
	missing string // the value of the others, if they may be missing
	like    string // the pattern in quotes, if the column is to be compared with one
}

// Option is an option of [Upload].
type Option func(*options)

type options struct {
	names map[string]string
	texts []string
}

// Bind has a parameter take the column of another name.
func Bind(parameter, column string) Option {
	return func(o *options) { o.names[parameter] = column }
}

// Texts adds strings to the dictionary: scalar arguments of calls, if they are not among
// those of the columns.
func Texts(list ...string) Option {
	return func(o *options) { o.texts = append(o.texts, list...) }
}

// Upload copies the columns that parameters of some programs name to a device, each once,
// and makes one dictionary of all their texts. A column that lacks values, for a parameter
// without missing, is a [kgenarrow.ValueError].
func Upload(ctx context.Context, d *kgen.Device, from Source, programs []*kgen.Program, given ...Option) (*Columns, error) {
	o := options{names: map[string]string{}}
	for _, option := range given {
		option(&o)
	}
	c := &Columns{columns: map[form]*kgen.Column{}, names: func(parameter string) string {
		if column, bound := o.names[parameter]; bound {
			return column
		}
		return parameter
	}}
	texts := [][]string{o.texts}
	for _, p := range programs {
		texts = append(texts, p.Texts())
		for _, v := range columnsOf(p) {
			if v.Type.Kind != ir.Text {
				continue
			}
			list, err := kgenarrow.Dictionary(from(c.names(v.Name)))
			if err != nil {
				return nil, fmt.Errorf("parameter %s of %s: %w", v.Name, p.Pipeline().Name, err)
			}
			texts = append(texts, list)
		}
	}
	c.texts = kgen.NewTexts(texts...)
	for _, p := range programs {
		for _, v := range columnsOf(p) {
			f := c.form(v)
			if c.columns[f] != nil {
				continue
			}
			column, err := c.upload(ctx, d, from(f.column), v)
			if err != nil {
				c.Free()
				return nil, fmt.Errorf("parameter %s of %s: %w", v.Name, p.Pipeline().Name, err)
			}
			c.columns[f] = column
		}
	}
	return c, nil
}

// Args returns the columns that a program takes, one of those of [Upload], with arguments
// for its other parameters.
func (c *Columns) Args(p *kgen.Program, others kgen.Args) kgen.Args {
	args := kgen.Args{}
	for _, v := range columnsOf(p) {
		if column := c.columns[c.form(v)]; column != nil {
			args[v.Name] = column
		}
	}
	maps.Copy(args, others)
	return args
}

// Texts returns the dictionary.
func (c *Columns) Texts() *kgen.Texts { return c.texts }

// Free frees the columns.
func (c *Columns) Free() {
	for _, column := range c.columns {
		column.Free()
	}
}

// columnsOf returns the parameters of a program that are columns.
func columnsOf(p *kgen.Program) (list []*ir.Value) {
	for _, v := range p.Pipeline().Declared() {
		if !v.Type.IsScalar() {
			list = append(list, v)
		}
	}
	return list
}

func (c *Columns) form(v *ir.Value) form {
	if v.Present != nil {
		return form{column: c.names(v.Present.Name), kind: ir.Bool, present: true}
	}
	f := form{column: c.names(v.Name), kind: v.Type.Kind}
	if v.Like != nil {
		f.like = fmt.Sprintf("%q", *v.Like)
	}
	switch {
	case v.Literal != nil:
		f.missing = fmt.Sprintf("%q", *v.Literal)
	case v.Missing.Kind != ir.Invalid:
		f.missing = fmt.Sprint(v.Missing.Bits)
	}
	return f
}

// upload copies the column of a parameter.
func (c *Columns) upload(ctx context.Context, d *kgen.Device, from kgenarrow.Column, v *ir.Value) (*kgen.Column, error) {
	u := uploading{ctx, d, from, v}
	if v.Present != nil {
		return kgen.Fill(ctx, d, from.Rows(), func(rows []bool) error {
			_, err := kgenarrow.Present(from, kgenarrow.Into(rows))
			return err
		})
	}
	if v.Like != nil {
		return fill(u, func(from kgenarrow.Column, options ...kgenarrow.Option[bool]) ([]bool, error) {
			return kgenarrow.Matches(from, v.Like.Matches, options...)
		}, ir.Scalar.IsTrue)
	}
	switch kind := v.Type.Kind; kind {
	case ir.I8:
		return number[int8](u)
	case ir.I16:
		return number[int16](u)
	case ir.I32:
		return number[int32](u)
	case ir.I64:
		return number[int64](u)
	case ir.U8:
		return number[uint8](u)
	case ir.U16:
		return number[uint16](u)
	case ir.U32:
		return number[uint32](u)
	case ir.U64:
		return number[uint64](u)
	case ir.F32:
		return fill(u, kgenarrow.Numbers[float32], func(s ir.Scalar) float32 { return float32(s.Float64()) })
	case ir.F64:
		return fill(u, kgenarrow.Numbers[float64], ir.Scalar.Float64)
	case ir.Bool:
		return fill(u, kgenarrow.Bools, func(s ir.Scalar) bool { return s.Bits != 0 })
	case ir.Date:
		return fill(u, kgenarrow.Dates, integer[int32])
	case ir.Timestamp:
		return fill(u, kgenarrow.Timestamps, integer[int64])
	case ir.Char8:
		return fill(u, kgenarrow.Char8s, func(s ir.Scalar) (value [8]byte) {
			binary.BigEndian.PutUint64(value[:], s.Bits)
			return value
		})
	case ir.Text:
		return kgen.FillTexts(ctx, d, c.texts, from.Rows(), u.codes(c.texts))
	default: // a decimal
		return fill(u, func(from kgenarrow.Column, options ...kgenarrow.Option[int64]) ([]int64, error) {
			return kgenarrow.Decimals(from, kind.Scale(), options...)
		}, integer[int64])
	}
}

// uploading is the upload of a column for a parameter.
type uploading struct {
	ctx  context.Context
	on   *kgen.Device
	from kgenarrow.Column
	v    *ir.Value
}

func integer[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](s ir.Scalar) T {
	return T(s.Int64())
}

func number[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](u uploading) (*kgen.Column, error) {
	return fill(u, kgenarrow.Numbers[T], integer[T])
}

// fill has the column read to where the device takes it from.
func fill[T kgen.Element](u uploading, read func(kgenarrow.Column, ...kgenarrow.Option[T]) ([]T, error), missing func(ir.Scalar) T) (*kgen.Column, error) {
	return kgen.Fill(u.ctx, u.on, u.from.Rows(), func(rows []T) error {
		options := []kgenarrow.Option[T]{kgenarrow.Into(rows)}
		if u.v.Missing.Kind != ir.Invalid {
			options = append(options, kgenarrow.Missing(missing(u.v.Missing)))
		}
		_, err := read(u.from, options...)
		return err
	})
}

func (u uploading) codes(texts *kgen.Texts) func([]int32) error {
	return func(rows []int32) error {
		options := []kgenarrow.Option[int32]{kgenarrow.Into(rows)}
		if u.v.Literal != nil {
			code, _ := texts.Code(*u.v.Literal) // which a program's texts have
			options = append(options, kgenarrow.Missing(code))
		}
		_, err := kgenarrow.Codes(u.from, texts, options...)
		return err
	}
}

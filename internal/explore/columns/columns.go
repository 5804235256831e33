// Package columns generates the columns of any pipeline: from a relation that has
// columns of these names, such as TPC-H's lineitem, by a distribution, or by how the
// pipeline uses them, so that its checks pass.
package columns

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"unsafe"

	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/internal/table"
	"github.com/kgen-go/kgen/internal/table/generate"
	"github.com/kgen-go/kgen/ir"
)

// Request is what Make needs beside a Spec.
type Request struct {
	Pipeline *ir.Pipeline
	Rows     func(d *ir.Domain) int64             // of each domain of a parameter
	Scalar   func(v *ir.Value) (ir.Scalar, error) // the value of a scalar parameter of which the spec says nothing
	New      func(bytes int64) ([]byte, error)    // memory for a column
	Seed     uint64
	Progress func(done, total int64) // values; may be nil
}

// Make returns a column for each parameter; a scalar is a column of one row.
// Equal requests give equal columns on every machine.
func (s *Spec) Make(ctx context.Context, r Request) ([]ir.Column, error) {
	if err := s.check(r.Pipeline); err != nil {
		return nil, err
	}
	m := maker{Request: r, spec: s, texts: &table.Texts{}, rows: map[*ir.Domain]int64{}, scalars: map[*ir.Value]ir.Scalar{}}
	columns := make([]ir.Column, len(r.Pipeline.Params))
	for i, v := range r.Pipeline.Params {
		if v.Type.IsScalar() {
			value, err := m.scalar(v)
			if err != nil {
				return nil, err
			}
			columns[i] = ir.NewColumn(v.Type.Kind, 1)
			columns[i].Set(0, value)
			m.scalars[v] = value
		}
	}
	sources, err := m.sources()
	if err != nil {
		return nil, err
	}
	for i, v := range r.Pipeline.Params {
		if d := v.Type.Domain; d != nil {
			if columns[i], err = m.room(v.Type.Kind, m.rows[d]); err != nil {
				return nil, err
			}
		}
	}
	for d, s := range sources {
		if err := m.stream(ctx, s, m.rows[d], columns); err != nil {
			return nil, err
		}
	}
	for i, v := range r.Pipeline.Params {
		if d := v.Type.Domain; d != nil && (sources[d] == nil || !slices.Contains(sources[d].into, i)) {
			if err := m.column(ctx, v, columns[i]); err != nil {
				return nil, fmt.Errorf("column %s: %w", v.Name, err)
			}
		}
	}
	m.texts.Finish(columns)
	return columns, nil
}

type maker struct {
	Request
	spec    *Spec
	texts   *table.Texts
	rows    map[*ir.Domain]int64
	scalars map[*ir.Value]ir.Scalar
	done    int64
}

// of returns how a parameter is generated; nil is by its use.
func (m *maker) of(v *ir.Value) *part {
	p := m.spec.all
	if own := m.spec.params[v.Name].part; own != nil {
		p = own
	}
	if p != nil && p.kind == Automatic && p.share == 1 {
		return nil
	}
	return p
}

// scalar returns the value of a scalar parameter.
func (m *maker) scalar(v *ir.Value) (ir.Scalar, error) {
	own, given := m.spec.params[v.Name]
	if v.Type.Kind == ir.Text {
		text := own.text
		if v.Hidden || !given {
			if v.Literal == nil {
				return ir.Scalar{}, fmt.Errorf("parameter %s of %s is not given: add +%[1]s=TEXT", v.Name, m.Pipeline.Name)
			}
			text = *v.Literal
		}
		code, err := m.texts.Code(text)
		return ir.Int(ir.Text, int64(code)), err
	}
	if !given {
		return m.Scalar(v)
	}
	value, err := table.ParseScalar(v.Type.Kind, own.text)
	if err != nil {
		err = fmt.Errorf("%s: %s: %w", m.spec, v.Name, err)
	}
	return value, err
}

func (m *maker) tell(values int64) {
	m.done += values
	if m.Progress != nil {
		total := int64(0)
		for _, v := range m.Pipeline.Params {
			if v.Type.Domain != nil {
				total += m.rows[v.Type.Domain]
			}
		}
		m.Progress(m.done, total)
	}
}

func (m *maker) room(k ir.Kind, rows int64) (ir.Column, error) {
	data, err := m.New(rows * int64(k.Size()))
	if err != nil {
		return ir.Column{}, err
	}
	return raw.FromBytes(k, data), nil
}

// column generates one column: whole numbers, of which values of its kind are made.
func (m *maker) column(ctx context.Context, v *ir.Value, column ir.Column) error {
	rows := m.rows[v.Type.Domain]
	if rows == 0 {
		return nil
	}
	p := m.of(v)
	if p == nil || p.kind == Automatic || isRelation(p.kind) {
		p = m.byUse(v)
	}
	name := fnv.New64a()
	name.Write([]byte(v.Name))
	o := generate.IntsOptions{Rows: rows, Names: []string{"x"}, Kind: integerOf(v.Type.Kind), Distribution: p.kind, Min: p.min, Max: p.max,
		Values: p.values, S: p.s, Sorted: p.sorted, Seed: m.Seed ^ name.Sum64()}
	if p.kind == generate.Repeated {
		o.MeanRun = min(p.meanRun, rows)
	}
	if p.max == nil && p.values == 0 && (p.kind == generate.Uniform || p.kind == generate.Zipf) {
		o.Values = usualValues(v.Type.Kind)
	}
	g, err := generate.Ints(o)
	if err != nil {
		return err
	}
	at := int64(0)
	return g.Stream(ctx, generate.Workers(), func(batch []ir.Column) error {
		n := int64(batch[0].Len())
		if v.Type.Kind == ir.Text {
			if err := m.words(column, at, batch[0]); err != nil {
				return err
			}
		} else {
			convert(column, at, batch[0])
		}
		at += n
		m.tell(n)
		return nil
	})
}

// words stores the texts that a batch of whole numbers stands for, from row at on.
func (m *maker) words(into ir.Column, at int64, batch ir.Column) error {
	out := into.Slice.([]int32)[at:]
	for i, x := range view[uint64](batch) {
		code, err := m.texts.Code(string(letters(x)))
		if err != nil {
			return err
		}
		out[i] = code
	}
	return nil
}

// letters writes a number in letters.
func letters(x uint64) (list []byte) {
	for ; x > 0 || len(list) == 0; x /= 26 {
		list = append(list, 'a'+byte(x%26))
	}
	slices.Reverse(list)
	return list
}

// usualValues is how many values a column has of which nothing is said.
func usualValues(k ir.Kind) int64 {
	switch {
	case k == ir.Bool:
		return 2
	case k == ir.Date:
		return 2557 // days of seven years
	case k == ir.Char8, k == ir.Text:
		return 26 * 26
	case k.Size() == 1:
		return 100
	case k.IsFloat(), k.IsDecimal():
		return 100_000
	}
	return 1000
}

// Middle returns a scalar that half of the values of a column are below of which nothing is said.
func Middle(k ir.Kind) ir.Scalar {
	column, batch := ir.NewColumn(k, 1), ir.NewColumn(integerOf(k), 1)
	batch.Set(0, ir.Int(batch.Kind, usualValues(k)/2))
	convert(column, 0, batch)
	return column.At(0)
}

// integerOf is the integer type whose numbers stand for values of a kind.
func integerOf(k ir.Kind) ir.Kind {
	switch {
	case k.IsInteger():
		return k
	case k == ir.Bool:
		return ir.U8
	case k == ir.Char8, k == ir.Text:
		return ir.U64
	case k.Size() == 4:
		return ir.I32
	}
	return ir.I64
}

// view returns the elements of a column.
func view[T any](c ir.Column) []T {
	data := raw.Bytes(c)
	var zero T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(data))), len(data)/int(unsafe.Sizeof(zero)))
}

// convert stores what a batch of whole numbers stands for, from row at on.
func convert(into ir.Column, at int64, batch ir.Column) {
	switch k := into.Kind; {
	case k == ir.F32:
		out := view[float32](into)[at:]
		for i, x := range view[int32](batch) {
			out[i] = float32(x) / 64 // sums of not too many are exact
		}
	case k == ir.F64:
		out := view[float64](into)[at:]
		for i, x := range view[int64](batch) {
			out[i] = float64(x) / 64
		}
	case k == ir.Bool:
		out := view[uint8](into)[at:]
		for i, x := range view[uint8](batch) {
			out[i] = x & 1
		}
	case k == ir.Date:
		const day1992 = 8035
		out := view[int32](into)[at:]
		for i, x := range view[int32](batch) {
			out[i] = x + day1992
		}
	case k == ir.Timestamp:
		const day2024, second = 19723 * 86400, 1_000_000
		out := view[int64](into)[at:]
		for i, x := range view[int64](batch) {
			out[i] = (day2024 + x) * second
		}
	case k == ir.Char8:
		for i, x := range view[uint64](batch) {
			word := letters(x)
			into.Set(int(at)+i, ir.Char8Scalar(string(word[:min(len(word), 8)])))
		}
	default:
		copy(raw.Bytes(into)[at*int64(k.Size()):], raw.Bytes(batch))
	}
}

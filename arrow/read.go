package kgenarrow

import (
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// reader reads a row of an array.
type reader[T any] func(row int) (T, error)

// errNull is returned for a row without a value.
var errNull = errors.New("the value is NULL")

// kind is how arrays are read as slices of T.
type kind[T any] struct {
	name string
	// open returns the reader of an array's rows that have a value; its errors say why one
	// does not fit. nil: the array's type cannot be read.
	open func(a arrow.Array, o options[T]) reader[T]
	// view returns the values of an array that are T in memory; nil if they are not.
	view func(a arrow.Array) []T
}

// read returns the rows of a column.
func (k kind[T]) read(c Column, given []Option[T]) (values []T, err error) {
	if c.err != nil {
		return nil, c.err
	}
	var o options[T]
	for _, option := range given {
		option(&o)
	}
	defer damaged(c, &values, &err)
	switch {
	case o.into == nil:
		if values := k.share(c, o); values != nil {
			return values, nil
		}
		values = make([]T, 0, c.rows)
	case len(o.into) != c.rows:
		return nil, fmt.Errorf("column %q has %d rows, to be written to memory for %d", c.name, c.rows, len(o.into))
	default:
		values = o.into[:0]
	}
	for _, chunk := range c.chunks {
		get := k.readerOf(chunk, o)
		if get == nil {
			return nil, fmt.Errorf("column %q is of type %s, which cannot be read as %s", c.name, chunk.DataType(), k.name)
		}
		rows := min(chunk.Len(), c.rows-len(values))
		if as := k.viewOf(chunk); len(as) >= rows {
			values = append(values, as[:rows]...)
			continue
		}
		for row := range rows {
			v, err := get(row)
			if err == errNull && o.missing != nil {
				v, err = *o.missing, nil
			} else if err == errNull {
				err = fmt.Errorf("%w, but every row needs %s; Missing may say what such rows have", err, k.name)
			}
			if err != nil {
				return nil, &ValueError{c.name, int64(len(values)), err.Error()}
			}
			values = append(values, v)
		}
	}
	return values, nil
}

// share returns the rows of a column as they lie in memory; nil if they do not.
func (k kind[T]) share(c Column, o options[T]) []T {
	var only arrow.Array
	for _, chunk := range c.chunks {
		if chunk.Len() > 0 && only != nil {
			return nil
		} else if chunk.Len() > 0 {
			only = chunk
		}
	}
	if only == nil || k.open(only, o) == nil {
		return nil
	}
	if values := k.viewOf(only); len(values) >= c.rows {
		return values[:c.rows:c.rows] // appending must not write to the array
	}
	return nil
}

// viewOf returns the values of an array as they lie in memory; nil if they do not, or some
// are NULL.
func (k kind[T]) viewOf(a arrow.Array) []T {
	if k.view == nil || a.NullN() > 0 {
		return nil
	}
	return k.view(a)
}

// damaged is deferred where arrays are read: arrow-go panics where buffers lack what their
// array claims, as those of a damaged file may.
func damaged[T any](c Column, values *[]T, err *error) {
	if r := recover(); r != nil {
		*values, *err = nil, fmt.Errorf("column %q is damaged: %v", c.name, r)
	}
}

// readerOf returns the reader of an array; nil if its type cannot be read.
func (k kind[T]) readerOf(a arrow.Array, o options[T]) reader[T] {
	switch nulls := a.NullN(); {
	case a.DataType().ID() == arrow.NULL:
		return func(int) (v T, err error) { return v, errNull }
	case a.DataType().ID() == arrow.DICTIONARY:
		return k.decoder(a.(*array.Dictionary), o)
	default:
		get := k.open(a, o)
		if get == nil {
			return nil
		}
		return func(row int) (v T, err error) {
			if nulls > 0 && a.IsNull(row) {
				return v, errNull
			}
			if v, err = get(row); err != nil {
				err = fmt.Errorf("%s does not fit %s: %w", textOf(a, row), k.name, err)
			}
			return v, err
		}
	}
}

// decoder returns the reader of an array with a dictionary, whose values it reads once where
// rows repeat.
func (k kind[T]) decoder(a *array.Dictionary, o options[T]) reader[T] {
	if a.Len() == 0 { // it may lack a dictionary
		return k.readerOf(empty(a.DataType().(*arrow.DictionaryType).ValueType), o)
	}
	dictionary := a.Dictionary()
	get, place := k.readerOf(dictionary, o), integerKind.readerOf(a.Indices(), options[int64]{})
	if get == nil || place == nil {
		return nil
	}
	var values []T // that are known; nil where the dictionary, perhaps of many chunks, is longer than this one
	var known []bool
	if dictionary.Len() <= a.Len() {
		values, known = make([]T, dictionary.Len()), make([]bool, dictionary.Len())
	}
	return func(row int) (v T, err error) {
		i, err := place(row)
		switch {
		case err != nil:
			return v, err
		case i < 0 || i >= int64(dictionary.Len()):
			return v, fmt.Errorf("the row has place %d of a dictionary of %d values", i, dictionary.Len())
		case values == nil:
			return get(int(i))
		case !known[i]:
			if values[i], err = get(int(i)); err != nil {
				return v, err
			}
			known[i] = true
		}
		return values[i], nil
	}
}

// textOf writes a value for a message: times as they are stored, because a date or a time
// zone would hide what is wrong.
func textOf(a arrow.Array, row int) string {
	switch a := a.(type) {
	case *array.Timestamp:
		return fmt.Sprintf("%d %s since 1970", a.Value(row), a.DataType().(*arrow.TimestampType).Unit)
	case *array.Date64:
		return fmt.Sprintf("%d ms since 1970", a.Value(row))
	}
	if bytes := openBytes(a); bytes != nil {
		return fmt.Sprintf("%.40q", bytes(row))
	}
	return a.ValueStr(row)
}

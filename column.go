package kgen

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"sync/atomic"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/ir"
)

// Element is satisfied by the Go types of elements: those that emitted functions take. Dates
// are an int32 of days since 1970-01-01, timestamps an int64 of microseconds, decimals the
// unscaled int64, and char8 is [8]byte.
type Element interface {
	~bool | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64 | ~[8]byte
}

// Column is a column of a result or of [Upload]: on the device, until it is freed, or in
// ordinary memory of this process. It is safe for concurrent use.
type Column struct {
	device  *Device // that holds it; nil for ordinary memory
	kind    ir.Kind // Invalid if any kind that is stored so will do
	stored  ir.Kind
	content exec.Column
	texts   *Texts // of places in a dictionary, if it is known
	held    int64  // bytes of these that count on the device
	freed   atomic.Bool
}

// Kind returns the element type; of an uploaded column that as which its elements are
// stored.
func (c *Column) Kind() ir.Kind {
	if c.kind == ir.Invalid {
		return c.stored
	}
	return c.kind
}

// Rows returns the number of rows.
func (c *Column) Rows() int64 { return c.content.Bytes() / int64(c.stored.Size()) }

// Device returns the device that holds the column, or nil if that is ordinary memory.
func (c *Column) Device() *Device { return c.device }

// Texts returns the dictionary of a column of kind text, nil if it has none.
func (c *Column) Texts() *Texts { return c.texts }

// Free frees the column's memory on its device, where no call may be using it; slices of [View]
// end with it. A column in ordinary memory needs no Free.
func (c *Column) Free() {
	if c != nil && c.device != nil && c.device.use() == nil && !c.freed.Swap(true) {
		c.device.held.Add(-c.held)
		c.device.driver.free(c.content)
	}
}

// usable returns the error that prevents the use of what the column holds.
func (c *Column) usable() error {
	switch {
	case c.device == nil:
		return nil
	case c.freed.Load():
		return &ColumnError{Reason: "the column has been freed"}
	}
	return c.device.use()
}

// Upload copies rows to a device, where they stay until the column is freed. The error is an
// [AllocError] if there is no room.
func Upload[T Element](ctx context.Context, d *Device, rows []T) (*Column, error) {
	return Fill(ctx, d, len(rows), func(to []T) error {
		copy(to, rows)
		return nil
	})
}

// Fill is [Upload] of rows that a function writes, each of them, to memory of the host from
// which the device takes them: rows that come in pieces, or in another form, need not be
// put together first. An error of the function is returned, and nothing is uploaded.
func Fill[T Element](ctx context.Context, d *Device, rows int, write func(rows []T) error) (*Column, error) {
	stored, _ := storedKind[T]()
	return d.upload(ctx, stored, int64(rows), func(to []byte) error { return write(raw.SliceOf[T](to)) })
}

// UploadTexts is [Upload] for strings, all of which a dictionary has.
func UploadTexts(ctx context.Context, d *Device, dictionary *Texts, rows []string) (*Column, error) {
	return FillTexts(ctx, d, dictionary, len(rows), func(codes []int32) error { return dictionary.codes(rows, codes) })
}

// FillTexts is [Fill] for strings: the function writes their places in a dictionary
// ([Texts.Code]).
func FillTexts(ctx context.Context, d *Device, dictionary *Texts, rows int, write func(codes []int32) error) (*Column, error) {
	c, err := Fill(ctx, d, rows, write)
	if err == nil {
		c.kind, c.texts = ir.Text, dictionary
	}
	return c, err
}

func (d *Device) upload(ctx context.Context, stored ir.Kind, rows int64, fill func([]byte) error) (*Column, error) {
	if err := d.use(); err != nil {
		return nil, err
	}
	if rows < 0 || rows > math.MaxInt64/int64(stored.Size()) {
		return nil, &ArgumentError{"column", fmt.Sprintf("it cannot have %d rows", rows)}
	}
	size := rows * int64(stored.Size())
	err := d.hold(size)
	var content exec.Column
	if err == nil {
		if content, err = d.driver.upload(ctx, size, fill); err != nil {
			d.held.Add(-size)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("upload to %s: %w", d.name, limited(err))
	}
	return &Column{device: d, stored: stored, content: content, held: size}, nil
}

// Read returns the rows of a column, of which T is the Go type. Those of a device are copied;
// those in ordinary memory are the column's own, to be read only.
func Read[T Element](ctx context.Context, c *Column) ([]T, error) {
	if err := c.readable(storedKind[T]()); err != nil {
		return nil, err
	}
	if c.device == nil {
		return raw.SliceOf[T](c.content.Data), nil
	}
	rows := make([]T, c.Rows())
	return rows, c.copyTo(ctx, raw.BytesOf(rows))
}

// ReadTexts returns the strings of a column of kind text.
func ReadTexts(ctx context.Context, c *Column) ([]string, error) {
	codes, err := Read[int32](ctx, c)
	if err != nil {
		return nil, err
	}
	if c.texts == nil {
		return nil, &ArgumentError{"column", fmt.Sprintf("it is of kind %v, without a dictionary of strings", c.Kind())}
	}
	return c.texts.strings(codes), nil
}

// View returns the rows of a column without a copy, where this process sees them: in
// ordinary memory, and on gocpu, vector, interp and cudaemu. They are to be read only, until the
// column is freed.
func View[T Element](c *Column) (rows []T, ok bool) {
	if c.readable(storedKind[T]()) != nil || c.content.Resident != nil {
		return nil, false
	}
	return raw.SliceOf[T](c.content.Data), true
}

// readable reports whether a column can be read as elements of a type.
func (c *Column) readable(stored ir.Kind, name string) error {
	switch {
	case c == nil:
		return &ArgumentError{"column", "the results have no column of this name"}
	case c.stored != stored:
		return &ArgumentError{"column", fmt.Sprintf("it is of kind %v, which %s does not hold", c.Kind(), name)}
	}
	return c.usable()
}

// copyTo copies the column from its device.
func (c *Column) copyTo(ctx context.Context, to []byte) error {
	if c.content.Resident == nil {
		copy(to, c.content.Data)
		return nil
	}
	data, err := c.device.driver.download(ctx, c.content)
	if err != nil {
		return fmt.Errorf("download from %s: %w", c.device.name, err)
	}
	copy(to, data)
	c.device.space.Free(data)
	return nil
}

// storedKind returns the kind as which elements of a Go type are stored, and the name of the
// type.
func storedKind[T Element]() (ir.Kind, string) {
	t := reflect.TypeFor[T]()
	kind, _ := kindOfType(t)
	return kind, t.String()
}

package resident

import (
	"context"
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/kgen-go/kgen"
	kgenarrow "github.com/kgen-go/kgen/arrow"
	"github.com/kgen-go/kgen/ir"
)

// RecordOption is an option of [NewRecord].
type RecordOption func(*recordOptions)

type recordOptions struct {
	names   []string
	present map[string]string // results of bools, by the names of those that they are of
}

// Only chooses results, in this order. A record has columns of one length, as not all
// results of a run may be.
func Only(results ...string) RecordOption {
	return func(o *recordOptions) { o.names = append(o.names, results...) }
}

// Present has the bools of one result tell which rows of another have a value. The other rows
// are NULL, and the bools are no column of their own.
func Present(bools, of string) RecordOption {
	return func(o *recordOptions) { o.present[of] = bools }
}

// NewRecord returns the results of a run as a record with a schema: integers and floats as
// they are, dates as date32, timestamps as timestamp[us, UTC], decimals as decimal128, texts
// with a dictionary of those that occur. A scalar is one row. Results that are on the device
// are copied, and stay there.
func NewRecord(ctx context.Context, results *kgen.Results, given ...RecordOption) (arrow.RecordBatch, error) {
	o := recordOptions{present: map[string]string{}}
	for _, option := range given {
		option(&o)
	}
	if o.names == nil {
		for _, name := range results.Names() {
			if !marks(o.present, name) {
				o.names = append(o.names, name)
			}
		}
	}
	for of := range o.present {
		if !slices.Contains(o.names, of) {
			return nil, fmt.Errorf("no column %q of the record is there to be present", of)
		}
	}
	columns := make([]kgenarrow.Result, len(o.names))
	for i, name := range o.names {
		var err error
		if columns[i], err = read(ctx, name, results.Column(name)); err != nil {
			return nil, fmt.Errorf("result %s: %w", name, err)
		}
		if bools, ok := o.present[name]; ok {
			known, err := kgen.Read[bool](ctx, results.Column(bools))
			if err != nil {
				return nil, fmt.Errorf("result %s: %w", bools, err)
			}
			columns[i] = columns[i].Valid(known)
		}
	}
	return kgenarrow.NewRecord(columns...)
}

func marks(present map[string]string, name string) bool {
	for _, bools := range present {
		if bools == name {
			return true
		}
	}
	return false
}

// read returns a result as a column of a record.
func read(ctx context.Context, name string, c *kgen.Column) (kgenarrow.Result, error) {
	if c == nil {
		return kgenarrow.Result{}, fmt.Errorf("the run has no such result")
	}
	switch kind := c.Kind(); kind {
	case ir.I8:
		return as(ctx, name, c, kgenarrow.NumberResult[int8])
	case ir.I16:
		return as(ctx, name, c, kgenarrow.NumberResult[int16])
	case ir.I32:
		return as(ctx, name, c, kgenarrow.NumberResult[int32])
	case ir.I64:
		return as(ctx, name, c, kgenarrow.NumberResult[int64])
	case ir.U8:
		return as(ctx, name, c, kgenarrow.NumberResult[uint8])
	case ir.U16:
		return as(ctx, name, c, kgenarrow.NumberResult[uint16])
	case ir.U32:
		return as(ctx, name, c, kgenarrow.NumberResult[uint32])
	case ir.U64:
		return as(ctx, name, c, kgenarrow.NumberResult[uint64])
	case ir.F32:
		return as(ctx, name, c, kgenarrow.NumberResult[float32])
	case ir.F64:
		return as(ctx, name, c, kgenarrow.NumberResult[float64])
	case ir.Bool:
		return as(ctx, name, c, kgenarrow.BoolResult)
	case ir.Date:
		return as(ctx, name, c, kgenarrow.DateResult)
	case ir.Timestamp:
		return as(ctx, name, c, kgenarrow.TimestampResult)
	case ir.Char8:
		return as(ctx, name, c, kgenarrow.Char8Result)
	case ir.Text:
		if c.Texts() == nil {
			return kgenarrow.Result{}, fmt.Errorf("its texts are places in a dictionary of the caller's; kgenarrow.TextResult takes that")
		}
		return as(ctx, name, c, func(name string, codes []int32) kgenarrow.Result {
			return kgenarrow.TextResult(name, codes, c.Texts())
		})
	default: // a decimal
		return as(ctx, name, c, func(name string, unscaled []int64) kgenarrow.Result {
			return kgenarrow.DecimalResult(name, kind.Scale(), unscaled)
		})
	}
}

func as[T kgen.Element](ctx context.Context, name string, c *kgen.Column, result func(string, []T) kgenarrow.Result) (kgenarrow.Result, error) {
	rows, err := kgen.Read[T](ctx, c)
	if err != nil {
		return kgenarrow.Result{}, err
	}
	return result(name, rows), nil
}

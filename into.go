package kgen

import (
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/ir"
)

// destination is memory of the caller for a result column.
type destination struct {
	name   string
	stored ir.Kind
	goType string
	// take copies the column there, or has the caller take it, and returns it.
	take func(d *Device, data []byte) []byte
}

// Into writes a result column to memory of the caller: *rows is overwritten where its capacity
// is large enough, as by emitted Into functions, and else replaced. It must not overlap the
// arguments. After an error it holds what it did.
func Into[T Element](name string, rows *[]T) RunOption {
	stored, goType := storedKind[T]()
	return func(o *runOptions) {
		o.into = append(o.into, destination{name, stored, goType, func(d *Device, data []byte) []byte {
			n := len(data) / stored.Size()
			if cap(*rows) == 0 || cap(*rows) < n {
				*rows = raw.SliceOf[T](d.settle(data))
			} else {
				*rows = (*rows)[:n]
				copy(raw.BytesOf(*rows), data)
				d.space.Free(data)
			}
			return raw.BytesOf(*rows)
		}})
	}
}

// checkInto returns the error of destinations that no result column fits.
func (o *runOptions) checkInto(p *ir.Pipeline, keep []bool) error {
	for _, to := range o.into {
		i := slices.IndexFunc(p.Results, func(r ir.Result) bool { return r.Label == to.name })
		switch {
		case i < 0:
			return &ArgumentError{to.name, fmt.Sprintf("pipeline %s has no such result to write", p.Name)}
		case keep[i]:
			return &ArgumentError{to.name, "it is kept on the device, and cannot be written to memory, too"}
		case p.Results[i].Value.Type.Kind.Stored() != to.stored:
			return &ArgumentError{to.name, fmt.Sprintf("it is of kind %v, which []%s does not hold", p.Results[i].Value.Type.Kind, to.goType)}
		}
	}
	return nil
}

// destination returns that of a result, or nil.
func (o *runOptions) destination(name string) *destination {
	if i := slices.IndexFunc(o.into, func(to destination) bool { return to.name == name }); i >= 0 {
		return &o.into[i]
	}
	return nil
}

package exec

import (
	"fmt"

	"github.com/kgen-go/kgen/plan"
)

// finish reads the results.
func (r *run) finish() error {
	if r.options.Settled != nil {
		if err := r.options.Settled(); err != nil {
			return err
		}
		r.ahead.forget()
		if err := r.checkErrors(&plan.CheckErrors{AbortOnly: true}); err != nil {
			return err
		}
	}
	start := r.now()
	result := &Result{Level: r.plan.Level}
	total := int64(0)
	var keeps []*plan.Port
	var kept []Column // of those ports
	var reads []Read
	for i := range r.plan.Ports {
		port := &r.plan.Ports[i]
		if port.Direction != plan.Out {
			continue
		}
		if !port.Depth.IsZero() {
			depth, err := r.eval(port.Depth, nil)
			if err != nil {
				return fmt.Errorf("depth of result %q: %w", port.Name, err)
			}
			put(&result.Depths, port.Name, depth)
		}
		if port.Scalar != "" {
			put(&result.Scalars, port.Name, Value{port.Kind, r.scalars[port.Scalar].Bits})
			continue
		}
		rows, err := r.outside.Len(port.Domain)
		if err != nil {
			return fmt.Errorf("result %q: %w", port.Name, err)
		}
		if held := r.store.buffers[port.Buffer].length; rows > held {
			return fmt.Errorf("result %q: %d rows of %s, but its buffer %q has %d", port.Name, rows, port.Domain, port.Buffer, held)
		}
		bytes := rows * int64(port.Kind.Size())
		if r.options.Keep != nil && r.options.Keep(port.Name) {
			kept = append(kept, Column{Kind: port.Kind, Resident: &Resident{Bytes: bytes}})
			keeps = append(keeps, port)
			continue
		}
		data := r.place(port, bytes)
		reads = append(reads, Read{Memory: r.store.buffers[port.Buffer].memory, To: data})
		put(&result.Columns, port.Name, Column{Kind: port.Kind, Data: data})
		total += bytes
	}
	if err := r.gather(reads); err != nil {
		return fmt.Errorf("read of the results: %w", err)
	}
	if err := r.keep(keeps, kept); err != nil {
		return err
	}
	for i, port := range keeps {
		put(&result.Columns, port.Name, kept[i])
	}
	r.result = result
	return r.report(Event{Step: "return", Bytes: total}, start)
}

// put sets an entry of a map, which need not be there.
func put[T any](m *map[string]T, name string, value T) {
	if *m == nil {
		*m = map[string]T{}
	}
	(*m)[name] = value
}

// place returns the memory for a result column.
func (r *run) place(port *plan.Port, bytes int64) []byte {
	if r.options.Place != nil && bytes > 0 {
		if to := r.options.Place(port.Name, bytes); to != nil {
			return to[:bytes]
		}
	}
	return alignedBytes(bytes)
}

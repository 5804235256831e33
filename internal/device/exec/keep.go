package exec

import (
	"fmt"

	"github.com/kgen-go/kgen/plan"
)

// Copier is implemented by devices that copy within their memory.
type Copier interface {
	// Copy copies bytes from the start of one memory to the start of another.
	Copy(to, from Memory, bytes int64) error
}

// mostIdle is how many bytes of a kept result's memory may lie idle, beside as many as
// the result has.
const mostIdle = 1 << 20

// keep gives the results of ports, which are the last to read their buffers, memory that
// outlives the run.
func (r *run) keep(ports []*plan.Port, kept []Column) error {
	if len(ports) == 0 {
		return nil
	}
	for i, port := range ports {
		memory, err := r.outlive(port, kept[i].Resident.Bytes)
		if err != nil {
			for _, earlier := range kept[:i] {
				r.device.Free(earlier.Resident.Memory)
			}
			return fmt.Errorf("result %q: %w", port.Name, err)
		}
		kept[i].Resident.Memory = memory
	}
	if err := r.device.Sync(); err != nil {
		for _, column := range kept {
			r.device.Free(column.Resident.Memory)
		}
		return err
	}
	return nil
}

// outlive returns memory with the first bytes of a port's buffer: the buffer's own, unless
// another needs that too or most of it would lie idle.
func (r *run) outlive(port *plan.Port, bytes int64) (Memory, error) {
	a := r.store.buffers[port.Buffer]
	copier, copies := r.device.(Copier)
	idle := a.bytes-bytes > bytes+mostIdle
	if !r.shared(port) && !(copies && idle) {
		memory := a.memory
		r.store.forget(port.Buffer)
		return memory, nil
	}
	if copies {
		memory, err := r.device.Alloc(max(bytes, 1))
		if err == nil {
			if err = copier.Copy(memory, a.memory, bytes); err != nil {
				r.device.Free(memory)
			}
		}
		return memory, err
	}
	data, err := r.fetch(port.Buffer, 0, bytes/int64(port.Kind.Size()))
	if err != nil {
		return nil, err
	}
	return r.device.Import(data)
}

// shared reports whether another port has the same buffer: two results may be one column, or
// a result a parameter.
func (r *run) shared(port *plan.Port) bool {
	for i := range r.plan.Ports {
		if other := &r.plan.Ports[i]; other != port && other.Buffer == port.Buffer {
			return true
		}
	}
	return false
}

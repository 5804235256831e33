package exec

import (
	"fmt"
	"slices"

	"github.com/kgen-go/kgen/plan"
)

// Read is a part of memory to copy to the host.
type Read struct {
	Memory Memory
	Offset int64
	To     []byte
}

// Gatherer is implemented by devices that read several parts in the time of one, and a small
// one fast.
type Gatherer interface {
	Gather([]Read) error
}

// gather reads all parts.
func (r *run) gather(reads []Read) error {
	if gatherer, ok := r.device.(Gatherer); ok && len(reads) > 0 {
		return gatherer.Gather(reads)
	}
	for _, part := range reads {
		if len(part.To) == 0 {
			continue
		}
		if err := r.device.Read(part.Memory, part.Offset, part.To); err != nil {
			return err
		}
	}
	return nil
}

// reading names elements that a step reads.
type reading struct {
	buffer       string
	index, count int64
}

// ahead is what has been read before steps ask for it.
type ahead struct {
	done  bool // whether the steps have been looked at
	names []reading
	reads []Read // of the names
	bytes []byte // for what is read, as far as it has room
	taken int64
}

func (a *ahead) forget() { a.done, a.names, a.reads, a.taken = false, a.names[:0], a.reads[:0], 0 }

// take returns memory for what is read, until it is forgotten.
func (a *ahead) take(bytes int64) []byte {
	if a.bytes == nil {
		a.bytes = alignedBytes(1 << 10)
	}
	begin := (a.taken + 7) &^ 7
	if begin+bytes > int64(len(a.bytes)) {
		return alignedBytes(bytes)
	}
	a.taken = begin + bytes
	return a.bytes[begin:a.taken:a.taken]
}

func (a *ahead) find(wanted reading) []byte {
	if i := slices.Index(a.names, wanted); i >= 0 {
		return a.reads[i].To
	}
	return nil
}

// readAhead reads at once what the first of the steps and those behind it read, up to one that
// may change memory of the device: waiting for the device costs more than a few bytes do.
func (r *run) readAhead(steps []plan.Step) error {
	if !onlyReads(&steps[0]) {
		r.ahead.forget()
		return nil
	}
	if _, gathers := r.device.(Gatherer); !gathers || r.ahead.done || steps[0].CheckErrors == nil && steps[0].Read == nil {
		return nil
	}
	r.ahead.done = true
	for i := range steps {
		switch s := &steps[i]; {
		case !onlyReads(s):
			return r.gathered()
		case s.CheckErrors != nil:
			for j := range r.plan.Buffers {
				b := &r.plan.Buffers[j]
				switch {
				case b.Role == plan.Abort:
					r.want(b.Name, 0, 1)
				case b.Role == plan.Errors && !s.CheckErrors.AbortOnly:
					r.want(b.Name, 0, int64(len(r.plan.Sites)))
				}
			}
		case s.Read != nil && s.Read.Index.IsZero():
			r.want(s.Read.Buffer, 0, int64(len(s.Read.Scalars)))
		}
	}
	return r.gathered()
}

// want adds elements to what is read ahead, once.
func (r *run) want(buffer string, index, count int64) {
	wanted, a, size := reading{buffer, index, count}, r.store.buffers[buffer], int64(r.buffers[buffer].Kind.Size())
	if slices.Contains(r.ahead.names, wanted) || a == nil || index < 0 || index > a.length-count {
		return
	}
	r.ahead.names = append(r.ahead.names, wanted)
	r.ahead.reads = append(r.ahead.reads, Read{a.memory, index * size, r.ahead.take(count * size)})
}

func (r *run) gathered() error {
	if err := r.gather(r.ahead.reads); err != nil {
		r.ahead.forget()
		return fmt.Errorf("read of what the kernels report: %w", err)
	}
	return nil
}

// onlyReads reports whether a step leaves memory of the device as it is.
func onlyReads(s *plan.Step) bool {
	return s.CheckErrors != nil || s.Read != nil || s.Set != nil || s.Return != nil
}

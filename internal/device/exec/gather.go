package exec

import (
	"fmt"

	"github.com/kgen-go/kgen/plan"
)

// Read is a part of memory to copy to the host.
type Read struct {
	Memory Memory
	Offset int64
	To     []byte
}

// Gatherer is implemented by devices that read several parts in the time of one.
type Gatherer interface {
	Gather([]Read) error
}

// gather reads all parts.
func (r *run) gather(reads []Read) error {
	if gatherer, ok := r.device.(Gatherer); ok && len(reads) > 1 {
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

// readAhead reads at once what the first of the steps and those behind it read, up to one that
// may change memory of the device: waiting for the device costs more than a few bytes do.
func (r *run) readAhead(steps []plan.Step) error {
	if _, gathers := r.device.(Gatherer); !gathers || !onlyReads(&steps[0]) {
		r.ahead = nil
		return nil
	}
	if r.ahead != nil || steps[0].CheckErrors == nil && steps[0].Read == nil {
		return nil
	}
	r.ahead = map[reading][]byte{}
	var reads []Read
	want := func(buffer string, index, count int64) {
		key, a, size := reading{buffer, index, count}, r.store.buffers[buffer], int64(r.buffers[buffer].Kind.Size())
		if r.ahead[key] != nil || a == nil || index < 0 || index > a.length-count {
			return
		}
		r.ahead[key] = alignedBytes(count * size)
		reads = append(reads, Read{a.memory, index * size, r.ahead[key]})
	}
	for i := range steps {
		switch s := &steps[i]; {
		case !onlyReads(s):
			return r.gathered(reads)
		case s.CheckErrors != nil:
			for j := range r.plan.Buffers {
				b := &r.plan.Buffers[j]
				switch {
				case b.Role == plan.Abort:
					want(b.Name, 0, 1)
				case b.Role == plan.Errors && !s.CheckErrors.AbortOnly:
					want(b.Name, 0, int64(len(r.plan.Sites)))
				}
			}
		case s.Read != nil && s.Read.Index.IsZero():
			want(s.Read.Buffer, 0, int64(len(s.Read.Scalars)))
		}
	}
	return r.gathered(reads)
}

func (r *run) gathered(reads []Read) error {
	if err := r.gather(reads); err != nil {
		r.ahead = nil
		return fmt.Errorf("read of what the kernels report: %w", err)
	}
	return nil
}

// onlyReads reports whether a step leaves memory of the device as it is.
func onlyReads(s *plan.Step) bool {
	return s.CheckErrors != nil || s.Read != nil || s.Set != nil || s.Return != nil
}

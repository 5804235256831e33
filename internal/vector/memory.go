package vector

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"unsafe"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/internal/raw"
	"github.com/kgen-go/kgen/plan"
)

// use counts memory, or refuses it.
func (r *run) use(buffer string, bytes int64) error {
	if r.Memory > 0 && bytes > r.Memory-r.inUse {
		return &exec.AllocError{Buffer: buffer, Bytes: bytes, InUse: r.inUse, Limit: r.Memory}
	}
	r.inUse += bytes
	r.peak = max(r.peak, r.inUse)
	return nil
}

// make counts memory that is not the caller's, or refuses it where the machine has no more.
func (r *run) make(buffer string, bytes int64) error {
	if made := r.inUse - r.given; bytes > mostBytes()-made {
		return &exec.AllocError{Buffer: buffer, Bytes: bytes, InUse: made, Limit: mostBytes()}
	}
	return r.use(buffer, bytes)
}

// TooManyRowsError is a domain that data makes too large.
type TooManyRowsError struct {
	Position string // of the statement that makes it, or ""
	Domain   string
	Rows     int64
}

func (e *TooManyRowsError) Error() string {
	text := fmt.Sprintf("%s would have %d rows; at most %d can be computed", e.Domain, e.Rows, int64(plan.MaxRows))
	if e.Position != "" {
		text = e.Position + ": " + text
	}
	return text
}

// Unwrap returns [plan.ErrOverflow].
func (e *TooManyRowsError) Unwrap() error { return plan.ErrOverflow }

// limit refuses a length that is computed, of more rows than emitted Go takes.
func (r *run) limit(length plan.Expr) error {
	for _, d := range r.plan.Domains {
		isLength := length.Op == plan.OpLen && length.Name == d.Name
		if d.Bound.Op != plan.OpScalar || !isLength && !reads(length, d.Bound.Name) {
			continue
		}
		rows := int64(r.scalars[d.Bound.Name])
		if rows <= plan.MaxRows {
			continue
		}
		e := &TooManyRowsError{Domain: r.madeOf(d.Name), Rows: rows}
		for _, made := range r.pipeline.Domains {
			if made.Name == e.Domain && made.By != nil && made.By.Pos.IsValid() {
				e.Position = made.By.Pos.Base().String()
			}
		}
		return e
	}
	return nil
}

// reads reports whether an expression reads a scalar.
func reads(e plan.Expr, scalar string) bool {
	return e.Op == plan.OpScalar && e.Name == scalar || slices.ContainsFunc(e.Args, func(arg plan.Expr) bool { return reads(arg, scalar) })
}

// madeOf returns the domain that the rows of d are those of in one of two ways, or d.
func (r *run) madeOf(d string) string {
	for _, made := range r.plan.Domains {
		if made.Len.Op == plan.OpMax && slices.ContainsFunc(made.Len.Args, func(arg plan.Expr) bool { return arg.Op == plan.OpLen && arg.Name == d }) {
			return r.madeOf(made.Name)
		}
	}
	return d
}

// mostBytes is the memory that the machine has, for all buffers but the arguments: Go ends a
// process that takes more.
var mostBytes = sync.OnceValue(func() int64 {
	if bytes := memory.OfMachine(); bytes > 0 {
		return bytes
	}
	return 1 << 44
})

func (r *run) alloc(b *plan.Buffer) error {
	if b.Role == plan.Errors {
		return nil
	}
	if err := r.limit(b.Length); err != nil {
		return err
	}
	length, err := b.Length.Eval(r)
	if err != nil {
		return fmt.Errorf("length of buffer %q: %w", b.Name, err)
	}
	size := int64(b.Kind.Size())
	if length < 0 || length > math.MaxInt64/2/size {
		return fmt.Errorf("buffer %q: a length of %d elements: %w", b.Name, length, plan.ErrOverflow)
	}
	r.inUse -= int64(len(r.memory[b.Name]))
	delete(r.memory, b.Name)
	if err := r.make(b.Name, length*size); err != nil {
		return err
	}
	r.memory[b.Name] = r.place(b, length*size)
	return nil
}

// place returns memory for a buffer.
func (r *run) place(b *plan.Buffer, bytes int64) []byte {
	i := slices.IndexFunc(r.plan.Ports, func(port plan.Port) bool { return port.Direction == plan.Out && port.Buffer == b.Name })
	if i < 0 {
		return r.arena.take(bytes)
	}
	return r.placeResult(&r.plan.Ports[i], bytes)
}

// placeResult returns memory for a result.
func (r *run) placeResult(port *plan.Port, bytes int64) []byte {
	if r.Place != nil && bytes > 0 {
		if data := r.Place(port.Name, bytes); int64(len(data)) >= bytes {
			return data[:bytes]
		}
	}
	return newMemory(bytes)
}

// newResult returns memory for a result that is a copy.
func (r *run) newResult(port *plan.Port, bytes int64) ([]byte, error) {
	if err := r.make(port.Buffer, bytes); err != nil {
		return nil, err
	}
	return r.placeResult(port, bytes), nil
}

// arena is memory of earlier runs for buffers that are no results.
type arena struct {
	idle, taken [][]byte
}

// take returns memory with any contents: the least that is large enough and not far too
// large, or new memory.
func (a *arena) take(bytes int64) []byte {
	best := -1
	for i, data := range a.idle {
		if size := int64(cap(data)); size >= bytes && size <= 2*bytes+1024 && (best < 0 || size < int64(cap(a.idle[best]))) {
			best = i
		}
	}
	var data []byte
	if best < 0 {
		data = newMemory(bytes)
	} else {
		data = a.idle[best][:bytes]
		a.idle[best] = a.idle[len(a.idle)-1]
		a.idle = a.idle[:len(a.idle)-1]
	}
	a.taken = append(a.taken, data)
	return data
}

// reset ends the use of all memory. What the last run has not used goes.
func (a *arena) reset() {
	clear(a.idle)
	a.idle, a.taken = a.taken, a.idle[:0]
}

// hugePage is the size of a huge page, on most systems.
const hugePage = 2 << 20

// newMemory returns bytes that can be seen as elements of any kind. Those that fill most of a huge page lie in such:
// rows that are looked up or moved to any place would wait for addresses to be translated, too.
func newMemory(bytes int64) []byte {
	if bytes < hugePage/2 {
		return raw.BytesOf(make([]uint64, (bytes+7)/8))[:bytes]
	}
	pages := (bytes + hugePage - 1) / hugePage * hugePage
	data := raw.BytesOf(make([]uint64, (pages+hugePage)/8))
	data = data[-uintptr(unsafe.Pointer(unsafe.SliceData(data)))%hugePage:][:pages]
	adviseHuge(data)
	return data[:bytes]
}

func (r *run) fill(b *plan.Buffer) {
	if b.Role == plan.Errors {
		return
	}
	data, bits := r.memory[b.Name], b.FillBits()
	switch {
	case bits == 0:
		clear(data)
	case b.Kind == plan.Char8:
		fill(raw.SliceOf[uint64](data), ordered(bits))
	case b.Kind.Size() == 1:
		fill(data, byte(bits))
	case b.Kind.Size() == 2:
		fill(raw.SliceOf[uint16](data), uint16(bits))
	case b.Kind.Size() == 4:
		fill(raw.SliceOf[uint32](data), uint32(bits))
	default:
		fill(raw.SliceOf[uint64](data), bits)
	}
}

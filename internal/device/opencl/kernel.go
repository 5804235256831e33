//go:build opencl

package opencl

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unsafe"

	"github.com/jgillich/go-opencl/cl"

	"github.com/kgen-go/kgen/internal/device/exec"
)

// kernel is a kernel of a program.
type kernel struct {
	*cl.Kernel
	count int  // parameters
	rows  byte // bytes of the number of rows

	values []uint64 // of the arguments of a launch, in 8 bytes each
	sizes  []byte   // 0 of an argument that the driver has from the launch before
	given  []argument
	local  int64

	name     string // of the last launch, for messages
	rowsThen int64
}

// argument is what a kernel was given. To keep the memory keeps its handle from being used again.
type argument struct {
	memory *cl.MemObject // nil for a scalar
	value  uint64
	size   byte
}

func newKernel(k *cl.Kernel) (*kernel, error) {
	count, err := k.NumArgs()
	if err != nil {
		return nil, fmt.Errorf("the number of arguments: %s", describe(err))
	}
	return &kernel{Kernel: k, count: count, rows: 8}, nil
}

// over names a launch over so many rows.
func (k *kernel) over(name string, rows int64) string {
	if k.name == "" || k.rowsThen != rows {
		k.name, k.rowsThen = fmt.Sprintf("kernel %q over %d rows", name, rows), rows
	}
	return k.name
}

// launch enqueues a launch with row0, rows, the plan's arguments and the local memory.
func (k *kernel) launch(q *cl.CommandQueue, l *exec.Launch, local, group int64, m *mark) error {
	k.values, k.sizes = k.values[:0], k.sizes[:0]
	k.give(argument{value: uint64(l.Row0), size: 8})
	k.give(argument{value: uint64(l.Rows), size: k.rows})
	for _, arg := range l.Args {
		if arg.Memory != nil {
			object := arg.Memory.(*buffer).Object
			k.give(argument{object, uint64(uintptr(handle(object))), byte(unsafe.Sizeof(handle(object)))})
			continue
		}
		var word [8]byte
		n := copy(word[:], arg.Value.Bytes())
		k.give(argument{value: binary.NativeEndian.Uint64(word[:]), size: byte(n)})
	}
	set := local
	if local == k.local {
		set = 0
	}
	wrong, err := launch(q, k.Kernel, k.values, k.sizes, set, l.Workgroups*group, group, m)
	k.local = local
	if err != nil {
		k.given, k.local = k.given[:0], 0 // who knows
	}
	switch {
	case err == nil || wrong < 0:
		return err
	case wrong == 1 && k.rows == 8 && errors.Is(err, cl.ErrInvalidArgSize) && l.Rows <= math.MaxInt32:
		k.rows = 4
		return k.launch(q, l, local, group, m)
	case wrong < 2:
		return fmt.Errorf("argument %s, %d: %s", []string{"row0", "rows"}[wrong], []int64{l.Row0, l.Rows}[wrong], describe(err))
	case wrong == len(k.values):
		return fmt.Errorf("%d bytes of local memory: %s", local, describe(err))
	}
	return fmt.Errorf("argument %q: %s", l.Variant.Args[wrong-2].Name, describe(err))
}

// give adds an argument to those of a launch.
func (k *kernel) give(a argument) {
	i, size := len(k.values), a.size
	switch {
	case i == len(k.given):
		k.given = append(k.given, a)
	case k.given[i] == a:
		size = 0
	default:
		k.given[i] = a
	}
	k.values, k.sizes = append(k.values, a.value), append(k.sizes, size)
}

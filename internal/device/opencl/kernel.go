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

// kernel is a kernel of a session.
type kernel struct {
	*cl.Kernel
	count int  // parameters
	rows  byte // bytes of the number of rows

	values []uint64 // of the arguments of a launch, in 8 bytes each
	sizes  []byte

	name     string // of the last launch, for messages
	rowsThen int64
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
	k.values, k.sizes = append(k.values[:0], uint64(l.Row0), uint64(l.Rows)), append(k.sizes[:0], 8, k.rows)
	for _, arg := range l.Args {
		if arg.Memory != nil {
			object := handle(arg.Memory.(*buffer).Object)
			k.values, k.sizes = append(k.values, uint64(uintptr(object))), append(k.sizes, byte(unsafe.Sizeof(object)))
			continue
		}
		var word [8]byte
		n := copy(word[:], arg.Value.Bytes())
		k.values, k.sizes = append(k.values, binary.NativeEndian.Uint64(word[:])), append(k.sizes, byte(n))
	}
	wrong, err := launch(q, k.Kernel, k.values, k.sizes, local, l.Workgroups*group, group, m)
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

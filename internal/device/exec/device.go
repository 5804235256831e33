package exec

import (
	"context"

	"github.com/kgen-go/kgen/plan"
)

// Device is a device as the executor uses it, by one run at a time. Work may be
// queued; Read and Sync wait for everything that was queued before.
type Device interface {
	Machine() plan.Machine

	// Resident returns the number of work-groups of the variant that the device
	// runs at once. It may have to compile the kernel.
	Resident(context.Context, *plan.Kernel, *plan.Variant) (int64, error)

	// Import makes a column of the caller readable by kernels. A device that
	// shares the host's memory need not copy: data stays as it is until Free.
	Import(data []byte) (Memory, error)
	// Alloc returns memory with undefined contents; bytes is at least 1. The
	// memory reaches to the next multiple of 8: kernels may change an element
	// through the word that holds it. If there is not enough memory, Import and
	// Alloc fail with a [FullError].
	Alloc(bytes int64) (Memory, error)
	// Free frees memory of Import or Alloc, even if the device has failed.
	Free(Memory)

	// Fill stores count copies of element from the start of the memory on.
	Fill(m Memory, element []byte, count int64) error
	// Read copies len(to) bytes from offset on.
	Read(m Memory, offset int64, to []byte) error
	Launch(context.Context, *Launch) error
	Sync() error
}

// Memory is a device's handle for a buffer.
type Memory any

// Launch is a kernel with everything that a device needs to start it. The kernel
// takes Row0 and Rows first, then Args in the order of Variant.Args. It is the device's
// until Launch returns.
type Launch struct {
	Kernel     *plan.Kernel
	Variant    *plan.Variant
	Workgroups int64
	Row0       int64
	Rows       int64
	Local      int64   // bytes of local memory
	Spec       []int64 // values of Variant.Spec
	Args       []Arg
}

// Arg is an argument's value: memory, or a scalar if Memory is nil.
type Arg struct {
	Memory Memory
	Length int64 // elements of Memory
	Value  Value

	// Reports is set for memory in which checks and kernels that give up leave word, by atomic
	// operations: kernels may do so in any order.
	Reports bool
}

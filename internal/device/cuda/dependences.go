//go:build cuda

package cuda

import (
	"slices"

	"gorgonia.org/cu"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/plan"
)

// use is a range of memory that a command reads or changes.
type use struct {
	from, to cu.DevicePtr
	mode     mode
}

type mode uint8

const (
	loads mode = iota
	changes
	reports // by atomic operations, which give the same in any order
)

// uses are those of the commands of a batch.
type uses struct {
	list []use
	ends []int // of each command's
}

func (a *uses) clear() { a.list, a.ends = a.list[:0], a.ends[:0] }

// add adds an access of the next command.
func (a *uses) add(from cu.DevicePtr, bytes int64, m mode) {
	if bytes > 0 {
		a.list = append(a.list, use{from, from + cu.DevicePtr(bytes), m})
	}
}

// everything lets the next command depend on all commands before it, and those behind it on it.
func (a *uses) everything() { a.add(0, 1<<62, changes) }

// end ends the uses of a command.
func (a *uses) end() { a.ends = append(a.ends, len(a.list)) }

func (a *uses) of(i int) []use {
	begin := 0
	if i > 0 {
		begin = a.ends[i-1]
	}
	return a.list[begin:a.ends[i]]
}

func (a *uses) equals(b *uses) bool {
	return slices.Equal(a.ends, b.ends) && slices.Equal(a.list, b.list)
}

func (a *uses) copy(b *uses) {
	a.list, a.ends = append(a.list[:0], b.list...), append(a.ends[:0], b.ends...)
}

// dependences returns, for each command, a bit for each earlier one that it has to wait for. What
// follows from others is left out.
func (a *uses) dependences() []uint64 {
	behind, before := make([]uint64, len(a.ends)), make([]uint64, len(a.ends)) // before has all, directly or not
	for i := range behind {
		for j := i - 1; j >= 0; j-- {
			if before[i]>>j&1 == 0 && conflict(a.of(i), a.of(j)) {
				behind[i] |= 1 << j
				before[i] |= 1<<j | before[j]
			}
		}
	}
	return behind
}

// conflict reports whether commands with such uses have to keep their order.
func conflict(x, y []use) bool {
	for _, a := range x {
		for _, b := range y {
			if a.from < b.to && b.from < a.to && (a.mode != b.mode || a.mode == changes) {
				return true
			}
		}
	}
	return false
}

// ofLaunch adds those of a kernel: of the memory of its arguments, as its plan says.
func (a *uses) ofLaunch(l *exec.Launch) {
	for i, arg := range l.Args {
		if arg.Memory == nil {
			continue
		}
		m := changes
		switch {
		case l.Variant.Args[i].Access == plan.Reads:
			m = loads
		case arg.Reports:
			m = reports
		}
		b := arg.Memory.(*buffer)
		a.add(b.Object, b.Size, m)
	}
}

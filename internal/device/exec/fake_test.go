package exec_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/plan"
)

// kernel is what one work-group of a kernel does, in Go.
type kernel func(*workgroup) error

// fake is a device whose kernels are Go functions over real memory. Work-groups run
// one after the other in random order, fresh memory is poisoned, and memory
// that is freed twice, used after it is freed or never freed is a fault.
type fake struct {
	machine  plan.Machine
	kernels  map[string]kernel // by Variant.Entry
	resident int64
	random   *rand.Rand

	live   map[*memory]bool
	allocs int // Alloc and Import calls so far
	calls  int // all calls so far
	faults []string

	failAlloc int                // the alloc of this number (from 1) fails
	lostAfter int                // after so many calls the device is gone; 0 is never
	before    func(string) error // called before each launch with the entry
}

type memory struct {
	data     []byte
	readOnly []byte // a copy of an import, to see that no kernel writes to it
}

var (
	errLost        = errors.New("the device is lost")
	errOutOfMemory = &exec.FullError{Reason: "out of memory"}
)

func newFake(kernels map[string]kernel) *fake {
	return &fake{
		machine: plan.Machine{Device: "fake", Units: 3, Subgroup: 4, MaxWorkgroup: 64, LocalBytes: 4096, Memory: 1 << 32, MaxAlloc: 1 << 30},
		kernels: kernels, resident: 4, random: rand.New(rand.NewPCG(1, 2)), live: map[*memory]bool{},
	}
}

func (f *fake) fault(format string, args ...any) {
	f.faults = append(f.faults, fmt.Sprintf(format, args...))
}

// verify reports what the run left behind.
func (f *fake) verify(t *testing.T) {
	t.Helper()
	if len(f.live) > 0 {
		t.Errorf("%d buffers are never freed", len(f.live))
	}
	for _, fault := range f.faults {
		t.Error(fault)
	}
}

func (f *fake) call() error {
	f.calls++
	if f.lostAfter > 0 && f.calls > f.lostAfter {
		return errLost
	}
	return nil
}

func (f *fake) use(m exec.Memory, what string) *memory {
	held := m.(*memory)
	if !f.live[held] {
		f.fault("%s of freed memory", what)
	}
	return held
}

func (f *fake) Machine() plan.Machine { return f.machine }

func (f *fake) Resident(context.Context, *plan.Kernel, *plan.Variant) (int64, error) {
	return f.resident, f.call()
}

func (f *fake) take(data []byte) (*memory, error) {
	f.allocs++
	if err := f.call(); err != nil {
		return nil, err
	}
	if f.allocs == f.failAlloc {
		return nil, errOutOfMemory
	}
	m := &memory{data: data}
	f.live[m] = true
	return m, nil
}

func (f *fake) Import(data []byte) (exec.Memory, error) {
	m, err := f.take(data)
	if err != nil {
		return nil, err
	}
	m.readOnly = append([]byte(nil), data...)
	return m, nil
}

func (f *fake) Alloc(bytes int64) (exec.Memory, error) {
	data := make([]uint64, (bytes+7)/8)
	for i := range data {
		data[i] = 0xa5a5a5a5a5a5a5a5
	}
	m, err := f.take(unsafe.Slice((*byte)(unsafe.Pointer(&data[0])), bytes))
	if err != nil {
		return nil, err
	}
	return m, nil
}

func (f *fake) Free(m exec.Memory) {
	held := f.use(m, "free")
	if held.readOnly != nil && string(held.readOnly) != string(held.data) {
		f.fault("an input was written")
	}
	delete(f.live, held)
}

func (f *fake) Fill(m exec.Memory, element []byte, count int64) error {
	if err := f.call(); err != nil {
		return err
	}
	data := f.use(m, "fill").data
	for i := range count {
		copy(data[i*int64(len(element)):], element)
	}
	return nil
}

func (f *fake) Read(m exec.Memory, offset int64, to []byte) error {
	if err := f.call(); err != nil {
		return err
	}
	copy(to, f.use(m, "read").data[offset:offset+int64(len(to))])
	return nil
}

func (f *fake) Gather(reads []exec.Read) error {
	for _, part := range reads {
		if err := f.Read(part.Memory, part.Offset, part.To); err != nil {
			return err
		}
	}
	return nil
}

func (f *fake) Sync() error { return f.call() }

func (f *fake) Launch(ctx context.Context, launch *exec.Launch) error {
	if err := f.call(); err != nil {
		return err
	}
	if launch.Workgroups < 1 {
		f.fault("a launch of %d work-groups, which drivers refuse", launch.Workgroups)
	}
	entry := launch.Variant.Entry
	if f.before != nil {
		if err := f.before(entry); err != nil {
			return err
		}
	}
	run := f.kernels[entry]
	if run == nil {
		return fmt.Errorf("no kernel %q", entry)
	}
	for _, index := range f.random.Perm(int(launch.Workgroups)) {
		if err := run(&workgroup{Launch: launch, device: f, index: int64(index)}); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// workgroup is what a kernel sees.
type workgroup struct {
	*exec.Launch
	device *fake
	index  int64
}

// tile returns the rows of the work-group within the launch.
func (g *workgroup) tile() (lo, hi int64) {
	rows := g.Variant.Schedule.Rows()
	return g.index * rows, min(g.index*rows+rows, g.Rows)
}

// buffer returns an argument's elements.
func buffer[T any](g *workgroup, name string) []T {
	at := g.position(name)
	m := g.device.use(g.Args[at].Memory, "use")
	if len(m.data) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&m.data[0])), g.Args[at].Length)
}

// scalar returns an argument given by value.
func (g *workgroup) scalar(name string) int64 { return int64(g.Args[g.position(name)].Value.Bits) }

func (g *workgroup) position(name string) int {
	for i := range g.Variant.Args {
		if g.Variant.Args[i].Name == name {
			return i
		}
	}
	panic(fmt.Sprintf("%s has no argument %q", g.Variant.Entry, name))
}

// fail records a failing row as kernels do: the smallest one stays.
func fail(g *workgroup, site int, row int64) {
	words := buffer[int64](g, "errors")
	words[site] = min(words[site], row)
}

// column makes an input of Go values.
func column[T any](kind plan.Kind, values []T) exec.Column {
	if len(values) == 0 {
		return exec.Column{Kind: kind}
	}
	size := int(unsafe.Sizeof(values[0]))
	return exec.Column{Kind: kind, Data: unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), len(values)*size)}
}

// values returns a result as Go values.
func values[T any](t *testing.T, result *exec.Result, name string) []T {
	t.Helper()
	c, ok := result.Columns[name]
	if !ok {
		t.Fatalf("no result %q", name)
	}
	if len(c.Data) == 0 {
		return []T{}
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&c.Data[0])), c.Rows())
}

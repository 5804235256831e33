//go:build opencl

package opencl

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/jgillich/go-opencl/cl"

	shared "github.com/kgen-go/kgen/internal/device"
	"github.com/kgen-go/kgen/internal/device/cache"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/plan"
)

// session is a device during one run of the executor. Its queue is in order.
type session struct {
	device   *device
	queue    *cl.CommandQueue
	texts    map[string]string
	options  []string     // of the driver's compiler, in addition to our own
	cache    *cache.Cache // of programs, or nil
	commands shared.Commands[event]
	building atomic.Pointer[string]     // the kernel being compiled
	kernels  shared.Kernels[*cl.Kernel] // those launched before
	span     *span                      // of the commands queued now, or nil
	compiled func(time.Duration, bool)  // as in worker.SessionOptions
}

func (s *session) Machine() plan.Machine { return s.device.machine }

// Resident is one work-group per compute unit, which the probe has seen run at
// once: OpenCL has no query for more.
func (s *session) Resident(context.Context, *plan.Kernel, *plan.Variant) (int64, error) {
	return s.device.resident, nil
}

func (s *session) Alloc(bytes int64) (exec.Memory, error) {
	b, err := s.take((bytes + 7) &^ 7) // kernels change an element through the word that holds it
	if err != nil {
		return nil, err
	}
	return b, nil
}

// take is the pool's Take, with the driver's errors described.
func (s *session) take(bytes int64) (*buffer, error) {
	b, err := s.device.pool.Take(bytes)
	if full := new(exec.FullError); err != nil && !errors.As(err, &full) {
		err = errors.New(describe(err))
	}
	return b, err
}

func (s *session) Import(data []byte) (exec.Memory, error) {
	b, err := s.take(max(int64(len(data)), 1))
	if err != nil {
		return nil, err
	}
	if len(data) == 0 {
		return b, nil
	}
	err = s.queued("the copy of a column to the device", false, func() (*cl.Event, error) {
		return s.queue.EnqueueWriteBuffer(b.Object, true, 0, len(data), unsafe.Pointer(&data[0]), nil)
	})
	runtime.KeepAlive(data)
	if err == nil {
		err = s.commands.Finish() // a blocking write waits for all earlier commands
	}
	if err != nil {
		s.Free(b)
		return nil, err
	}
	return b, nil
}

func (s *session) Free(m exec.Memory) { s.device.pool.Give(m.(*buffer)) }

func (s *session) Fill(m exec.Memory, element []byte, count int64) error {
	b := m.(*buffer)
	size := count * int64(len(element))
	if size == 0 {
		return nil
	}
	if size > b.Size {
		return fmt.Errorf("a fill of %d bytes in a buffer of %d", size, b.Size)
	}
	return s.queued("the fill of a buffer", false, func() (*cl.Event, error) {
		return s.queue.EnqueueFillBuffer(b.Object, unsafe.Pointer(&element[0]), len(element), 0, int(size), nil)
	})
}

func (s *session) Copy(to, from exec.Memory, bytes int64) error {
	if bytes == 0 {
		return nil
	}
	return s.queued("the copy of a buffer", false, func() (*cl.Event, error) {
		return s.queue.EnqueueCopyBuffer(from.(*buffer).Object, to.(*buffer).Object, 0, 0, int(bytes), nil)
	})
}

func (s *session) Read(m exec.Memory, offset int64, to []byte) error {
	b := m.(*buffer)
	if len(to) == 0 {
		return nil
	}
	if err := b.Holds(offset, to); err != nil {
		return err
	}
	err := s.queued("the copy of a column from the device", false, func() (*cl.Event, error) {
		return s.queue.EnqueueReadBuffer(b.Object, true, int(offset), len(to), unsafe.Pointer(&to[0]), nil)
	})
	runtime.KeepAlive(to)
	if err != nil {
		return errors.Join(err, s.commands.Finish())
	}
	return s.commands.Finish()
}

// Gather reads without waiting for each part.
func (s *session) Gather(reads []exec.Read) error {
	var pinned runtime.Pinner
	defer pinned.Unpin()
	var failed error
	for _, part := range reads {
		b := part.Memory.(*buffer)
		if failed = b.Holds(part.Offset, part.To); failed != nil {
			break
		}
		if len(part.To) == 0 {
			continue
		}
		pinned.Pin(&part.To[0])
		failed = s.queued("the copy of a column from the device", false, func() (*cl.Event, error) {
			return s.queue.EnqueueReadBuffer(b.Object, false, int(part.Offset), len(part.To), unsafe.Pointer(&part.To[0]), nil)
		})
		if failed != nil {
			break
		}
	}
	return errors.Join(failed, s.Sync()) // waits for those under way in any case
}

// queued enqueues a command and records its event. Drivers that allocate memory
// at the first use of a buffer may run out of it here: queued then frees the
// pool's buffers and tries again. The executor names a command that fails now;
// name is for a command that fails later.
func (s *session) queued(name string, isKernel bool, enqueue func() (*cl.Event, error)) error {
	mark, err := enqueue()
	if isMemory(err) && s.device.pool.Idle() > 0 {
		s.queue.Finish()
		s.device.pool.Trim()
		mark, err = enqueue()
	}
	switch {
	case errors.Is(err, cl.ErrMemObjectAllocationFailure):
		return &exec.FullError{Reason: "the device has no memory left for the buffers of the command (" + describe(err) + ")"}
	case err != nil:
		return errors.New(describe(err))
	}
	s.commands.Add(name, isKernel, event{mark, s.span})
	return nil
}

func (s *session) Launch(ctx context.Context, l *exec.Launch) error {
	kernel, err := s.kernel(ctx, l)
	if err != nil {
		return err
	}
	group := int64(max(l.Variant.Schedule.Workgroup, 1))
	switch {
	case l.Workgroups < 1:
		return nil
	case l.Rows < 0 || l.Rows > plan.MaxRows:
		return fmt.Errorf("a launch over %d rows; one spans at most %d", l.Rows, plan.MaxRows)
	case l.Workgroups > math.MaxInt64/group || s.device.addressBits == 32 && l.Workgroups*group > math.MaxUint32:
		return fmt.Errorf("%d work-groups of %d work-items are more than the device counts", l.Workgroups, group)
	}
	if err := s.setArguments(kernel, l); err != nil {
		return err
	}
	err = s.queued(fmt.Sprintf("kernel %q over %d rows", l.Kernel.Name, l.Rows), true, func() (*cl.Event, error) {
		return s.queue.EnqueueNDRangeKernel(kernel, nil, []int{int(l.Workgroups * group)}, []int{int(group)}, nil)
	})
	if err != nil {
		// The driver may report too small a limit for work-groups, so it is
		// believed only after a failure.
		if most, asked := kernel.WorkGroupSize(s.device.id); asked == nil && int64(most) < group {
			return fmt.Errorf("%w: the device runs this kernel in work-groups of at most %d work-items, because it has not enough registers or local memory; the plan needs %d", err, most, group)
		}
		return err
	}
	return flush(s.queue)
}

// kernel builds the kernel of a launch, once.
func (s *session) kernel(ctx context.Context, l *exec.Launch) (*cl.Kernel, error) {
	return s.kernels.Of(l.Variant, l.Spec, func() (*cl.Kernel, error) { return s.build(ctx, l) })
}

func (s *session) build(ctx context.Context, l *exec.Launch) (*cl.Kernel, error) {
	text, ok := s.texts[l.Variant.File]
	if !ok {
		return nil, fmt.Errorf("the text %q of kernel %q was not given", l.Variant.File, l.Kernel.Name)
	}
	options, err := s.device.options(s.options, l.Variant.Spec, l.Spec)
	if err != nil {
		return nil, err
	}
	building := fmt.Sprintf("the compilation of kernel %q", l.Kernel.Name)
	s.building.Store(&building)
	defer s.building.Store(nil)
	cached, begun := true, time.Now()
	p, err := s.device.build(ctx, s.cache, source{kernel: l.Kernel.Name, file: l.Variant.File, text: text, options: options, missed: func() { cached = false }})
	if err != nil {
		return nil, err
	}
	if s.compiled != nil {
		s.compiled(time.Since(begun), cached)
	}
	return p.kernel(l.Variant.Entry)
}

// setArguments passes row0, rows, the plan's arguments and the local memory.
func (s *session) setArguments(kernel *cl.Kernel, l *exec.Launch) error {
	count, err := kernel.NumArgs()
	if err != nil {
		return fmt.Errorf("the number of arguments: %s", describe(err))
	}
	given := 2 + len(l.Args)
	hasLocal := count == given+1 && l.Local > 0
	if count != given && !hasLocal {
		return fmt.Errorf("%s takes %d arguments, the plan gives %d", l.Variant.Entry, count, given)
	}
	for i, value := range []int64{l.Row0, l.Rows} {
		err := kernel.SetArgInt64(i, value)
		if errors.Is(err, cl.ErrInvalidArgSize) && value <= math.MaxInt32 {
			err = kernel.SetArgInt32(i, int32(value))
		}
		if err != nil {
			return fmt.Errorf("argument %s, %d: %s", []string{"row0", "rows"}[i], value, describe(err))
		}
	}
	for i, arg := range l.Args {
		if arg.Memory != nil {
			err = kernel.SetArgBuffer(2+i, arg.Memory.(*buffer).Object)
		} else {
			bytes := arg.Value.Bytes()
			err = kernel.SetArgUnsafe(2+i, len(bytes), unsafe.Pointer(&bytes[0]))
		}
		if err != nil {
			return fmt.Errorf("argument %q: %s", l.Variant.Args[i].Name, describe(err))
		}
	}
	if hasLocal {
		if err := kernel.SetArgLocal(given, int(l.Local)); err != nil {
			return fmt.Errorf("%d bytes of local memory: %s", l.Local, describe(err))
		}
	}
	return nil
}

func (s *session) Sync() error {
	err := s.queue.Finish()
	if failed := s.commands.Finish(); failed != nil {
		return failed
	}
	if err != nil {
		return errors.New(describe(err))
	}
	return nil
}

func (s *session) Elapsed() time.Duration { return s.commands.Elapsed() }

func (s *session) Spans(times int, work func() error) ([]time.Duration, error) {
	defer func() { s.span = nil }()
	all := make([]span, times)
	for i := range all {
		s.span = &all[i]
		if err := work(); err != nil {
			return nil, err
		}
	}
	if err := s.Sync(); err != nil {
		return nil, err
	}
	var spans []time.Duration
	for _, one := range all {
		spans = append(spans, time.Duration(one.end-one.start))
	}
	return spans, nil
}

func (s *session) Busy() string {
	if building := s.building.Load(); building != nil {
		return *building
	}
	return s.commands.Busy()
}

// Close waits for queued commands, because their buffers go back to the pool.
func (s *session) Close() {
	s.Sync()
	s.queue.Release()
}

//go:build opencl

package opencl

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

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
	sources  *shared.Sources
	options  []string     // of the driver's compiler, in addition to our own
	cache    *cache.Cache // of programs, or nil
	commands shared.Commands[event]
	building atomic.Pointer[string]    // the kernel being compiled
	kernels  shared.Kernels[*kernel]   // those launched before
	span     *span                     // of the commands queued now, or nil
	compiled func(time.Duration, bool) // as in worker.SessionOptions

	since time.Time // when the first command was queued that nobody has waited for
	brief bool      // what was waited for last took no longer than briefly
}

// briefly is the time up to which work is not worth an event of each kernel, nor that it starts
// before the host waits: both take as long as the rest of a launch. Who waits for longer is told
// what for.
const briefly = time.Millisecond

func (s *session) Machine() plan.Machine { return s.device.machine }

// Resident is one work-group per compute unit, which the probe has seen run at
// once: OpenCL has no query for more.
func (s *session) Resident(context.Context, *plan.Kernel, *plan.Variant) (int64, error) {
	return s.device.resident, nil
}

func (s *session) Alloc(bytes int64) (exec.Memory, error) {
	if b := s.device.small.Small(bytes); b != nil {
		return b, nil
	}
	b, err := s.take((bytes + 7) &^ 7) // kernels change an element through the word that holds it
	if err != nil {
		return nil, err
	}
	return b, nil
}

// take is the pool's Take, with the driver's errors described.
func (s *session) take(bytes int64) (*buffer, error) {
	b, err := s.device.pool.Take(bytes)
	if err == nil {
		return b, nil
	}
	if full := new(exec.FullError); !errors.As(err, &full) {
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
	err = s.queued("the copy of a column to the device", false, func(m *mark) error { return enqueueWrite(s.queue, b.Object, data, m) })
	runtime.KeepAlive(data)
	if err == nil {
		err = s.finish(nil) // it has waited for all earlier commands
	}
	if err != nil {
		s.Free(b)
		return nil, err
	}
	return b, nil
}

func (s *session) Free(m exec.Memory) { s.device.small.Give(m.(*buffer)) }

func (s *session) Fill(m exec.Memory, element []byte, count int64) error {
	b := m.(*buffer)
	size := count * int64(len(element))
	if size == 0 {
		return nil
	}
	if size > b.Size {
		return fmt.Errorf("a fill of %d bytes in a buffer of %d", size, b.Size)
	}
	if !s.commands.Timed && !slices.ContainsFunc(element, func(b byte) bool { return b != element[0] }) {
		s.device.filling = s.queue
		if later, err := s.device.small.FillLater(b, element[0], size); later || err != nil {
			return err
		}
	}
	return s.queued("the fill of a buffer", false, func(m *mark) error { return enqueueFill(s.queue, b.Object, element, 0, size, m) })
}

func (s *session) Copy(to, from exec.Memory, bytes int64) error {
	if bytes == 0 {
		return nil
	}
	return s.queued("the copy of a buffer", false, func(m *mark) error {
		return enqueueCopy(s.queue, to.(*buffer).Object, from.(*buffer).Object, bytes, m)
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
	return s.read(b.Object, offset, to)
}

// read copies to the host, and waits for all earlier commands, too.
func (s *session) read(from *cl.MemObject, at int64, to []byte) error {
	err := s.queued("the copy of a column from the device", false, func(m *mark) error { return enqueueRead(s.queue, from, at, to, true, m) })
	runtime.KeepAlive(to)
	return s.finish(err)
}

// finish forgets all commands, which have ended, and returns the error of the first that failed,
// or err, which the wait for them returned.
func (s *session) finish(err error) error {
	if !s.since.IsZero() {
		s.brief, s.since = time.Since(s.since) < briefly, time.Time{}
	}
	kernel := s.commands.Unwatched()
	failed := s.commands.Finish()
	switch {
	case failed != nil:
		return failed
	case err != nil && kernel != "":
		return fmt.Errorf("%s failed, or a command behind it: %w", kernel, err)
	}
	return err
}

// Gather reads small parts by way of memory that the device copies to by itself, most of them by
// one command.
func (s *session) Gather(reads []exec.Read) error {
	for _, part := range reads {
		if err := part.Memory.(*buffer).Holds(part.Offset, part.To); err != nil {
			return err
		}
	}
	d := s.device
	spans, total := d.small.Spans(reads)
	if total == 0 {
		return s.Sync()
	}
	if total > int64(len(d.staging(s.queue))) {
		for _, part := range reads {
			if err := s.Read(part.Memory, part.Offset, part.To); err != nil {
				return err
			}
		}
		return nil
	}
	at := int64(0)
	for _, span := range spans {
		if err := s.read(span.Object, span.From, d.staged[at:at+span.Bytes()]); err != nil {
			return err
		}
		at += span.Bytes()
	}
	shared.Spread(reads, spans, d.staged)
	return nil
}

// queued enqueues a command, behind a fill that was put off. Drivers that allocate memory
// at the first use of a buffer may run out of it here: queued then frees the
// pool's buffers and tries again. The executor names a command that fails now;
// name is for a command that fails later. Kernels, and all commands that are timed, are recorded.
func (s *session) queued(name string, isKernel bool, enqueue func(*mark) error) error {
	var m *mark
	if isKernel && !s.brief || s.commands.Timed {
		m = new(mark)
	}
	if s.since.IsZero() {
		s.since = time.Now()
	}
	s.device.busy = s.queue
	behindFill := func() error {
		if err := s.device.fillNow(s.queue); err != nil {
			return err
		}
		return enqueue(m)
	}
	err := behindFill()
	if isMemory(err) && s.device.pool.Idle() > 0 {
		s.device.pool.Trim()
		err = behindFill()
	}
	switch {
	case errors.Is(err, cl.ErrMemObjectAllocationFailure):
		return &exec.FullError{Reason: "the device has no memory left for the buffers of the command (" + describe(err) + ")"}
	case err != nil:
		return errors.New(describe(err))
	}
	switch {
	case m != nil:
		s.commands.Add(name, isKernel, event{*m, s.span})
	case isKernel:
		s.commands.Add(name, isKernel, event{})
	}
	return nil
}

func (s *session) Launch(ctx context.Context, l *exec.Launch) error {
	k, err := s.kernel(ctx, l)
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
	given := 2 + len(l.Args)
	local := int64(0)
	if k.count == given+1 && l.Local > 0 {
		local = l.Local
	} else if k.count != given {
		return fmt.Errorf("%s takes %d arguments, the plan gives %d", l.Variant.Entry, k.count, given)
	}
	err = s.queued(k.over(l.Kernel.Name, l.Rows), true, func(m *mark) error { return k.launch(s.queue, l, local, group, m) })
	if err != nil {
		// The driver may report too small a limit for work-groups, so it is
		// believed only after a failure.
		if most, asked := k.WorkGroupSize(s.device.id); asked == nil && int64(most) < group {
			return fmt.Errorf("%w: the device runs this kernel in work-groups of at most %d work-items, because it has not enough registers or local memory; the plan needs %d", err, most, group)
		}
		return err
	}
	if s.brief {
		return nil // what waits for it does that
	}
	return flush(s.queue)
}

// kernel builds the kernel of a launch, once.
func (s *session) kernel(ctx context.Context, l *exec.Launch) (*kernel, error) {
	return s.kernels.Of(l.Variant, l.Spec, func() (*kernel, error) { return s.build(ctx, l) })
}

func (s *session) build(ctx context.Context, l *exec.Launch) (*kernel, error) {
	from, err := s.source(l.Kernel.Name, l.Variant, l.Spec)
	if err != nil {
		return nil, err
	}
	building := fmt.Sprintf("the compilation of kernel %q", l.Kernel.Name)
	s.building.Store(&building)
	defer s.building.Store(nil)
	cached, begun := true, time.Now()
	p, err := s.device.build(ctx, s.cache, from, func() {
		cached = false
		s.buildWith(l.Variant)
	})
	if err != nil {
		return nil, err
	}
	if s.compiled != nil {
		s.compiled(time.Since(begun), cached)
	}
	return p.kernel(l.Variant.Entry)
}

// source returns what a kernel with these values of its constants is built from.
func (s *session) source(kernel string, v *plan.Variant, constants []int64) (source, error) {
	text, ok := s.sources.Alone(v)
	if !ok {
		return source{}, fmt.Errorf("the text %q of kernel %q was not given", v.File, kernel)
	}
	options, err := s.device.options(s.options, v.Spec, constants)
	return source{kernel: kernel, file: v.File, text: text, options: options}, err
}

// buildWith has the kernels built that are launched together with v.
func (s *session) buildWith(v *plan.Variant) {
	for _, e := range s.sources.With(v) {
		if from, err := s.source(e.Kernel, e.Variant, nil); err == nil && e.Variant != v {
			s.device.buildAhead(s.cache, from)
		}
	}
}

func (s *session) Sync() error {
	if s.since.IsZero() && !s.device.small.Waits() {
		return nil // what was queued has been waited for
	}
	err := s.device.fillNow(s.queue)
	if err == nil {
		err = s.queue.Finish()
	}
	if err != nil {
		err = errors.New(describe(err))
	}
	return s.finish(err)
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
	if s.device.busy == s.queue {
		s.device.busy = nil
	}
	s.queue.Release()
}

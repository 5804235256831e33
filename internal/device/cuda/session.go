//go:build cuda

package cuda

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"gorgonia.org/cu"

	shared "github.com/kgen-go/kgen/internal/device"
	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/plan"
)

// session is a device during one run of the executor. All commands are queued
// in the context's default stream, in order.
type session struct {
	device   *device
	sources  *shared.Sources
	options  []string // of the compiler, in addition to our own
	timed    bool
	gathers  bool // commands wait for others
	commands shared.Commands[event]
	compiles atomic.Pointer[string]    // the kernel being compiled
	kernels  shared.Kernels[*kernel]   // those launched before
	compiled func(time.Duration, bool) // as in worker.SessionOptions
}

func (s *session) Machine() plan.Machine { return s.device.machine }

// Resident asks the driver, which knows the registers and the shared memory of
// the kernel.
func (s *session) Resident(ctx context.Context, _ *plan.Kernel, v *plan.Variant) (int64, error) {
	units := int64(s.device.machine.Units)
	if len(v.Spec) > 0 {
		return units, nil // its constants are not known yet
	}
	k, err := s.kernel(ctx, &exec.Launch{Kernel: &plan.Kernel{Name: v.Entry}, Variant: v})
	if err != nil {
		return 0, err
	}
	local := int64(0)
	if v.LocalBytes.Op == plan.OpConst {
		local = v.LocalBytes.Const
	}
	if err := k.allow(local); err != nil {
		return 0, err
	}
	each, err := k.function.MaxActiveBlocksPerMultiProcessor(max(v.Schedule.Workgroup, 1), local)
	if err != nil {
		return 0, s.failure("how many work-groups run at once", err)
	}
	return units * int64(each), nil
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

// take is the pool's Take. An earlier kernel may have lost the device.
func (s *session) take(bytes int64) (*buffer, error) {
	b, err := s.device.pool.Take(bytes)
	if err == nil {
		return b, nil
	}
	if full := new(exec.FullError); !errors.As(err, &full) {
		err = s.failure("the allocation of a buffer", err)
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
	defer pin(data, reads)()
	err = s.queued("the copy of a column to the device", false, func() error {
		return cu.MemcpyHtoD(b.Object, unsafe.Pointer(&data[0]), int64(len(data)))
	})
	runtime.KeepAlive(data)
	if err != nil {
		s.Free(b)
		return nil, err
	}
	return b, nil
}

func (s *session) Free(m exec.Memory) { s.device.small.Give(m.(*buffer)) }

func (s *session) Copy(to, from exec.Memory, bytes int64) error {
	if bytes == 0 {
		return nil
	}
	return s.queued("the copy of a buffer", false, func() error {
		return cu.MemcpyDtoDAsync(to.(*buffer).Object, from.(*buffer).Object, bytes, cu.NoStream)
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
	defer pin(to, writes)()
	err := s.queued("the copy of a column from the device", false, func() error {
		return cu.MemcpyDtoH(unsafe.Pointer(&to[0]), b.Object+cu.DevicePtr(offset), int64(len(to)))
	})
	runtime.KeepAlive(to)
	if err != nil {
		return s.finish(err)
	}
	if s.timed {
		return s.Sync() // its mark, too
	}
	s.ended()
	return nil
}

// queued runs a function that queues a command. If the driver lacks memory,
// queued frees the pool's buffers and tries again. The executor names a command
// that fails now; name is for a command that fails later.
func (s *session) queued(name string, isKernel bool, enqueue func() error) error {
	if err := s.submit(); err != nil {
		return err
	}
	return s.recorded(name, isKernel, enqueue)
}

// recorded is queued for a command before which nothing waits.
func (s *session) recorded(name string, isKernel bool, enqueue func() error) error {
	s.device.idle = false
	e, err := s.marked(isKernel, enqueue)
	switch {
	case isMemory(err):
		return &exec.FullError{Reason: describe(err)}
	case err != nil:
		return s.notLost(name, described{err})
	}
	if isKernel || s.timed {
		s.commands.Add(name, isKernel, e)
	}
	return nil
}

// marked queues a command: a kernel with a mark after it, and any command that is timed with
// one before it, too. What else there is ends before the kernel behind it does.
func (s *session) marked(isKernel bool, enqueue func() error) (e event, err error) {
	e = event{device: s.device, timed: s.timed}
	if s.timed {
		if e.start, err = s.device.mark(true); err != nil {
			return e, err
		}
	}
	if err = enqueue(); isMemory(err) && s.device.pool.Idle() > 0 {
		cu.Synchronize()
		s.device.pool.Trim()
		err = enqueue()
	}
	if err == nil && (isKernel || s.timed) {
		e.end, err = s.device.mark(s.timed)
	}
	if err != nil && s.timed {
		cu.DestroyEvent(&e.start)
	}
	return e, err
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
	case l.Workgroups > math.MaxInt32:
		return fmt.Errorf("%d work-groups are more than the device counts", l.Workgroups)
	case k.most < group:
		return fmt.Errorf("the device runs this kernel in work-groups of at most %d work-items, because it has not enough registers; the plan needs %d", k.most, group)
	}
	if err := k.allow(l.Local); err != nil {
		return s.notLost(fmt.Sprintf("the preparation of kernel %q", l.Kernel.Name), err)
	}
	if given := 2 + len(l.Args); k.count >= 0 && k.count != given {
		return fmt.Errorf("%s takes %d arguments, the plan gives %d", l.Variant.Entry, k.count, given)
	}
	if s.gathers && l.Variant.Forward != plan.ForwardResident {
		return s.wait(func(b *batch) {
			first := len(b.words)
			b.words = appendArguments(b.words, l)
			b.uses.ofLaunch(l)
			b.kernel(k.over(l.Kernel.Name, l.Rows), k.function, l.Workgroups, group, l.Local, first)
		})
	}
	arguments := appendArguments(make([]argument, 0, 2+len(l.Args)), l)
	return s.queued(k.over(l.Kernel.Name, l.Rows), true, func() error {
		return launch(k.function, l.Workgroups, group, l.Local, arguments, l.Variant.Forward == plan.ForwardResident)
	})
}

// appendArguments appends row0, rows and the plan's arguments, each in 8 bytes, of
// which a kernel reads as many as it declares.
func appendArguments(to []argument, l *exec.Launch) []argument {
	to = append(to, argument(l.Row0), argument(l.Rows))
	for _, arg := range l.Args {
		if arg.Memory != nil {
			to = append(to, argument(arg.Memory.(*buffer).Object))
		} else {
			to = append(to, argument(word(arg.Value)))
		}
	}
	return to
}

// word returns a value as the device has it, in the low bytes.
func word(v exec.Value) argument {
	if v.Kind == plan.Char8 {
		return argument(bits.ReverseBytes64(v.Bits))
	}
	return argument(v.Bits)
}

// kernel compiles the kernel of a launch, once.
func (s *session) kernel(ctx context.Context, l *exec.Launch) (*kernel, error) {
	return s.kernels.Of(l.Variant, l.Spec, func() (*kernel, error) { return s.compile(ctx, l) })
}

func (s *session) compile(ctx context.Context, l *exec.Launch) (*kernel, error) {
	from, err := s.source(l.Kernel.Name, l.Variant, l.Spec)
	if err != nil {
		return nil, err
	}
	compiles := fmt.Sprintf("the compilation of kernel %q", l.Kernel.Name)
	s.compiles.Store(&compiles)
	defer s.compiles.Store(nil)
	cached, begun := true, time.Now()
	p, err := s.device.build(ctx, from, func() {
		cached = false
		s.compileWith(l.Variant)
	})
	if err != nil {
		return nil, s.notLost(compiles, err)
	}
	if s.compiled != nil {
		s.compiled(time.Since(begun), cached)
	}
	k, err := p.kernel(l.Variant.Entry)
	return k, s.notLost(compiles, err)
}

// source returns what a kernel with these values of its constants is compiled from.
func (s *session) source(kernel string, v *plan.Variant, constants []int64) (source, error) {
	text, ok := s.sources.Alone(v)
	if !ok {
		return source{}, fmt.Errorf("the text %q of kernel %q was not given", v.File, kernel)
	}
	options, err := shared.Constants(v.Spec, constants)
	return source{kernel: kernel, file: v.File, text: text, options: append(options, s.options...)}, err
}

// compileWith has the kernels compiled that are launched together with v.
func (s *session) compileWith(v *plan.Variant) {
	for _, e := range s.sources.With(v) {
		if from, err := s.source(e.Kernel, e.Variant, nil); err == nil && e.Variant != v {
			s.device.compileAhead(from)
		}
	}
}

func (s *session) Sync() error {
	if err := s.submit(); err != nil {
		return err
	}
	if s.device.idle {
		return nil
	}
	err := cu.Synchronize()
	if err == nil {
		s.ended()
		return nil
	}
	if failed := s.finish(nil); failed != nil {
		return failed
	}
	return s.failure("waiting for the device", err)
}

func (s *session) Elapsed() time.Duration { return s.commands.Elapsed() }

// Spans has its own marks, because the marks of timed commands would come
// between the commands.
func (s *session) Spans(times int, work func() error) ([]time.Duration, error) {
	defer func(timed, gathers bool) { s.timed, s.gathers = timed, gathers }(s.timed, s.gathers)
	s.timed, s.gathers = false, !s.device.pool.Exact // as the runs that nobody times
	marks := make([]event, 0, times)
	defer func() {
		for _, m := range marks {
			m.Release()
		}
	}()
	for range times {
		if err := s.submit(); err != nil {
			return nil, err
		}
		start, err := s.device.mark(true)
		if err != nil {
			return nil, s.failure("a repetition", err)
		}
		if err := work(); err != nil {
			return nil, err
		}
		if err := s.submit(); err != nil {
			return nil, err
		}
		end, err := s.device.mark(true)
		if err != nil {
			return nil, s.failure("a repetition", err)
		}
		marks = append(marks, event{device: s.device, start: start, end: end, timed: true})
	}
	if err := s.Sync(); err != nil {
		return nil, err
	}
	var spans []time.Duration
	for _, m := range marks {
		spans = append(spans, m.Took())
	}
	return spans, nil
}

func (s *session) Busy() string {
	if compiles := s.compiles.Load(); compiles != nil {
		return *compiles
	}
	return s.commands.Busy()
}

// Close waits for queued commands, because their buffers go back to the pool.
func (s *session) Close() { s.Sync() }

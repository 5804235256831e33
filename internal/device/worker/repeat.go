package worker

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/kgen-go/kgen/internal/device/exec"
)

// repeater is a session that can repeat the device's work of a plan.
type repeater struct {
	Session
	times   int
	buffers []allocation // of the plan
	work    []task       // its fills and launches
	gone    bool         // it has freed memory that the work may use
}

// task is a fill, or a launch of a kernel.
type task struct {
	kernel string // "" of a fill
	do     func() error
}

type allocation struct {
	memory exec.Memory
	bytes  int64
}

// Bytes that are filled before the repetitions, and how often: the fills keep the
// device busy while the repetitions are queued, so that none waits for the host.
const coverBytes, coverFills = 256 << 20, 16

// coverTime is how long fills go on at most: any host has queued its work by then. Of the first GPUs all of them take 1 to 2 ms, of
// one core 300.
const coverTime = 5 * time.Millisecond

// poison fills buffers before the first repetition, so that results cannot be
// those of the previous run.
const poison = 0xa5

// Import begins a plan: the work of one that gave up is forgotten.
func (r *repeater) Import(data []byte) (exec.Memory, error) {
	r.buffers, r.work, r.gone = nil, nil, false
	return r.Session.Import(data)
}

func (r *repeater) Alloc(bytes int64) (exec.Memory, error) {
	m, err := r.Session.Alloc(bytes)
	if err == nil {
		r.buffers = append(r.buffers, allocation{m, bytes})
	}
	return m, err
}

func (r *repeater) Free(m exec.Memory) {
	r.gone = true
	r.Session.Free(m)
}

func (r *repeater) Fill(m exec.Memory, element []byte, count int64) error {
	r.work = append(r.work, task{"", func() error { return r.Session.Fill(m, element, count) }})
	return r.Session.Fill(m, element, count)
}

func (r *repeater) Launch(ctx context.Context, l *exec.Launch) error {
	again := *l // the executor uses it for the next one
	again.Args, again.Spec = slices.Clone(l.Args), slices.Clone(l.Spec)
	r.work = append(r.work, task{l.Kernel.Name, func() error { return r.Session.Launch(ctx, &again) }})
	return r.Session.Launch(ctx, l)
}

// again repeats the work and returns the nanoseconds of each repetition.
func (r *repeater) again() (times []int64, err error) {
	if r.gone {
		return nil, errors.New("the plan allocates a buffer twice, so that its work cannot be repeated")
	}
	for _, b := range r.buffers {
		word := []byte{poison, poison, poison, poison} // NVIDIA's OpenCL takes half a minute over 2 GiB of single bytes
		if b.bytes%int64(len(word)) > 0 {
			word = word[:1]
		}
		if err := r.Session.Fill(b.memory, word, b.bytes/int64(len(word))); err != nil {
			return nil, err
		}
	}
	size := int64(coverBytes)
	if most := r.Machine().MaxAlloc; most > 0 {
		size = min(size, most/8)
	}
	cover, err := r.Session.Alloc(size)
	if err != nil {
		return nil, err
	}
	defer r.Session.Free(cover)
	fill := func(bytes int64) error { return r.Session.Fill(cover, make([]byte, 4), bytes/4) }
	first, err := r.Spans(1, func() error { return fill(size / coverFills) })
	if err != nil {
		return nil, err
	}
	for left := coverParts(first[0]); left > 0; left -= coverFills {
		if err := fill(size / coverFills * int64(min(left, coverFills))); err != nil {
			return nil, err
		}
	}
	spans, err := r.Spans(r.times, r.queue)
	for _, took := range spans {
		times = append(times, took.Nanoseconds())
	}
	r.Elapsed() // this time belongs to no step
	return times, err
}

// coverParts returns how many sixteenths of the cover are filled where one takes so long.
func coverParts(first time.Duration) int {
	return int(min(coverTime/max(first, 1), coverFills*coverFills))
}

func (r *repeater) queue() error {
	for _, t := range r.work {
		if err := t.do(); err != nil {
			return err
		}
	}
	return nil
}

// apart repeats the work once more and returns the time of each launch. The device is
// idle between two of them.
func (r *repeater) apart() (launches []LaunchTime, err error) {
	for _, t := range r.work {
		spans, err := r.Spans(1, t.do)
		if err != nil {
			return nil, err
		}
		if t.kernel != "" {
			launches = append(launches, LaunchTime{t.kernel, spans[0].Nanoseconds()})
		}
	}
	r.Elapsed()
	return launches, nil
}

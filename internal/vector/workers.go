package vector

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Several workers run a kernel's batches. Each has a frame of its own, with vectors of its
// own, that is linked like the first; all share the state that lives from batch to batch. A step
// on such state is ordered: it runs for one batch after the other, whoever runs them. All other
// steps run at any time. A worker takes the next batch when it has ended one, so the oldest
// batch never waits, and results do not depend on how many workers there are. State that passes through more
// cores than it keeps busy gets there later, so few workers begin. Others join while these hardly wait for
// their turns, one by one, and leave likewise where most of the time is waiting.

const (
	// wideBatch is the rows of a batch for several workers: more than one worker has, since
	// passing state from core to core takes as long as some hundred rows.
	wideBatch = 4096
	// leastRows for each worker pay for its start.
	leastRows = 32768
	// firstWorkers begin, if there are so many.
	firstWorkers = 2
)

// workersFor returns how many workers run a kernel of so many rows. One does where most of the
// work is ordered, as for large tables.
func (o *Options) workersFor(k *kernel, streams []stream, rows int64) int {
	inTurn := slices.ContainsFunc(k.combined, func(s int) bool { return !isOwn(streams[s].length, rows) })
	switch {
	case o.Workers > 0:
		return int(max(min(int64(o.Workers), rows), 1))
	case k.serial || inTurn:
		return 1
	}
	return int(max(min(int64(runtime.GOMAXPROCS(0)), rows/leastRows), 1))
}

// turns has for each ordered step the number of the batch that may run it.
type turns struct {
	at      []turn
	stopped atomic.Bool // a worker has failed
}

// turn has a cache line of its own.
type turn struct {
	atomic.Int64
	_ [56]byte
}

// stopped is the panic of a worker that waits for one that has failed.
type stopped struct{}

// wait returns when it is a batch's turn, and says how long that took. A sleep takes many times as long as a
// batch, and all others wait for the one that sleeps: it is for a worker before that has lost its core.
func (t *turns) wait(step int, batch int64) time.Duration {
	const spins, patience = 4096, time.Millisecond
	at := &t.at[step]
	if at.Load() == batch {
		return 0
	}
	begun := time.Now()
	for tries := 0; at.Load() != batch; tries++ {
		switch {
		case tries < spins:
		case t.stopped.Load():
			panic(stopped{})
		case time.Since(begun) < patience:
			runtime.Gosched()
		default:
			time.Sleep(20 * time.Microsecond)
		}
	}
	return time.Since(begun)
}

// crew is the workers that have joined and not left.
type crew struct {
	most    int64        // workers that may join
	joined  atomic.Int64 // of them
	left    atomic.Int64
	changed atomic.Int64 // the batch behind which the last one joined or left
}

// watch is how many batches a worker looks back.
const watch = 4

// mayChange reports whether it is time for one worker more or less behind a batch, all others having run one
// since the last.
func (c *crew) mayChange(batch int64) bool {
	last := c.changed.Load()
	return batch-last >= c.joined.Load()-c.left.Load() && c.changed.CompareAndSwap(last, batch)
}

// mayJoin returns the number of another worker that joins behind a batch, where one has waited for little of
// some time, and none has left.
func (c *crew) mayJoin(waited, passed time.Duration, batch int64) (number int64, joins bool) {
	number = c.joined.Load()
	return number, number < c.most && c.left.Load() == 0 && 4*waited < passed && c.mayChange(batch) && c.joined.CompareAndSwap(number, number+1)
}

// mayLeave reports whether a worker leaves behind a batch that has waited for most of some time.
func (c *crew) mayLeave(waited, passed time.Duration, batch int64) bool {
	left := c.left.Load()
	return c.joined.Load()-left > 1 && 2*waited > passed && c.mayChange(batch) && c.left.CompareAndSwap(left, left+1)
}

// ordered adds a step that uses state of earlier batches.
func (l *linker) ordered(s step) {
	inTurn := l.inTurn()
	l.add(func() { inTurn(s) })
}

// inTurn returns what runs a step behind that of the batch before.
func (l *linker) inTurn() func(step) {
	f, number := l.frame, l.ordinal
	l.ordinal++
	return func(s step) {
		if f.turns == nil {
			s()
			return
		}
		f.waited += f.turns.wait(number, f.number)
		s()
		f.turns.at[number].Store(f.number + 1)
	}
}

// shared returns state that lives from batch to batch: that of the first frame.
func shared[S any](l *linker, make func() S) S {
	at := l.stateful
	l.stateful++
	if l.first != nil {
		return l.first.states[at].(S)
	}
	s := make()
	l.states = append(l.states, s)
	return s
}

// helper returns the frame of another worker.
func (f *frame) helper(number int) (*frame, error) {
	for len(f.helpers) <= number {
		h := &frame{Kernel: f.Kernel, batch: f.batch, streams: f.streams, uniform: make([]register, len(f.Values)), folds: f.folds,
			uses: f.uses, closings: f.closings, spared: f.spared, first: f}
		if err := h.link(); err != nil {
			return nil, err
		}
		f.helpers = append(f.helpers, h)
	}
	return f.helpers[number], nil
}

// spread runs all batches by several workers.
func (f *frame) spread(workers int) error {
	t := &turns{at: make([]turn, f.ordinal)}
	frames := []*frame{f}
	for i := range workers - 1 {
		h, err := f.helper(i)
		if err != nil {
			return err
		}
		h.run, h.rows, h.ctx = f.run, f.rows, f.ctx
		h.before.runAll()
		frames = append(frames, h)
	}
	var next atomic.Int64
	crew := crew{most: int64(workers)}
	var wait sync.WaitGroup
	failed := make([]any, workers)
	var start func(i int64)
	start = func(i int64) {
		g := frames[i]
		g.turns = t
		wait.Go(func() {
			defer func() {
				if failed[i] = recover(); failed[i] != nil {
					t.stopped.Store(true)
				}
			}()
			begun := time.Now()
			g.waited = 0
			for passed := 1; f.ctx.Err() == nil; passed++ {
				g.number = next.Add(1) - 1
				if g.number*int64(g.batch) >= g.rows {
					return
				}
				g.pass(g.number * int64(g.batch))
				if passed%watch == 0 {
					now := time.Now()
					if crew.mayLeave(g.waited, now.Sub(begun), g.number) {
						return
					}
					if another, joins := crew.mayJoin(g.waited, now.Sub(begun), g.number); joins {
						start(another)
					}
					begun, g.waited = now, 0
				}
			}
			t.stopped.Store(true)
		})
	}
	crew.joined.Store(min(firstWorkers, crew.most))
	for i := range crew.joined.Load() {
		start(i)
	}
	wait.Wait()
	for _, g := range frames {
		g.turns = nil
		for _, merge := range g.merges {
			merge()
		}
	}
	for _, fault := range failed {
		if _, waited := fault.(stopped); fault != nil && !waited {
			panic(fault)
		}
	}
	return f.ctx.Err()
}

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
// batch never waits, and results do not depend on how many workers there are.

const (
	// wideBatch is the rows of a batch for several workers: more than one worker has, since
	// passing state from core to core takes as long as some hundred rows.
	wideBatch = 4096
	// leastRows for each worker pay for its start.
	leastRows = 32768
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

// wait returns when it is a batch's turn.
func (t *turns) wait(step int, batch int64) {
	const spins, yields = 2000, 20
	for tries := 0; t.at[step].Load() != batch; tries++ {
		switch {
		case tries < spins:
			continue
		case t.stopped.Load():
			panic(stopped{})
		case tries < spins+yields:
			runtime.Gosched()
		default: // the worker before has lost its core
			time.Sleep(20 * time.Microsecond)
		}
	}
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
		f.turns.wait(number, f.number)
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
	var wait sync.WaitGroup
	failed := make([]any, workers)
	for i, g := range frames {
		g.turns = t
		wait.Go(func() {
			defer func() {
				if failed[i] = recover(); failed[i] != nil {
					t.stopped.Store(true)
				}
			}()
			for f.ctx.Err() == nil {
				g.number = next.Add(1) - 1
				if g.number*int64(g.batch) >= g.rows {
					return
				}
				g.pass(g.number * int64(g.batch))
			}
			t.stopped.Store(true)
		})
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

package simttest

import (
	"fmt"
	"iter"
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
)

// launch is one run of a kernel.
type launch struct {
	device    *Device
	kernel    *kernel
	size      int          // work-items in a work-group
	count     int          // work-groups
	steps     int          // left
	arguments []argument   // of the kernel's parameters
	children  []*launch    // by its work-items; they run when it has ended
	begun     []*workgroup // those that have done an atomic operation, if one of them is Starved
	marks     map[*buffer]*marks
}

// argument is of a parameter: a scalar, or the buffer that it stands for.
type argument struct {
	scalar ir.Scalar
	buffer *buffer
}

// pause is the reason why a work-item yields.
type pause int

const (
	others  pause = iota // others may go first
	barrier              // all of the work-group must arrive
)

// workgroup is a resident work-group.
type workgroup struct {
	id       int
	local    map[*loop.Var]*storage
	items    []*workItem
	ready    []*workItem // those that can go on; only step uses it
	barriers int32       // at which all have arrived
}

// workItem runs one work-item as a coroutine.
type workItem struct {
	workgroup *workgroup
	localID   int
	next      func() (pause, bool)
	stop      func()
	waiting   bool // at a barrier
	done      bool
}

// fault is the panic of a kernel that did something wrong.
type fault struct{ error }

func fail(format string, args ...any) { panic(fault{fmt.Errorf(format, args...)}) }

// run runs all work-groups, a few at a time. The error says what a kernel did
// wrong.
func (l *launch) run() (err error) {
	var resident []*workgroup
	defer func() {
		for _, g := range resident {
			for _, w := range g.items {
				w.stop()
			}
		}
		if r := recover(); r != nil {
			f, ok := r.(fault)
			if !ok {
				panic(r)
			}
			err = fmt.Errorf("simttest: %s: %w", l.kernel.Name, f.error)
		}
	}()
	l.runGrid(&resident)
	for _, child := range l.children {
		child.steps, child.marks = l.steps, map[*buffer]*marks{}
		if err := child.run(); err != nil {
			return err
		}
	}
	return nil
}

// runGrid runs the work-groups of the launch itself; those at hand are resident.
func (l *launch) runGrid(resident *[]*workgroup) {
	most := l.device.Workgroups
	if most == 0 {
		most = 3
	}
	for started := 0; started < l.count || len(*resident) > 0; {
		for len(*resident) < most && started < l.count {
			*resident = append(*resident, l.start(started))
			started++
		}
		at := l.device.Random.IntN(len(*resident))
		g := (*resident)[at]
		if l.starves(g) && (len(*resident) > 1 || started < l.count) {
			continue
		}
		if g.step(l) {
			*resident = slices.Delete(*resident, at, at+1)
		}
	}
}

// starves reports whether g is the work-group that pauses.
func (l *launch) starves(g *workgroup) bool {
	n := l.device.Starved
	return 0 < n && n <= len(l.begun) && l.begun[n-1] == g
}

// start returns a work-group with its work-items.
func (l *launch) start(id int) *workgroup {
	g := &workgroup{id: id, local: map[*loop.Var]*storage{}}
	for id := range l.size {
		w := &workItem{workgroup: g, localID: id}
		w.next, w.stop = iter.Pull(func(yield func(pause) bool) {
			l.thread(w, yield).body()
		})
		g.items = append(g.items, w)
	}
	return g
}

// thread returns one that runs a work-item, with the arguments of the launch.
func (l *launch) thread(w *workItem, yield func(pause) bool) *thread {
	k := l.kernel
	t := &thread{launch: l, item: w, yield: yield, scalars: make([]ir.Scalar, len(k.scalars)), memory: make([]memory, len(k.memory))}
	for i, p := range k.Params {
		if a := l.arguments[i]; p.T.IsMemory() {
			t.memory[k.memory[p]].buffer = a.buffer
		} else {
			t.scalars[k.scalars[p]] = a.scalar
		}
	}
	return t
}

// step lets one work-item of the work-group run until it pauses, and reports whether
// the work-group has ended.
func (g *workgroup) step(l *launch) bool {
	ready, done, waiting := g.ready[:0], 0, 0
	for _, w := range g.items {
		switch {
		case w.done:
			done++
		case w.waiting:
			waiting++
		default:
			ready = append(ready, w)
		}
	}
	g.ready = ready
	if len(ready) == 0 {
		if waiting > 0 && done > 0 {
			fail("work-group %d: %d work-items wait at a barrier that %d never reach", g.id, waiting, done)
		}
		for _, w := range g.items {
			w.waiting = false
		}
		g.barriers++
		return waiting == 0
	}
	w := ready[l.device.Random.IntN(len(ready))]
	why, more := w.next()
	w.done, w.waiting = !more, more && why == barrier
	return false
}

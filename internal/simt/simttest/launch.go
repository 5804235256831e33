package simttest

import (
	"fmt"
	"iter"
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
)

// launch is one run of a kernel.
type launch struct {
	device    *Device
	f         *loop.Func
	size      int // work-items in a work-group
	count     int // work-groups
	steps     int // left
	arguments map[*loop.Var]any
	children  []*launch    // by its work-items; they run when it has ended
	begun     []*workgroup // those that have done an atomic operation, if one of them is Starved
	marks     map[*buffer]*marks
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
	barriers int32 // at which all have arrived
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
			err = fmt.Errorf("simttest: %s: %w", l.f.Name, f.error)
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
			(&thread{launch: l, item: w, yield: yield, vars: map[*loop.Var]any{}}).body(l.f.Body)
		})
		g.items = append(g.items, w)
	}
	return g
}

// step lets one work-item of the work-group run until it pauses, and reports whether
// the work-group has ended.
func (g *workgroup) step(l *launch) bool {
	var ready []*workItem
	done, waiting := 0, 0
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

package device

import (
	"runtime"
	"sync"
)

// Ahead compiles in threads what is known to be needed soon. R is what a compiler makes.
type Ahead[R any] struct {
	mutex   sync.Mutex
	begun   map[string]*compilation[R]
	waiting []*compilation[R]
	threads int
}

type compilation[R any] struct {
	compile func() (R, error)
	taken   bool
	done    chan struct{}
	result  R
	err     error
}

// mostThreads bounds the memory that compilers take.
const mostThreads = 8

// Begin has compile called by a thread, unless there is only one, or key has been given before.
func (a *Ahead[R]) Begin(key string, compile func() (R, error)) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	most := min(runtime.GOMAXPROCS(0), mostThreads) - 1 // who waits compiles, too
	if a.begun[key] != nil || most == 0 {
		return
	}
	if a.begun == nil {
		a.begun = map[string]*compilation[R]{}
	}
	c := &compilation[R]{compile: compile, done: make(chan struct{})}
	a.begun[key] = c
	a.waiting = append(a.waiting, c)
	if a.threads < most {
		a.threads++
		go a.work()
	}
}

func (a *Ahead[R]) work() {
	for {
		c := a.next()
		if c == nil {
			return
		}
		c.result, c.err = c.compile()
		close(c.done)
	}
}

// next takes the first compilation that waits; without one, it ends a thread.
func (a *Ahead[R]) next() *compilation[R] {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	for len(a.waiting) > 0 {
		c := a.waiting[0]
		a.waiting = a.waiting[1:]
		if !c.taken {
			c.taken = true
			return c
		}
	}
	a.threads--
	return nil
}

// Result returns what was made for key, and forgets it: it waits for a thread that compiles it,
// and compiles it itself if none does.
func (a *Ahead[R]) Result(key string, compile func() (R, error)) (R, error) {
	a.mutex.Lock()
	c := a.begun[key]
	delete(a.begun, key)
	free := c == nil || !c.taken
	if c != nil {
		c.taken = true
	}
	a.mutex.Unlock()
	if free {
		return compile()
	}
	<-c.done
	return c.result, c.err
}

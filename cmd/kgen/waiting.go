package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// waitingFrom is how long something has to take to be shown: less would flicker.
const waitingFrom = 300 * time.Millisecond

// waiting shows on a terminal what kgen is waiting for, and for how long. The nil
// waiting shows nothing.
type waiting struct {
	out io.Writer

	mutex sync.Mutex
	what  string // "" for nothing
	since time.Time
	line  string // on the terminal, or ""
	stop  chan struct{}
	done  sync.WaitGroup
}

// newWaiting returns nil where out is no terminal. Otherwise the caller has to end
// it.
func newWaiting(out io.Writer) *waiting {
	if !isTerminal(out) {
		return nil
	}
	w := &waiting{out: out, stop: make(chan struct{})}
	w.done.Go(func() {
		tick := time.NewTicker(progressInterval)
		defer tick.Stop()
		for {
			select {
			case <-w.stop:
				return
			case <-tick.C:
				w.show()
			}
		}
	})
	return w
}

// on says what kgen begins to wait for, "" if for nothing more.
func (w *waiting) on(what string) {
	if w == nil {
		return
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if what == w.what {
		return
	}
	if w.line != "" {
		fmt.Fprint(w.out, clearLine)
	}
	w.what, w.since, w.line = what, time.Now(), ""
}

func (w *waiting) show() {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	elapsed := time.Since(w.since)
	if w.what == "" || elapsed < waitingFrom {
		return
	}
	if line := w.what + ", " + describeTime(elapsed.Seconds()); line != w.line {
		w.line = line
		fmt.Fprint(w.out, clearLine, line)
	}
}

// end removes the line.
func (w *waiting) end() {
	if w == nil {
		return
	}
	close(w.stop)
	w.done.Wait()
	w.on("")
}

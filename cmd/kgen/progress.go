package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// progress shows the progress of long work on a terminal. The nil progress shows
// nothing.
type progress struct {
	out        io.Writer
	what, unit string

	mutex sync.Mutex
	done  int64 // the most that was reported
	shown time.Time
	ended bool
}

const (
	// progressInterval is the time between updates of the line.
	progressInterval = 100 * time.Millisecond
	// clearLine returns to the start of the line and empties it.
	clearLine = "\r\x1b[K"
)

// newProgress returns a line that counts units of what is done, or nil where out
// is no terminal.
func newProgress(out io.Writer, what, unit string) *progress {
	file, ok := out.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return nil
	}
	return &progress{out: out, what: what, unit: unit}
}

// report says that done of total units are done. It may be called from any
// goroutine, even after end.
func (p *progress) report(done, total int64) {
	if p == nil || total <= 0 {
		return
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.done = max(p.done, done) // reports may pass each other
	if p.ended || time.Since(p.shown) < progressInterval {
		return
	}
	p.shown = time.Now()
	total = max(total, p.done)
	fmt.Fprintf(p.out, clearLine+"%s %d%% (%d/%d %s)", p.what, int(100*float64(p.done)/float64(total)), p.done, total, p.unit)
}

// end removes the line.
func (p *progress) end() {
	if p == nil {
		return
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if !p.shown.IsZero() && !p.ended {
		fmt.Fprint(p.out, clearLine)
	}
	p.ended = true
}

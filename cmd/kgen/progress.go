package main

import (
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows on a terminal how far long work is. The nil progress shows
// nothing.
type progress struct {
	mutex sync.Mutex
	bar   *progressbar.ProgressBar
	done  int64 // the most that was reported
}

// newProgress returns a bar that counts units of what is done, or nil where out
// is no terminal.
func newProgress(out io.Writer, what, unit string) *progress {
	file, ok := out.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return nil
	}
	return newBar(out, what, unit)
}

func newBar(out io.Writer, what, unit string) *progress {
	return &progress{bar: progressbar.NewOptions64(1, progressbar.OptionSetWriter(out),
		progressbar.OptionSetDescription(what), progressbar.OptionSetItsString(unit), progressbar.OptionShowIts(),
		progressbar.OptionShowCount(), progressbar.OptionSetWidth(20), progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish())}
}

// report says that done of total units are done. It may be called from any
// goroutine, late ones included.
func (p *progress) report(done, total int64) {
	if p == nil || total <= 0 {
		return
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.bar.IsFinished() {
		return
	}
	p.done = max(p.done, done)                                   // reports may pass each other
	if total = max(total, p.done+1); total != p.bar.GetMax64() { // only end finishes it
		p.bar.ChangeMax64(total)
	}
	p.bar.Set64(p.done) // fails where the terminal has gone, which is no reason to stop
}

// end removes the bar.
func (p *progress) end() {
	if p == nil {
		return
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.bar.Finish()
}

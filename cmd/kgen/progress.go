package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"sync"
	"time"

	"github.com/dustin/go-humanize"
	"golang.org/x/term"
)

const (
	// progressInterval is the time between updates of a line.
	progressInterval = 100 * time.Millisecond
	// rateTime is how long work is observed before its speed is told.
	rateTime = time.Second / 2
	// clearLine returns to the start of the line and empties it.
	clearLine = "\r\x1b[K"
)

// isTerminal reports whether what is written to out moves before a user's eyes.
func isTerminal(out io.Writer) bool {
	file, ok := out.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// inBytes is the unit of progress that is shown in kB, MB and so on.
const inBytes = "bytes"

// progress shows the progress of long work on a terminal. The nil progress shows
// nothing.
type progress struct {
	out        io.Writer
	what, unit string

	mutex  sync.Mutex
	done   int64     // the most that was reported
	first  int64     // what was done at the first report
	begun  time.Time // of the first report
	shown  time.Time
	active bool // the line is on the terminal
	ended  bool
}

// newProgress returns a line that counts units of what is done, or nil where out
// is no terminal.
func newProgress(out io.Writer, what, unit string) *progress {
	if !isTerminal(out) {
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
	now := time.Now()
	if p.begun.IsZero() {
		p.begun, p.first = now, p.done
	}
	if p.ended || now.Sub(p.shown) < progressInterval {
		return
	}
	p.shown, p.active = now, true
	fmt.Fprintf(p.out, clearLine+"%s %s", p.what, describeProgress(p.unit, p.first, p.done, max(total, p.done), now.Sub(p.begun)))
}

// describeProgress tells how much is done and, after a while in which it came
// from first to done, how fast that was and how long the rest will take.
func describeProgress(unit string, first, done, total int64, elapsed time.Duration) string {
	perSecond := float64(done-first) / elapsed.Seconds()
	var text, speed string
	if unit == inBytes {
		scaled, prefix := humanize.ComputeSI(float64(total))
		digits := min(len(prefix), 1) // no fractions of a byte
		text = fmt.Sprintf("%.*f of %.*f %sB", digits, float64(done)*scaled/float64(total), digits, scaled, prefix)
		speed = humanize.Bytes(uint64(perSecond))
	} else {
		text = fmt.Sprintf("%s of %s %s", humanize.Comma(done), humanize.Comma(total), unit)
		speed = humanize.Comma(int64(perSecond))
	}
	if elapsed < rateTime || perSecond < 1 {
		return text
	}
	if unit != inBytes {
		speed += " " + unit
	}
	return fmt.Sprintf("%s, %s/s, %s left", text, speed, describeTime(float64(total-done)/perSecond))
}

// describeTime writes seconds as people read them.
func describeTime(seconds float64) string {
	whole := int64(math.Ceil(seconds))
	switch {
	case whole < 60:
		return fmt.Sprintf("%d s", whole)
	case whole < 3600:
		return fmt.Sprintf("%d min %d s", whole/60, whole%60)
	default:
		return fmt.Sprintf("%s h %d min", humanize.Comma(whole/3600), whole/60%60)
	}
}

// end removes the line.
func (p *progress) end() {
	if p == nil {
		return
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.active && !p.ended {
		fmt.Fprint(p.out, clearLine)
	}
	p.ended = true
}

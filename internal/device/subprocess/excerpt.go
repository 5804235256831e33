package subprocess

import (
	"strings"
	"sync"
)

// Excerpt keeps the start of what is written to it, which has the reason of a crash,
// and the end.
type Excerpt struct {
	mutex sync.Mutex
	start []byte
	end   []byte
	cut   bool
}

// ExcerptBytes is how many bytes are kept of either.
const ExcerptBytes = 4 << 10

// Write never fails.
func (e *Excerpt) Write(p []byte) (int, error) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	n := min(len(p), ExcerptBytes-len(e.start))
	e.start = append(e.start, p[:n]...)
	e.end = append(e.end, p[n:]...)
	if surplus := len(e.end) - ExcerptBytes; surplus > 0 {
		e.end = append(e.end[:0], e.end[surplus:]...)
		e.cut = true
	}
	return len(p), nil
}

// String returns the start and the end, with dots between them if more was written.
func (e *Excerpt) String() string {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	text := string(e.start)
	if e.cut {
		text += "\n...\n"
	}
	return strings.TrimSpace(text + string(e.end))
}

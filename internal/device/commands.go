package device

import (
	"sync"
	"time"
)

// Event is the driver's event for the end of a command.
type Event interface {
	// State reports whether the command has ended, and how it failed.
	State() (done bool, err error)
	// Alone reports whether State tells of this command alone, not of those behind it, too.
	Alone() bool
	// Took is the time of a finished command on the device's own clock.
	Took() time.Duration
	Release()
}

// Commands records the commands of a queue that are not known to have finished.
type Commands[E Event] struct {
	Timed bool
	mutex sync.Mutex // Busy is called from another goroutine
	open  []command[E]
	spent time.Duration
}

type command[E Event] struct {
	name     string
	isKernel bool
	event    E
}

// openMost is the number of recorded commands from which finished ones are
// removed.
const openMost = 1024

// Add records a command.
func (c *Commands[E]) Add(name string, isKernel bool, event E) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.open = append(c.open, command[E]{name, isKernel, event})
	if len(c.open) < openMost {
		return
	}
	ended := 0
	for ended < len(c.open) {
		if done, err := c.open[ended].event.State(); !done || err != nil {
			break
		}
		ended++
	}
	c.retire(ended)
}

// FailedError says which commands failed. If a command loses the device, all
// later commands fail, too.
type FailedError struct {
	First   string   // the first failed command
	Kernels []string // the failed kernels, in order
	Err     error    // of the first failed command
}

func (e *FailedError) Error() string { return e.First + " failed: " + e.Err.Error() }

func (e *FailedError) Unwrap() error { return e.Err }

// Ended removes all commands, which have ended and none of which failed.
func (c *Commands[E]) Ended() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.retire(len(c.open))
}

// Finish removes all commands, which must have ended. If some failed, the error
// is a [FailedError].
func (c *Commands[E]) Finish() error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	var failed *FailedError
	for _, o := range c.open {
		_, err := o.event.State()
		if err == nil {
			continue
		}
		if failed == nil {
			failed = &FailedError{First: o.name, Err: err}
		}
		if o.isKernel {
			failed.Kernels = append(failed.Kernels, o.name)
		}
	}
	c.retire(len(c.open))
	if failed == nil {
		return nil
	}
	return failed
}

// retire releases the first n commands, which have ended.
func (c *Commands[E]) retire(n int) {
	for _, o := range c.open[:n] {
		if c.Timed {
			c.spent += o.event.Took()
		}
		o.event.Release()
	}
	c.open = append(c.open[:0], c.open[n:]...)
}

// Open returns how many commands are recorded.
func (c *Commands[E]) Open() int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return len(c.open)
}

// Elapsed returns the device time of the commands that have ended since the last
// call.
func (c *Commands[E]) Elapsed() time.Duration {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	spent := c.spent
	c.spent = 0
	return spent
}

// Unwatched names the first kernel whose failure its event does not tell; "" if there is none.
func (c *Commands[E]) Unwatched() string {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for _, o := range c.open {
		if o.isKernel && !o.event.Alone() {
			return o.name
		}
	}
	return ""
}

// Busy names the first command that has not ended.
func (c *Commands[E]) Busy() string {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for i, o := range c.open {
		if done, err := o.event.State(); done || err != nil {
			continue
		}
		if i < len(c.open)-1 && !o.event.Alone() {
			return o.name + ", or a command behind it"
		}
		return o.name
	}
	return ""
}

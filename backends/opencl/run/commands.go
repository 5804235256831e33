//go:build opencl

package run

import (
	"fmt"
	"sync"
	"time"

	"github.com/jgillich/go-opencl/cl"
)

// commands are what a queue has been given and is not known to have finished.
type commands struct {
	timed bool
	mutex sync.Mutex // Busy is called from another goroutine
	open  []command
	spent time.Duration
}

type command struct {
	name  string
	event *cl.Event
}

// openMost is how many commands are kept before finished ones are looked for.
const openMost = 1024

// add records a command.
func (c *commands) add(name string, event *cl.Event) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.open = append(c.open, command{name, event})
	if len(c.open) < openMost {
		return
	}
	done := 0
	for done < len(c.open) && eventStatus(c.open[done].event) == 0 {
		done++
	}
	c.retire(done)
}

// finish forgets all commands, which have ended; its error is that of the
// first that failed.
func (c *commands) finish() error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	var err error
	for _, o := range c.open {
		if state := eventStatus(o.event); state < 0 && err == nil {
			err = fmt.Errorf("%s failed: OpenCL error %d", o.name, state)
		}
	}
	c.retire(len(c.open))
	return err
}

// retire releases the first n commands, which have ended.
func (c *commands) retire(n int) {
	for _, o := range c.open[:n] {
		if c.timed {
			start, err1 := o.event.GetEventProfilingInfo(cl.ProfilingInfoCommandStart)
			end, err2 := o.event.GetEventProfilingInfo(cl.ProfilingInfoCommandEnd)
			if err1 == nil && err2 == nil && end > start {
				c.spent += time.Duration(end - start)
			}
		}
		o.event.Release()
	}
	c.open = append(c.open[:0], c.open[n:]...)
}

// elapsed returns the device time of what has ended since the last call.
func (c *commands) elapsed() time.Duration {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	spent := c.spent
	c.spent = 0
	return spent
}

// busy names the first command that has not ended.
func (c *commands) busy() string {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for _, o := range c.open {
		if eventStatus(o.event) > 0 {
			return o.name
		}
	}
	return ""
}

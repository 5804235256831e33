package worker

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/kgen-go/kgen/internal/device/exec"
)

// call sends a request, which prepare makes, and waits for the response. Calls take turns.
func (c *Client) call(ctx context.Context, t *transfer, prepare func(*transfer) error) (response, map[string]exec.Column, error) {
	select {
	case <-c.turn:
		defer func() { c.turn <- struct{}{} }()
	case <-ctx.Done():
		return response{}, nil, ctx.Err()
	}
	if err := ctx.Err(); err != nil {
		return response{}, nil, err
	}
	if c.process == nil {
		var err error
		if c.process, err = start(c.options.Program, c.options.Path, c.options.Environment); err != nil {
			return response{}, nil, err
		}
	}
	t.space, t.doing = c.options.Space, c.options.Doing
	defer t.release()
	if err := prepare(t); err != nil {
		return response{}, nil, err
	}
	c.handles.tell(&t.request)
	return c.exchange(ctx, t)
}

// exchange is the part of a call in which the worker may fail. An error of the connection
// ends it.
func (c *Client) exchange(ctx context.Context, t *transfer) (response, map[string]exec.Column, error) {
	t.request.Limit = c.options.Limit.Nanoseconds()
	unguard := c.guard.begin(ctx, c.options.Grace, c.options.Limit+grace, c.process.Kill)
	answer, columns, err := t.exchange(c.process)
	killed, late := unguard()
	switch {
	case killed && late:
		c.drop(err, "it did not answer in time")
		return response{}, nil, &TimeoutError{Limit: c.options.Limit}
	case killed:
		c.drop(err, "the context of a call has ended")
		return response{}, nil, ctx.Err()
	case err != nil:
		c.process.Kill()
		var full *spaceError
		stderr := &c.process.Stderr
		status := c.drop(err, "")
		if errors.As(err, &full) {
			return response{}, nil, full.error
		}
		return response{}, nil, &CrashError{Program: c.options.Program.Name, Status: status, Stderr: stderr.String()}
	case answer.Failure != nil:
		failed := answer.Failure.error()
		switch {
		case answer.Failure.Timeout != nil:
			c.drop(nil, failed.Error())
		case answer.Failure.Lost:
			c.process.Kill() // with such a device it may not end by itself
			c.drop(nil, failed.Error())
		}
		return response{}, nil, failed
	}
	if err := ctx.Err(); err != nil { // within the time of grace
		c.discard(t, columns)
		return response{}, nil, err
	}
	return answer, columns, nil
}

// discard frees what a response brought.
func (c *Client) discard(t *transfer, columns map[string]exec.Column) {
	for _, column := range columns {
		if column.Resident != nil {
			column.Resident.Memory.(*Memory).Free()
		} else {
			t.space.Free(column.Data)
		}
	}
}

// drop waits for the end of the process, and with it of all that it held. The reason, if
// known, is what others are told who miss it.
func (c *Client) drop(cause error, reason string) (status string) {
	status = c.process.end(cause)
	c.process = nil
	if reason == "" {
		reason = status
	}
	c.handles.lose(reason)
	return status
}

// guard kills the worker if a call goes on for too long.
type guard struct {
	limit, grace alarm

	mutex        sync.Mutex
	killed, late bool
}

// begin guards a call that may take until limit, and as long as a time of grace after the end
// of ctx. The guard ends by end, which says whether it has killed the worker, and whether that
// was because of the limit.
func (g *guard) begin(ctx context.Context, grace, limit time.Duration, kill func()) (end func() (killed, late bool)) {
	g.killed, g.late = false, false
	over := func(late bool) func() time.Duration {
		return func() time.Duration {
			g.mutex.Lock()
			defer g.mutex.Unlock()
			if !g.killed {
				g.killed, g.late = true, late
				kill()
			}
			return 0
		}
	}
	g.limit.begin(limit, over(true))
	forget := func() bool { return true }
	if ctx.Done() != nil {
		ended := false
		stop := context.AfterFunc(ctx, func() {
			g.mutex.Lock()
			defer g.mutex.Unlock()
			if !ended {
				g.grace.begin(grace, over(false))
			}
		})
		forget = func() bool {
			g.mutex.Lock()
			defer g.mutex.Unlock()
			ended = true
			return stop()
		}
	}
	return func() (killed, late bool) {
		forget()
		g.limit.end()
		g.grace.end()
		return g.killed, g.late
	}
}

// stop ends the timers.
func (g *guard) stop() {
	g.limit.stop()
	g.grace.stop()
}

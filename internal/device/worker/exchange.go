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
	c.guard.ready(ctx, c.options.Grace, c.options.Limit+grace, c.process.Kill)
	if ring := c.process.ring; ring != nil && t.request.Run != nil && t.request.Load == nil && len(t.inline) == 0 {
		ring.Sleeps = c.guard.begin // most calls end before
	} else {
		c.guard.begin()
	}
	answer, columns, err := t.exchange(c.process)
	killed, late := c.guard.end()
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
	ctx          context.Context // of the call
	patience     time.Duration   // after it has ended
	longest      time.Duration   // of the call
	kill         func()
	begun        bool
	forget       func() bool
	limit, grace alarm

	mutex        sync.Mutex
	calls        int // that have ended
	killed, late bool
}

// ready prepares for a call that may take as long as a limit, and for a time of grace after the
// end of its context.
func (g *guard) ready(ctx context.Context, grace, limit time.Duration, kill func()) {
	g.ctx, g.patience, g.longest, g.kill, g.begun, g.forget = ctx, grace, limit, kill, false, nil
	g.killed, g.late = false, false
}

// begin begins to guard it.
func (g *guard) begin() {
	if g.begun {
		return
	}
	g.begun = true
	g.limit.begin(g.longest, func() time.Duration { return g.over(true) })
	if g.ctx.Done() == nil {
		return
	}
	call := g.calls
	g.forget = context.AfterFunc(g.ctx, func() {
		g.mutex.Lock()
		defer g.mutex.Unlock()
		if call == g.calls {
			g.grace.begin(g.patience, func() time.Duration { return g.over(false) })
		}
	})
}

func (g *guard) over(late bool) time.Duration {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if !g.killed {
		g.killed, g.late = true, late
		g.kill()
	}
	return 0
}

// end says whether the worker was killed, and whether because the call was late.
func (g *guard) end() (killed, late bool) {
	if !g.begun {
		return false, false
	}
	g.mutex.Lock()
	g.calls++
	g.mutex.Unlock()
	if g.forget != nil {
		g.forget()
	}
	g.limit.end()
	g.grace.end()
	return g.killed, g.late
}

// stop ends the timers.
func (g *guard) stop() {
	g.limit.stop()
	g.grace.stop()
}

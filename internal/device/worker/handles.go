package worker

import (
	"context"
	"errors"
	"sync"

	"github.com/kgen-go/kgen/internal/device/exec"
)

// handles number what the worker holds for a client.
type handles struct {
	mutex      sync.Mutex
	last       int64
	generation int    // how many processes have ended
	ended      string // why the last of them did
	free       []int64
	unload     []int64
}

func (h *handles) next() (number int64, generation int) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.last++
	return h.last, h.generation
}

// tell adds to a request what has ended since the last one.
func (h *handles) tell(r *request) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	r.Free, r.Unload = h.free, h.unload
	h.free, h.unload = nil, nil
}

// lose forgets what the ended process held.
func (h *handles) lose(reason string) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.generation++
	h.ended, h.free, h.unload = reason, nil, nil
}

// Memory is memory of a device that holds a column until it is freed or the worker ends.
type Memory struct {
	client     *Client
	device     int
	number     int64
	generation int // of the process that holds it
	bytes      int64
	freed      bool
}

// Bytes returns the size of the column.
func (m *Memory) Bytes() int64 { return m.bytes }

// Free frees the memory. The device may use it until the calls under way have ended.
func (m *Memory) Free() {
	h := &m.client.handles
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if !m.freed && m.generation == h.generation {
		h.free = append(h.free, m.number)
	}
	m.freed = true
}

// MemoryError is the error of a call that needs memory which is gone.
type MemoryError struct {
	Reason string
}

func (e *MemoryError) Error() string { return e.Reason }

// usable returns the error that prevents the use of m by a client.
func (m *Memory) usable(c *Client) error {
	if m.client != c {
		return &MemoryError{"the column lies in memory of another device"}
	}
	c.handles.mutex.Lock()
	defer c.handles.mutex.Unlock()
	switch {
	case m.freed:
		return &MemoryError{"the column has been freed"}
	case m.generation != c.handles.generation:
		return &MemoryError{"the column was lost with the process that drives the device: " + c.handles.ended}
	}
	return nil
}

func (c *Client) newMemory(device int, bytes int64) *Memory {
	m := &Memory{client: c, device: device, bytes: bytes}
	m.number, m.generation = c.handles.next()
	return m
}

// Upload copies a column to memory of a device. The error is an [exec.AllocError] if there is
// not enough, and else as of [Client.Run].
func (c *Client) Upload(ctx context.Context, device int, data []byte) (*Memory, error) {
	var m *Memory
	_, _, err := c.call(ctx, &transfer{}, func(t *transfer) error {
		m = c.newMemory(device, int64(len(data)))
		t.request.Upload = &transferRequest{Device: device, Memory: m.number}
		return t.send(&t.request.Upload.Data, data)
	})
	if err != nil {
		if m != nil {
			m.Free() // it may be there
		}
		return nil, err
	}
	return m, nil
}

// Download copies a column from memory of a device. The copy lies in the space, for the
// caller to free.
func (c *Client) Download(ctx context.Context, m *Memory) ([]byte, error) {
	_, columns, err := c.call(ctx, &transfer{}, func(t *transfer) error {
		data := column{Size: m.bytes, File: t.take("", m.bytes)}
		t.request.Download = &transferRequest{Device: m.device, Memory: m.number, Data: data}
		return m.usable(c)
	})
	if err != nil {
		return nil, err
	}
	return columns[""].Data, nil
}

// Loaded is a plan that a worker keeps ready, with its kernels, until it is unloaded.
type Loaded struct {
	Code
	client     *Client
	number     int64
	generation int // of the process that has it; -1 for none
}

// Load has the worker keep a plan, from its first run on.
func (c *Client) Load(code Code) (*Loaded, error) {
	if code.Plan == nil {
		return nil, errors.New("no plan")
	}
	l := &Loaded{Code: code, client: c, generation: -1}
	l.number, _ = c.handles.next()
	return l, nil
}

// Unload ends the use of l.
func (l *Loaded) Unload() {
	h := &l.client.handles
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if l.generation == h.generation {
		h.unload = append(h.unload, l.number)
	}
}

// request adds l to a request, unless the process has it already.
func (l *Loaded) request(c *Client, r *request) error {
	if l.client != c {
		return errors.New("the plan was loaded for another worker")
	}
	c.handles.mutex.Lock()
	defer c.handles.mutex.Unlock()
	if l.generation != c.handles.generation {
		l.generation = c.handles.generation
		r.Load = &loadRequest{Program: l.number, Device: l.Device, Plan: l.Plan, Texts: l.Texts, Build: l.Build, Passing: l.Passing}
	}
	return nil
}

var _ exec.Memory = (*Memory)(nil)

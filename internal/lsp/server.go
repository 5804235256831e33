// Package lsp is a language server: it speaks the Language Server Protocol with an
// editor, and says of open pipeline files what package ir knows of them.
//
// One goroutine reads messages and marks requests that the editor cancels. Another one
// does all the work, in the order of messages. Diagnostics are published when no message
// waits, so typing is not slowed down by texts that are already replaced.
package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
)

// ErrNoShutdown is returned by Serve if the editor has gone without a shutdown request.
var ErrNoShutdown = errors.New("the editor ended the language server without a request to shut down")

// Serve is a language server of the given version: it reads the editor's messages from
// in and writes its own to out, until the editor ends it or ctx is done. It may leave a
// goroutine that waits for in; nobody writes to out any more.
func Serve(ctx context.Context, version string, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s := &server{
		version:   version,
		conn:      newConnection(in, out),
		queue:     make(chan *task, 256),
		waiting:   map[string]*task{},
		documents: map[string]*document{},
		changed:   map[string]bool{},
	}
	read := make(chan error, 1)
	go func() { read <- s.read(ctx) }()
	if err := s.work(ctx); err != nil {
		return err
	}
	if s.state == stateExited {
		return nil
	}
	if err := <-read; err != io.EOF {
		return err
	}
	if s.state == stateShutDown {
		return nil
	}
	return ErrNoShutdown
}

type server struct {
	version string
	conn    *connection
	queue   chan *task

	mu      sync.Mutex
	waiting map[string]*task // requests without an answer by ID

	// What follows belongs to the goroutine that works.
	state     state
	documents map[string]*document // the open ones by URI
	changed   map[string]bool      // those whose diagnostics are to be published
}

type state uint8

const (
	stateNew state = iota
	stateInitialized
	stateShutDown
	stateExited
)

// task is a message that waits. The context of a request that the editor cancels is done.
type task struct {
	*message
	ctx    context.Context
	cancel context.CancelFunc
}

// read queues messages until there are no more.
func (s *server) read(ctx context.Context) error {
	defer close(s.queue)
	for {
		m, err := s.conn.read()
		if err != nil {
			return err
		}
		if m.Method == "$/cancelRequest" && !m.isRequest() {
			s.cancel(m.Params)
			continue
		}
		select {
		case s.queue <- s.newTask(ctx, m):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// newTask returns the task of a message. A request can be cancelled until it is answered.
func (s *server) newTask(ctx context.Context, m *message) *task {
	t := &task{message: m}
	t.ctx, t.cancel = context.WithCancel(ctx)
	if m.isRequest() && m.wrong == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.waiting[string(m.ID)] = t
	}
	return t
}

// finish frees a task. Its ID may be used again, or is already, if the editor errs.
func (s *server) finish(t *task) {
	t.cancel()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting[string(t.ID)] == t {
		delete(s.waiting, string(t.ID))
	}
}

func (s *server) cancel(params json.RawMessage) {
	var p struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(params, &p) != nil {
		return // a notification has no answer
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.waiting[string(p.ID)]; t != nil {
		t.cancel()
	}
}

// work handles messages until the editor says exit, there are no more, or ctx is done.
func (s *server) work(ctx context.Context) error {
	for {
		var t *task
		more := true
		select {
		case t, more = <-s.queue:
		default:
			if err := s.publish(); err != nil {
				return err
			}
			select {
			case t, more = <-s.queue:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if !more {
			return nil
		}
		if t.Method == "exit" {
			if s.state != stateShutDown {
				return ErrNoShutdown
			}
			s.state = stateExited
			return nil
		}
		if err := s.handle(t); err != nil {
			return err
		}
	}
}

// handle does what a message says, and answers it if it is a request. It returns errors
// of the connection alone.
func (s *server) handle(t *task) error {
	if !t.isRequest() {
		defer s.finish(t)
		if f, ok := notifications[t.Method]; ok && s.state == stateInitialized {
			f(s, t.Params) // what is wrong with it cannot be answered
		}
		return nil
	}
	result, err := s.result(t)
	if t.ctx.Err() != nil {
		err = failure(codeRequestCancelled, "the editor has cancelled the request")
	}
	s.finish(t) // before the editor knows, who may use the ID again
	return s.conn.reply(t.ID, result, err)
}

func (s *server) result(t *task) (any, error) {
	f, ok := requests[t.Method]
	switch {
	case t.wrong != nil:
		return nil, t.wrong
	case t.ctx.Err() != nil:
		return nil, t.ctx.Err()
	case t.Method == "initialize" && s.state != stateNew:
		return nil, failure(codeInvalidRequest, "initialize has been called before")
	case t.Method != "initialize" && s.state == stateNew:
		return nil, failure(codeNotInitialized, "call initialize before %s", t.Method)
	case s.state == stateShutDown:
		return nil, failure(codeInvalidRequest, "after shutdown only exit may follow, not %s", t.Method)
	case !ok:
		return nil, failure(codeMethodNotFound, "there is no method %s", t.Method)
	}
	return f(s, t.Params)
}

// publish sends the diagnostics of documents that have changed.
func (s *server) publish() error {
	if s.state != stateInitialized {
		return nil
	}
	for uri := range s.changed {
		delete(s.changed, uri)
		p := publishDiagnosticsParams{URI: uri, Diagnostics: []diagnostic{}}
		if d := s.documents[uri]; d != nil { // else it is closed
			p.Version, p.Diagnostics = &d.version, d.analysis().diagnostics()
		}
		if err := s.conn.notify("textDocument/publishDiagnostics", p); err != nil {
			return err
		}
	}
	return nil
}

package gocpu

import (
	"bufio"
	"io"

	"github.com/kgen-go/kgen/internal/device/gocpu/harness"
	"github.com/kgen-go/kgen/internal/memory"
)

// message is a call to the child and the memory of its response.
type message struct {
	space   *memory.Space
	request harness.Request
	inline  [][]byte // parameters inside the message
	copies  [][]byte // of large parameters that lay elsewhere
	results [][]byte // reserved or received; nil before that
}

// memoryError reports that the space lacks memory for the response.
type memoryError struct{ error }

// prepare makes the request of a call.
func (m *message) prepare(call Call) error {
	m.request = harness.Request{Program: call.Program, Workers: call.Workers, Repeat: call.Repeat}
	for _, data := range call.Params {
		column := harness.Column{Size: int64(len(data))}
		path, shared := m.space.Path(data)
		if !shared && len(data) >= memory.LeastShared {
			copied, err := m.space.New(int64(len(data)))
			if err != nil {
				return err
			}
			m.copies = append(m.copies, copied)
			if path, shared = m.space.Path(copied); shared {
				copy(copied, data)
				data = copied
			}
		}
		if shared {
			column.File = path
			m.space.Settle(data) // or it would count twice, here and in the child
		} else {
			m.inline = append(m.inline, data)
		}
		m.request.Params = append(m.request.Params, column)
	}
	m.results = make([][]byte, len(call.Bounds))
	for i, bound := range call.Bounds {
		column := harness.Column{}
		if bound >= memory.LeastShared {
			var err error
			if m.results[i], err = m.space.Reserve(bound); err != nil {
				return err
			}
			if path, shared := m.space.Path(m.results[i]); shared {
				column = harness.Column{Size: bound, File: path}
			}
		}
		m.request.Results = append(m.request.Results, column)
	}
	return nil
}

// receive reads the results that response announces.
func (m *message) receive(out *bufio.Reader, response harness.Response) ([][]byte, error) {
	for len(m.results) < len(response.Results) {
		m.results = append(m.results, nil)
	}
	for i, r := range response.Results {
		data, err := m.space.Resize(m.results[i], r.Size)
		if err != nil {
			return nil, &memoryError{err}
		}
		m.results[i] = data
		if err := m.space.Keep(data); err != nil {
			return nil, &memoryError{err}
		}
		if r.File == "" {
			if _, err := io.ReadFull(out, data); err != nil {
				return nil, err
			}
		}
	}
	return m.results, nil
}

// release frees the memory that the caller does not get.
func (m *message) release() {
	for _, data := range m.copies {
		m.space.Free(data)
	}
	for _, data := range m.results {
		m.space.Free(data)
	}
}

package worker

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/memory"
	"github.com/kgen-go/kgen/plan"
)

// transfer is a request to the worker and the memory of its response.
type transfer struct {
	space    *memory.Space
	request  request
	inline   [][]byte          // columns inside the message
	copies   [][]byte          // of large columns that lay elsewhere
	reserved map[string][]byte // memory for results, by port
	doing    func(string)      // as in Options
}

// spaceError reports that the space lacks memory for the response.
type spaceError struct{ error }

// prepare makes the request of a run.
func (t *transfer) prepare(r Request) error {
	if r.Plan == nil {
		return errors.New("no plan")
	}
	if r.Repeat < 0 {
		return fmt.Errorf("%d repetitions", r.Repeat)
	}
	t.request.Run = &runRequest{Device: r.Device, Plan: r.Plan, Texts: r.Texts, Build: r.Build, Passing: r.Passing, Scalars: r.Inputs.Scalars,
		Memory: r.Memory, PartRows: r.PartRows, Trace: r.Trace, Repeat: r.Repeat}
	for _, port := range slices.Sorted(maps.Keys(r.Inputs.Columns)) {
		if err := t.send(port, r.Inputs.Columns[port]); err != nil {
			return err
		}
	}
	t.reserve(r.Plan, r.Inputs)
	return nil
}

// send places a column in memory that the worker can map.
func (t *transfer) send(port string, c exec.Column) error {
	data := c.Data
	path, shared := t.space.Path(data)
	if !shared && len(data) >= memory.LeastShared {
		copied, err := t.space.Reserve(int64(len(data)))
		if err != nil {
			return err
		}
		t.copies = append(t.copies, copied)
		if path, shared = t.space.Path(copied); shared {
			copy(copied, data)
			data = copied
		}
	}
	if shared {
		t.space.Settle(data) // or it would count twice, here and in the worker
	} else {
		t.inline = append(t.inline, data)
	}
	t.request.Run.Columns = append(t.request.Run.Columns, column{Port: port, Kind: c.Kind, Size: int64(len(data)), File: path})
	return nil
}

// reserve allocates memory for the results whose length has a bound. The others
// are inside the message.
func (t *transfer) reserve(p *plan.Plan, in exec.Inputs) {
	rows, scalars := map[string]int64{}, map[string]int64{}
	for _, port := range p.Ports {
		if column, ok := in.Columns[port.Name]; ok && column.Kind.Size() > 0 {
			rows[port.Domain] = column.Rows()
		}
		if value, ok := in.Scalars[port.Name]; ok && value.Kind == plan.I64 {
			scalars[port.Scalar] = int64(value.Bits)
		}
	}
	bounds := p.ResultBounds(rows, scalars)
	t.reserved = map[string][]byte{}
	for _, port := range p.Ports {
		if port.Direction != plan.Out {
			continue
		}
		bound := bounds[0]
		bounds = bounds[1:]
		if bound < memory.LeastShared {
			continue
		}
		data, err := t.space.Reserve(bound)
		if err != nil {
			continue // a bound beyond all memory; the result itself may be small
		}
		path, shared := t.space.Path(data)
		if !shared {
			t.space.Free(data)
			continue
		}
		t.reserved[port.Name] = data
		t.request.Run.Results = append(t.request.Run.Results, column{Port: port.Name, Size: bound, File: path})
	}
}

// exchange sends the request and receives the response.
func (t *transfer) exchange(w *process) (response, map[string]exec.Column, error) {
	var answer response
	if err := writeMessage(w.In, t.request, t.inline...); err != nil {
		return answer, nil, err
	}
	for {
		answer = response{}
		if err := readMessage(w.Out, &answer); err != nil {
			return answer, nil, err
		}
		if answer.Doing == "" {
			break
		}
		if t.doing != nil {
			t.doing(answer.Doing)
		}
	}
	if answer.Failure != nil {
		return answer, nil, nil
	}
	if (answer.Run != nil) != (t.request.Run != nil) || (answer.Listing != nil) != t.request.Devices {
		return answer, nil, errors.New("the answer does not fit the question")
	}
	if answer.Run == nil {
		return answer, nil, nil
	}
	columns := map[string]exec.Column{}
	for _, c := range answer.Run.Columns {
		data, err := t.receive(w, c)
		if err != nil {
			for _, received := range columns {
				t.space.Free(received.Data)
			}
			return answer, nil, err
		}
		columns[c.Port] = exec.Column{Kind: c.Kind, Data: data}
	}
	return answer, columns, nil
}

// receive returns the bytes of a result.
func (t *transfer) receive(w *process, c column) ([]byte, error) {
	if c.File != "" {
		data, err := t.space.Resize(t.reserved[c.Port], c.Size)
		if err != nil {
			return nil, &spaceError{err}
		}
		delete(t.reserved, c.Port) // now owned by the caller
		return data, nil
	}
	data, err := t.space.New(c.Size)
	if err != nil {
		return nil, &spaceError{err}
	}
	if _, err := io.ReadFull(w.Out, data); err != nil {
		t.space.Free(data)
		return nil, err
	}
	return data, nil
}

// release frees the memory that the caller does not own.
func (t *transfer) release() {
	for _, data := range t.copies {
		t.space.Free(data)
	}
	for _, data := range t.reserved {
		t.space.Free(data)
	}
}

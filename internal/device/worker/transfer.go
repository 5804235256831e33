package worker

import (
	"errors"
	"io"
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
	kept     []*Memory         // of the device for results, as they begin the results of the request
	doing    func(string)      // as in Options
}

// spaceError reports that the space lacks memory for the response.
type spaceError struct{ error }

// run makes the request of a run.
func (t *transfer) run(r Request, p *Loaded) error {
	run := &runRequest{Program: p.number, Scalars: r.Inputs.Scalars, Memory: r.Memory, PartRows: r.PartRows, Trace: r.Trace, Repeat: r.Repeat}
	t.request.Run = run
	run.Columns = make([]column, 0, len(r.Inputs.Columns))
	for port, c := range r.Inputs.Columns {
		sent := column{Port: port, Kind: c.Kind}
		if c.Resident != nil {
			m := c.Resident.Memory.(*Memory)
			if err := m.usable(p.client); err != nil {
				return err
			}
			sent.Memory, sent.Size = m.number, c.Resident.Bytes
		} else if err := t.send(&sent, c.Data); err != nil {
			return err
		}
		run.Columns = append(run.Columns, sent)
	}
	for i := range p.Plan.Ports {
		port := &p.Plan.Ports[i]
		if port.Direction == plan.Out && port.Domain != "" && slices.Contains(r.Keep, port.Name) {
			m := p.client.newMemory(p.Device, 0)
			t.kept = append(t.kept, m)
			run.Results = append(run.Results, column{Port: port.Name, Memory: m.number})
		}
	}
	t.reserve(p.Plan, r.Inputs)
	return p.request(p.client, &t.request) // last: what it asks for counts as done
}

// send places a column in memory that the worker can map.
func (t *transfer) send(c *column, data []byte) error {
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
	c.Size, c.File = int64(len(data)), path
	return nil
}

// reserve allocates memory for the results whose length has a bound. The others
// are inside the message.
func (t *transfer) reserve(p *plan.Plan, in exec.Inputs) {
	columns := 0
	for i := range p.Ports {
		if p.Ports[i].Direction == plan.Out && p.Ports[i].Domain != "" {
			columns++
		}
	}
	if columns == len(t.kept) {
		return
	}
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
	for _, port := range p.Ports {
		if port.Direction != plan.Out {
			continue
		}
		bound := bounds[0]
		bounds = bounds[1:]
		if t.keeps(port.Name) != nil {
			continue
		}
		if path := t.take(port.Name, bound); path != "" {
			t.request.Run.Results = append(t.request.Run.Results, column{Port: port.Name, Size: bound, File: path})
		}
	}
}

// keeps returns the memory of the device for a result, or nil.
func (t *transfer) keeps(port string) *Memory {
	for i, m := range t.kept {
		if t.request.Run.Results[i].Port == port {
			return m
		}
	}
	return nil
}

// take reserves memory for a result of at most so many bytes and returns its path, or ""
// for a result that is inside the message.
func (t *transfer) take(port string, bound int64) string {
	if bound < memory.LeastShared {
		return ""
	}
	data, err := t.space.Reserve(bound)
	if err != nil {
		return "" // a bound beyond all memory; the result itself may be small
	}
	path, shared := t.space.Path(data)
	if !shared {
		t.space.Free(data)
		return ""
	}
	if t.reserved == nil {
		t.reserved = map[string][]byte{}
	}
	t.reserved[port] = data
	return path
}

// exchange sends the request and receives the response.
func (t *transfer) exchange(w *process) (response, map[string]exec.Column, error) {
	var answer response
	if err := w.write(w.In, &t.request, t.inline...); err != nil {
		return answer, nil, err
	}
	for {
		answer = response{}
		if err := w.read(w.Out, &answer); err != nil {
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
	if (answer.Run != nil) != (t.request.Run != nil) || (answer.Listing != nil) != t.request.Devices ||
		(answer.Data != nil) != (t.request.Upload != nil || t.request.Download != nil) {
		return answer, nil, errors.New("the answer does not fit the question")
	}
	var received []column
	switch {
	case answer.Run != nil:
		received = answer.Run.Columns
	case t.request.Download != nil:
		received = []column{*answer.Data}
	}
	columns := make(map[string]exec.Column, len(received))
	for _, c := range received {
		if c.Memory != 0 {
			m := t.keeps(c.Port)
			if m == nil || m.number != c.Memory {
				return answer, nil, errors.New("the answer keeps what was not asked for")
			}
			m.bytes = c.Size
			columns[c.Port] = exec.Column{Kind: c.Kind, Resident: &exec.Resident{Memory: m, Bytes: c.Size}}
			continue
		}
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

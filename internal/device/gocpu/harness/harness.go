// Package harness is the half of the runner that is compiled together with
// emitted programs: it reads calls from standard input, maps their columns
// into memory, and answers on standard output. Results go straight into memory
// that the runner has reserved, where it knows a bound of their size.
//
// The runner embeds this source in the programs it builds, so it imports only
// the standard library; the runner itself imports it for the messages.
package harness

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
	"unsafe"
)

// Request is a call: a line of JSON, then the bytes of its inline columns.
type Request struct {
	Program string   `json:"program"`
	Workers int      `json:"workers,omitempty"` // 0: the program decides
	Params  []Column `json:"params"`
	Results []Column `json:"results"`          // memory for each, or none
	Repeat  int      `json:"repeat,omitempty"` // how often the program is called again, with the same memory
}

// Response answers a call: a line of JSON, then the bytes of its inline columns.
type Response struct {
	Results []Column      `json:"results,omitempty"`
	Elapsed time.Duration `json:"elapsed,omitempty"` // of the call alone
	Steps   []Step        `json:"steps,omitempty"`   // of a traced program
	Again   []Repetition  `json:"again,omitempty"`
	Check   *Check        `json:"check,omitempty"`
	Error   string        `json:"error,omitempty"` // a refused argument
}

// Column is where the bytes of a column are: in a file that both sides map, or
// inside the message.
type Column struct {
	Size int64  `json:"size"`
	File string `json:"file,omitempty"`
}

// Step is a part of a call: a kernel, or the allocation of memory.
type Step struct {
	Name    string        `json:"name"`
	Elapsed time.Duration `json:"elapsed"`
}

// Repetition is a repeated call.
type Repetition struct {
	Elapsed   time.Duration `json:"elapsed"`
	Processor time.Duration `json:"processor,omitempty"` // of all threads; 0 if the system does not say
	Steps     []Step        `json:"steps,omitempty"`     // of a traced program
}

// Check is a failed run-time check.
type Check struct {
	Site int   `json:"site"`
	Row  int64 `json:"row"`
}

// Program calls one emitted function.
type Program func(*Call) error

// Call carries the arguments to a program and its results back.
type Call struct {
	Workers  int
	params   [][]byte
	reserved [][]byte // for results; nil where there is no memory
	results  [][]byte
	mapped   []func() // end the use of params and reserved
	steps    []Step
	check    *Check
}

func (c *Call) release() {
	for _, release := range c.mapped {
		release()
	}
}

// keepResults leaves the memory of results to the next call, with room for more rows than these have. New memory
// would take far longer than a small call: 11 us for each page on a virtual machine.
func (c *Call) keepResults() {
	for i, data := range c.results {
		if i < len(c.reserved) && c.reserved[i] == nil {
			c.reserved[i] = data[:cap(data)]
		}
	}
}

// Param returns parameter i as a column.
func Param[T any](c *Call, i int) []T { return elements[T](c.params[i]) }

// ScalarParam returns parameter i, a scalar.
func ScalarParam[T any](c *Call, i int) T { return Param[T](c, i)[0] }

// Reserved returns the memory that the runner has for result i, as an empty
// column with that capacity.
func Reserved[T any](c *Call, i int) []T {
	if i >= len(c.reserved) {
		return nil
	}
	return elements[T](c.reserved[i])[:0]
}

func elements[T any](b []byte) []T {
	var zero T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(zero)))
}

// Return appends a result column.
func Return[T any](c *Call, column []T) {
	var zero T
	size := int(unsafe.Sizeof(zero))
	b := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(column))), cap(column)*size)
	c.results = append(c.results, b[:len(column)*size])
}

// ReturnScalar appends a scalar result.
func ReturnScalar[T any](c *Call, value T) { Return(c, []T{value}) }

// Trace records a step.
func (c *Call) Trace(name string, elapsed time.Duration) {
	c.steps = append(c.steps, Step{name, elapsed})
}

// FailCheck reports a failed check instead of results.
func (c *Call) FailCheck(site int, row int64) error {
	c.check = &Check{site, row}
	return nil
}

// Serve answers calls until standard input ends. Then nobody waits for an
// answer any more, and the process exits, also in the middle of a call: that is
// how it follows a runner that has been killed.
func Serve(programs map[string]Program) {
	out := bufio.NewWriter(os.Stdout)
	in := bufio.NewReaderSize(os.Stdin, 1<<16)
	os.Stdout = os.Stderr // a stray print must not break the protocol
	// The runner decides when this process ends.
	signal.Ignore(os.Interrupt, syscall.SIGTERM)
	for {
		var request Request
		call, err := readCall(in, &request)
		if err == io.EOF {
			return
		}
		if err == nil {
			more := awaitMore(in)
			err = answer(out, call, &request, programs[request.Program])
			call.release()
			<-more
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "kgen harness:", err)
			os.Exit(1)
		}
	}
}

// awaitMore waits beside a call for the next one, and leaves it to be read.
func awaitMore(in *bufio.Reader) (more chan struct{}) {
	more = make(chan struct{})
	go func() {
		if _, err := in.Peek(1); err != nil {
			os.Exit(0)
		}
		close(more)
	}()
	return more
}

// readCall reads a call and maps its columns; io.EOF means that there is none.
func readCall(in *bufio.Reader, request *Request) (*Call, error) {
	if err := ReadMessage(in, request); err != nil {
		return nil, err
	}
	call := &Call{Workers: request.Workers}
	for _, p := range request.Params {
		data, release, err := receive(in, p)
		if err != nil {
			return nil, err
		}
		call.params, call.mapped = append(call.params, data), append(call.mapped, release)
	}
	for _, r := range request.Results {
		var data []byte
		if r.File != "" {
			var release func()
			var err error
			if data, release, err = mapFile(r.File, r.Size, true); err != nil {
				return nil, err
			}
			call.mapped = append(call.mapped, release)
		}
		call.reserved = append(call.reserved, data)
	}
	return call, nil
}

// answer runs a call and writes its response.
func answer(out *bufio.Writer, call *Call, request *Request, program Program) error {
	if program == nil {
		return WriteMessage(out, Response{Error: fmt.Sprintf("this build has no program %q", request.Program)})
	}
	start := time.Now()
	err := program(call)
	response := Response{Elapsed: time.Since(start), Steps: call.steps}
	for i := 0; i < request.Repeat && err == nil && call.check == nil; i++ {
		call.keepResults()
		call.results, call.steps = nil, nil
		used := processorTime()
		start = time.Now()
		err = program(call)
		elapsed := time.Since(start)
		response.Again = append(response.Again, Repetition{elapsed, processorTime() - used, call.steps})
	}
	response.Check = call.check
	if err != nil {
		response.Error = err.Error()
	}
	if err != nil || call.check != nil {
		return WriteMessage(out, response)
	}
	var inline [][]byte
	for i, data := range call.results {
		column := Column{Size: int64(len(data))}
		if i < len(request.Results) && request.Results[i].File != "" && len(data) > 0 && unsafe.SliceData(data) == unsafe.SliceData(call.reserved[i]) {
			column.File = request.Results[i].File
		} else {
			inline = append(inline, data)
		}
		response.Results = append(response.Results, column)
	}
	return WriteMessage(out, response, inline...)
}

// receive returns the bytes of a parameter, aligned for any element type.
func receive(in io.Reader, c Column) (data []byte, release func(), err error) {
	if c.File != "" {
		return mapFile(c.File, c.Size, false)
	}
	data = AlignedBytes(c.Size)
	_, err = io.ReadFull(in, data)
	return data, func() {}, err
}

// AlignedBytes returns n bytes that start at a multiple of 8.
func AlignedBytes(n int64) []byte {
	words := make([]uint64, (n+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), n)
}

// WriteMessage writes a header line and the bytes that follow it.
func WriteMessage(out *bufio.Writer, header any, data ...[]byte) error {
	line, err := json.Marshal(header)
	if err != nil {
		return err
	}
	out.Write(append(line, '\n'))
	for _, b := range data {
		out.Write(b)
	}
	return out.Flush() // bufio keeps the first error
}

// ReadMessage reads a header line; io.EOF means that no message began.
func ReadMessage(in *bufio.Reader, header any) error {
	line, err := in.ReadBytes('\n')
	if err == io.EOF && len(line) > 0 {
		return io.ErrUnexpectedEOF
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(line, header)
}

package worker

import (
	"bufio"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/plan"
)

// protocol is the version of the messages; both sides must have the same.
const protocol = 6

// hello is the first message of a worker, before it uses its driver.
type hello struct {
	Protocol int `json:"protocol"`
}

// request is a message to a worker: a line of JSON, then the bytes of its inline
// columns.
type request struct {
	Devices bool        `json:"devices,omitzero"`
	Run     *runRequest `json:"run,omitzero"`
	Limit   int64       `json:"limit"` // nanoseconds
}

// runRequest is a plan to run.
type runRequest struct {
	Device   int                   `json:"device"`
	Plan     *plan.Plan            `json:"plan"`
	Texts    map[string]string     `json:"texts"` // by Variant.File
	Build    []string              `json:"build,omitzero"`
	Passing  bool                  `json:"passing,omitzero"`
	Columns  []column              `json:"columns"`
	Scalars  map[string]exec.Value `json:"scalars"`
	Results  []column              `json:"results"` // memory for columns of the result, if it is reserved
	Memory   int64                 `json:"memory,omitzero"`
	PartRows int64                 `json:"partRows,omitzero"`
	Trace    bool                  `json:"trace,omitzero"`
	Repeat   int                   `json:"repeat,omitzero"`
}

// column is where the bytes of a port are: in a file that both sides map, or
// inside the message.
type column struct {
	Port string    `json:"port"`
	Kind plan.Kind `json:"kind,omitzero"`
	Size int64     `json:"size"`
	File string    `json:"file,omitzero"`
}

// response is the reply to a request: a line of JSON, then the bytes of its
// inline columns. Before it there may be others, each with Doing alone.
type response struct {
	Doing   string     `json:"doing,omitzero"` // what the call is waiting for
	Listing *Listing   `json:"listing,omitzero"`
	Run     *runResult `json:"run,omitzero"`
	Failure *failure   `json:"failure,omitzero"`
}

type runResult struct {
	Columns []column              `json:"columns"`
	Scalars map[string]exec.Value `json:"scalars"`
	Depths  map[string]int64      `json:"depths"`
	Level   string                `json:"level"`
	Peak    int64                 `json:"peak"`
	GaveUp  []exec.GiveUpError    `json:"gaveUp,omitzero"`
	Steps   []Step                `json:"steps,omitzero"`
	Times   []int64               `json:"times,omitzero"` // nanoseconds

	Launches []LaunchTime `json:"launches,omitzero"`
}

// Text of a driver need not be UTF-8.
var anyText = jsontext.AllowInvalidUTF8(true)

// writeMessage writes a header line and the bytes that follow it.
func writeMessage(out *bufio.Writer, header any, data ...[]byte) error {
	line, err := json.Marshal(header, anyText, json.Deterministic(true))
	if err != nil {
		return err
	}
	out.Write(append(line, '\n'))
	for _, b := range data {
		out.Write(b)
	}
	return out.Flush() // bufio keeps the first error
}

// readMessage reads a header line; io.EOF means that no message began.
func readMessage(in *bufio.Reader, header any) error {
	line, err := in.ReadBytes('\n')
	if err == io.EOF && len(line) > 0 {
		return io.ErrUnexpectedEOF
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(line, header, anyText)
}

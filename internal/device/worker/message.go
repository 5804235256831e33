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
const protocol = 9

// hello is the first message of a worker, before it uses its driver.
type hello struct {
	Protocol int `json:"protocol"`
}

// request is a message to a worker: a line of JSON, then the bytes of its inline
// columns.
type request struct {
	Ring     string           `json:"ring,omitzero"` // the first request of all may name the file of a ring that replaces the pipes
	Devices  bool             `json:"devices,omitzero"`
	Free     []int64          `json:"free,omitzero"`   // memory that ends before anything else is done
	Unload   []int64          `json:"unload,omitzero"` // programs that do so
	Load     *loadRequest     `json:"load,omitzero"`
	Run      *runRequest      `json:"run,omitzero"`
	Upload   *transferRequest `json:"upload,omitzero"`
	Download *transferRequest `json:"download,omitzero"`
	Limit    int64            `json:"limit"` // nanoseconds
}

// loadRequest is a plan that runs of its number name, until it is unloaded.
type loadRequest struct {
	Program int64             `json:"program"`
	Device  int               `json:"device"`
	Plan    *plan.Plan        `json:"plan"`
	Texts   map[string]string `json:"texts"` // by Variant.File
	Build   []string          `json:"build,omitzero"`
	Passing bool              `json:"passing,omitzero"`
}

// runRequest is a loaded plan to run.
type runRequest struct {
	Program  int64                 `json:"program"`
	Columns  []column              `json:"columns"`
	Scalars  map[string]exec.Value `json:"scalars,omitzero"`
	Results  []column              `json:"results,omitzero"` // memory for columns of the result, where it is reserved or they are kept
	Memory   int64                 `json:"memory,omitzero"`
	PartRows int64                 `json:"partRows,omitzero"`
	Trace    bool                  `json:"trace,omitzero"`
	Repeat   int                   `json:"repeat,omitzero"`
}

// transferRequest is a column that goes to memory of a device, or comes from there.
type transferRequest struct {
	Device int    `json:"device"`
	Memory int64  `json:"memory"`
	Data   column `json:"data"`
}

// column is where the bytes of a port are: in memory of the device, in a file that
// both sides map, or inside the message.
type column struct {
	Port   string    `json:"port,omitzero"`
	Kind   plan.Kind `json:"kind,omitzero"`
	Size   int64     `json:"size"`
	Memory int64     `json:"memory,omitzero"` // its number, from 1 on
	File   string    `json:"file,omitzero"`
}

// inline reports whether the bytes are inside the message.
func (c column) inline() bool { return c.File == "" && c.Memory == 0 }

// response is the reply to a request: a line of JSON, then the bytes of its
// inline columns. Before it there may be others, each with Doing alone.
type response struct {
	Doing   string     `json:"doing,omitzero"` // what the call is waiting for
	Listing *Listing   `json:"listing,omitzero"`
	Run     *runResult `json:"run,omitzero"`
	Data    *column    `json:"data,omitzero"` // of a transfer
	Failure *failure   `json:"failure,omitzero"`
}

type runResult struct {
	Columns []column              `json:"columns"`
	Scalars map[string]exec.Value `json:"scalars,omitzero"`
	Depths  map[string]int64      `json:"depths,omitzero"`
	Level   string                `json:"level"`
	Peak    int64                 `json:"peak"`
	GaveUp  []exec.GiveUpError    `json:"gaveUp,omitzero"`
	Steps   []Step                `json:"steps,omitzero"`
	Times   []int64               `json:"times,omitzero"` // nanoseconds

	Launches []LaunchTime `json:"launches,omitzero"`

	Parts Parts `json:"-"` // in packed messages alone
}

// Text of a driver need not be UTF-8.
var anyText = jsontext.AllowInvalidUTF8(true)

// write writes a header, a line of JSON unless it is packed, and the bytes that follow it.
func (c *codec) write(out *bufio.Writer, header any, data ...[]byte) error {
	if message := c.pack(header); message != nil {
		out.Write(message)
	} else {
		line, err := json.Marshal(header, anyText, json.Deterministic(true))
		if err != nil {
			return err
		}
		out.Write(append(line, '\n'))
	}
	for _, b := range data {
		out.Write(b)
	}
	return out.Flush() // bufio keeps the first error
}

// read reads a header; io.EOF means that no message began.
func (c *codec) read(in *bufio.Reader, header any) error {
	if first, err := in.Peek(1); err == nil && first[0] == packed {
		return c.unpack(in, header)
	}
	line, err := in.ReadBytes('\n')
	if err == io.EOF && len(line) > 0 {
		return io.ErrUnexpectedEOF
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(line, header, anyText)
}

package lsp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
)

// The base protocol: JSON-RPC 2.0 messages behind headers. It is written out here, because
// libraries end the connection at the first message that they cannot read.

// message is a request, a notification, which has no ID, or a response.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`

	wrong error // what keeps it from being a request; its ID is null
}

func (m *message) isRequest() bool { return m.ID != nil }

// rpcError says why a request has no result.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *rpcError) Error() string { return e.Message }

func failure(code int, format string, args ...any) error {
	return &rpcError{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Error codes of JSON-RPC and of the protocol.
const (
	codeParseError       = -32700
	codeInvalidRequest   = -32600
	codeMethodNotFound   = -32601
	codeInvalidParams    = -32602
	codeInternalError    = -32603
	codeNotInitialized   = -32002
	codeRequestCancelled = -32800
)

// maxMessage is how many bytes a message may have. No editor sends a longer one.
const maxMessage = 1 << 28

// connection reads and writes messages. One goroutine may read while another one writes.
type connection struct {
	in  *textproto.Reader
	out io.Writer
}

func newConnection(in io.Reader, out io.Writer) *connection {
	return &connection{in: textproto.NewReader(bufio.NewReader(in)), out: out}
}

// read returns the next request or notification, or a message that is wrong. If the
// headers are wrong, nobody knows where the next message begins, and read returns an
// error.
func (c *connection) read() (*message, error) {
	for {
		body, err := c.body()
		if err != nil {
			return nil, err
		}
		m := &message{}
		err = json.Unmarshal(body, m)
		switch {
		case !json.Valid(body):
			err = failure(codeParseError, "the message is no JSON: %v", err)
		case err != nil:
			err = failure(codeInvalidRequest, "the message is no JSON-RPC request: %v", err)
		case m.Method == "" && (m.Result != nil || m.Error != nil):
			continue // a response, though nothing was asked
		case m.Method == "":
			err = failure(codeInvalidRequest, "the message has no method")
		case bytes.ContainsAny(m.ID[:min(1, len(m.ID))], "[{tf"):
			err = failure(codeInvalidRequest, "the id %s is no number and no string", m.ID)
		default:
			return m, nil
		}
		return &message{ID: json.RawMessage("null"), wrong: err}, nil
	}
}

func (c *connection) body() ([]byte, error) {
	header, err := c.in.ReadMIMEHeader()
	if err != nil {
		return nil, err
	}
	length, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil || length < 0 || length > maxMessage {
		return nil, fmt.Errorf("Content-Length is %q; it has to be a number of bytes up to %d", header.Get("Content-Length"), maxMessage)
	}
	body, err := io.ReadAll(io.LimitReader(c.in.R, int64(length)))
	if err == nil && len(body) < length {
		err = io.ErrUnexpectedEOF
	}
	return body, err
}

// reply answers the request id by a result, or by an error.
func (c *connection) reply(id json.RawMessage, result any, failed error) error {
	m := message{ID: id}
	if failed != nil {
		e, ok := failed.(*rpcError)
		if !ok {
			e = &rpcError{Code: codeInternalError, Message: failed.Error()}
		}
		m.Error = e
		return c.write(m)
	}
	text, err := json.Marshal(result)
	if err != nil {
		return err
	}
	m.Result = text
	return c.write(m)
}

func (c *connection) notify(method string, params any) error {
	text, err := json.Marshal(params)
	if err != nil {
		return err
	}
	return c.write(message{Method: method, Params: text})
}

func (c *connection) write(m message) error {
	m.Version = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	text := fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(body))
	_, err = c.out.Write(append(text, body...))
	return err
}

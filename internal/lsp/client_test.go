package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
)

// client is an editor: it speaks with a server through pipes, by its own reading of the
// protocol.
type client struct {
	t        *testing.T
	out      *io.PipeWriter
	messages chan map[string]json.RawMessage
	served   chan error
	number   int
	pushed   map[string]publishDiagnosticsParams // the last diagnostics by URI
}

// patience is how long a server may take for anything.
const patience = 20 * time.Second

// newClient starts a server that nobody has initialized.
func newClient(t *testing.T) *client {
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	c := &client{
		t: t, out: toServer, messages: make(chan map[string]json.RawMessage), served: make(chan error, 1),
		pushed: map[string]publishDiagnosticsParams{},
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		c.served <- Serve(ctx, "test", fromClient, toClient)
		toClient.Close()
	}()
	go c.read(bufio.NewReader(fromServer))
	t.Cleanup(func() {
		stop()
		toServer.Close()
		fromServer.Close()
	})
	return c
}

// open starts a server and opens documents a.kg, b.kg and so on.
func open(t *testing.T, texts ...string) *client {
	c := newClient(t)
	if err := c.call("initialize", map[string]any{"capabilities": map[string]any{}}, nil); err != nil {
		t.Fatal(err)
	}
	c.notify("initialized", map[string]any{})
	for i, text := range texts {
		c.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
			"uri": uri(i), "languageId": "kgen", "version": 1, "text": text,
		}})
	}
	return c
}

func uri(i int) string { return fmt.Sprintf("file:///tmp/%c.kg", 'a'+i) }

// read passes on the messages of the server.
func (c *client) read(in *bufio.Reader) {
	defer close(c.messages)
	for {
		length := -1
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			if line == "\r\n" {
				break
			}
			fmt.Sscanf(line, "Content-Length: %d", &length)
		}
		body := make([]byte, length)
		if _, err := io.ReadFull(in, body); err != nil {
			return
		}
		var m map[string]json.RawMessage
		if err := json.Unmarshal(body, &m); err != nil {
			c.t.Errorf("the server writes %q: %v", body, err)
			return
		}
		c.messages <- m
	}
}

// raw writes bytes as they are.
func (c *client) raw(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c.out, text); err != nil {
		c.t.Fatal(err)
	}
}

// send writes a body behind its header.
func (c *client) send(body string) {
	c.t.Helper()
	c.raw(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body))
}

func (c *client) sendJSON(message any) {
	c.t.Helper()
	body, err := json.Marshal(message)
	if err != nil {
		c.t.Fatal(err)
	}
	c.send(string(body))
}

func (c *client) notify(method string, params any) {
	c.t.Helper()
	c.sendJSON(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
}

// request writes a request and returns its number.
func (c *client) request(method string, params any) int {
	c.t.Helper()
	c.number++
	c.sendJSON(map[string]any{"jsonrpc": "2.0", "id": c.number, "method": method, "params": params})
	return c.number
}

// receive returns the next message, and keeps the diagnostics in it.
func (c *client) receive() map[string]json.RawMessage {
	c.t.Helper()
	select {
	case m, ok := <-c.messages:
		if !ok {
			c.t.Fatal("the server has ended")
		}
		if string(m["method"]) == `"textDocument/publishDiagnostics"` {
			var p publishDiagnosticsParams
			if err := json.Unmarshal(m["params"], &p); err != nil {
				c.t.Fatal(err)
			}
			c.pushed[p.URI] = p
		}
		return m
	case <-time.After(patience):
		c.t.Fatal("the server says nothing")
	}
	return nil
}

// answer waits for the response to a request.
func (c *client) answer(id string, result any) error {
	c.t.Helper()
	for {
		m := c.receive()
		if string(m["id"]) != id {
			continue
		}
		if m["error"] != nil {
			var e rpcError
			if err := json.Unmarshal(m["error"], &e); err != nil {
				c.t.Fatal(err)
			}
			return &e
		}
		if m["result"] == nil {
			c.t.Fatalf("the response to %s has neither a result nor an error", id)
		}
		if result != nil {
			if err := json.Unmarshal(m["result"], result); err != nil {
				c.t.Fatalf("%s: %v", m["result"], err)
			}
		}
		return nil
	}
}

func (c *client) call(method string, params, result any) error {
	c.t.Helper()
	return c.answer(fmt.Sprint(c.request(method, params)), result)
}

// must is call where an error is one of the server.
func (c *client) must(method string, params, result any) {
	c.t.Helper()
	if err := c.call(method, params, result); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
}

// diagnostics waits for those of a version of a document; 0 is a closed one.
func (c *client) diagnostics(i, version int) []string {
	c.t.Helper()
	for {
		p, ok := c.pushed[uri(i)]
		if ok && (p.Version == nil && version == 0 || p.Version != nil && *p.Version == version) {
			list := []string{}
			for _, d := range p.Diagnostics {
				message, _, _ := strings.Cut(d.Message, "\n")
				list = append(list, fmt.Sprintf("%s %d %s", rangeText(d.Range), d.Severity, message))
			}
			return list
		}
		c.receive()
	}
}

func rangeText(r textRange) string {
	return fmt.Sprintf("%d:%d-%d:%d", r.Start.Line, r.Start.Character, r.End.Line, r.End.Character)
}

func inDocument(i int) map[string]any {
	return map[string]any{"textDocument": map[string]any{"uri": uri(i)}}
}

// at is the parameters of a request about the cursor, which is marked in text: it returns
// the text without the mark as well.
func at(text string) (string, map[string]any) {
	before, after, found := strings.Cut(text, "¦")
	if !found {
		panic("no cursor in " + text)
	}
	line := strings.Count(before, "\n")
	units := 0
	for _, r := range before[strings.LastIndexByte(before, '\n')+1:] {
		units += utf16.RuneLen(r)
	}
	return before + after, map[string]any{
		"textDocument": map[string]any{"uri": uri(0)},
		"position":     map[string]any{"line": line, "character": units},
	}
}

// ended returns what Serve does.
func (c *client) ended() error {
	c.t.Helper()
	for {
		select {
		case err := <-c.served:
			return err
		case <-c.messages:
		case <-time.After(patience):
			c.t.Fatal("the server goes on")
		}
	}
}

func codeOf(err error) int {
	var e *rpcError
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}

package lsp

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestLifecycle(t *testing.T) {
	c := newClient(t)
	if err := c.call("textDocument/hover", inDocument(0), nil); codeOf(err) != codeNotInitialized {
		t.Errorf("before initialize: %v", err)
	}
	c.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri(0), "version": 1, "text": "x"}})
	var result initializeResult
	c.must("initialize", map[string]any{"processId": nil}, &result)
	if result.Capabilities.TextDocumentSync.Change != syncIncremental || result.ServerInfo.Version != "test" {
		t.Errorf("%+v", result)
	}
	c.notify("initialized", map[string]any{})
	for _, test := range []struct {
		method string
		params any
		code   int
	}{
		{"initialize", nil, codeInvalidRequest},
		{"textDocument/rename", nil, codeMethodNotFound},
		{"$/cancelRequest", map[string]any{"id": 1}, codeMethodNotFound}, // it is a notification
		{"textDocument/hover", inDocument(0), codeInvalidParams},         // was opened too early
		{"textDocument/hover", 7, codeInvalidParams},
		{"textDocument/hover", nil, codeInvalidParams},
		{"shutdown", nil, 0},
		{"textDocument/hover", inDocument(0), codeInvalidRequest},
	} {
		if err := c.call(test.method, test.params, nil); codeOf(err) != test.code {
			t.Errorf("%s: %v", test.method, err)
		}
	}
	c.notify("exit", nil)
	if err := c.ended(); err != nil {
		t.Error(err)
	}
}

func TestEnds(t *testing.T) {
	for name, test := range map[string]struct {
		end  func(*client)
		want string
	}{
		"exit without shutdown": {func(c *client) { c.notify("exit", nil) }, ErrNoShutdown.Error()},
		"the editor has gone":   {func(c *client) { c.out.Close() }, ErrNoShutdown.Error()},
		"gone after shutdown": {func(c *client) {
			c.must("shutdown", nil, nil)
			c.out.Close()
		}, ""},
		"gone in a message":  {func(c *client) { c.raw("Content-Length: 9\r\n\r\n{"); c.out.Close() }, "unexpected EOF"},
		"no length":          {func(c *client) { c.raw("Content-Type: x\r\n\r\n{}") }, "Content-Length"},
		"a negative length":  {func(c *client) { c.raw("Content-Length: -1\r\n\r\n{}") }, "Content-Length"},
		"an absurd length":   {func(c *client) { c.raw("Content-Length: 99999999999999999999\r\n\r\n{}") }, "Content-Length"},
		"no header":          {func(c *client) { c.raw("GET / HTTP/1.1\r\n\r\n") }, "malformed MIME header"},
		"nobody reads it":    {func(c *client) { c.out.CloseWithError(errors.New("broken")) }, "broken"},
		"a header not ended": {func(c *client) { c.raw("Content-Length: 2\r\n"); c.out.Close() }, ErrNoShutdown.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			c := open(t, grades)
			test.end(c)
			err := c.ended()
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, not %q", err, test.want)
			}
		})
	}
}

// Messages that are wrong are answered, and the server goes on.
func TestMalformed(t *testing.T) {
	c := open(t, grades)
	for body, code := range map[string]int{
		"":                                codeParseError,
		"{":                               codeParseError,
		"\x00\xff":                        codeParseError,
		strings.Repeat("[", 1<<16):        codeParseError,
		"null":                            codeInvalidRequest,
		"7":                               codeInvalidRequest,
		"[]":                              codeInvalidRequest,
		"{}":                              codeInvalidRequest,
		`{"id":1}`:                        codeInvalidRequest,
		`{"id":1,"method":7}`:             codeInvalidRequest,
		`{"id":{},"method":"shutdown"}`:   codeInvalidRequest,
		`{"id":[1],"method":"shutdown"}`:  codeInvalidRequest,
		`{"id":true,"method":"shutdown"}`: codeInvalidRequest,
	} {
		c.send(body)
		if err := c.answer("null", nil); codeOf(err) != code {
			t.Errorf("%.40q: %v", body, err)
		}
	}
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":5,"result":null}`,
		`{"jsonrpc":"2.0","id":5,"error":{"code":1,"message":"x"}}`,
		`{"method":"textDocument/didOpen"}`,
		`{"method":"textDocument/didOpen","params":[1]}`,
		`{"method":"textDocument/didChange","params":{"textDocument":{"uri":"none"},"contentChanges":[{"text":""}]}}`,
		`{"method":"$/cancelRequest"}`,
		`{"method":"$/cancelRequest","params":{"id":77}}`,
		`{"method":"$/unknown","params":{}}`,
	} {
		c.send(body)
	}
	for _, id := range []string{`"a"`, "-1", "9007199254740993"} {
		c.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"textDocument/formatting","params":{"textDocument":{"uri":"file:///tmp/a.kg"}}}`)
		if err := c.answer(id, nil); err != nil {
			t.Errorf("id %s: %v", id, err)
		}
	}
}

// An ID can be used again, even too early.
func TestSameID(t *testing.T) {
	c := open(t, grades)
	const request = `{"jsonrpc":"2.0","id":1,"method":"textDocument/formatting","params":{"textDocument":{"uri":"file:///tmp/a.kg"}}}`
	for range 5 {
		c.send(request)
		c.send(request)
		for range 2 {
			if err := c.answer("1", nil); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A request that waits can be cancelled; that it waits is certain, because the server
// cannot write before this test reads.
func TestCancel(t *testing.T) {
	c := open(t, grades)
	c.diagnostics(0, 1)
	var ids []int
	for range 4 {
		ids = append(ids, c.request("textDocument/documentSymbol", inDocument(0)))
	}
	c.notify("$/cancelRequest", map[string]any{"id": ids[3]})
	c.notify("$/padding", strings.Repeat(" ", 1<<16)) // is read after the request to cancel
	for i, id := range ids {
		want := 0
		if i == 3 {
			want = codeRequestCancelled
		}
		if err := c.answer(fmt.Sprint(id), nil); codeOf(err) != want {
			t.Errorf("request %d: %v", i, err)
		}
	}
}

package main

import (
	"fmt"
	"strings"
	"testing"
)

// frame writes messages as the protocol does.
func frame(messages ...string) string {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", len(m), m)
	}
	return b.String()
}

func TestLSP(t *testing.T) {
	const (
		initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`
		opened     = `{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///a.kg","version":1,"text":"pipeline"}}}`
		shutdown   = `{"jsonrpc":"2.0","id":2,"method":"shutdown"}`
		exit       = `{"jsonrpc":"2.0","method":"exit"}`
	)
	for _, c := range []struct {
		messages       []string
		code           int
		stdout, stderr string
	}{
		{[]string{initialize, opened, shutdown, exit}, exitOK, `{"jsonrpc":"2.0","id":2,"result":null}`, ""},
		{[]string{initialize, exit}, exitFailed, `"name":"kgen"`, "without a request to shut down\n"},
		{nil, exitFailed, "", "without a request to shut down\n"},
	} {
		code, stdout, stderr := execute(frame(c.messages...), "lsp")
		if code != c.code || !strings.Contains(stdout, c.stdout) || !strings.HasSuffix(stderr, c.stderr) {
			t.Errorf("%q: exit code %d\n%s\n%s", c.messages, code, stdout, stderr)
		}
	}
}

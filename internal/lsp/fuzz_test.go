package lsp

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"testing"
)

// FuzzMessages: whatever a client writes, the server ends when the client does, and every
// message of its own is whole.
func FuzzMessages(f *testing.F) {
	const opened = `{"method":"textDocument/didOpen","params":{"textDocument":{"uri":"a","text":"pipeline p(x: [n]i32) { return x[`
	for _, messages := range [][]string{
		{`{"id":1,"method":"initialize"}`, opened + `é🙂"}}}`, `{"id":"2","method":"textDocument/completion","params":{"textDocument":{"uri":"a"},"position":{"line":0,"character":37}}}`},
		{`{"id":1,"method":"initialize"}`, opened + `"}}}`, `{"method":"textDocument/didChange","params":{"textDocument":{"uri":"a"},"contentChanges":[{"range":{"start":{"line":0,"character":3},"end":{"line":-1}},"text":"\r\n"}]}}`},
		{`{"id":1,"method":"shutdown"}`, `{"method":"exit"}`, `[`},
	} {
		var b bytes.Buffer
		for _, m := range messages {
			fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", len(m), m)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		var out bytes.Buffer
		Serve(context.Background(), "test", bytes.NewReader(input), &out)
		for c := newConnection(&out, io.Discard); ; {
			if _, err := c.body(); err == io.EOF {
				return
			} else if err != nil {
				t.Fatalf("%v in %q", err, out.Bytes())
			}
		}
	})
}

// FuzzText: a document of any text has answers at any place.
func FuzzText(f *testing.F) {
	f.Add(grades, 40)
	f.Add("\uFEFFpipeline p(x: [n]i32 missing 0) {\r\ta = x[\r\n} /* é🙂", 7)
	f.Fuzz(func(t *testing.T, text string, at int) {
		a := newDocument("a", 1, text).analysis()
		at = min(max(at, 0), len(text))
		a.everything(at)
		if got := a.doc.position(a.doc.offset(a.doc.position(at))); got.Line != a.doc.position(at).Line {
			t.Errorf("line %d becomes %d", a.doc.position(at).Line, got.Line)
		}
	})
}

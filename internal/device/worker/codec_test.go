package worker

import (
	"bufio"
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/plan"
)

// messages are packed ones with every field.
func messages() (request, response) {
	return request{Free: []int64{3, 1 << 40}, Unload: []int64{7}, Limit: 99, Run: &runRequest{Program: 5,
			Columns: []column{{Port: "x", Kind: plan.I64, Size: 16, Memory: 4}, {Port: "y", Kind: "decimal(2)", Size: 1 << 33, File: "/proc/1/fd/3"}},
			Scalars: map[string]exec.Value{"k": {Kind: plan.F64, Bits: 1<<63 + 5}, "a": {Kind: plan.Bool, Bits: 1}},
			Results: []column{{Port: "z", Memory: 9}}, Memory: 1 << 50, PartRows: 77, Trace: true, Repeat: 2}},
		response{Run: &runResult{Columns: []column{{Port: "z", Kind: plan.I8, Size: 3}}, Scalars: map[string]exec.Value{"s": {Kind: plan.I64, Bits: 1<<64 - 1}},
			Depths: map[string]int64{"z": -2}, Level: "onepass", Peak: 12, Times: []int64{5, 6}}}
}

// TestPacked: what is packed is read as it was, between messages of JSON and bytes.
func TestPacked(t *testing.T) {
	asked, answered := messages()
	for _, empty := range []bool{false, true} {
		if empty {
			asked, answered = request{Run: &runRequest{}}, response{Run: &runResult{}}
		}
		var stream bytes.Buffer
		out := bufio.NewWriter(&stream)
		for _, header := range []any{hello{1}, asked, hello{2}, answered} {
			if _, isHello := header.(hello); !isHello && pack(header) == nil {
				t.Fatalf("%T is not packed", header)
			}
			if err := writeMessage(out, header, []byte("12")); err != nil {
				t.Fatal(err)
			}
		}
		in := bufio.NewReader(&stream)
		var first, second hello
		var gotRequest request
		var gotResponse response
		for _, header := range []any{&first, &gotRequest, &second, &gotResponse} {
			if err := readMessage(in, header); err != nil {
				t.Fatal(err)
			}
			in.Discard(2)
		}
		if diff := cmp.Diff(asked, gotRequest); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(answered, gotResponse); diff != "" {
			t.Error(diff)
		}
	}
}

// FuzzPacked: bytes from a broken process are an error, never a panic or much memory.
func FuzzPacked(f *testing.F) {
	asked, answered := messages()
	f.Add(pack(asked))
	f.Add(pack(answered))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 5 {
			return
		}
		data[0] = packed
		data[4] = 0 // no lengths of gigabytes
		var r request
		if err := readMessage(bufio.NewReader(bytes.NewReader(data)), &r); err == nil && r.Run == nil {
			t.Error("no run was read")
		}
		readMessage(bufio.NewReader(bytes.NewReader(data)), &response{})
	})
}

package worker

import (
	"bufio"
	"bytes"
	"errors"
	"strconv"
	"strings"
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
		c := newCodec()
		var stream bytes.Buffer
		out := bufio.NewWriter(&stream)
		for _, header := range []any{hello{1}, &asked, hello{2}, &answered} {
			if _, isHello := header.(hello); !isHello && c.pack(header) == nil {
				t.Fatalf("%T is not packed", header)
			}
			if err := c.write(out, header, []byte("12")); err != nil {
				t.Fatal(err)
			}
		}
		in := bufio.NewReader(&stream)
		var first, second hello
		var gotRequest request
		var gotResponse response
		for _, header := range []any{&first, &gotRequest, &second, &gotResponse} {
			if err := c.read(in, header); err != nil {
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

// TestPackedAgain: of a message that was read into the same memory before, nothing is left.
func TestPackedAgain(t *testing.T) {
	var stream bytes.Buffer
	out := bufio.NewWriter(&stream)
	writer, reader := newCodec(), newCodec()
	reader.run = &runRequest{}
	in := bufio.NewReaderSize(&stream, 64) // some are longer
	for i := range 3 * mostTexts {
		asked, answered := messages()
		switch i % 3 {
		case 1:
			asked.Run.Scalars, asked.Run.Columns = map[string]exec.Value{"j": {Kind: plan.I8, Bits: uint64(i)}}, asked.Run.Columns[:1]
		case 2:
			asked.Run = &runRequest{Program: 8, Scalars: map[string]exec.Value{}, Columns: []column{}, Results: []column{}}
		}
		answered.Run.Scalars = map[string]exec.Value{strings.Repeat("s", i%(2*longestText)) + strconv.Itoa(i): {Kind: plan.I64}}
		var gotRequest request
		var gotResponse response
		if err := errors.Join(writer.write(out, &asked), reader.read(in, &gotRequest), writer.write(out, &answered), reader.read(in, &gotResponse)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(asked, gotRequest) + cmp.Diff(answered, gotResponse); diff != "" {
			t.Fatal(i, diff)
		}
	}
	if n := len(reader.unpacks.texts); n > mostTexts {
		t.Errorf("%d texts are kept", n)
	}
}

// FuzzPacked: bytes from a broken process are an error, never a panic or much memory.
func FuzzPacked(f *testing.F) {
	asked, answered := messages()
	f.Add(newCodec().pack(&asked))
	f.Add(newCodec().pack(&answered))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 5 {
			return
		}
		data[0] = packed
		data[4] = 0 // no lengths of gigabytes
		var r request
		if err := newCodec().read(bufio.NewReader(bytes.NewReader(data)), &r); err == nil && r.Run == nil {
			t.Error("no run was read")
		}
		newCodec().read(bufio.NewReader(bytes.NewReader(data)), &response{})
	})
}

package harness

import (
	"bufio"
	"bytes"
	"runtime"
	"testing"
)

// Repeated calls have the memory of the first for results that the runner has no memory for, with the room that a
// call needs at first, and results still come back in the message.
func TestRepetitionsKeepMemory(t *testing.T) {
	const room = 4 // for rows that the program may have before it knows
	allocated := 0
	program := func(c *Call) error {
		column := Reserved[int64](c, 0)
		if cap(column) < room {
			allocated++
			column = make([]int64, 0, room)
		}
		Return(c, append(column, 3, 4))
		return nil
	}
	var out bytes.Buffer
	w := bufio.NewWriter(&out)
	if err := answer(w, &Call{reserved: [][]byte{nil}}, &Request{Repeat: 3, Results: []Column{{}}}, program); err != nil {
		t.Fatal(err)
	}
	if allocated != 1 {
		t.Errorf("%d calls allocated their results", allocated)
	}
	in := bufio.NewReader(&out)
	var response Response
	if err := ReadMessage(in, &response); err != nil {
		t.Fatal(err)
	}
	if want := (Column{Size: 16}); len(response.Results) != 1 || response.Results[0] != want {
		t.Fatalf("results %v", response.Results)
	}
	var data [16]byte
	if n, _ := in.Read(data[:]); n != 16 || data[0] != 3 || data[8] != 4 {
		t.Errorf("%d bytes of results: %v", n, data)
	}
	for _, again := range response.Again {
		if (again.Processor > 0) != (runtime.GOOS == "linux") {
			t.Errorf("processor time of a repetition: %v", again.Processor)
		}
	}
}

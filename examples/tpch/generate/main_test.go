package main

import (
	"bytes"
	"os"
	"testing"
)

// The committed sample is what the generator writes.
func TestSample(t *testing.T) {
	want, err := os.ReadFile("../lineitem-sample.csv")
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := write(&got, 200, 6); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Error("differs; write it anew: go run ./examples/tpch/generate > examples/tpch/lineitem-sample.csv")
	}
}

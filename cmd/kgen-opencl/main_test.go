//go:build opencl

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/device/worker"
)

func TestList(t *testing.T) {
	t.Setenv("KGEN_CACHE", t.TempDir())
	var text, object bytes.Buffer
	for out, arguments := range map[*bytes.Buffer][]string{&text: {"devices"}, &object: {"devices", "--json"}} {
		if status := worker.Main(worker.OpenCL, open, arguments, out); status != 0 {
			t.Fatal(status)
		}
	}
	var listing worker.Listing
	if err := json.Unmarshal(object.Bytes(), &listing); err != nil {
		t.Fatal(err)
	}
	if len(listing.Devices) == 0 && os.Getenv("KGEN_REQUIRE_OPENCL") == "" {
		t.Skip("no OpenCL device: ", listing.Notes)
	}
	if len(listing.Devices) == 0 || listing.Devices[0].Name != "opencl:0" {
		t.Fatalf("%+v", listing)
	}
	for _, f := range listing.Devices[0].Findings {
		if !strings.Contains(text.String(), f.Detail) {
			t.Errorf("the text lacks %q", f.Detail)
		}
	}
	if !strings.HasPrefix(text.String(), "opencl:0  ") {
		t.Errorf("the text is\n%s", &text)
	}
}

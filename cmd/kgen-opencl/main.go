//go:build opencl

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/kgen-go/kgen/backends/opencl/run"
	"github.com/kgen-go/kgen/backends/worker"
)

const usage = `usage:
  kgen-opencl devices [--json]   list the devices and what is known of them
  kgen-opencl serve              answer kgen on standard input and output
`

func main() {
	arguments := os.Args[1:]
	var err error
	switch {
	case slices.Equal(arguments, []string{"serve"}):
		var out *os.File
		if out, err = worker.TakeStdout(); err == nil {
			err = worker.Serve(run.New(), os.Stdin, out)
		}
	case slices.Equal(arguments, []string{"devices"}):
		err = list(os.Stdout, printText)
	case slices.Equal(arguments, []string{"devices", "--json"}):
		err = list(os.Stdout, printJSON)
	case slices.Equal(arguments, []string{"--help"}):
		fmt.Print(usage)
	default:
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "kgen-opencl:", err)
		os.Exit(1)
	}
}

func list(out io.Writer, print func(io.Writer, worker.Listing) error) error {
	listing, err := run.New().List(context.Background())
	if err != nil {
		return err
	}
	return print(out, listing)
}

func printJSON(out io.Writer, listing worker.Listing) error {
	return json.MarshalWrite(out, listing, json.Deterministic(true), jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true))
}

func printText(out io.Writer, listing worker.Listing) error {
	for _, d := range listing.Devices {
		m := d.Machine
		fmt.Fprintf(out, "%s  %s\n  %s, %s\n", d.Name, m.Device, m.Driver, d.Version)
		if d.Problem != "" {
			fmt.Fprintf(out, "  cannot be used: %s\n", d.Problem)
			continue
		}
		fmt.Fprintf(out, "  %d units, groups of at most %d, %d bytes of local memory, %d bytes of memory, %d of them in one buffer\n",
			m.Units, m.MaxGroup, m.LocalBytes, m.Memory, m.MaxAlloc)
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		for _, f := range d.Findings {
			fmt.Fprintf(w, "  %s\t%s\t%s: %s\n", f.Name, f.Value, f.Evidence, f.Detail)
		}
		w.Flush()
	}
	for _, note := range listing.Notes {
		fmt.Fprintln(out, note)
	}
	return nil
}

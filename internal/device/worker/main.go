package worker

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/kgen-go/kgen/internal/device/cache"
)

// usage is the help text of every worker program.
const usage = `usage:
  %[1]s devices [--json]   list the devices and what is known of them
  %[1]s serve              answer kgen on standard input and output
`

// Main is the main function of a worker program with its arguments; it returns
// the exit code. Open is called only if devices are needed.
func Main(p Program, open func() Driver, arguments []string, out io.Writer) int {
	_, err := cache.Limit() // a driver goes on without a cache, so it would not be reported there
	switch {
	case slices.Equal(arguments, []string{"--help"}):
		_, err = fmt.Fprintf(out, usage, p.Name)
	case err != nil:
	case slices.Equal(arguments, []string{"serve"}):
		var stdout *os.File
		if stdout, err = TakeStdout(); err == nil {
			err = Serve(open(), os.Stdin, stdout)
		}
	case slices.Equal(arguments, []string{"devices"}):
		err = list(open(), out, printText)
	case slices.Equal(arguments, []string{"devices", "--json"}):
		err = list(open(), out, printJSON)
	default:
		fmt.Fprintf(os.Stderr, usage, p.Name)
		return 2
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", p.Name, err)
		return 1
	}
	return 0
}

func list(driver Driver, out io.Writer, print func(io.Writer, Listing) error) error {
	listing, err := driver.List(context.Background())
	if err != nil {
		return err
	}
	return print(out, listing)
}

func printJSON(out io.Writer, listing Listing) error {
	return json.MarshalWrite(out, listing, json.Deterministic(true), jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true))
}

func printText(w io.Writer, listing Listing) error {
	out := bufio.NewWriter(w) // keeps the first error
	for _, d := range listing.Devices {
		m := d.Machine
		fmt.Fprintf(out, "%s  %s\n  %s, %s\n", d.Name, m.Device, m.Driver, d.Version)
		if d.Problem != "" {
			fmt.Fprintf(out, "  cannot be used: %s\n", d.Problem)
			continue
		}
		fmt.Fprintf(out, "  %d compute units, work-groups of at most %d, %d bytes of local memory, %d bytes of memory, %d of them in one buffer\n",
			m.Units, m.MaxWorkgroup, m.LocalBytes, m.Memory, m.MaxAlloc)
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		for _, f := range d.Findings {
			fmt.Fprintf(w, "  %s\t%s\t%s: %s\n", f.Name, f.Value, f.Evidence, f.Detail)
		}
		w.Flush()
	}
	for _, note := range listing.Notes {
		fmt.Fprintln(out, note)
	}
	return out.Flush()
}

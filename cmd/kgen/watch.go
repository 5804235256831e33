package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/kgen-go/kgen/internal/table"
)

// watchInterval is the time between looks at a watched file. It is looked at,
// rather than reported by the system, because that also works over networks and
// where editors, links and version control put another file in its place; and it
// is one small file.
const watchInterval = 100 * time.Millisecond

// watchFile calls emit, and again whenever the file has changed and then stayed
// the same from one look to the next. Errors are printed, because the next change
// may mend them; returned are those of the command line, and of standard output.
// It is no error to be interrupted.
func watchFile(c *cobra.Command, path string, emit func() error) error {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = usageErrorf("--watch: %s is not a file that can be looked at again", path)
	}
	if err != nil {
		return err
	}
	look := func() string {
		text, err := os.ReadFile(path)
		if err != nil {
			return "error: " + err.Error()
		}
		return "text: " + string(text)
	}
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	for calls := 1; ; calls++ {
		emitted := look()
		err := emit()
		var usage *usageError
		stdout, ok := c.OutOrStdout().(*table.Output)
		switch {
		case c.Context().Err() != nil:
			return nil
		case ok && stdout.Err() != nil:
			return stdout.Err()
		case errors.As(err, &usage) && calls == 1:
			return err
		case err != nil:
			fmt.Fprintln(c.ErrOrStderr(), err)
		}
		if calls == 1 {
			fmt.Fprintf(c.ErrOrStderr(), "watching %s; Ctrl-C ends\n", path)
		}
		for before, now := emitted, emitted; now == emitted || now != before; {
			select {
			case <-c.Context().Done():
				return nil
			case <-tick.C:
				before, now = now, look()
			}
		}
	}
}

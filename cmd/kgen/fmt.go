package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/kgen-go/kgen/internal/table"
	"github.com/kgen-go/kgen/ir"
)

type fmtFlags struct{ list, write, diff bool }

func newFmt() *cobra.Command {
	var flags fmtFlags
	c := &cobra.Command{
		Use:   "fmt [PATH...]",
		Short: "Format pipelines",
		Long: `Fmt prints pipeline files in their canonical form, as gofmt does for Go.

Folders are searched for .kg files, without folders named testdata. Without a
path, standard input is formatted. Without -l, -w or -d, the result is printed.
With -d, the exit code is 1 if a file is not in canonical form.`,
		Example: `  kgen fmt -l .              # names of files that are not in canonical form
  kgen fmt -w orders.kg      # rewrite a file
  kgen fmt -d examples       # what would change`,
		RunE: func(c *cobra.Command, paths []string) error {
			if len(paths) == 0 {
				return formatStdin(c, flags)
			}
			files, err := sourceFiles(paths)
			if err != nil {
				return err
			}
			failed := false
			for _, path := range files {
				if err := formatFile(c.Context(), path, flags, c.OutOrStdout()); err != nil {
					if err != errReported {
						fmt.Fprintln(c.ErrOrStderr(), err)
					}
					failed = true
				}
			}
			if failed {
				return errReported
			}
			return nil
		},
	}
	c.Flags().BoolVarP(&flags.list, "list", "l", false, "list files that are not in canonical form")
	c.Flags().BoolVarP(&flags.write, "write", "w", false, "write the result back to the file")
	c.Flags().BoolVarP(&flags.diff, "diff", "d", false, "show what would change")
	c.ValidArgsFunction = completeSources
	return c
}

func formatStdin(c *cobra.Command, flags fmtFlags) error {
	if flags.write {
		return usageErrorf("-w needs a file to write to")
	}
	source, err := io.ReadAll(c.InOrStdin())
	if err != nil {
		return err
	}
	return formatSource(c.Context(), "<standard input>", source, flags, c.OutOrStdout())
}

func formatFile(ctx context.Context, path string, flags fmtFlags, out io.Writer) error {
	source, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return formatSource(ctx, path, source, flags, out)
}

func formatSource(ctx context.Context, path string, source []byte, flags fmtFlags, out io.Writer) error {
	file, errs := ir.Parse(path, source)
	if err := errs.Err(); err != nil {
		return err
	}
	formatted := ir.Format(file)
	if !flags.list && !flags.write && !flags.diff {
		out.Write(formatted) // Main reports a failure, once for all files
		return nil
	}
	if bytes.Equal(source, formatted) {
		return nil
	}
	if flags.list {
		fmt.Fprintln(out, path)
	}
	if flags.write {
		if err := table.WriteFile(ctx, path, func(w io.Writer) error {
			_, err := w.Write(formatted)
			return err
		}); err != nil {
			return err
		}
	}
	if flags.diff {
		out.Write(diff.Diff(path+".orig", source, path, formatted))
		return errReported
	}
	return nil
}

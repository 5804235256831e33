package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/ir"
)

func newVet() *cobra.Command {
	return &cobra.Command{
		Use:   "vet PATH...",
		Short: "Check pipelines and report all errors",
		Long: `Vet parses and verifies pipeline files and reports every error with its line.

Folders are searched for .kg files, without folders named testdata. The exit
code is 1 if there was an error; warnings are printed and do not change it.`,
		Example: `  kgen vet orders.kg
  kgen vet examples testsuite/corpus`,
		Args: arguments(1, -1, "files or folders"),
		RunE: func(c *cobra.Command, paths []string) error {
			files, err := sourceFiles(paths)
			if err != nil {
				return err
			}
			failed := false
			for _, path := range files {
				pipelines, err := ir.LoadFile(path)
				if err != nil {
					fmt.Fprintln(c.ErrOrStderr(), err)
					failed = true
				}
				for _, p := range pipelines {
					build.PrintWarnings(c.ErrOrStderr(), p)
				}
			}
			if failed {
				return errReported
			}
			return nil
		},
	}
}

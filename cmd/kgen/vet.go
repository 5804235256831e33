package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/ir"
)

func newVet() *cobra.Command {
	c := &cobra.Command{
		Use:   "vet PATH...|-e TEXT",
		Short: "Check pipelines and report all errors",
		Long: `Vet parses and verifies pipeline files and reports every error with its line.

Folders are searched for .kg files, without folders named testdata. The exit
code is 1 if there was an error; warnings are printed and do not change it.`,
		Example: `  kgen vet orders.kg
  kgen vet examples testsuite/corpus
  kgen vet -e 'pipeline p(x: [n]i32) { return y: x / 2 }'`,
		Args: arguments(1, -1, "files or folders, or -e TEXT"),
		RunE: func(c *cobra.Command, paths []string) error {
			failed := false
			report := func(pipelines []*ir.Pipeline, err error) {
				if err != nil {
					fmt.Fprintln(c.ErrOrStderr(), err)
					failed = true
				}
				for _, p := range pipelines {
					build.PrintWarnings(c.ErrOrStderr(), p)
				}
			}
			if text, given := inlineText(c); given {
				pipelines, errs := ir.Load(inlineName, []byte(text))
				report(pipelines, errs.Err())
			}
			files, err := sourceFiles(paths)
			if err != nil {
				return err
			}
			for _, path := range files {
				report(ir.LoadFile(path))
			}
			if failed {
				return errReported
			}
			return nil
		},
	}
	takeInline(c)
	c.ValidArgsFunction = completeSources
	return c
}

package main

import (
	"github.com/spf13/cobra"

	"github.com/kgen-go/kgen/internal/lsp"
	"github.com/kgen-go/kgen/internal/version"
)

func newLSP() *cobra.Command {
	return &cobra.Command{
		Use:   "lsp",
		Short: "Help an editor with pipelines",
		Long: `Lsp is a language server. An editor starts it, and speaks with it through
standard input and output by the Language Server Protocol. It reports errors
and warnings as one types, explains names and operators, completes them, finds
definitions, formats, and lists pipelines and statements. docs/editors.md says
how editors are told to start it.`,
		Example: "  kgen lsp",
		Args:    arguments(0, 0, "no arguments"),
		RunE: func(c *cobra.Command, _ []string) error {
			return lsp.Serve(c.Context(), version.Kgen(), c.InOrStdin(), c.OutOrStdout())
		},
	}
}

package main

import (
	"github.com/spf13/cobra"
)

func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND | OPERATOR]",
		Short: "Explain a command or an operator of the language",
		Long: `Help explains a command, or an operator of the language with its signature
and an example. Without an argument it explains kgen.`,
		Example: "  kgen help run\n  kgen help scan",
		Args:    arguments(0, 1, "one command or operator"),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return root.Help()
			}
			if c, _, err := root.Find(args); err == nil && c != root {
				return c.Help()
			}
			return usageErrorf("%s is neither a command nor an operator", args[0])
		},
	}
}

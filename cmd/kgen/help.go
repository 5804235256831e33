package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/ir"
)

func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND | OPERATOR]",
		Short: "Explain a command or an operator of the language",
		Long: `Help explains a command, or an operator of the language by its signature and
an example. Without an argument it explains kgen.

` + wrap("Operators: "+operatorNames()+".", build.HelpWidth),
		Example: "  kgen help run\n  kgen help scan\n  kgen help 'x[mask]'",
		Args:    arguments(0, 1, "one command or operator"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			var topics []cobra.Completion
			if len(args) == 0 {
				for _, c := range root.Commands() {
					if c.IsAvailableCommand() {
						topics = append(topics, cobra.CompletionWithDesc(c.Name(), c.Short))
					}
				}
				for _, help := range ir.Operators() {
					for _, name := range help.Names {
						topics = append(topics, cobra.CompletionWithDesc(name, help.Signature))
					}
				}
			}
			return topics, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return root.Help()
			}
			if found, _, err := root.Find(args); err == nil && found != root {
				return found.Help()
			}
			if help, ok := ir.OperatorNamed(args[0]); ok {
				return explainOperator(c.OutOrStdout(), help)
			}
			return usageErrorf("%s is neither a command nor an operator; the operators are %s", args[0], operatorNames())
		},
	}
}

// wrap breaks text into lines of at most so many columns.
func wrap(text string, width int) string {
	var b strings.Builder
	column := 0
	for word := range strings.FieldsSeq(text) {
		switch n := utf8.RuneCountInString(word); {
		case column == 0:
			column = n
		case column+1+n > width:
			b.WriteByte('\n')
			column = n
		default:
			b.WriteByte(' ')
			column += 1 + n
		}
		b.WriteString(word)
	}
	return b.String()
}

func operatorNames() string {
	var names []string
	for _, help := range ir.Operators() {
		names = append(names, help.Names[0])
	}
	return strings.Join(names, ", ")
}

func explainOperator(out io.Writer, help ir.OperatorHelp) error {
	_, err := fmt.Fprintf(out, "%s\n  %s\n\nResult: %s\n\nExample:\n\n\t%s\n",
		help.Signature, help.Doc, help.Result, strings.ReplaceAll(help.Example, "\n", "\n\t"))
	return err
}

package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/ir"
)

func TestHelpOfEveryOperator(t *testing.T) {
	for _, help := range ir.Operators() {
		for _, name := range help.Names {
			code, stdout, stderr := execute("", "help", name)
			if code != exitOK || !strings.Contains(stdout, help.Signature) || !strings.Contains(stdout, "\tpipeline ") {
				t.Errorf("help %s: exit code %d\n%s%s", name, code, stdout, stderr)
			}
		}
	}
}

// TestHelpOfEveryCommand checks that help teaches: each command has an example.
func TestHelpOfEveryCommand(t *testing.T) {
	root, _ := newRoot()
	for _, c := range root.Commands() {
		if c.Hidden {
			continue
		}
		code, stdout, stderr := execute("", "help", c.Name())
		if code != exitOK || !strings.Contains(stdout, "Examples:\n  kgen "+c.Name()) {
			t.Errorf("help %s: exit code %d\n%s%s", c.Name(), code, stdout, stderr)
		}
	}
}

// TestHelpWidth checks that help fits the usual terminal, and that flags and what
// they do are two columns: a long name of a value would push all texts aside.
func TestHelpWidth(t *testing.T) {
	root, _ := newRoot()
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		args := append(strings.Fields(c.CommandPath())[1:], "--help")
		_, help, _ := execute("", args...)
		for line := range strings.Lines(help) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > build.HelpWidth {
				t.Errorf("kgen %s: %d columns: %s", strings.Join(args, " "), n, line)
			}
		}
		_, flags, _ := strings.Cut(help, "\nFlags:\n")
		for line := range strings.Lines(flags) {
			if text := strings.TrimLeft(line, " "); len(line)-len(text) > 32 {
				t.Errorf("kgen %s: the texts of flags begin far to the right: %s", strings.Join(args, " "), line)
			}
		}
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(root)
}

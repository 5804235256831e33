package main

import (
	"strings"
	"testing"

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

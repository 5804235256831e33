package main

import "testing"

// Every mutant fits the sources: the text that it changes is there, once.
func TestMutantsFit(t *testing.T) {
	if err := Check("../.."); err != nil {
		t.Error(err)
	}
	if n := len(Mutants()); n < 60 {
		t.Errorf("only %d mutants", n)
	}
}

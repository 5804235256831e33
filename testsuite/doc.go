// Package testsuite contains the helpers that tests of several packages share:
// the corpus of pipelines with data and expected results, generators of random
// data, and the comparison of results with those of the interpreter.
package testsuite

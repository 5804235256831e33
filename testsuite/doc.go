// Package testsuite holds what tests of several packages share: the corpus of
// pipelines with data and expected results, generators of random data, and
// the text form in which results are compared.
package testsuite

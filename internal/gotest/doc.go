// Package gotest prints tests of emitted Go, for users to keep beside it.
//
// For each pipeline there is a reference: the operators of the graph one after
// the other, each as the plainest loop that says what it means. It is printed
// from the graph alone and so has nothing in common with the function it is
// compared with, which stems from fused kernels; not even this package can see
// those. Around the reference stand a property test on random arguments, a
// fuzz target, a test that nothing is allocated, benchmarks, and an example
// whose output the interpreter computes.
package gotest

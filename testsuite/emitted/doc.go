// Package emitted tests the Go that kgen emits for the corpus: its format, what
// the compiler and go vet say of it, the tests that are emitted beside it, and
// partials.
package emitted

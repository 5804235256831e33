// Package papers tests the pipelines of examples/papers beside programs written by hand.
package papers

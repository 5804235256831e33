// Package builder is what gen.go, a program of its own, makes: pipelines
// written in Go, as emitted functions.
package builder

//go:generate go run gen.go --package builder -o .

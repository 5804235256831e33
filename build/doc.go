// Package build makes programs of pipelines that are written in Go: programs
// that emit code as the command kgen emit does, for a go:generate line like
//
//	//go:generate go run gen.go --package tpch -o .
//
// The pipelines are made with [ir.Builder]. This package adds parameters and
// casts whose element types are Go types, [Main], and what Main shares with
// kgen emit.
package build

package gocpu

import (
	"go/build"
	"io"
	"strings"
)

// isSpecialName reports whether Go reads more into the name of a file (a test, an
// operating system), or another emitted file has it.
func isSpecialName(base string) bool {
	name := base + ".go"
	return name == SupportName || name == partialName || name == traceName || name == textsName || strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, deviceSuffix) || strings.HasSuffix(name, simdSuffix) || !isBuiltEverywhere(name)
}

// isBuiltEverywhere reports whether Go builds a file of that name for a
// system that nobody has heard of.
func isBuiltEverywhere(name string) bool {
	unknown := build.Context{GOOS: "unknown", GOARCH: "unknown", Compiler: "gc",
		OpenFile: func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("package p\n")), nil }}
	match, err := unknown.MatchFile("", name)
	return match && err == nil
}

package gocpu

import (
	"go/build"
	"io"
	"strings"
)

// fileName is the name of the file of a pipeline: the pipeline's, unless Go
// reads more into it (a test, an operating system) or the support file has it.
func fileName(pipeline string) string {
	if strings.HasPrefix(pipeline, "_") {
		pipeline = "pipeline" + pipeline
	}
	name := pipeline + ".go"
	if name == SupportName || name == partialName || strings.HasSuffix(name, "_test.go") || !isBuiltEverywhere(name) {
		return pipeline + "_pipeline.go"
	}
	return name
}

// isBuiltEverywhere reports whether Go builds a file of that name for a
// system that nobody has heard of.
func isBuiltEverywhere(name string) bool {
	unknown := build.Context{GOOS: "unknown", GOARCH: "unknown", Compiler: "gc",
		OpenFile: func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("package p\n")), nil }}
	match, err := unknown.MatchFile("", name)
	return match && err == nil
}

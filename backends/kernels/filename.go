package kernels

import (
	"fmt"
	"regexp"
	"strings"
)

// fileNames are the names of files given so far, without extension and in
// lower case: file systems may not tell A from a.
type fileNames map[string]bool

// base returns the name of the files of a pipeline, without extension: the
// pipeline's, unless a system reads more into it, another pipeline's files have
// it, or it is longer than is sure to fit.
func (n fileNames) base(pipeline string) string {
	name := pipeline
	if len(name) > maxBase {
		name = name[:maxBase]
	}
	if strings.HasPrefix(name, "_") {
		name = "pipeline" + name
	}
	if windowsDevice.MatchString(name) {
		name += "_pipeline"
	}
	return unused(n, name, strings.ToLower)
}

// maxBase leaves room for extensions, numbers and the names of unfinished
// files; file systems allow 255 bytes, some 143.
const maxBase = 100

// windowsDevice matches what Windows takes for devices, whatever the extension.
var windowsDevice = regexp.MustCompile(`^(?i:con|prn|aux|nul|com\d|lpt\d)$`)

// macroNames are the beginnings of the names of macros given so far.
type macroNames map[string]bool

// of returns how the names of the macros of a kernel begin.
func (n macroNames) of(entry string) string {
	return strings.ToUpper(unused(n, entry, strings.ToUpper))
}

// unused returns name, with a number behind it where its form is taken, and
// takes the form.
func unused(taken map[string]bool, name string, form func(string) string) string {
	free := name
	for i := 2; taken[form(free)]; i++ {
		free = fmt.Sprintf("%s_%d", name, i)
	}
	taken[form(free)] = true
	return free
}

package backends

import (
	"fmt"
	"regexp"
	"strings"
)

// FileNames are the names of files given so far, without extension and in
// lower case: file systems may not tell A from a.
type FileNames map[string]bool

// Base returns the name of the files of a pipeline, without extension: the
// pipeline's, unless a system or the target's tools, by means of special, read
// more into it, another pipeline's files have it, or it is longer than is sure
// to fit.
func (n FileNames) Base(pipeline string, special func(base string) bool) string {
	name := pipeline
	if len(name) > maxBase {
		name = name[:maxBase]
	}
	if strings.HasPrefix(name, "_") {
		name = "pipeline" + name
	}
	if windowsDevice.MatchString(name) || special(name) {
		name += "_pipeline"
	}
	return Unused(n, name, strings.ToLower)
}

// maxBase leaves room for extensions, numbers and the names of unfinished
// files; file systems allow 255 bytes, some 143.
const maxBase = 100

// windowsDevice matches what Windows takes for devices, whatever the extension.
var windowsDevice = regexp.MustCompile(`^(?i:con|prn|aux|nul|com\d|lpt\d)$`)

// Unused returns name, with a number behind it where its form is taken, and
// takes the form.
func Unused(taken map[string]bool, name string, form func(string) string) string {
	free := name
	for i := 2; taken[form(free)]; i++ {
		free = fmt.Sprintf("%s_%d", name, i)
	}
	taken[form(free)] = true
	return free
}

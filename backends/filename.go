package backends

import (
	"regexp"
	"strings"

	"github.com/kgen-go/kgen/internal/naming"
)

// FileNames is the set of file names given so far, without extension and in
// lower case, because file systems may not distinguish A from a.
type FileNames map[string]bool

// Base returns the name of the files of a pipeline, without extension. It is the
// name of the pipeline, unless that name has a meaning to an operating system or,
// according to special, to the target's tools, unless the files of another
// pipeline have it, or unless it is too long for some file systems.
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

// maxBase is short enough for extensions, numbers and the names of unfinished
// files to fit: file systems allow 255 bytes, some 143.
const maxBase = 100

// windowsDevice matches names that are devices on Windows, with any extension.
var windowsDevice = regexp.MustCompile(`^(?i:con|prn|aux|nul|com\d|lpt\d)$`)

// Unused returns name, followed by a number if its form is taken, and marks the
// form of the result as taken.
func Unused(taken map[string]bool, name string, form func(string) string) string {
	free := naming.Free(name, "_", func(name string) bool { return taken[form(name)] })
	taken[form(free)] = true
	return free
}

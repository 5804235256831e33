// Package version knows which kgen a program contains, and how to install others of
// its commands.
package version

import (
	"fmt"
	"regexp"
	"runtime/debug"
	"strings"
	"sync"
)

// module is the path of kgen's module.
const module = "github.com/kgen-go/kgen"

// development is the version of what no release or go.mod names, as Go spells it.
const development = "(devel)"

// Kgen returns the version of kgen that this program contains: a release, the
// pseudo-version that a go.mod names or, in a working copy of kgen, "(devel)". It
// is in emitted text, where the commit of a working copy would change every file
// with every commit.
var Kgen = sync.OnceValue(func() string {
	info, _ := debug.ReadBuildInfo()
	return versionOf(info)
})

// Install returns the command that installs a command of the same version, from
// a package below cmd, with flags of go install.
func Install(name, flags string) string { return install(Kgen(), name, flags) }

func install(version, name, flags string) string {
	if version == development { // which nobody but its owner has
		return fmt.Sprintf("go install %s ./cmd/%s, in the folder of kgen's source", flags, name)
	}
	return fmt.Sprintf("go install %s %s/cmd/%s@%s", flags, module, name, version)
}

// pseudo matches the time and the commit in a pseudo-version.
var pseudo = regexp.MustCompile(`\d{14}-[0-9a-f]{12}`)

// versionOf finds kgen in the modules of a program, nil if it has none.
func versionOf(info *debug.BuildInfo) string {
	if info == nil {
		return development
	}
	checkout := false
	for _, s := range info.Settings {
		checkout = checkout || s.Key == "vcs.revision" // the main module's version is that of its commit
	}
	for _, m := range append([]*debug.Module{&info.Main}, info.Deps...) {
		switch {
		case m.Path != module:
		case m.Replace != nil || m.Version == "":
			return development
		case m == &info.Main && checkout && (pseudo.MatchString(m.Version) || strings.HasSuffix(m.Version, "+dirty")):
			return development
		default:
			return m.Version
		}
	}
	return development
}

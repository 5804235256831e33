package version

import (
	"runtime/debug"
	"testing"
)

func TestVersionOf(t *testing.T) {
	kgen := func(version string) debug.Module { return debug.Module{Path: module, Version: version} }
	of := func(version string) *debug.Module { m := kgen(version); return &m }
	checkout := []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "a250d68"}}
	user := debug.Module{Path: "example.com/shop", Version: "v7.0.0"}
	replaced := kgen("v0.3.0")
	replaced.Replace = &debug.Module{Path: "../kgen"}
	const pseudo = "v0.3.1-0.20260101120000-a250d68c0ffe"
	for name, c := range map[string]struct {
		info *debug.BuildInfo
		want string
	}{
		"no modules":               {nil, "(devel)"},
		"go run in a checkout":     {&debug.BuildInfo{Main: kgen("(devel)")}, "(devel)"},
		"a test in a checkout":     {&debug.BuildInfo{Main: kgen("")}, "(devel)"},
		"go build in a checkout":   {&debug.BuildInfo{Main: kgen(pseudo), Settings: checkout}, "(devel)"},
		"one with changes":         {&debug.BuildInfo{Main: kgen("v0.3.0+dirty"), Settings: checkout}, "(devel)"},
		"one of a release":         {&debug.BuildInfo{Main: kgen("v0.3.0-rc.1"), Settings: checkout}, "v0.3.0-rc.1"},
		"go install of a release":  {&debug.BuildInfo{Main: kgen("v0.3.0")}, "v0.3.0"},
		"go install of a commit":   {&debug.BuildInfo{Main: kgen(pseudo)}, pseudo},
		"a program with pipelines": {&debug.BuildInfo{Main: user, Settings: checkout, Deps: []*debug.Module{{Path: "x"}, of(pseudo)}}, pseudo},
		"one beside a clone":       {&debug.BuildInfo{Main: user, Deps: []*debug.Module{&replaced}}, "(devel)"},
		"another program":          {&debug.BuildInfo{Main: user}, "(devel)"},
	} {
		if got := versionOf(c.info); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestInstall(t *testing.T) {
	for version, want := range map[string]string{
		"(devel)":    "go install -tags opencl ./cmd/kgen-opencl, in the folder of kgen's source",
		"v0.3.0-rc1": "go install -tags opencl github.com/kgen-go/kgen/cmd/kgen-opencl@v0.3.0-rc1",
	} {
		if got := install(version, "kgen-opencl", "-tags opencl"); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

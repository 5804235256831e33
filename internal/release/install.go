package main

import (
	"archive/zip"
	"bytes"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/module"
)

// publish writes a version of kgen into a folder that is a module proxy. pack
// writes its zip.
func publish(proxy, version string, t time.Time, pack func(io.Writer, module.Version) error) error {
	folder := filepath.Join(proxy, filepath.FromSlash(modulePath), "@v")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	var packed bytes.Buffer
	v := module.Version{Path: modulePath, Version: version}
	if err := pack(&packed, v); err != nil {
		return fmt.Errorf("kgen cannot be packed as a module: %w", err)
	}
	archive, err := zip.NewReader(bytes.NewReader(packed.Bytes()), int64(packed.Len()))
	if err != nil {
		return err
	}
	opened, err := archive.Open(fmt.Sprintf("%s@%s/go.mod", v.Path, v.Version))
	if err != nil {
		return err
	}
	goMod, err := io.ReadAll(opened)
	if err != nil {
		return err
	}
	info, err := json.Marshal(map[string]any{"Version": version, "Time": t})
	if err != nil {
		return err
	}
	for name, text := range map[string][]byte{"list": []byte(version + "\n"), version + ".info": info, version + ".mod": goMod, version + ".zip": packed.Bytes()} {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// installer runs go install of kgen's programs.
type installer struct {
	path        string // GOPATH of its own
	environment []string
	license     string            // of Go
	texts       map[string]string // licenses of the modules of an archive
}

// newInstaller returns an installer that takes kgen from a proxy, and other
// modules from the cache of this machine or from where they always come.
func newInstaller(ctx context.Context, path, proxy string) (*installer, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "-json", "GOMODCACHE", "GOPROXY", "GONOSUMDB", "GOSUMDB", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	var now struct{ GOMODCACHE, GOPROXY, GONOSUMDB, GOSUMDB, GOROOT string }
	if err := json.Unmarshal(out, &now); err != nil {
		return nil, err
	}
	url := func(folder string) string { return "file://" + filepath.ToSlash(folder) }
	i := &installer{path: path, texts: map[string]string{}, environment: append(os.Environ(),
		"GOENV=off", "GOWORK=off", "GO111MODULE=on", "GOBIN=", "GOPATH="+path, "GOMODCACHE="+filepath.Join(path, "pkg", "mod"),
		"GOFLAGS=-modcacherw -trimpath", "GOSUMDB="+now.GOSUMDB, "GONOSUMDB="+strings.TrimPrefix(now.GONOSUMDB+","+modulePath, ","), "GOPRIVATE=",
		"GOPROXY="+strings.Join([]string{url(proxy), url(filepath.Join(now.GOMODCACHE, "cache", "download")), now.GOPROXY}, ","))}
	license, err := os.ReadFile(filepath.Join(now.GOROOT, "LICENSE"))
	if err != nil {
		return nil, fmt.Errorf("the license of Go: %w", err)
	}
	i.license = string(license)
	return i, nil
}

// program installs a command of a version for a platform and returns its path.
// With flags, which are those of a worker, it is linked by cgo.
func (i *installer) program(ctx context.Context, p platform, name string, v module.Version, flags []string) (string, error) {
	arguments := append([]string{"install", "-ldflags=-s -w"}, flags...)
	command := exec.CommandContext(ctx, "go", append(arguments, fmt.Sprintf("%s/cmd/%s@%s", v.Path, name, v.Version))...)
	cgo := "0"
	if flags != nil {
		cgo = "1"
	}
	command.Env = append(i.environment, "GOOS="+p.os, "GOARCH="+p.arch, "CGO_ENABLED="+cgo)
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", strings.Join(command.Args, " "), err, out)
	}
	folder := filepath.Join(i.path, "bin")
	if p != (platform{runtime.GOOS, runtime.GOARCH}) {
		folder = filepath.Join(folder, p.os+"_"+p.arch)
	}
	if p.os == "windows" {
		name += ".exe"
	}
	return filepath.Join(folder, name), nil
}

// licenseName matches the files that a module's license asks to be passed on.
var licenseName = regexp.MustCompile(`(?i)^(LICEN[SC]E|COPYING|NOTICE)([.-].*)?$`)

// collectLicenses keeps the licenses of the modules that a program contains.
func (i *installer) collectLicenses(program string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	for _, dependency := range info.Deps {
		name := dependency.Path + " " + dependency.Version
		if i.texts[name] != "" {
			continue
		}
		path, err := module.EscapePath(dependency.Path)
		if err != nil {
			return err
		}
		folder := filepath.Join(i.path, "pkg", "mod", filepath.FromSlash(path)+"@"+dependency.Version)
		entries, err := os.ReadDir(folder)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if !licenseName.MatchString(e.Name()) || !e.Type().IsRegular() {
				continue
			}
			text, err := os.ReadFile(filepath.Join(folder, e.Name()))
			if err != nil {
				return err
			}
			i.texts[name] += string(text) + "\n"
		}
		if i.texts[name] == "" {
			return fmt.Errorf("module %s has no license that could be passed on", name)
		}
	}
	return nil
}

// takeLicenses returns the collected licenses, and begins anew.
func (i *installer) takeLicenses() []byte {
	var b bytes.Buffer
	b.WriteString("The programs in this folder contain parts of the following, under their licenses.\n")
	fmt.Fprintf(&b, "\n---- Go\n\n%s\n", strings.TrimSpace(i.license))
	for _, name := range slices.Sorted(maps.Keys(i.texts)) {
		fmt.Fprintf(&b, "\n---- %s\n\n%s\n", name, strings.TrimSpace(i.texts[name]))
	}
	clear(i.texts)
	return b.Bytes()
}

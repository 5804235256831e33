// Command release makes the archives of a release of kgen, for five platforms, from
// the commit that is checked out:
//
//	go run ./internal/release FOLDER
//
// The version is the commit's tag, or else its pseudo-version. kgen is built as by
// go install of that version, from a module proxy that this program makes of the
// commit, so that an archive holds what users of go install get, and says the
// same version. The same commit gives the same bytes, with the same Go and, for the
// workers, the same C compiler.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/mod/module"

	"github.com/kgen-go/kgen/internal/device/worker"
)

const modulePath = "github.com/kgen-go/kgen"

// platform is a system for which there is an archive.
type platform struct{ os, arch string }

func (p platform) String() string { return p.os + "/" + p.arch }

var platforms = []platform{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}}

// workers are the programs that link a driver, by cgo: an archive has them if this
// machine is of its platform.
var workers = []worker.Program{worker.OpenCL, worker.CUDA}

func main() {
	with := flag.String("workers", "opencl,cuda", "the workers to build for this platform, by their build `TAGS`")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: go run ./internal/release [-workers TAGS] FOLDER")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	tags := strings.FieldsFunc(*with, func(c rune) bool { return c == ',' })
	if err := release(ctx, flag.Arg(0), tags); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release makes all archives and the list of their checksums.
func release(ctx context.Context, folder string, tags []string) (err error) {
	for _, tag := range tags {
		if !slices.ContainsFunc(workers, func(w worker.Program) bool { return w.Tag == tag }) {
			return fmt.Errorf("-workers %s: there are opencl and cuda", tag)
		}
	}
	commit, err := head(ctx, ".")
	if err != nil {
		return err
	}
	if commit.dirty {
		fmt.Fprintln(os.Stderr, "release: changes that are not committed are left out")
	}
	fmt.Printf("kgen %s of commit %s\n", commit.version, commit.hash)
	work, err := os.MkdirTemp("", "kgen-release-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	proxy := filepath.Join(work, "proxy")
	if err := publish(proxy, commit.version, commit.time, commit.pack); err != nil {
		return err
	}
	install, err := newInstaller(ctx, filepath.Join(work, "go"), proxy)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	var sums []string
	for _, p := range platforms {
		files, err := contents(ctx, install, commit, p, tags)
		if err != nil {
			return fmt.Errorf("%v: %w", p, err)
		}
		base := fmt.Sprintf("kgen-%s-%s-%s", commit.version, p.os, p.arch)
		write, extension := writeTar, ".tar.gz"
		if p.os == "windows" {
			write, extension = writeZip, ".zip"
		}
		sum, err := writeFile(filepath.Join(folder, base+extension), base, files, commit.time, write)
		if err != nil {
			return err
		}
		sums = append(sums, sum+"  "+base+extension+"\n")
		var programs []string
		for _, f := range files {
			if f.executable {
				programs = append(programs, f.name)
			}
		}
		fmt.Printf("%s: %s\n", filepath.Join(folder, base+extension), strings.Join(programs, " "))
	}
	return os.WriteFile(filepath.Join(folder, "SHA256SUMS"), []byte(strings.Join(sums, "")), 0o666)
}

// contents builds what an archive holds.
func contents(ctx context.Context, install *installer, commit *commit, p platform, tags []string) (files []file, err error) {
	version := module.Version{Path: modulePath, Version: commit.version}
	program := func(name string, cgo []string) error {
		path, err := install.program(ctx, p, name, version, cgo)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		files = append(files, file{name: filepath.Base(path), text: text, executable: true})
		return errors.Join(err, install.collectLicenses(path))
	}
	if err := program("kgen", nil); err != nil {
		return nil, err
	}
	var missing []worker.Program
	for _, w := range workers {
		if p != (platform{runtime.GOOS, runtime.GOARCH}) || !slices.Contains(tags, w.Tag) {
			missing = append(missing, w)
			continue
		}
		if err := program(w.Name, []string{"-tags", w.Tag}); err != nil {
			return nil, fmt.Errorf("%w\n%s needs %s; -workers leaves it out", err, w.Name, w.Needs)
		}
	}
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		text, err := commit.file(ctx, name)
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: name, text: text})
	}
	return append(files,
		file{name: "INSTALL.txt", text: installText(commit.version, p, missing)},
		file{name: "THIRD-PARTY-LICENSES.txt", text: install.takeLicenses()}), nil
}

// installText says what to do with an archive.
func installText(version string, p platform, missing []worker.Program) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, `kgen %s for %v

Put the programs of this folder where PATH has them, all in one place: kgen looks
for its workers beside itself first. kgen devices lists where pipelines can run;
the default device, gocpu, needs Go: https://go.dev/dl
`, version, p)
	if len(missing) > 0 {
		b.WriteString("\nWorkers for other devices, which link a driver, are not in this archive. With Go:\n")
	}
	for _, w := range missing {
		fmt.Fprintf(&b, "\n  CGO_ENABLED=1 go install -tags %s %s/cmd/%s@%s\n  (needs %s)\n", w.Tag, modulePath, w.Name, version, w.Needs)
	}
	return []byte(b.String())
}

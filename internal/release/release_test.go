package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/module"
	modulezip "golang.org/x/mod/zip"

	"github.com/kgen-go/kgen/internal/device/worker"
)

var moment = time.Date(2026, 11, 25, 12, 30, 0, 0, time.UTC)

func TestVersionOf(t *testing.T) {
	const hash = "0123456789abcdef0123456789abcdef01234567"
	for _, c := range []struct {
		here, before []string
		want         string
	}{
		{nil, nil, "v0.0.0-20261125123000-0123456789ab"},
		{[]string{"v0.3.0"}, []string{"v0.3.0"}, "v0.3.0"},
		{[]string{"v0.9.0", "v0.10.0", "v0.10.0-rc.1"}, nil, "v0.10.0"},
		{[]string{"nightly", "v1", "0.3.0", "v2.0.0"}, []string{"v0.3.0"}, "v0.3.1-0.20261125123000-0123456789ab"}, // v2 would be another module
		{nil, []string{"v1.2.3-rc.1", "v0.1.0"}, "v1.2.3-rc.1.0.20261125123000-0123456789ab"},
	} {
		if got := versionOf(c.here, c.before, moment, hash); got != c.want {
			t.Errorf("tags %q after %q: %s, want %s", c.here, c.before, got, c.want)
		}
	}
}

// Archives hold what they are given, and are the same bytes each time.
func TestArchives(t *testing.T) {
	files := []file{{name: "kgen", text: bytes.Repeat([]byte("code"), 5000), executable: true}, {name: "LICENSE", text: []byte("text\n")}}
	folder := t.TempDir()
	make := func(name string, write func(io.Writer, string, []file, time.Time) error) ([]byte, string) {
		t.Helper()
		sum, err := writeFile(filepath.Join(folder, name), "kgen-v1", files, moment, write)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		return text, sum
	}
	check := func(i int, name string, mode fs.FileMode, modified time.Time, content io.Reader) {
		t.Helper()
		text, err := io.ReadAll(content)
		if err != nil || name != "kgen-v1/"+files[i].name || !bytes.Equal(text, files[i].text) || mode.Perm() != files[i].mode() || !modified.Equal(moment) {
			t.Errorf("entry %d: %s, %v, %v, %d bytes, %v", i, name, mode, modified, len(text), err)
		}
	}
	first, sum := make("a.tar.gz", writeTar)
	time.Sleep(1100 * time.Millisecond) // a time of now would differ
	if second, again := make("b.tar.gz", writeTar); !bytes.Equal(first, second) || sum != again {
		t.Error("a .tar.gz differs from time to time")
	}
	expanded, err := gzip.NewReader(bytes.NewReader(first))
	if err != nil {
		t.Fatal(err)
	}
	in := tar.NewReader(expanded)
	for i := 0; ; i++ {
		header, err := in.Next()
		if err == io.EOF && i == len(files) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		check(i, header.Name, header.FileInfo().Mode(), header.ModTime, in)
	}
	text, _ := make("a.zip", writeZip)
	packed, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil || len(packed.File) != len(files) {
		t.Fatal(len(packed.File), err)
	}
	for i, f := range packed.File {
		content, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		check(i, f.Name, f.Mode(), f.Modified, content)
	}
	failing := func(w io.Writer, _ string, _ []file, _ time.Time) error { w.Write(first); return io.ErrShortWrite }
	if _, err := writeFile(filepath.Join(folder, "a.zip"), "", nil, moment, failing); err == nil {
		t.Error("no error")
	}
	if after, err := os.ReadFile(filepath.Join(folder, "a.zip")); err != nil || !bytes.Equal(after, text) {
		t.Error("half an archive has replaced a good one")
	}
	if entries, _ := os.ReadDir(folder); len(entries) != 3 {
		t.Errorf("files left: %v", entries)
	}
}

func TestInstallText(t *testing.T) {
	text := string(installText("v0.3.0", platform{"darwin", "arm64"}, []worker.Program{worker.OpenCL}))
	for _, want := range []string{"kgen v0.3.0 for darwin/arm64", "CGO_ENABLED=1 go install -tags opencl github.com/kgen-go/kgen/cmd/kgen-opencl@v0.3.0"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "kgen-cuda") {
		t.Errorf("what is in the archive is to be installed:\n%s", text)
	}
}

// The working copy can be released: nothing in it keeps go install PATH@VERSION from
// working.
func TestModule(t *testing.T) {
	checked, err := modulezip.CheckDir("../..")
	if err != nil || checked.Err() != nil {
		t.Error(err, checked.Err())
	}
	text, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(text), "module "+modulePath+"\n") {
		t.Errorf("the module is not %s", modulePath)
	}
	for _, directive := range []string{"\nreplace ", "\nexclude "} { // go install of a version refuses them
		if strings.Contains(string(text), directive) {
			t.Errorf("go.mod has a directive%s", directive)
		}
	}
}

// TestGoInstall does what a stranger does with a release of the working copy, from
// a module proxy: go install, and kgen as a tool of a module file of its own, as in
// docs/go-generate.md.
func TestGoInstall(t *testing.T) {
	if os.Getenv("KGEN_RELEASE") == "" {
		t.Skip("KGEN_RELEASE=1 runs this, which compiles kgen and all that it needs")
	}
	const version = "v0.0.0-test"
	folder := t.TempDir()
	proxy := filepath.Join(folder, "proxy")
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if err := publish(proxy, version, moment, func(w io.Writer, v module.Version) error { return modulezip.CreateFromDir(w, v, root) }); err != nil {
		t.Fatal(err)
	}
	install, err := newInstaller(t.Context(), filepath.Join(folder, "go"), proxy)
	if err != nil {
		t.Fatal(err)
	}
	here := platform{runtime.GOOS, runtime.GOARCH}
	kgen, err := install.program(t.Context(), here, "kgen", module.Version{Path: modulePath, Version: version}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := install.collectLicenses(kgen); err != nil || !strings.Contains(string(install.takeLicenses()), "---- github.com/spf13/cobra v") {
		t.Errorf("licenses: %v", err)
	}
	shop := filepath.Join(folder, "shop")
	if err := os.Mkdir(shop, 0o777); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(shop, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const ownModule = "module example.com/shop\n\ngo 1.23\n"
	write("go.mod", ownModule)
	write("shop.go", "package shop\n\n//go:generate go tool -modfile=tools.mod kgen emit p.kg\n")
	write("p.kg", "pipeline p(x: [n]i64) { return s: sum(x) }\n")
	for _, c := range []struct{ command, want string }{
		{kgen + " version", "kgen " + version + " "},
		{"go mod init -modfile=tools.mod example.com/shop", ""},
		{"go get -tool -modfile=tools.mod " + modulePath + "/cmd/kgen@" + version, ""},
		{"go tool -modfile=tools.mod kgen version", "kgen " + version + " "},
		{"go generate", "p.go"},
		{"go vet .", ""},
	} {
		fields := strings.Fields(c.command)
		command := exec.Command(fields[0], fields[1:]...)
		command.Dir, command.Env = shop, install.environment
		if out, err := command.CombinedOutput(); err != nil || !strings.Contains(string(out), c.want) {
			t.Fatalf("%s: %v\n%s", c.command, err, out)
		}
	}
	if text, err := os.ReadFile(filepath.Join(shop, "go.mod")); err != nil || string(text) != ownModule {
		t.Errorf("go.mod has become\n%s", text)
	}
	if text, err := os.ReadFile(filepath.Join(shop, "p.go")); err != nil || !strings.HasPrefix(string(text), "// Code generated by kgen "+version+";") {
		t.Errorf("the emitted file begins %.60q, %v", text, err)
	}
}

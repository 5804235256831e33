package emitted

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/kgen-go/kgen/backends"
	"github.com/kgen-go/kgen/backends/gocpu"
	"github.com/kgen-go/kgen/build"
	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/compile"
	"github.com/kgen-go/kgen/internal/kernels"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/testsuite"
	"github.com/kgen-go/kgen/testsuite/sample"
)

// newClient makes a module that uses kgen, as examples/consumer does.
func newClient(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(root, "examples", "consumer", name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(folder, name), []byte(strings.Replace(string(text), "=> ../..", "=> "+filepath.ToSlash(root), 1)))
	}
	return folder
}

// The device forms of the corpus pass go vet, and staticcheck where KGEN_STATICCHECK names
// it; the texts that they embed read back.
func TestEmittedDevices(t *testing.T) {
	entries, err := testsuite.Load("../corpus")
	if err != nil {
		t.Fatal(err)
	}
	sample.Log(t)
	var programs []*backends.Program
	for i, entry := range entries {
		if !sample.TakesMore(i) {
			continue
		}
		program, _, err := compile.Compile(entry.Pipeline, compile.Options{Options: fuse.Options{Hash: gocpu.Hash, Cores: true}})
		if err != nil {
			t.Fatal(err)
		}
		programs = append(programs, program)
	}
	out, err := gocpu.Emitter{}.Emit(programs, backends.Options{Package: "devices", Kernels: kernels.Folder})
	if err != nil {
		t.Fatal(err)
	}
	folder := newClient(t)
	for _, file := range out.Files {
		write(t, filepath.Join(folder, "devices", file.Name), file.Text)
	}
	for _, entry := range out.Entries {
		write(t, filepath.Join(folder, "devices", kernels.Folder, "none", entry.Base+".txt"), nil)
	}
	goCommand(t, folder, "vet", "./...")
	if tool := os.Getenv("KGEN_STATICCHECK"); tool != "" {
		goCommand(t, folder, "run", tool, "./...")
	}
}

const deviceText = `pipeline spent(user: [n]i32, cents: [n]i64, least: i64, items: [n]i64) {
	k = cents >= least
	g = runs(user[k])
	return user: first(user[k], by: g), mean: sum(cents[k], by: g) / sum(items[k], by: g), free: sum(cents)
}
`

// The emitted tests of device forms run embedded kernels, notice bugs of these, and say why
// they do not run.
func TestEmittedDeviceTests(t *testing.T) {
	if !sample.Everything() {
		t.Skip("it builds a program for each bug: KGEN_TEST_ALL=1 runs it")
	}
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("the emulation needs g++")
	}
	folder := newClient(t)
	emit(t, filepath.Join(folder, "shop"), deviceText)
	test := func(name, device string, passes bool, want string) {
		t.Run(name, func(t *testing.T) {
			command := exec.Command("go", "test", "-short", "-v", "-run", "TestKgenSpentOn", "./shop")
			command.Dir = folder
			command.Env = append(os.Environ(), "KGEN_TEST_DEVICE="+device, "KGEN_CUDA_WORKER="+filepath.Join(folder, "none"))
			output, err := command.CombinedOutput()
			if (err == nil) != passes || !strings.Contains(string(output), want) {
				t.Errorf("error %v, want %q:\n%.2000s", err, want, output)
			}
		})
	}
	test("agrees", "cudaemu", true, "--- PASS: TestKgenSpentOn")
	test("no device", "", true, "there is no device: ")
	test("no device as asked", "cuda:0", false, "KGEN_TEST_DEVICE is cuda:0: ")
	path := filepath.Join(folder, "shop", kernels.Folder, "cuda", "spent.cu")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	wrong := strings.ReplaceAll(string(text), ">= least", "> least")
	if wrong == string(text) {
		t.Fatalf("%s compares otherwise:\n%s", path, text)
	}
	write(t, path, []byte(wrong))
	test("a bug", "cudaemu", false, " on cudaemu: ")
}

// emit emits the device forms of a text for CUDA, with tests.
func emit(t *testing.T, folder, text string) {
	t.Helper()
	pipelines, errs := ir.Load("shop.kg", []byte(text))
	if err := errs.Err(); err != nil {
		t.Fatal(err)
	}
	var flags build.Flags
	set := pflag.NewFlagSet("emit", pflag.ContinueOnError)
	flags.Bind(set)
	if err := set.Parse([]string{"--backend=cuda", "--go", "--tests", "-o", folder}); err != nil {
		t.Fatal(err)
	}
	load := func() (*build.Source, error) {
		return &build.Source{Text: []byte(text), Pipelines: pipelines}, nil
	}
	if err := flags.Emit(context.Background(), load, io.Discard); err != nil {
		t.Fatal(err)
	}
}

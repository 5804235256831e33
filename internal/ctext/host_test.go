package ctext_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/kgen-go/kgen/backends/cuda"
	"github.com/kgen-go/kgen/backends/opencl"
	"github.com/kgen-go/kgen/internal/ctext"
	"github.com/kgen-go/kgen/internal/cudacompile"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
)

// printed verifies functions and prints them in OpenCL C. The compilers of this
// machine accept that text and the text in CUDA C++ without a warning.
func printed(t *testing.T, funcs ...*loop.Func) *ctext.Text {
	t.Helper()
	program := &loop.Program{Name: "test", Funcs: funcs}
	if err := loop.Verify(program, loop.Simt); err != nil {
		t.Fatal(err)
	}
	text, err := ctext.Print(program, opencl.Dialect())
	if err != nil {
		t.Fatal(err)
	}
	if err := clang(t, text.Source); err != nil {
		t.Errorf("%v\n%s", err, text.Source)
	}
	printedCUDA(t, program)
	return text
}

// printedCUDA prints a program in CUDA C++.
func printedCUDA(t *testing.T, program *loop.Program) *ctext.Text {
	t.Helper()
	text, err := ctext.Print(program, cuda.Dialect())
	if err != nil {
		t.Fatal(err)
	}
	compilers, missing := cudacompile.Available()
	for _, reason := range missing {
		t.Log(reason)
	}
	for _, c := range compilers {
		if err := c.Check(text.Source, "compute_60"); err != nil {
			t.Errorf("%s: %v\n%s", c.Name, err, text.Source)
		}
	}
	return text
}

// clang compiles a text with all warnings as errors. Without a clang it accepts
// every text.
func clang(t *testing.T, source []byte) error {
	t.Helper()
	name, err := exec.LookPath("clang")
	if err != nil {
		t.Log("no clang: the text is not compiled with warnings")
		return nil
	}
	command := exec.Command(name, "-cl-std=CL1.2", "-target", "spir64", "-Wall", "-Wextra", "-Wcomment", "-Werror", "-fsyntax-only", "-x", "cl", "-")
	command.Stdin = bytes.NewReader(source)
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("clang: %v\n%s", err, out)
	}
	return nil
}

// host is the path of the program that runs kernels, or why there is none.
var host = sync.OnceValues(func() (path, reason string) {
	if _, err := exec.LookPath("gcc"); err != nil {
		return "", "no gcc to build the host program with"
	}
	dir, err := os.MkdirTemp("", "kgen-ctext-")
	if err != nil {
		return "", err.Error()
	}
	hostDir = dir
	path = filepath.Join(dir, "host")
	if out, err := exec.Command("gcc", "-O1", "-o", path, "testdata/host.c", "-lOpenCL").CombinedOutput(); err != nil {
		return "", fmt.Sprintf("no OpenCL to build the host program with: %v: %.200s", err, out)
	}
	err = exec.Command(path).Run()
	if _, started := err.(*exec.ExitError); !started {
		return "", "the host program does not start"
	}
	return path, ""
})

var hostDir string

func TestMain(m *testing.M) {
	code := m.Run()
	if hostDir != "" {
		os.RemoveAll(hostDir)
	}
	os.Exit(code)
}

// launch is a run of one kernel.
type launch struct {
	kernel       string
	groups, size int
	args         []arg
}

// arg is an argument: In is passed, a scalar as a column of one row, and Out is
// allocated with zeros and filled.
type arg struct {
	In, Out ir.Column
	Scalar  bool
}

// run runs kernels of source, a text or what became of it, on the first OpenCL
// device, or skips the test. The error is what the device says.
func run(t *testing.T, text *ctext.Text, source []byte, launches ...launch) error {
	t.Helper()
	path, reason := host()
	if path == "" {
		t.Skip(reason)
	}
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	var script strings.Builder
	outs := map[string]ir.Column{}
	for i, l := range launches {
		for j, a := range l.args {
			name := fmt.Sprintf("%d.%d", i, j)
			switch {
			case a.Scalar:
				fmt.Fprintln(&script, "value", hex.EncodeToString(columnBytes(a.In)))
			case a.In.Slice != nil:
				fmt.Fprintln(&script, "in", write(name, columnBytes(a.In)))
			default:
				name = filepath.Join(dir, name)
				outs[name] = a.Out
				fmt.Fprintln(&script, "out", name, a.Out.Len()*a.Out.Kind.Size())
			}
		}
		fmt.Fprintln(&script, "run", l.kernel, l.groups, l.size)
	}
	command := exec.Command(path, write("a.cl", source), strings.Join(opencl.Dialect().CompilerOptions(text.Needs), " "))
	command.Env = append(os.Environ(), "POCL_CACHE_DIR="+filepath.Join(dir, "cache"), "POCL_MAX_PTHREAD_COUNT=2")
	command.Stdin = strings.NewReader(script.String())
	out, err := command.CombinedOutput()
	if exit, ok := err.(*exec.ExitError); ok && exit.ExitCode() == 77 {
		t.Skip("no OpenCL device")
	}
	if err != nil {
		return fmt.Errorf("%v\n%s", err, out)
	}
	for name, column := range outs {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		setBytes(column, data)
	}
	return nil
}

// columnBytes returns a column as the host sees it.
func columnBytes(c ir.Column) []byte {
	data, err := binary.Append(nil, binary.LittleEndian, c.Slice)
	if err != nil {
		panic(err)
	}
	return data
}

// setBytes fills a column.
func setBytes(c ir.Column, data []byte) {
	if _, err := binary.Decode(data, binary.LittleEndian, c.Slice); err != nil {
		panic(err)
	}
}

// sameValue compares bit for bit, but all NaNs are one value.
func sameValue(a, b ir.Scalar) bool {
	if a.Kind.IsFloat() && math.IsNaN(a.Float64()) {
		return math.IsNaN(b.Float64())
	}
	return a.Bits == b.Bits
}

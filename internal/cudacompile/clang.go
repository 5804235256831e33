package cudacompile

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// prelude declares what clang needs CUDA's headers for.
//
//go:embed prelude.h
var prelude []byte

// clangNames are what clang is looked for by: first the one that CI has, then
// later ones, then whatever is called clang.
var clangNames = []string{"clang-19", "clang-20", "clang-21", "clang"}

// clang returns the first clang that makes PTX 8, else the first that reads CUDA
// C++ at all, and why it does no more. None needs CUDA's headers.
func clang() (found *Compiler, missing error) {
	missing = fmt.Errorf("no clang by the names %s", strings.Join(clangNames, ", "))
	for _, name := range clangNames {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		version, err := exec.Command(path, "-dumpversion").Output()
		if err != nil {
			missing = fmt.Errorf("%s -dumpversion: %w", path, err)
			continue
		}
		c := &Compiler{Name: "clang " + strings.TrimSpace(string(version))}
		c.Check = func(source []byte, architecture string) error { return clangCheck(path, c.Name, source, architecture) }
		if err := c.Check(nil, "compute_60"); err != nil {
			missing = fmt.Errorf("%s has no CUDA: %w", path, err)
			continue
		}
		if err := c.Check([]byte("extern \"C\" __global__ void k() {}\n"), "compute_90"); err == nil {
			c.CUDA = 12
			return c, nil
		} else if found == nil {
			found, missing = c, fmt.Errorf("%s makes no PTX 8: %w", path, err)
		}
	}
	return found, missing
}

// clangCheck has a clang compile a text to PTX 8, through its code generator, or,
// for compute_60, only read it. Machine code would need NVIDIA's assembler, and
// so does a look at what asm statements say: clang copies their text.
func clangCheck(path, name string, source []byte, architecture string) error {
	how := "--cuda-gpu-arch=sm_60 -fsyntax-only"
	switch architecture {
	case "compute_60":
	case "compute_90":
		how = "--cuda-gpu-arch=sm_90 -Xclang -target-feature -Xclang +ptx80 -S -o - -fno-crash-diagnostics"
	default:
		return fmt.Errorf("%s: it makes no code for %s", name, architecture)
	}
	folder, err := os.MkdirTemp("", "kgen-clang-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	header := filepath.Join(folder, "prelude.h")
	if err := os.WriteFile(header, prelude, 0o600); err != nil {
		return err
	}
	command := exec.Command(path, append(strings.Fields("-x cuda --cuda-device-only -nocudainc -nocudalib -std=c++17"+
		" -Wall -Wextra -Werror -Wno-unknown-cuda-version -Wno-tautological-compare "+how), "-include", header, "-")...)
	var ptx, log bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = bytes.NewReader(source), &ptx, &log
	// What the code generator warns of is no error for -Werror.
	if err := command.Run(); err != nil || log.Len() > 0 {
		return fmt.Errorf("%s: %v\n%s", name, err, &log)
	}
	if architecture == "compute_90" {
		for _, want := range []string{".version 8.0\n", ".target sm_90\n", ".entry "} {
			if !bytes.Contains(ptx.Bytes(), []byte(want)) {
				return fmt.Errorf("%s made PTX without %q", name, want)
			}
		}
	}
	return nil
}

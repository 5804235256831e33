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

// clang reads a text without CUDA's headers, and makes no code.
func clang() (*Compiler, error) {
	path, err := exec.LookPath("clang")
	if err != nil {
		return nil, fmt.Errorf("no clang: %w", err)
	}
	check := func(source []byte, architecture string) error {
		folder, err := os.MkdirTemp("", "kgen-clang-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		header := filepath.Join(folder, "prelude.h")
		if err := os.WriteFile(header, prelude, 0o600); err != nil {
			return err
		}
		// Its kernels are the same for every architecture from 6.0 on.
		command := exec.Command(path, append(strings.Fields("-x cuda --cuda-device-only --cuda-gpu-arch=sm_60 -nocudainc -nocudalib -std=c++17"+
			" -Wall -Wextra -Werror -Wno-unknown-cuda-version -Wno-tautological-compare -fsyntax-only"), "-include", header, "-")...)
		command.Stdin = bytes.NewReader(source)
		if out, err := command.CombinedOutput(); err != nil {
			return fmt.Errorf("clang: %v\n%s", err, out)
		}
		return nil
	}
	if err := check(nil, ""); err != nil {
		return nil, fmt.Errorf("clang has no CUDA: %w", err)
	}
	return &Compiler{Name: "clang", Check: check}, nil
}

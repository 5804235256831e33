//go:build goexperiment.simd && amd64 && linux

package main

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/ebitengine/purego"
)

//go:embed testdata/native.c
var nativeText []byte

// The functions of native.c.
var (
	nativeFilter    func(out, x *int32, rows int64, limit int32) int64
	nativeSumInts   func(x *int32, rows int64) int64
	nativeSumLongs  func(x *int64, rows int64) int64
	nativeSumFloats func(x *float64, rows int64) float64
)

// loadNative compiles native.c with gcc and loads it.
func loadNative() error {
	folder, err := os.MkdirTemp("", "kgen-simd-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	text, library := filepath.Join(folder, "native.c"), filepath.Join(folder, "native.so")
	if err := os.WriteFile(text, nativeText, 0o600); err != nil {
		return err
	}
	if out, err := exec.Command("gcc", "-O2", "-mpopcnt", "-shared", "-fPIC", "-o", library, text).CombinedOutput(); err != nil {
		return fmt.Errorf("gcc: %w\n%s", err, out)
	}
	handle, err := purego.Dlopen(library, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return err
	}
	for name, function := range map[string]any{"filter_512": &nativeFilter, "sum_ints_512": &nativeSumInts, "sum_longs_512": &nativeSumLongs, "sum_floats_512": &nativeSumFloats} {
		purego.RegisterLibFunc(function, handle, name)
	}
	return nil
}

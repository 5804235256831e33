//go:build opencl

package opencl

import (
	"strings"
	"testing"
)

// A driver with known compiler bugs is reported, with a workaround.
func TestDefects(t *testing.T) {
	for platform, want := range map[string]string{
		"Portable Computing Language, OpenCL 3.0 PoCL 5.0+debian  Linux, None+Asserts, RELOC, SPIR, LLVM 16.0.6": useDefective + "=1",
		"Portable Computing Language, OpenCL 3.0 PoCL 3.1+debian  Linux, None+Asserts, RELOC, SPIR, LLVM 15.0.6": "",
		"Portable Computing Language, OpenCL 3.0 PoCL 6.0+debian":                                                "",
		"NVIDIA CUDA, OpenCL 3.0 CUDA 13.0.98":                                                                   "",
	} {
		if got := defectOf(platform); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q", platform, got)
		}
	}
}

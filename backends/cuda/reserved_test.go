package cuda

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestReserved(t *testing.T) {
	for _, name := range strings.Fields(`threadIdx blockDim gridDim warpSize dim3 int4 uint2 longlong2 ulonglong4 make_float4 double3 atomicAdd
		atomicCAS_block cudaMalloc cudaError_t cuInit CUDA_VERSION nvrtcCompileProgram tex2D tex1Dfetch surf2Dwrite INT_MAX M_PI FLT_EPSILON
		sqrt fabsf sinpi umin half std INFINITY errno printf clock64`) {
		if !isReserved(name) {
			t.Errorf("%s is not reserved", name)
		}
	}
	for _, name := range strings.Fields(`x key count customer cube cuboid cudas nvr total text texture_id int_rate charge doubles
		atomics atom longest host_name N Q6 floats Minimum M1 L I`) {
		if isReserved(name) {
			t.Errorf("%s is reserved", name)
		}
	}
}

// Whatever the headers that clang has for CUDA define is reserved.
func TestReservedOfHeaders(t *testing.T) {
	headers, _ := filepath.Glob("/usr/lib/llvm-*/lib/clang/*/include/__clang_cuda_*.h")
	if len(headers) == 0 {
		t.Skip("no clang with headers of CUDA")
	}
	defined := regexp.MustCompile(`(?m)^#define (\w+)|^(?:__DEVICE__|__device__|static __DEVICE__)[\w ()*]*?\b(\w+)\(|^typedef .*\b(\w+);`)
	seen := map[string]bool{}
	for _, header := range headers {
		text, err := os.ReadFile(header)
		if err != nil {
			t.Fatal(err)
		}
		// Macros that a header takes back are its own.
		for _, m := range defined.FindAllStringSubmatch(string(text), -1) {
			name := m[1] + m[2] + m[3]
			if seen[name] || strings.HasPrefix(name, "_") || strings.Contains(name, "__") || strings.Contains(string(text), "#undef "+name+"\n") {
				continue
			}
			seen[name] = true
			if !isReserved(name) {
				t.Errorf("%s defines %s", filepath.Base(header), name)
			}
		}
	}
	if len(seen) < 150 { // clang 14 has 199
		t.Errorf("only %d names found in %d headers", len(seen), len(headers))
	}
}

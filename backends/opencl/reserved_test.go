package opencl

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestReserved(t *testing.T) {
	for _, name := range strings.Fields(`kernel global float4 float16 half2 uint double3 double4x4 as_uint as_uchar8
		convert_int_sat_rtz convert_uchar16 vload4 vstore_half4_rte vloada_half8 get_global_id get_work_dim read_imagef
		write_mem_fence atomic_add atom_cmpxchg mem_fence CLK_LOCAL_MEM_FENCE INT_MIN M_PI_F sqrt native_sin half_sqrt
		async_work_group_copy image2d_t size_t`) {
		if !isReserved(name) {
			t.Errorf("%s is not reserved", name)
		}
	}
	for _, name := range strings.Fields(`x key count read_count event_id event as_of as_of_date floats flux float_sum
		get_total memory_bytes image kernels N Q6 converted int_rate charge doubles vload_factor sum`) {
		if isReserved(name) {
			t.Errorf("%s is reserved", name)
		}
	}
}

// Whatever the headers of a compiler define is reserved.
func TestReservedOfHeaders(t *testing.T) {
	headers, _ := filepath.Glob("/usr/lib/llvm-*/lib/clang/*/include/opencl-c*.h")
	if len(headers) == 0 {
		t.Skip("no clang with headers of OpenCL C")
	}
	defined := regexp.MustCompile(`(?m)^#define (\w+)|^[\w ()*]*?\b(\w+)\(|^typedef .*\b(\w+);`)
	seen := map[string]bool{}
	for _, header := range headers {
		text, err := os.ReadFile(header)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range defined.FindAllStringSubmatch(string(text), -1) {
			name := m[1] + m[2] + m[3]
			// A name with an underscore in front, or two of them, is never spelled.
			if seen[name] || strings.HasPrefix(name, "_") || strings.Contains(name, "__") || name == "defined" || name == "sizeof" {
				continue
			}
			seen[name] = true
			if !isReserved(name) {
				t.Errorf("%s defines %s", filepath.Base(header), name)
			}
		}
	}
	if len(seen) < 500 {
		t.Errorf("only %d names found in %v", len(seen), headers)
	}
}

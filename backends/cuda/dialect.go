// Package cuda is the backend for CUDA C++.
//
//	output, err := cuda.Emitter().Emit(programs, backends.Options{})
//
// It makes three files for each pipeline: NAME.cu, the kernels; NAME.plan.json, the
// plan by which a host runs them, which docs/plan.md describes; and NAME.h, the
// constants of the plan for a host in C. If the plan has a fallback, the kernels of
// the fallback are in NAME.fallback.cu. Of the options only Schedule counts. An error
// names the setting that a kernel cannot have.
//
// The backend is data: [Dialect] describes the language to the printer. Package emu
// runs the emitted text on the CPU.
package cuda

import (
	"fmt"
	"strings"

	"github.com/kgen-go/kgen/internal/ctext"
	"github.com/kgen-go/kgen/internal/kernels"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/templates"
)

// HashGroups is the most groups that kernels find by a hash table: as many as have their sums
// and counts in the local memory that a launch brings.
const HashGroups = 8192

// Emitter returns the backend that emits CUDA C++, a backends.Emitter. Its type is
// internal to this module.
func Emitter() kernels.Emitter {
	return kernels.Emitter{Backend: "cuda", Extension: ".cu", Dialect: Dialect(), IDs: plan.Static} // CUB relies on it, too, and who waits in vain gives up
}

// Dialect returns CUDA C++ as NVIDIA's compilers since 11.8 read it, for
// devices of compute capability 6.0 and later. Bulk copies need CUDA 12 and
// compute capability 9.0. Work-groups lie in dimension x.
func Dialect() *ctext.Dialect {
	return &ctext.Dialect{
		Name:       "CUDA C++",
		Helpers:    templates.CUDA(),
		IsReserved: isReserved,
		Types: map[ir.Kind]string{ir.Bool: "bool", ir.I8: "signed char", ir.I16: "short", ir.I32: "int", ir.I64: "long long",
			ir.U8: "unsigned char", ir.U16: "unsigned short", ir.U32: "unsigned", ir.U64: u64, ir.Char8: u64, ir.F32: "float", ir.F64: "double"},
		Suffix:  map[ir.Kind]string{ir.I64: "LL", ir.U32: "u", ir.U64: "ULL", ir.Char8: "ULL", ir.F32: "f"},
		Decimal: true,  // hexadecimal ones came with C++17
		Counter: "int", // a launch spans less than 2^31 rows
		Byte:    "unsigned char",

		Local:    "__shared__ ",
		Launched: "extern __shared__ __align__(128) ", // the lines that bulk copies write
		Restrict: "__restrict__ ",
		Function: "static __device__ ",
		Kernel: func(groupSize, occupancy int) string {
			bounds := ""
			switch {
			case occupancy > 0:
				bounds = fmt.Sprintf(" __launch_bounds__(%d, %d)", groupSize, occupancy)
			case groupSize > 0:
				bounds = fmt.Sprintf(" __launch_bounds__(%d)", groupSize)
			}
			return `extern "C" __global__ void` + bounds
		},
		Occupancy: true,

		Atomics64: true, MergesCounts: true, LanesInOrder: true, LaunchedLocal: 227 << 10, BulkCopies: true, // compute capability 9.0; for others there is a fallback

		Align: fmt.Sprintf("__align__(%d) ", loop.WideBytes),
		Wide: func(k ir.Kind) (vector, construct string) {
			vector = map[ir.Kind]string{ir.I32: "int4", ir.U32: "uint4", ir.F32: "float4", ir.I64: "longlong2", ir.U64: "ulonglong2", ir.F64: "double2"}[k.Stored()]
			return vector, "make_" + vector
		},
		LoadOnce: "__ldcs",

		IDs: map[loop.IDKind]string{loop.LocalID: "threadIdx.x", loop.LocalSize: "blockDim.x",
			loop.WorkgroupID: "blockIdx.x", loop.WorkgroupCount: "gridDim.x",
			loop.SubgroupID: "(threadIdx.x / 32)", loop.SubgroupLane: "(threadIdx.x % 32)", loop.SubgroupSize: "32"},
		Subgroup: 32,
		Bits: map[ir.Kind]string{ir.U32: "__float_as_uint", ir.U64: "(" + u64 + ")__double_as_longlong",
			ir.F32: "__uint_as_float", ir.F64: "__longlong_as_double"},
		// These functions round correctly and contract no product with a sum,
		// whatever the options of the compiler are.
		Floats: map[ir.Op]map[ir.Kind]string{
			ir.OpMul:  {ir.F32: "__fmul_rn", ir.F64: "__dmul_rn"},
			ir.OpDiv:  {ir.F32: "__fdiv_rn"},
			ir.OpSqrt: {ir.F32: "__fsqrt_rn", ir.F64: "__dsqrt_rn"},
			ir.OpAbs:  {ir.F32: "fabsf", ir.F64: "fabs"},
		},

		Barrier: func(bool) string { return "__syncthreads();" },

		SubgroupBarrier: "__syncwarp();",

		Fence:    "__threadfence_block();",
		Child:    child,
		Unroll:   "#pragma unroll",
		Atomic:   atomic,
		Preamble: preamble,
	}
}

const u64 = "unsigned long long"

// atomic prints a call of an atomic function. The functions of 64 bits other than
// minimum and maximum exist for the unsigned type only.
func atomic(op loop.AtomicOp, k ir.Kind, address string, args []string) string {
	name := map[loop.AtomicOp]string{loop.AtomicAdd: "Add", loop.AtomicMin: "Min", loop.AtomicMax: "Max", loop.AtomicAnd: "And",
		loop.AtomicOr: "Or", loop.AtomicExchange: "Exch", loop.AtomicCompareExchange: "CAS"}[op]
	if k == ir.I64 && op != loop.AtomicMin && op != loop.AtomicMax {
		address = "(" + u64 + " *)" + address
		if op == loop.AtomicCompareExchange {
			args[0] = "(" + u64 + ")" + args[0] // a negative constant would change its sign unasked
		}
	}
	return fmt.Sprintf("atomic%s(%s, %s)", name, address, strings.Join(args, ", "))
}

// child prints a launch that waits for nothing, and the condition that it has failed: where too many
// wait already.
func child(kernel, workgroups string, workgroupSize int, args []string) (launch, failed string) {
	return fmt.Sprintf("%s<<<%s, %d, 0, cudaStreamFireAndForget>>>(%s);", kernel, workgroups, workgroupSize, strings.Join(args, ", ")),
		"cudaGetLastError() != cudaSuccess"
}

// preamble says what the text needs, and refuses options that would change its
// results.
func preamble(needs func(plan.Cap) bool) []string {
	toolkit, capability := "11.8", "6.0"
	switch {
	case needs(plan.CapBulkCopy):
		toolkit, capability = "12.0", "9.0"
	case needs(plan.CapChildLaunch):
		toolkit, capability = "12.0", "7.0"
	}
	lines := []string{"// CUDA C++ for NVRTC or nvcc " + toolkit + " or later and compute capability " + capability + " or"}
	if needs(plan.CapChildLaunch) {
		lines = append(lines, "// later; compile with -rdc=true and link with cudadevrt, for launches by kernels.")
	} else {
		lines = append(lines, "// later; no option is needed.")
	}
	if needs(plan.CapDenormalsF32) {
		lines = append(lines,
			"#if __CUDA_FTZ",
			`#error "subnormal numbers are kept: compile without -ftz=true and -use_fast_math"`,
			"#endif")
	}
	return lines
}

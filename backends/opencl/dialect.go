// Package opencl is the backend for OpenCL C 1.2.
//
//	output, err := opencl.Emitter().Emit(programs, backends.Options{})
//
// It makes three files for each pipeline: NAME.cl, the kernels; NAME.plan.json, the
// plan by which a host runs them, which docs/plan.md describes; and NAME.h, the
// constants of the plan for a host in C. If the plan has a fallback, the kernels of
// the fallback are in NAME.fallback.cl. Of the options only Schedule counts. An error
// names the setting that a kernel cannot have.
//
// The backend is data: [Dialect] describes the language to the printer.
package opencl

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

// Emitter returns the backend that emits OpenCL C, a backends.Emitter. Its type is
// internal to this module.
func Emitter() kernels.Emitter {
	e := kernels.Emitter{Backend: "opencl", Extension: ".cl", Dialect: Dialect()}
	e.With = map[plan.Cap]kernels.Emitter{plan.CapInlinePTX: PTXEmitter()}
	return e
}

// PTXEmitter returns the backend that emits OpenCL C with PTX within, for NVIDIA's devices.
func PTXEmitter() kernels.Emitter {
	return kernels.Emitter{Backend: "opencl-ptx", Extension: ".cl", Dialect: PTXDialect(), Devices: "opencl"}
}

// PTXDialect returns OpenCL C 1.2 as NVIDIA's compiler reads it, which takes PTX: subgroups are warps,
// and a declared array may have all local memory of compute capability 9.0, of which the driver keeps 1 KiB.
func PTXDialect() *ctext.Dialect {
	d := Dialect()
	d.Name = "OpenCL C 1.2 with PTX"
	d.Helpers = templates.OpenCLPTX()
	d.Alone = ""
	d.Subgroup = 32
	d.IDs[loop.SubgroupID], d.IDs[loop.SubgroupLane], d.IDs[loop.SubgroupSize] = "((int)get_local_id(0) >> 5)", "((int)get_local_id(0) & 31)", "32"
	d.SubgroupBarrier = `__asm__ volatile("bar.warp.sync 0xffffffff;" ::: "memory");`
	d.Launched, d.Declares = "__local __attribute__((aligned(128))) ", true // the lines that bulk copies write
	d.Atomics64, d.MergesCounts, d.LaunchedLocal, d.BulkCopies = true, true, 226<<10, true
	return d
}

// Dialect returns OpenCL C 1.2 for the printer of this module, and little-endian devices. Work-groups lie in
// dimension 0. The language has no subgroups and no fence between work-groups.
func Dialect() *ctext.Dialect {
	return &ctext.Dialect{
		Name:       "OpenCL C 1.2",
		Helpers:    templates.OpenCL(),
		IsReserved: isReserved,
		Types: map[ir.Kind]string{ir.Bool: "bool", ir.I8: "char", ir.I16: "short", ir.I32: "int", ir.I64: "long",
			ir.U8: "uchar", ir.U16: "ushort", ir.U32: "uint", ir.U64: "ulong", ir.Char8: "ulong", ir.F32: "float", ir.F64: "double"},
		Suffix:  map[ir.Kind]string{ir.I64: "L", ir.U32: "u", ir.U64: "UL", ir.Char8: "UL", ir.F32: "f"},
		Counter: "int", // a launch spans less than 2^31 rows
		Byte:    "uchar",

		Space:    map[loop.Space]string{loop.Local: "__local ", loop.Global: "__global "},
		Local:    "__local ",
		Restrict: "restrict ",
		Alone:    "restrict ", // else PoCL computes no rows in lanes where there are more than a few results
		Kernel: func(groupSize, _ int) string {
			if groupSize == 0 {
				return "__kernel void"
			}
			return fmt.Sprintf("__kernel __attribute__((reqd_work_group_size(%d, 1, 1))) void", groupSize)
		},

		Align: fmt.Sprintf("__attribute__((aligned(%d))) ", loop.WideBytes),
		Wide: func(k ir.Kind) (vector, construct string) {
			vector = map[ir.Kind]string{ir.I32: "int4", ir.U32: "uint4", ir.F32: "float4", ir.I64: "long2", ir.U64: "ulong2", ir.F64: "double2"}[k.Stored()]
			return vector, "(" + vector + ")"
		},

		IDs: map[loop.IDKind]string{loop.LocalID: "get_local_id(0)", loop.LocalSize: "get_local_size(0)",
			loop.WorkgroupID: "get_group_id(0)", loop.WorkgroupCount: "get_num_groups(0)"},
		Bits: map[ir.Kind]string{ir.U32: "as_uint", ir.U64: "as_ulong", ir.F32: "as_float", ir.F64: "as_double"},
		Floats: map[ir.Op]map[ir.Kind]string{
			ir.OpSqrt: {ir.F32: "sqrt", ir.F64: "sqrt"},
			ir.OpAbs:  {ir.F32: "fabs", ir.F64: "fabs"},
		},

		Barrier: func(global bool) string {
			if global {
				return "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"
			}
			return "barrier(CLK_LOCAL_MEM_FENCE);"
		},
		Fence:    "mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);",
		Unroll:   "kgen_unroll",
		Atomic:   atomic,
		Preamble: preamble,
		Options: map[plan.Cap][]string{
			"":                {"-cl-std=CL1.2"},
			plan.CapDivideF32: {"-cl-fp32-correctly-rounded-divide-sqrt"},
		},
	}
}

// atomic prints a call of an atomic function: atomic_ for 32 bits, atom_ for 64,
// which are an extension.
func atomic(op loop.AtomicOp, k ir.Kind, address string, args []string) string {
	name := map[loop.AtomicOp]string{loop.AtomicAdd: "add", loop.AtomicMin: "min", loop.AtomicMax: "max", loop.AtomicAnd: "and",
		loop.AtomicOr: "or", loop.AtomicExchange: "xchg", loop.AtomicCompareExchange: "cmpxchg"}[op]
	prefix := "atomic_"
	if k.Size() == 8 {
		prefix = "atom_"
	}
	return fmt.Sprintf("%s%s(%s, %s)", prefix, name, address, strings.Join(args, ", "))
}

func preamble(needs func(plan.Cap) bool) []string {
	var lines []string
	extension := func(name string) { lines = append(lines, "#pragma OPENCL EXTENSION "+name+" : enable") }
	if needs(plan.CapFP64) {
		extension("cl_khr_fp64")
	}
	if needs(plan.CapAtomicsI64) {
		extension("cl_khr_int64_base_atomics")
		extension("cl_khr_int64_extended_atomics")
	}
	return append(lines,
		"#pragma OPENCL FP_CONTRACT OFF",
		// What a pipeline compares is its author's decision.
		"#ifdef __clang__",
		`#pragma clang diagnostic ignored "-Wtautological-compare"`,
		"#endif",
		// Elsewhere unrolling makes builds slower, and little else.
		"#ifdef __NV_CL_C_VERSION",
		`#define kgen_unroll _Pragma("unroll")`,
		"#else",
		"#define kgen_unroll",
		"#endif")
}

package gocpu

import "golang.org/x/sys/cpu"

// HasVectors reports whether programs built with Options.SIMD run their functions of
// vectors on this machine: the processor has what Go calls AVX-512.
func HasVectors() bool {
	x86 := cpu.X86
	return x86.HasAVX512F && x86.HasAVX512CD && x86.HasAVX512BW && x86.HasAVX512DQ && x86.HasAVX512VL
}

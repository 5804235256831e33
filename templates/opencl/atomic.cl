// Atomic operations that OpenCL C 1.2 lacks: a compare-and-swap is repeated
// until it succeeds.

//helper atomic_add_f32_$S($S []f32, f32) f32 for S in global local effects
float kgen_atomic_add_f32_$S(volatile $space(S)float *memory, float x) {
	volatile $space(S)uint *bits = (volatile $space(S)uint *)memory;
	uint old = *bits;
	uint expected;
	do {
		expected = old;
		old = atomic_cmpxchg(bits, expected, as_uint(as_float(expected) + x));
	} while (old != expected);
	return as_float(old);
}

//helper atomic_add_f64_$S($S []f64, f64) f64 for S in global local needs atomics.i64 effects
double kgen_atomic_add_f64_$S(volatile $space(S)double *memory, double x) {
	volatile $space(S)ulong *bits = (volatile $space(S)ulong *)memory;
	ulong old = *bits;
	ulong expected;
	do {
		expected = old;
		old = atom_cmpxchg(bits, expected, as_ulong(as_double(expected) + x));
	} while (old != expected);
	return as_double(old);
}

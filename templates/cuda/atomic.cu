// Atomic operations on floats. CUDA's own addition to an f32 in global memory
// flushes subnormal numbers to 0, so a compare-and-swap is repeated until it
// succeeds.

//helper atomic_add_f32_global(global []f32, f32) f32 effects
float kgen_atomic_add_f32_global(float *memory, float x) {
	unsigned int *bits = (unsigned int *)memory;
	unsigned int old = *(volatile unsigned int *)bits;
	unsigned int expected;
	do {
		expected = old;
		old = atomicCAS(bits, expected, __float_as_uint(__uint_as_float(expected) + x));
	} while (old != expected);
	return __uint_as_float(old);
}

//helper atomic_add_f32_local(local []f32, f32) f32 effects
float kgen_atomic_add_f32_local(float *memory, float x) {
	return atomicAdd(memory, x);
}

//helper atomic_add_f64_$S($S []f64, f64) f64 for S in global local effects
double kgen_atomic_add_f64_$S(double *memory, double x) {
	return atomicAdd(memory, x);
}

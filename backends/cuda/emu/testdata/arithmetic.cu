// What CUDA has names for beside the operators.
extern "C" __global__ void arithmetic(long long row0, long long rows, long long* out) {
	const unsigned u = 0x80f00001u;
	const unsigned long long w = 0x8000000f00000001ull;
	const float big = 3e20f, nan = __int_as_float(0x7fc00000);
	const double huge = 1e300, nand = __longlong_as_double(0x7ff8000000000000ll);
	long long* p = out;
	*p++ = __popc(u); *p++ = __popcll(w); *p++ = __clz(0); *p++ = __clz(1); *p++ = __clzll(1); *p++ = __ffs(0); *p++ = __ffs(8); *p++ = __ffsll(w);
	*p++ = __brev(1u); *p++ = (long long)__brevll(2ull); *p++ = __umulhi(u, u); *p++ = __mulhi(-2, 3); *p++ = (long long)__umul64hi(w, 4ull); *p++ = __mul64hi(-1, 5);
	*p++ = __byte_perm(0x33221100u, 0x77665544u, 0x7250u); *p++ = __byte_perm(0x80u, 0u, 0x8u); *p++ = __funnelshift_l(u, 1u, 4); *p++ = __funnelshift_r(u, 1u, 4);
	*p++ = __float2int_rz(big); *p++ = __float2int_rz(-big); *p++ = __float2int_rz(nan); *p++ = __float2int_rz(-7.9f); *p++ = __float2uint_rz(-1.0f);
	*p++ = __double2ll_rz(huge); *p++ = __double2ll_rz(nand); *p++ = (long long)__double2ull_rz(huge); *p++ = __double2int_rz(2147483646.9);
	*p++ = min(-1, 2); *p++ = max(3ll, 4ll); *p++ = min(1u, 2); *p++ = (long long)max(1.5, 2.5); *p++ = (long long)fminf(nan, 2.0f); *p++ = abs(-3); *p++ = llabs(-4ll);
	*p++ = isnan(nan) * 8 + isinf(big * big) * 4 + isfinite(1.0f) * 2 + signbit(-0.0);
	*p++ = (long long)(__fadd_rn(0.1f, 0.2f) * 1e9f); *p++ = __double_as_longlong(__fma_rn(0.1, 10.0, -1.0)); *p++ = (long long)sqrt(16.0); *p++ = (long long)floorf(-1.5f); *p++ = (long long)rint(2.5);
	unsigned word = 5;
	*p++ = atomicInc(&word, 5u); *p++ = word; *p++ = atomicDec(&word, 7u); *p++ = word; *p++ = atomicSub(&word, 3u); *p++ = atomicXor(&word, 6u); *p++ = atomicCAS(&word, 2u, 9u); *p++ = word;
	*p++ = __hiloint2double(0x40080000, 0) == 3.0; *p++ = __double2hiint(3.0);
}

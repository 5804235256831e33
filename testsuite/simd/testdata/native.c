// Filters and sums in C with intrinsics: the limit beside which Go is measured.
#include <immintrin.h>
#include <stdint.h>

__attribute__((target("avx512f"))) int64_t filter_512(int32_t *out, const int32_t *x, int64_t rows, int32_t limit) {
	__m512i below = _mm512_set1_epi32(limit);
	int64_t at = 0, i = 0;
	for (; i + 16 <= rows; i += 16) {
		__m512i v = _mm512_loadu_si512(x + i);
		__mmask16 hit = _mm512_cmplt_epi32_mask(v, below);
		_mm512_storeu_si512(out + at, _mm512_maskz_compress_epi32(hit, v));
		at += __builtin_popcount(hit);
	}
	for (; i < rows; i++) {
		if (x[i] < limit) {
			out[at++] = x[i];
		}
	}
	return at;
}

__attribute__((target("avx512f"))) int64_t sum_ints_512(const int32_t *x, int64_t rows) {
	__m512i a = _mm512_setzero_si512(), b = a, c = a, d = a;
	int64_t i = 0;
	for (; i + 32 <= rows; i += 32) {
		a = _mm512_add_epi64(a, _mm512_cvtepi32_epi64(_mm256_loadu_si256((const __m256i *)(x + i))));
		b = _mm512_add_epi64(b, _mm512_cvtepi32_epi64(_mm256_loadu_si256((const __m256i *)(x + i + 8))));
		c = _mm512_add_epi64(c, _mm512_cvtepi32_epi64(_mm256_loadu_si256((const __m256i *)(x + i + 16))));
		d = _mm512_add_epi64(d, _mm512_cvtepi32_epi64(_mm256_loadu_si256((const __m256i *)(x + i + 24))));
	}
	int64_t sum = _mm512_reduce_add_epi64(_mm512_add_epi64(_mm512_add_epi64(a, b), _mm512_add_epi64(c, d)));
	for (; i < rows; i++) {
		sum += x[i];
	}
	return sum;
}

__attribute__((target("avx512f"))) int64_t sum_longs_512(const int64_t *x, int64_t rows) {
	__m512i a = _mm512_setzero_si512(), b = a, c = a, d = a;
	int64_t i = 0;
	for (; i + 32 <= rows; i += 32) {
		a = _mm512_add_epi64(a, _mm512_loadu_si512(x + i));
		b = _mm512_add_epi64(b, _mm512_loadu_si512(x + i + 8));
		c = _mm512_add_epi64(c, _mm512_loadu_si512(x + i + 16));
		d = _mm512_add_epi64(d, _mm512_loadu_si512(x + i + 24));
	}
	int64_t sum = _mm512_reduce_add_epi64(_mm512_add_epi64(_mm512_add_epi64(a, b), _mm512_add_epi64(c, d)));
	for (; i < rows; i++) {
		sum += x[i];
	}
	return sum;
}

__attribute__((target("avx512f"))) double sum_floats_512(const double *x, int64_t rows) {
	__m512d a = _mm512_setzero_pd(), b = a, c = a, d = a;
	int64_t i = 0;
	for (; i + 32 <= rows; i += 32) {
		a = _mm512_add_pd(a, _mm512_loadu_pd(x + i));
		b = _mm512_add_pd(b, _mm512_loadu_pd(x + i + 8));
		c = _mm512_add_pd(c, _mm512_loadu_pd(x + i + 16));
		d = _mm512_add_pd(d, _mm512_loadu_pd(x + i + 24));
	}
	double sum = _mm512_reduce_add_pd(_mm512_add_pd(_mm512_add_pd(a, b), _mm512_add_pd(c, d)));
	for (; i < rows; i++) {
		sum += x[i];
	}
	return sum;
}

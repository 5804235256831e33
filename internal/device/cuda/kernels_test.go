//go:build cuda

package cuda_test

// text is the kernels of the suite. Those for a GPU; the stand-in has its own.
const text = `
extern "C" __global__ void divide(long long row0, long long rows, const long long *a, const long long *b, long long *quotient, long long *errors)
{
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= rows)
		return;
	if (b[i] == 0) {
		atomicMin(&errors[0], row0 + i);
		quotient[i] = 0;
	} else
		quotient[i] = a[i] / b[i];
}

#ifndef ITEMS
#define ITEMS 1
#endif
// reduce adds a work-group's rows in local memory.
extern "C" __global__ void reduce(long long row0, long long rows, const long long *x, unsigned long long *sum)
{
	extern __shared__ long long part[];
	int at = threadIdx.x;
	part[at] = 0;
	for (int i = 0; i < ITEMS; i++) {
		long long row = ((long long)blockIdx.x * ITEMS + i) * blockDim.x + at;
		if (row < rows)
			part[at] += x[row0 + row];
	}
	for (int step = blockDim.x / 2; step > 0; step /= 2) {
		__syncthreads();
		if (at < step)
			part[at] += part[at + step];
	}
	if (at == 0)
		atomicAdd(&sum[0], (unsigned long long)part[0]);
}

// scan is an inclusive sum of values below 2^24 by look-back: a status word
// holds 1 or 2 (of the tile, of all up to it) above the sum.
extern "C" __global__ void __launch_bounds__(64) scan(long long row0, long long rows, const int *x, long long *sums,
	unsigned long long *status, int *ticket, int *abort, long long patience)
{
	__shared__ long long part[64];
	__shared__ int tile;
	__shared__ long long before;
	int at = threadIdx.x;
	if (at == 0)
		tile = atomicAdd(ticket, 1);
	__syncthreads();
	int row = tile * 64 + at;
	part[at] = row < rows ? x[row] : 0;
	__syncthreads();
	for (int step = 1; step < 64; step *= 2) {
		long long add = at >= step ? part[at - step] : 0;
		__syncthreads();
		part[at] += add;
		__syncthreads();
	}
	if (at == 0) {
		long long total = part[63];
		before = 0;
		atomicExch(&status[tile], (tile == 0 ? 2ull : 1ull) << 56 | (unsigned long long)total);
		for (int look = tile - 1; look >= 0; look--) {
			unsigned long long word = 0;
			for (long long n = 0; word == 0 && n < patience; n++)
				word = *(volatile unsigned long long *)&status[look];
			if (word == 0) {
				atomicExch(abort, 1);
				break;
			}
			before += word & ((1ull << 56) - 1);
			if (word >> 56 == 2)
				break;
		}
		if (tile > 0)
			atomicExch(&status[tile], 2ull << 56 | (unsigned long long)(before + total));
	}
	__syncthreads();
	if (row < rows)
		sums[row] = before + part[at];
}

// slow is scan by one work-item.
extern "C" __global__ void slow(long long row0, long long rows, const int *x, long long *sums)
{
	long long sum = 0;
	for (int i = 0; i < rows; i++)
		sums[i] = sum += x[i];
}

extern "C" __global__ void grow(long long row0, long long rows, int *count, int *full)
{
	count[0] = rows;
	full[0] = rows < 100;
}

extern "C" __global__ void scalars(long long row0, long long rows, unsigned char b, signed char i8, short i16, int i32, long long i64,
	unsigned char u8, unsigned short u16, unsigned u32, unsigned long long u64, float f32, double f64, int date, unsigned long long char8, long long value,
	unsigned char *ob, signed char *oi8, short *oi16, int *oi32, long long *oi64, unsigned char *ou8, unsigned short *ou16,
	unsigned *ou32, unsigned long long *ou64, float *of32, double *of64, int *odate, unsigned long long *ochar8, long long *ovalue)
{
	ob[0] = b; oi8[0] = i8; oi16[0] = i16; oi32[0] = i32; oi64[0] = i64; ou8[0] = u8; ou16[0] = u16;
	ou32[0] = u32; ou64[0] = u64; of32[0] = f32; of64[0] = f64; odate[0] = date; ochar8[0] = char8; ovalue[0] = value;
}

extern "C" __global__ void together(long long row0, long long rows, int *word, unsigned *abort)
{
	if (blockIdx.x == 0 && threadIdx.x == 0)
		word[0] = gridDim.x;
}

extern "C" __global__ void print(long long row0, long long rows, int *word)
{
	printf("{}\n");
	word[0] = 7;
}

extern "C" __global__ void endless(long long row0, long long rows, int *word)
{
	while (atomicOr(word, 0) == 0)
		;
}

extern "C" __global__ void crash(long long row0, long long rows, int *word)
{
	word[1ll << 44] = 1;
}

// late goes wrong while what was queued behind it waits.
extern "C" __global__ void late(long long row0, long long rows, int *word)
{
	for (long long begin = clock64(); clock64() - begin < 10000000;)
		;
	word[1ll << 44] = 1;
}

// crack and hang do what grow does, for a few rows.
extern "C" __global__ void crack(long long row0, long long rows, int *count, int *full)
{
	count[rows > 50 ? 1ll << 44 : 0] = rows;
	full[0] = rows < 100;
}

extern "C" __global__ void hang(long long row0, long long rows, int *count, int *full)
{
	count[0] = rows;
	full[0] = rows < 100;
	while (rows > 50 && atomicOr(full, 0) >= 0)
		;
}

extern "C" __global__ void trap(long long row0, long long rows, int *word)
{
	__trap();
}
`

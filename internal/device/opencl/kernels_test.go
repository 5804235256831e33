//go:build opencl

package opencl_test

// text is the kernels of the suite.
const text = `
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

__kernel void divide(long row0, long rows, __global const long *a, __global const long *b, __global long *quotient, volatile __global long *errors)
{
	long i = get_global_id(0);
	if (i >= rows)
		return;
	if (b[i] == 0) {
		atom_min(&errors[0], row0 + i);
		quotient[i] = 0;
	} else
		quotient[i] = a[i] / b[i];
}

#ifndef ITEMS
#define ITEMS 1
#endif
// reduce adds a work-group's rows in local memory.
__kernel void reduce(long row0, int rows, __global const long *x, volatile __global long *sum, __local long *part)
{
	int at = get_local_id(0);
	part[at] = 0;
	for (int i = 0; i < ITEMS; i++) {
		long row = ((long)get_group_id(0) * ITEMS + i) * get_local_size(0) + at;
		if (row < rows)
			part[at] += x[row0 + row];
	}
	for (int step = get_local_size(0) / 2; step > 0; step /= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (at < step)
			part[at] += part[at + step];
	}
	if (at == 0)
		atom_add(&sum[0], part[0]);
}

// scan is an inclusive sum of values below 2^24 by look-back: a status word
// holds 1 or 2 (of the tile, of all up to it) above the sum.
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void scan(long row0, int rows, __global const int *x, __global long *sums, volatile __global ulong *status,
	volatile __global int *ticket, volatile __global int *abort, long patience)
{
	__local long part[64];
	__local int tile;
	__local long before;
	int at = get_local_id(0);
	if (at == 0)
		tile = atomic_inc(ticket);
	barrier(CLK_LOCAL_MEM_FENCE);
	int row = tile * 64 + at;
	part[at] = row < rows ? x[row] : 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int step = 1; step < 64; step *= 2) {
		long add = at >= step ? part[at - step] : 0;
		barrier(CLK_LOCAL_MEM_FENCE);
		part[at] += add;
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	if (at == 0) {
		long total = part[63];
		before = 0;
		atom_xchg(&status[tile], (tile == 0 ? 2ul : 1ul) << 56 | (ulong)total);
		for (int look = tile - 1; look >= 0; look--) {
			ulong word = 0;
			for (long n = 0; word == 0 && n < patience; n++)
				word = atom_cmpxchg(&status[look], 0ul, 0ul);
			if (word == 0) {
				atomic_xchg(abort, 1);
				break;
			}
			before += word & (1ul << 56) - 1;
			if (word >> 56 == 2)
				break;
		}
		if (tile > 0)
			atom_xchg(&status[tile], 2ul << 56 | (ulong)(before + total));
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (row < rows)
		sums[row] = before + part[at];
}

// slow is scan by one work-item.
__kernel void slow(long row0, int rows, __global const int *x, __global long *sums)
{
	long sum = 0;
	for (int i = 0; i < rows; i++)
		sums[i] = sum += x[i];
}

__kernel void grow(long row0, int rows, __global int *count, __global int *full)
{
	count[0] = rows;
	full[0] = rows < 100;
}

__kernel void scalars(long row0, int rows, uchar b, char i8, short i16, int i32, long i64, uchar u8, ushort u16, uint u32, ulong u64,
	float f32, double f64, int date, ulong char8, long value,
	__global uchar *ob, __global char *oi8, __global short *oi16, __global int *oi32, __global long *oi64, __global uchar *ou8, __global ushort *ou16,
	__global uint *ou32, __global ulong *ou64, __global float *of32, __global double *of64, __global int *odate, __global ulong *ochar8, __global long *ovalue)
{
	ob[0] = b; oi8[0] = i8; oi16[0] = i16; oi32[0] = i32; oi64[0] = i64; ou8[0] = u8; ou16[0] = u16;
	ou32[0] = u32; ou64[0] = u64; of32[0] = f32; of64[0] = f64; odate[0] = date; ochar8[0] = char8; ovalue[0] = value;
}

__kernel void endless(long row0, int rows, volatile __global int *word)
{
	while (atomic_or(word, 0) == 0)
		;
}

__kernel void crash(long row0, int rows, volatile __global int *word)
{
	word[1l << 44] = 1;
}
`

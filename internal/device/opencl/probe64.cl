#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

// atomics: all work-items at the same words.
__kernel void atomics(volatile __global long *words)
{
	long i = (long)get_global_id(0);
	atom_add(&words[0], i << 20);
	atom_max(&words[1], i << 33);
	atom_min(&words[2], -(i << 33));
	atom_or((volatile __global ulong *)&words[3], 1ul << (i & 63));
	atom_cmpxchg(&words[4], 0l, 1l << 40);
	atom_xchg(&words[5], 5l << 40);
}

// What a device does, tried out. Every wait is bounded.

// gives_up counts a look in vain, and ends the waiting of all past the limit.
// Words are read, not updated, so that a wait takes as long however many wait.
int gives_up(volatile __global int *abort, int *looks, int limit)
{
	if (++*looks < limit && (*looks % 1024 != 0 || *abort == 0))
		return 0;
	atomic_xchg(abort, 1);
	return 1;
}

// spin waits for a word that never changes, to see how long that takes.
__kernel void spin(volatile __global int *words, int limit)
{
	int looks = 0;
	while (words[0] == 0 && !gives_up(&words[1], &looks, limit))
		;
}

// chain: each work-group waits for the one before it, as a look-back does. words
// are the tickets taken, the abort word and a flag per work-group.
__kernel void chain(volatile __global int *words, int ticketed, int limit)
{
	if (get_local_id(0) == 0) {
		int number = ticketed ? atomic_inc(&words[0]) : (int)get_group_id(0);
		int looks = 0;
		while (number > 0 && words[1 + number] == 0 && !gives_up(&words[1], &looks, limit))
			;
		atomic_xchg(&words[2 + number], 1);
	}
	barrier(CLK_LOCAL_MEM_FENCE);
}

// meet: each work-group waits for all. words are the work-groups that have come and the
// abort word. The local memory is there to be occupied.
__kernel void meet(volatile __global int *words, int limit, __local int *occupied)
{
	occupied[get_local_id(0)] = (int)get_group_id(0);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (get_local_id(0) == 0) {
		int workgroups = (int)get_num_groups(0);
		int looks = 0;
		atomic_inc(&words[0]);
		while (words[0] < workgroups && !gives_up(&words[1], &looks, limit))
			;
		words[2] = occupied[get_local_size(0) - 1];
	}
}

// arithmetic: quotients, square roots and products, to be compared bit by bit.
__kernel void arithmetic(__global const float *a, __global const float *b, __global float *quotient, __global float *root, __global float *product)
{
	size_t i = get_global_id(0);
	quotient[i] = a[i] / b[i];
	root[i] = sqrt(a[i]);
	product[i] = a[i] * b[i];
}

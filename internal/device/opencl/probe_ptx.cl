// warp: what each work-item of a warp reads of the others, by instructions of PTX: the value
// before it, behind it and of one of them, the mask of a vote, and local memory across a barrier
// of the warp.
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void warp(__global uint *words)
{
	__local uint shared[64];
	uint at = get_local_id(0), x = at * 0x9e3779b9u, up, down, chosen, mask;
	__asm__ volatile("shfl.sync.up.b32 %0, %1, %2, 0, 0xffffffff;" : "=r"(up) : "r"(x), "r"(1u));
	__asm__ volatile("shfl.sync.down.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(down) : "r"(x), "r"(2u));
	__asm__ volatile("shfl.sync.idx.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(chosen) : "r"(x), "r"(at * 7 % 32));
	__asm__ volatile("{ .reg .pred holds; setp.ne.u32 holds, %1, 0; vote.sync.ballot.b32 %0, holds, 0xffffffff; }" : "=r"(mask) : "r"(at % 3));
	shared[at] = x;
	__asm__ volatile("bar.warp.sync 0xffffffff;" ::: "memory");
	__global uint *mine = words + get_global_id(0) * 5;
	mine[0] = up;
	mine[1] = down;
	mine[2] = chosen;
	mine[3] = mask;
	mine[4] = shared[at ^ 31];
}

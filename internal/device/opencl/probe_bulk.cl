// bulk: each work-group copies 4 KiB to local memory asynchronously, waits for the bytes, and
// stores them in another order.
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void bulk(__global const uint *from, __global uint *to, int limit)
{
	__local __attribute__((aligned(128))) uint words[1024];
	__local ulong arrived;
	uint at = get_local_id(0), first = get_group_id(0) * 1024, here = (uint)(size_t)&arrived, passed = 0;
	if (at == 0) {
		__asm__ volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(here) : "memory");
		__asm__ volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (at == 0) {
		__asm__ volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 4096;" :: "r"(here) : "memory");
		__asm__ volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 4096, [%2];"
			:: "r"((uint)(size_t)words), "l"((size_t)(from + first)), "r"(here) : "memory");
	}
	for (int looks = 0; !passed && looks < limit; looks++)
		__asm__ volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
			: "=r"(passed) : "r"(here) : "memory");
	for (uint i = at; i < 1024; i += 64)
		to[first + 1023 - i] = passed ? words[i] : 0;
}

//go:build opencl

package opencl

import (
	"context"
	"fmt"
	"strings"

	"github.com/kgen-go/kgen/plan"
)

// local finds how large a declared __local array may be. NVIDIA's driver
// accepts far more than it reports, which suits kernels with one work-group per
// compute unit; other drivers are believed.
func (p *prober) local(ctx context.Context) error {
	if !strings.Contains(p.vendor, "NVIDIA") {
		p.find("localBytes", fmt.Sprint(p.localBytes), plan.Queried, "local memory of a work-group")
		return nil
	}
	most := p.largestLocal(ctx, p.localBytes/1024, 512) * 1024
	p.probed.Machine.LocalBytes = max(most, p.localBytes)
	p.find("localBytes", fmt.Sprint(p.probed.Machine.LocalBytes), plan.Probed,
		"the largest array in local memory with which a kernel ran; the driver says %d", p.localBytes)
	return nil
}

// largestLocal returns the size in KiB of the largest array, between works and
// fails, with which a kernel gives the right result.
func (p *prober) largestLocal(ctx context.Context, works, fails int64) int64 {
	for fails-works > 1 {
		if middle := (works + fails) / 2; p.tryLocal(ctx, middle) {
			works = middle
		} else {
			fails = middle
		}
	}
	return works
}

// tryLocal runs a kernel with an array of that many KiB: each work-group writes
// all of it and reads it back in another order.
func (p *prober) tryLocal(ctx context.Context, kib int64) bool {
	text := fmt.Sprintf(`__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void local_array(__global int *sums)
{
	__local int array[%d * 256];
	int at = get_local_id(0);
	for (int i = at; i < %d * 256; i += 64)
		array[i] = i ^ (int)get_group_id(0);
	barrier(CLK_LOCAL_MEM_FENCE);
	int sum = 0;
	for (int i = 63 - at; i < %d * 256; i += 64)
		sum += (array[i] ^ (int)get_group_id(0)) == i;
	sums[get_global_id(0)] = sum;
}
`, kib, kib, kib)
	kernel, err := p.entry(ctx, "local_array", text)
	if err != nil {
		return false
	}
	sums := p.zeros(2 * p.units * 64)
	defer p.release(sums)
	if p.start(kernel, 2*p.units, 64, 0, sums) != nil {
		return false
	}
	got, err := p.read(sums, 2*p.units*64)
	if err != nil {
		return false
	}
	for _, sum := range got {
		if int64(sum) != kib*4 {
			return false
		}
	}
	return true
}

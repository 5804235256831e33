//go:build opencl

package opencl

import (
	"context"
	_ "embed"
	"strings"

	"github.com/kgen-go/kgen/plan"
)

//go:embed probe_ptx.cl
var probePTXText string

//go:embed probe_bulk.cl
var probeBulkText string

// warp is the work-items that NVIDIA's devices run in lock step.
const warp = 32

// inlinePTX: does the compiler take PTX within OpenCL C, and do warps exchange values by it?
func (p *prober) inlinePTX(ctx context.Context) error {
	if !strings.Contains(p.vendor, "NVIDIA") {
		return nil
	}
	const items, results = 128, 5
	words := p.zeros(items * results)
	defer p.release(words)
	kernel, err := p.entry(ctx, "warp", probePTXText)
	if err == nil {
		err = p.start(kernel, items/64, 64, 0, words)
	}
	if err != nil {
		p.capability(plan.CapInlinePTX, false, plan.Probed, "%v", err)
		return nil
	}
	got, err := p.read(words, items*results)
	if err != nil {
		return err
	}
	for i := range int64(items) {
		for j, want := range warpResults(uint32(i % 64)) {
			if g := uint32(got[i*results+int64(j)]); g != want {
				p.capability(plan.CapInlinePTX, false, plan.Probed, "result %d of work-item %d was %#x, not %#x", j, i, g, want)
				return nil
			}
		}
	}
	p.capability(plan.CapInlinePTX, true, plan.Probed, "%d warps exchanged values, voted and waited by instructions of PTX", items/warp)
	return p.bulkCopies(ctx)
}

// bulkCopies: do copies to local memory go on by themselves, and do barriers count their bytes?
func (p *prober) bulkCopies(ctx context.Context) error {
	const workgroups, words = 4, 1024
	values := make([]float32, workgroups*words)
	for i := range values {
		values[i] = float32(i + 1)
	}
	from, to := p.floatsOf(values), p.zeros(workgroups*words)
	defer p.release(from)
	defer p.release(to)
	kernel, err := p.entry(ctx, "bulk", probeBulkText)
	if err == nil {
		err = p.start(kernel, workgroups, 64, 0, from, to, int32(min(p.limit, 1<<30)))
	}
	if err != nil { // as before compute capability 9.0
		p.capability(plan.CapBulkCopy, false, plan.Probed, "%v", err)
		return nil
	}
	got, err := p.readFloats(to, workgroups*words)
	if err != nil {
		return err
	}
	for i := range got {
		if want := values[i/words*words+words-1-i%words]; got[i] != want {
			p.capability(plan.CapBulkCopy, false, plan.Probed, "word %d was %g, not %g", i, got[i], want)
			return nil
		}
	}
	p.capability(plan.CapBulkCopy, true, plan.Probed, "%d work-groups copied %d bytes each and saw them arrive", workgroups, 4*words)
	return nil
}

// warpResults are the results of kernel warp for a work-item of a work-group.
func warpResults(at uint32) [5]uint32 {
	value := func(i uint32) uint32 { return i * 0x9e3779b9 }
	lane := at % warp
	first, up, down, mask := at-lane, at, at, uint32(0)
	if lane >= 1 {
		up = at - 1
	}
	if lane+2 < warp {
		down = at + 2
	}
	for i := range uint32(warp) {
		if (first+i)%3 != 0 {
			mask |= 1 << i
		}
	}
	return [5]uint32{value(up), value(down), value(first + at*7%warp), mask, value(at ^ 31)}
}

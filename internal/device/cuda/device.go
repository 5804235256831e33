//go:build cuda

package cuda

import (
	"context"
	"errors"
	"fmt"
	"os"

	"gorgonia.org/cu"

	shared "github.com/kgen-go/kgen/internal/device"
	"github.com/kgen-go/kgen/internal/device/cache"
	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/plan"
)

// device is a device that stays open from run to run, with its compiled texts
// and its free buffers.
type device struct {
	cache      *cache.Cache
	context    cu.CUContext
	capability int    // 90 is compute capability 9.0
	version    string // the same as text
	programs   map[string]*program
	ahead      shared.Ahead[compilation] // what kernels of a run will need
	pool       shared.Pool[cu.DevicePtr]
	marks      []cu.Event // without a time, that no command has
	small      shared.Blocks[cu.DevicePtr]
	reports    *reporter // nil before the first
	waiting    batch     // commands that the driver has not got
	queues     *session  // that of the last of them
	refused    error     // of commands that went to the driver when nobody could be told
	graphs     graphs
	idle       bool // all that was queued has ended
	machine    plan.Machine
	findings   []worker.Finding
	staged     []byte // memory of the host that copies from the device go through; nil before the first
}

// stagingBytes is the size of that memory.
const stagingBytes = 64 << 10

// staging returns it, empty if there is none.
func (d *device) staging() []byte {
	if d.staged == nil {
		d.staged = pinnedBytes(stagingBytes + 8)
		d.staged = d.staged[:min(stagingBytes, len(d.staged))]
	}
	return d.staged
}

// leastCapability is the compute capability that emitted text needs.
const leastCapability = 60

func newDevice(_ context.Context, c *cache.Cache, number int) (*device, error) {
	id, err := cu.GetDevice(number)
	if err != nil {
		return nil, described{err}
	}
	d := &device{cache: c, programs: map[string]*program{}}
	if err := d.query(id); err != nil {
		return nil, err
	}
	if d.capability < leastCapability {
		return nil, fmt.Errorf("%s has %s; emitted text needs 6.0", d.machine.Device, d.version)
	}
	if d.context, err = id.RetainPrimaryCtx(); err != nil {
		return nil, fmt.Errorf("it cannot be opened: %w", described{err})
	}
	if err := cu.SetCurrentContext(d.context); err != nil {
		return nil, fmt.Errorf("its context: %w", described{err})
	}
	d.pool = newPool(d.machine.Memory, d.release)
	d.small = newBlocks(d)
	d.graphs = newGraphs()
	d.pool.Exact = os.Getenv("KGEN_CUDA_EXACT_BUFFERS") != ""
	return d, nil
}

// query asks the driver for the properties of the device. The other properties
// are guaranteed by CUDA for every device that emitted text runs on.
func (d *device) query(id cu.Device) error {
	var failed error
	number := func(what cu.DeviceAttribute) int64 {
		n, err := id.Attribute(what)
		failed = errors.Join(failed, err)
		return int64(n)
	}
	name, err := id.Name()
	if err != nil {
		return described{err}
	}
	memory, err := id.TotalMem()
	if err != nil {
		return described{err}
	}
	major, minor := number(cu.ComputeCapabilityMajor), number(cu.ComputeCapabilityMinor)
	d.capability, d.version = int(10*major+minor), fmt.Sprintf("compute capability %d.%d", major, minor)
	local := max(localOptIn(id), number(cu.MaxSharedMemoryPerBlock))
	driver := cu.Version()
	d.machine = plan.Machine{
		Device: name, Driver: fmt.Sprintf("CUDA driver for %d.%d", driver/1000, driver%1000/10),
		Units: int(number(cu.MultiprocessorCount)), Subgroup: int(number(cu.WarpSize)), MaxWorkgroup: int(number(cu.MaxThreadsPerBlock)),
		LocalBytes: local, Memory: memory, MaxAlloc: memory, Caps: map[plan.Cap]plan.Evidence{},
	}
	if failed != nil {
		return fmt.Errorf("its properties: %w", failed)
	}
	d.find("capability", fmt.Sprintf("%d.%d", major, minor), plan.Queried, "the compute capability")
	d.find("localBytes", fmt.Sprint(local), plan.Queried, "shared memory that a work-group may request")
	type declared struct {
		capability plan.Cap
		detail     string
	}
	list := []declared{
		{plan.CapAtomicsI64, "every device of compute capability 6.0 and later"},
		{plan.CapFP64, "every device of compute capability 6.0 and later"},
		{plan.CapDivideF32, "the text uses __fdiv_rn and __fsqrt_rn"},
		{plan.CapDenormalsF32, "compiled without -ftz=true"},
		{plan.CapTicket, "a work-group that has started is never suspended"},
		{plan.CapStatic, "blocks start in the order of their index: CUDA does not promise it, and CUB's scans rely on it"},
		{plan.CapResident, "cooperative launches, and at least one work-group per compute unit"},
	}
	// Without NVRTC the cache may hold code compiled on another machine.
	if compiler, missing := loadNVRTC(); (missing != nil || compiler.major >= 12) && d.capability >= 90 && driver >= 12000 {
		list = append(list, declared{plan.CapBulkCopy, "of compute capability 9.0 and later, with a driver for CUDA 12; text that has them needs NVRTC 12"})
	}
	if _, missing := deviceRuntime(); missing == nil && d.capability >= 70 && driver >= 12000 {
		list = append(list, declared{plan.CapChildLaunch, "of compute capability 7.0 and later, with a driver for CUDA 12 and the toolkit's libcudadevrt.a"})
	}
	for _, c := range list {
		d.machine.Caps[c.capability] = plan.Declared
		d.find(string(c.capability), "yes", plan.Declared, "%s", c.detail)
	}
	return nil
}

func (d *device) find(name, value string, evidence plan.Evidence, format string, args ...any) {
	d.findings = append(d.findings, worker.Finding{Name: name, Value: value, Evidence: evidence, Detail: fmt.Sprintf(format, args...)})
}

// identity names everything that machine code depends on, for keys of the
// cache.
func (d *device) identity() []string {
	return []string{d.machine.Device, d.version, d.machine.Driver}
}

func (d *device) commands(timed bool) shared.Commands[event] {
	return shared.Commands[event]{Timed: timed}
}

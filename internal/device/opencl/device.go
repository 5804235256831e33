//go:build opencl

package opencl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/jgillich/go-opencl/cl"

	shared "github.com/kgen-go/kgen/internal/device"
	"github.com/kgen-go/kgen/internal/device/cache"
	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/plan"
)

// device is a device that stays open from run to run, with its built programs
// and its free buffers.
type device struct {
	facts
	cache    *cache.Cache
	id       *cl.Device
	context  *cl.Context
	programs map[string]*program       // by key
	ahead    shared.Ahead[*cl.Program] // what kernels of a run will need
	pool     shared.Pool[*cl.MemObject]
	small    shared.Blocks[*cl.MemObject]
	filling  *cl.CommandQueue // of a fill that was put off
	busy     *cl.CommandQueue // that may have commands which have not ended; nil for none
	staged   []byte           // memory of the host that small reads go through; nil before the first
	machine  plan.Machine
	findings []worker.Finding
	resident int64 // work-groups that are sure to run at once
}

func newDevice(ctx context.Context, c *cache.Cache, f found, probing func()) (*device, error) {
	d := &device{facts: queryFacts(f.platform, f.device), cache: c, id: f.device, programs: map[string]*program{}}
	switch {
	case !d.available:
		return nil, errors.New("the driver says that the device is not available")
	case !d.compiles:
		return nil, errors.New("the driver has no compiler")
	}
	if defect := defectOf(d.platform); defect != "" && os.Getenv(useDefective) == "" {
		return nil, errors.New(defect)
	}
	var err error
	if d.context, err = cl.CreateContext([]*cl.Device{f.device}); err != nil {
		return nil, fmt.Errorf("the device cannot be opened: %s", describe(err))
	}
	places := &apart{}
	if d.isCPU {
		places.align = int64(f.device.MemBaseAddrAlign()) / 8
	}
	d.pool = newPool(d.context, d.memory, places)
	d.pool.Exact = os.Getenv("KGEN_OPENCL_EXACT_BUFFERS") != "" // for tools that find accesses out of bounds
	d.pool.Settle = d.settle
	d.small = shared.Blocks[*cl.MemObject]{
		Pool: &d.pool, Align: max(int64(f.device.MemBaseAddrAlign())/8, 256), Part: partOf,
		Fill: func(block *cl.MemObject, at, bytes int64, with byte) error {
			return enqueueBytes(d.filling, block, with, at, bytes)
		},
	}
	if err := d.probe(ctx, probing); err != nil {
		return nil, fmt.Errorf("the probe failed: %w", err)
	}
	return d, nil
}

// machine holds the properties that the driver reports; the probe adds to them.
func (f facts) machine() plan.Machine {
	return plan.Machine{
		Device: f.name, Driver: f.platform + ", driver " + f.driver,
		Units: int(f.units), MaxWorkgroup: int(f.maxWorkgroup), LocalBytes: f.localBytes, Memory: f.memory, MaxAlloc: f.maxAlloc,
		Caps: map[plan.Cap]plan.Evidence{},
	}
}

// identity names the device and its driver, for keys of the cache.
func (f facts) identity() []string {
	return []string{f.name, f.vendor, f.version, f.driver, f.platform, fmt.Sprint(f.units, f.maxWorkgroup, f.localBytes)}
}

// session readies the device for a run.
func (d *device) session(options worker.SessionOptions) (*session, error) {
	properties := cl.CommandQueueProperty(0)
	if options.Timed {
		properties = cl.CommandQueueProfilingEnable
	}
	queue, err := d.context.CreateCommandQueue(d.id, properties)
	if err != nil {
		return nil, fmt.Errorf("no queue: %s", describe(err))
	}
	kept := d.cache
	if options.Passing || keepsPrograms(d.platform) {
		kept = nil
	}
	return &session{device: d, queue: queue, sources: options.Sources, options: options.Build, cache: kept, commands: shared.Commands[event]{Timed: options.Timed}, compiled: options.Compiled}, nil
}

// keepsPrograms reports whether a platform has a cache of its own. PoCL has, and
// takes three times as long to the first result if it is asked for a binary: for
// that it compiles all kernels once more, for work-groups of any size.
func keepsPrograms(platform string) bool {
	return strings.Contains(platform, "Portable Computing Language") && os.Getenv("POCL_KERNEL_CACHE") != "0"
}

// useDefective is the environment variable that lets defective drivers be used.
const useDefective = "KGEN_OPENCL_DEFECTIVE"

// defectOf says why a platform cannot be trusted with kernels, or "".
func defectOf(platform string) string {
	if strings.Contains(platform, "PoCL 5.0") {
		return "PoCL 5.0 compiles some kernels wrongly, not each time: of 40 compilations of the same text 4 lost a result; install " +
			"PoCL 3.1 or 6.0, with which none did, or set " + useDefective + "=1 to use it all the same"
	}
	return ""
}

// fillNow queues the fill that has been put off.
func (d *device) fillNow(q *cl.CommandQueue) error {
	d.filling = q
	return d.small.FillNow()
}

// settle waits for the commands of the last session that queued any: those of others have ended
// with their runs.
func (d *device) settle() {
	if d.busy != nil {
		d.busy.Finish()
	}
}

// fourOf returns a byte as the element of fills: NVIDIA's driver takes long over single bytes.
func fourOf(b byte) []byte { return []byte{b, b, b, b} }

// stagingBytes is the size of the memory that small reads go through.
const stagingBytes = 64 << 10

// staging returns it, empty if there is none.
func (d *device) staging(q *cl.CommandQueue) []byte {
	if d.staged == nil {
		d.staged = mapped(d.context, q, stagingBytes)
	}
	if d.pool.Exact {
		return nil
	}
	return d.staged
}

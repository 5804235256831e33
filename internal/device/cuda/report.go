//go:build cuda

package cuda

import (
	_ "embed"
	"math"
	"sync/atomic"
	"time"
	"unsafe"

	"gorgonia.org/cu"
)

//go:embed report.ptx
var reportText string

// reporter is a kernel that writes to memory of the host.
type reporter struct {
	function cu.Function
	number   uint64 // of the last report, which the last word of the staging memory gets
}

const (
	mostReported  = 16 << 10 // bytes; the driver's copy is faster for many
	reportThreads = 256
	doneAt        = stagingBytes // behind the staging memory
)

// reporter returns the kernel, or nil if the driver does not take it, or memory may end within
// a word.
func (d *device) reporter() *reporter {
	if d.reports == nil {
		d.reports = &reporter{}
		if module, err := cu.LoadData(reportText + "\x00"); err == nil && len(d.staging()) > 0 {
			if f, err := module.Function("kgen_report"); err == nil {
				d.reports.function = f
			}
		}
	}
	if d.pool.Exact || d.reports.function == (cu.Function{}) {
		return nil
	}
	return d.reports
}

// patience is how long the host looks for a report before it asks the driver, which knows of
// kernels that fail.
const patience = 200 * time.Microsecond

// reported has a kernel write spans to the staging memory, one behind the other, and waits
// for it.
func (s *session) reported(spans []span) error {
	d, r := s.device, s.device.reports
	r.number++
	base := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(d.staged))))
	at := uint64(0)
	for i, sp := range spans {
		number := uint64(math.MaxUint64) // there are more
		if i == len(spans)-1 {
			number = r.number
		}
		arguments := []uint64{uint64(sp.Object) + uint64(sp.From), base + at, uint64(sp.Bytes() / 8), base + doneAt, number}
		err := s.queued("the report of kernels", false, func() error {
			return launch(r.function, 1, reportThreads, 0, arguments, false)
		})
		if err != nil {
			return s.finish(err)
		}
		at += uint64(sp.Bytes())
	}
	done := (*uint64)(unsafe.Pointer(&d.staged[:doneAt+8][doneAt]))
	begun := time.Now()
	for i := 1; atomic.LoadUint64(done) != r.number; i++ {
		if i%256 == 0 && time.Since(begun) > patience {
			return s.Sync()
		}
	}
	s.commands.Ended()
	return nil
}

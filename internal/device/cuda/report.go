//go:build cuda

package cuda

import (
	_ "embed"
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
	count    int // of reports
}

const (
	mostReported  = 16 << 10 // bytes; the driver's copy is faster for many
	reportThreads = 256
	doneAt        = stagingBytes // behind the staging memory

	isDone, thereAreMore = 1, 2 // what lies there

	reportName = "the report of kernels"
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
	done := (*uint64)(unsafe.Pointer(&d.staged[:doneAt+8][doneAt]))
	atomic.StoreUint64(done, 0)
	base := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(d.staged))))
	at := uint64(0)
	for i, sp := range spans {
		mark := uint64(isDone)
		if i < len(spans)-1 {
			mark = thereAreMore
		}
		arguments := [...]argument{argument(uint64(sp.Object) + uint64(sp.From)), argument(base + at), argument(sp.Bytes() / 8), argument(base + doneAt), argument(mark)}
		err := s.wait(func(b *batch) {
			first := len(b.words)
			b.words = append(b.words, arguments[:]...)
			b.uses.everything()
			b.kernel(reportName, r.function, 1, reportThreads, 0, first)
		})
		if err != nil {
			return s.finish(err)
		}
		at += uint64(sp.Bytes())
	}
	if err := s.submit(); err != nil {
		return s.finish(err)
	}
	r.count++
	begun := time.Now()
	for i := 1; atomic.LoadUint64(done) != isDone; i++ {
		if i%256 == 0 && time.Since(begun) > patience {
			return s.Sync()
		}
	}
	s.ended()
	return nil
}

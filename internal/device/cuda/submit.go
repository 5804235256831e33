//go:build cuda

package cuda

import (
	"gorgonia.org/cu"

	shared "github.com/kgen-go/kgen/internal/device"
)

// wait adds a command to those that wait, behind a fill that was put off.
func (s *session) wait(add func(*batch)) error {
	d := s.device
	if err := s.putOff(d.small.FillNow()); err != nil {
		return err
	}
	add(&d.waiting)
	d.queues = s
	if most := len(d.waiting.commands); most < fewWaiting || most < mostWaiting && !d.idle {
		return nil
	}
	return s.submit()
}

// submit passes all commands that wait to the driver. If it fails, those that are left are
// forgotten: it is the run that fails.
func (s *session) submit() error {
	d := s.device
	if err := s.putOff(d.small.FillNow()); err != nil {
		return err
	}
	if err := d.refused; err != nil {
		d.refused = nil
		d.waiting.clear()
		return err
	}
	if len(d.waiting.commands) == 0 {
		return nil
	}
	b := d.waiting
	d.waiting = batch{} // to free memory submits what waits
	defer func() {
		b.clear()
		d.waiting = b
	}()
	if s.gathers && d.graphs.launch(&b, d.context) {
		return s.watch(&b)
	}
	for i, name := range b.names {
		if err := s.command(name, func() error { return b.enqueue(i) }); err != nil {
			return err
		}
	}
	return nil
}

// release frees memory of the driver, which commands that wait may use.
func (d *device) release(p cu.DevicePtr) {
	if d.refused == nil && len(d.waiting.commands) > 0 {
		d.refused = d.queues.submit()
	}
	cu.MemFree(p)
}

// command queues a command of the batch, a fill if it has no name.
func (s *session) command(name string, enqueue func() error) error {
	isKernel := name != ""
	if !isKernel {
		name = "the fill of a buffer"
	}
	return s.recorded(name, isKernel, enqueue)
}

// watch records the kernels of a graph, with one mark behind all.
func (s *session) watch(b *batch) error {
	end, err := s.device.mark(false)
	if err != nil {
		return s.notLost("the mark behind kernels", described{err})
	}
	last := len(b.names) - 1
	for last > 0 && !isWatched(b.names[last]) {
		last--
	}
	for i, name := range b.names[:last+1] {
		if i == last || isWatched(name) {
			s.commands.Add(name, true, event{device: s.device, end: end, others: i < last})
		}
	}
	return nil
}

// isWatched reports whether messages are about a command: not a fill, nor what reads results.
func isWatched(name string) bool { return name != "" && name != reportName }

// ended says that the device has done all that was queued.
func (s *session) ended() {
	s.device.idle = true
	s.commands.Ended()
}

func newBlocks(d *device) shared.Blocks[cu.DevicePtr] {
	return shared.Blocks[cu.DevicePtr]{
		Pool: &d.pool, Align: 256,
		Part: func(block cu.DevicePtr, at, _ int64) (cu.DevicePtr, error) { return block + cu.DevicePtr(at), nil },
		Fill: func(block cu.DevicePtr, at, bytes int64, with byte) error {
			d.waiting.fill(block+cu.DevicePtr(at), []byte{with}, bytes)
			return nil
		},
	}
}

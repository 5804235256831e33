//go:build opencl

package opencl

import (
	"context"
	"unsafe"

	"github.com/jgillich/go-opencl/cl"
)

// The probe's own small launcher of kernels; memory errors show at the launch.

func (p *prober) zeros(words int64) *buffer {
	m, err := p.Alloc(4 * words)
	if err != nil {
		return nil
	}
	if p.Fill(m, []byte{0, 0, 0, 0}, words) != nil {
		p.Free(m)
		return nil
	}
	return m.(*buffer)
}

func (p *prober) floatsOf(values []float32) *buffer {
	m, err := p.Import(unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), 4*len(values)))
	if err != nil {
		return nil
	}
	return m.(*buffer)
}

func (p *prober) release(b *buffer) {
	if b != nil {
		p.Free(b)
	}
}

func (p *prober) entry(ctx context.Context, name, text string) (*cl.Kernel, error) {
	options, err := p.device.options(nil, nil, nil)
	if err != nil {
		return nil, err
	}
	// Without the cache, which is to hold the result of the probe.
	built, err := p.device.build(ctx, nil, source{kernel: name, file: "probe.cl", text: text, options: options}, func() {})
	if err != nil {
		return nil, err
	}
	k, err := built.kernel(name)
	if err != nil {
		return nil, err
	}
	return k.Kernel, nil
}

// launch runs a kernel of probe.cl to its end.
func (p *prober) launch(ctx context.Context, name string, workgroups, size, local int64, arguments ...any) error {
	kernel, err := p.entry(ctx, name, probeText)
	if err != nil {
		return err
	}
	return p.start(kernel, workgroups, size, local, arguments...)
}

func (p *prober) start(kernel *cl.Kernel, workgroups, size, local int64, arguments ...any) error {
	if local > 0 {
		arguments = append(arguments, cl.LocalBuffer(local))
	}
	for i, argument := range arguments {
		if b, ok := argument.(*buffer); ok {
			if b == nil {
				return cl.ErrMemObjectAllocationFailure
			}
			argument = b.Object
		}
		if err := kernel.SetArg(i, argument); err != nil {
			return err
		}
	}
	err := p.queued("a kernel of the probe", true, func(m *mark) error {
		_, err := launch(p.queue, kernel, nil, nil, 0, workgroups*size, size, m) // its arguments are set
		return err
	})
	if err != nil {
		return err
	}
	return p.Sync()
}

func (p *prober) read(b *buffer, words int64) ([]int32, error) {
	got := make([]int32, words)
	return got, p.Read(b, 0, unsafe.Slice((*byte)(unsafe.Pointer(&got[0])), 4*words))
}

func (p *prober) read64(b *buffer, words int64) ([]int64, error) {
	got := make([]int64, words)
	return got, p.Read(b, 0, unsafe.Slice((*byte)(unsafe.Pointer(&got[0])), 8*words))
}

func (p *prober) readFloats(b *buffer, count int64) ([]float32, error) {
	got := make([]float32, count)
	return got, p.Read(b, 0, unsafe.Slice((*byte)(unsafe.Pointer(&got[0])), 4*count))
}

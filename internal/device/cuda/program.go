//go:build cuda

package cuda

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"gorgonia.org/cu"

	shared "github.com/kgen-go/kgen/internal/device"
	"github.com/kgen-go/kgen/internal/device/cache"
	"github.com/kgen-go/kgen/internal/device/worker"
)

// program is a compiled text with its kernels.
type program struct {
	module  cu.Module
	kernels map[string]*kernel
}

// kernel is an entry of a program.
type kernel struct {
	function cu.Function
	most     int64 // work-items of a work-group
	count    int   // parameters, or -1
	local    int64 // largest dynamic shared memory of a launch

	name string // of the last launch, for messages
	rows int64
}

// over names a launch over so many rows.
func (k *kernel) over(name string, rows int64) string {
	if k.name == "" || k.rows != rows {
		k.name, k.rows = fmt.Sprintf("kernel %q over %d rows", name, rows), rows
	}
	return k.name
}

// source is what a program is compiled from.
type source struct {
	kernel  string // the kernel being compiled, for messages
	file    string
	text    string
	options []string
}

// compilation is what NVRTC makes: PTX and, for a device that it knows, machine code.
type compilation struct{ ptx, machine []byte }

// key names the program of s in the cache. Without NVRTC, missing says why.
func (d *device) key(s source) (key string, compiler *nvrtc, missing error) {
	compiler, missing = loadNVRTC()
	version := ""
	if missing == nil {
		version = compiler.version + os.Getenv(warningsVariable) // keeps programs compiled in spite of a warning apart
	}
	return cache.Key(append(append(d.identity(), version, s.text), s.options...)...), compiler, missing
}

// compileAhead has s compiled by a thread, if no one has done that before.
func (d *device) compileAhead(s source) {
	key, compiler, missing := d.key(s)
	if missing == nil && d.programs[key] == nil && !d.cache.Has(key) {
		d.ahead.Begin(key, func() (compilation, error) { return d.compile(compiler, s) })
	}
}

// build returns the program of s: loaded earlier, compiled earlier by any
// process, or compiled now. Without NVRTC, it also uses PTX in the cache that
// another machine compiled. If the cache lacks the program, missed is called first.
func (d *device) build(ctx context.Context, s source, missed func()) (*program, error) {
	key, compiler, missing := d.key(s)
	if p := d.programs[key]; p != nil {
		return p, nil
	}
	p := &program{kernels: map[string]*kernel{}}
	load := func(image []byte) error {
		var err error
		if shared.LaunchesKernels(s.text) {
			if image, err = link(image); err != nil {
				return fmt.Errorf("%s: %w", s.file, err)
			}
		}
		if p.module, err = cu.LoadData(string(image) + "\x00"); err != nil {
			return fmt.Errorf("the driver refuses what NVRTC made of %s: %w", s.file, described{err})
		}
		return nil
	}
	var made compilation
	err := d.cache.Do(ctx, key, load, func() ([]byte, error) {
		missed()
		if missing != nil {
			return nil, missing
		}
		var err error
		if made, err = d.ahead.Result(key, func() (compilation, error) { return d.compile(compiler, s) }); err != nil {
			return nil, err
		}
		image := made.machine
		if image == nil {
			image = made.ptx // the driver compiles it
		}
		return image, load(image)
	})
	switch {
	case err != nil && errors.Is(err, missing):
		err = d.loadPTX(ctx, s, load, missing)
	case made.ptx != nil && err == nil:
		d.cache.Do(ctx, ptxKey(s, d.capability), func([]byte) error { return nil }, func() ([]byte, error) { return made.ptx, nil })
	}
	if err != nil {
		return nil, err
	}
	d.programs[key] = p
	return p, nil
}

// compile has NVRTC compile s for this device.
func (d *device) compile(compiler *nvrtc, s source) (c compilation, err error) {
	options := append([]string{"--gpu-architecture=" + compiler.architecture(d.capability)}, s.options...)
	if shared.LaunchesKernels(s.text) {
		options = append(options, relocatable)
	}
	c.ptx, c.machine, err = compiler.compile(s.file, s.text, options)
	var refused *compileError
	if errors.As(err, &refused) {
		err = worker.NewBuildError(s.kernel, s.file, compiler.version+" for "+d.machine.Device, refused.log, s.text)
	}
	return c, err
}

// capabilities are the compute capabilities, besides the device's own, for
// which PTX is looked up.
var capabilities = []int{120, 103, 100, 90, 89, 87, 86, 80, 75, 72, 70, 62, 61, 60}

func ptxKey(s source, capability int) string {
	return cache.Key(append([]string{"PTX", fmt.Sprint(capability), s.text}, s.options...)...)
}

// loadPTX loads PTX for this device or an older one from the cache.
func (d *device) loadPTX(ctx context.Context, s source, load func([]byte) error, missing error) error {
	for _, capability := range append([]int{d.capability}, capabilities...) {
		if capability > d.capability {
			continue
		}
		none := errors.New("no PTX")
		if err := d.cache.Do(ctx, ptxKey(s, capability), load, func() ([]byte, error) { return nil, none }); err == nil {
			return nil
		}
	}
	return fmt.Errorf("%w; nor does kgen's cache hold PTX of this text, which a machine with NVRTC leaves there", missing)
}

// kernel returns an entry of the program.
func (p *program) kernel(entry string) (*kernel, error) {
	if k := p.kernels[entry]; k != nil {
		return k, nil
	}
	if strings.Contains(entry, "\x00") {
		return nil, fmt.Errorf("the text has no kernel %q", entry)
	}
	f, err := p.module.Function(entry)
	if err != nil {
		return nil, fmt.Errorf("the text has no kernel %q (%w)", entry, described{err})
	}
	most, err := f.Attribute(cu.FnMaxThreadsPerBlock)
	if err != nil {
		return nil, described{err}
	}
	own, err := f.Attribute(cu.SharedSizeBytes)
	if err != nil {
		return nil, described{err}
	}
	k := &kernel{function: f, most: int64(most), count: countParameters(f), local: 48<<10 - int64(own)}
	p.kernels[entry] = k
	return k, nil
}

// allow permits launches of k with local bytes of dynamic shared memory.
func (k *kernel) allow(local int64) error {
	if local <= k.local {
		return nil
	}
	if err := allowLocal(k.function, local); err != nil {
		return fmt.Errorf("%d bytes of shared memory: %w", local, described{err})
	}
	k.local = local
	return nil
}

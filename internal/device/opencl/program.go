//go:build opencl

package opencl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jgillich/go-opencl/cl"

	shared "github.com/kgen-go/kgen/internal/device"
	"github.com/kgen-go/kgen/internal/device/cache"
	"github.com/kgen-go/kgen/internal/device/worker"
	"github.com/kgen-go/kgen/plan"
)

// program is a built text with its kernels.
type program struct {
	built   *cl.Program
	kernels map[string]*kernel
}

// source is what a program is built from.
type source struct {
	kernel  string // the kernel being built, for messages
	file    string
	text    string
	options string
}

// key names the program of s in the cache.
func (d *device) key(s source) string {
	return cache.Key(append(d.identity(), s.options, s.text)...)
}

// buildAhead has s built by a thread, if no one has done that before. Drivers of cores compile
// where a kernel is launched.
func (d *device) buildAhead(c *cache.Cache, s source) {
	key := d.key(s)
	if !d.isCPU && d.programs[key] == nil && !c.Has(key) {
		d.ahead.Begin(key, func() (*cl.Program, error) { return d.compile(s) })
	}
}

// compile builds s.
func (d *device) compile(s source) (*cl.Program, error) {
	built, err := d.context.CreateProgramWithSource([]string{s.text})
	if err != nil {
		return nil, errors.New(describe(err))
	}
	if log, err := buildProgram(built, d.id, s.options); err != nil {
		built.Release()
		return nil, worker.NewBuildError(s.kernel, s.file, d.name+" ("+d.driver+")", log, s.text)
	}
	return built, nil
}

// options returns the driver's options for a text: our own, the options of the
// text, and its constants.
func (d *device) options(given []string, constants []plan.Spec, values []int64) (string, error) {
	options := []string{"-cl-std=CL1.2"}
	if d.dividesExactly {
		options = append(options, "-cl-fp32-correctly-rounded-divide-sqrt")
	}
	for _, option := range given {
		if !slices.Contains(options, option) {
			options = append(options, option)
		}
	}
	more, err := shared.Constants(constants, values)
	return strings.Join(append(options, more...), " "), err
}

// build returns the program of s: built earlier by this process, built earlier
// by another process (its binary is in the cache, which may be nil), or built
// now. If the cache lacks it, missed is called first.
func (d *device) build(ctx context.Context, c *cache.Cache, s source, missed func()) (*program, error) {
	key := d.key(s)
	if p := d.programs[key]; p != nil {
		return p, nil
	}
	p := &program{kernels: map[string]*kernel{}}
	err := c.Do(ctx, key, func(binary []byte) error {
		built, err := programFromBinary(d.context, d.id, binary)
		if err != nil {
			return err
		}
		if _, err := buildProgram(built, d.id, s.options); err != nil {
			built.Release()
			return err
		}
		p.built = built
		return nil
	}, func() ([]byte, error) {
		missed()
		built, err := d.ahead.Result(key, func() (*cl.Program, error) { return d.compile(s) })
		if err != nil {
			return nil, err
		}
		p.built = built
		if c == nil {
			return nil, nil
		}
		return binaryOf(built)
	})
	if p.built == nil {
		return nil, err
	}
	// It is not an error if a driver gives no binary: the program is built.
	d.programs[key] = p
	return p, nil
}

// kernel returns an entry of the program.
func (p *program) kernel(entry string) (*kernel, error) {
	if k := p.kernels[entry]; k != nil {
		return k, nil
	}
	created, err := p.built.CreateKernel(entry)
	if err != nil {
		return nil, fmt.Errorf("the text has no kernel %q (%s)", entry, describe(err))
	}
	k, err := newKernel(created)
	if err != nil {
		return nil, err
	}
	p.kernels[entry] = k
	return k, nil
}

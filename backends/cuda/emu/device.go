package emu

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/plan"
)

// Limits of a block, as on an H200: threads, bytes of shared memory, and bytes of
// shared memory that is declared without extern, which ptxas enforces.
const (
	threadsMost = 1024
	sharedMost  = 227 << 10
	staticMost  = 48 << 10
)

// Device is the emulated device during one run. It implements the device of
// package exec; every operation is finished when its call returns.
type Device struct {
	emulator *Emulator
	process  *process
	texts    map[string]string
	modules  map[string]*module // that are loaded, by file and constants
	kept     *Modules           // built by earlier runs; nil if none are kept
	buffers  map[*buffer]bool
	patient  bool        // launches continue after reads of unwritten memory
	deferred *FaultError // of the first such read
}

// buffer is memory of the device.
type buffer struct {
	number int64
	size   int64
	name   string // of the last parameter that it was passed as
}

// Machine describes the emulated device.
func (d *Device) Machine() plan.Machine { return Machine(d.emulator.options) }

// Resident returns the number of blocks that run at once, Options.Resident.
func (d *Device) Resident(context.Context, *plan.Kernel, *plan.Variant) (int64, error) {
	return int64(d.emulator.options.Resident), nil
}

// Import copies a column to the device. A kernel that writes it is a fault.
func (d *Device) Import(data []byte) (exec.Memory, error) {
	b, err := d.alloc(int64(len(data)), true, data)
	if err != nil {
		return nil, err
	}
	if _, err := d.process.receive(); err != nil {
		return nil, err
	}
	return b, nil
}

// Alloc returns memory with undefined contents.
func (d *Device) Alloc(bytes int64) (exec.Memory, error) {
	b, err := d.alloc(bytes, false, nil)
	if err != nil {
		return nil, err
	}
	return b, nil
}

func (d *Device) alloc(bytes int64, constant bool, data []byte) (*buffer, error) {
	flag := 0
	if constant {
		flag = 1
	}
	// An allocation has at least one byte; the contents follow the reply.
	answer, err := d.process.ask(nil, "alloc %d %d %d", max(bytes, 1), flag, d.emulator.options.Seed&math.MaxInt64)
	if err != nil {
		return nil, err
	}
	b := &buffer{size: bytes}
	if _, err := fmt.Sscan(answer, &b.number); err != nil {
		return nil, d.process.broken(err)
	}
	d.buffers[b] = true
	if constant {
		if len(data) == 0 {
			data = []byte{0}
		}
		d.process.in.Write(data)
		if err := d.process.in.Flush(); err != nil {
			return nil, d.process.broken(err)
		}
	}
	return b, nil
}

// Free frees memory.
func (d *Device) Free(m exec.Memory) {
	b := m.(*buffer)
	delete(d.buffers, b)
	d.process.ask(nil, "free %d", b.number) // the next request returns its error
}

// Fill stores count copies of element at the beginning of m.
func (d *Device) Fill(m exec.Memory, element []byte, count int64) error {
	b, size := m.(*buffer), int64(len(element))
	if size == 0 || count == 0 {
		return nil
	}
	if count < 0 || count > b.size/size {
		return fmt.Errorf("a fill of %d elements of %d bytes in a buffer of %d bytes", count, size, b.size)
	}
	_, err := d.process.ask(element, "fill %d %d %d", b.number, size, count)
	return err
}

// Read copies memory from offset on to the host. With checks, reading unwritten
// memory is a fault.
func (d *Device) Read(m exec.Memory, offset int64, to []byte) error {
	b := m.(*buffer)
	if len(to) == 0 {
		return nil
	}
	if offset < 0 || offset > b.size-int64(len(to)) {
		return fmt.Errorf("a read of %d bytes at %d of a buffer of %d", len(to), offset, b.size)
	}
	answer, err := d.process.ask(nil, "read %d %d %d", b.number, offset, len(to))
	if err != nil {
		return err
	}
	if err := d.process.bytes(to); err != nil {
		return err
	}
	var unwritten int64
	if _, err := fmt.Sscan(answer, &unwritten); err != nil {
		return d.process.broken(err)
	}
	if unwritten >= 0 && d.emulator.options.Check {
		return fmt.Errorf("the CUDA emulation: the host reads byte %d of %s, which no kernel wrote", unwritten, b.describe())
	}
	return nil
}

func (b *buffer) describe() string {
	if b.name == "" {
		return "a buffer"
	}
	return b.name
}

// Sync does nothing, because every call has ended when it returns.
func (d *Device) Sync() error { return d.process.ended }

// Launch runs a kernel, after compiling its text if that is needed. Faults are a
// [FaultError].
func (d *Device) Launch(ctx context.Context, l *exec.Launch) error {
	if l.Workgroups < 1 {
		return nil
	}
	m, err := d.module(ctx, l)
	if err != nil {
		return err
	}
	c := &reportContext{module: m, shared: m.arrays(l.Variant.Entry), local: l.Local, buffers: map[int64]string{}, limit: d.emulator.options.Limit.String()}
	request, err := d.request(m, c, l)
	if err != nil {
		return err
	}
	reports, err := d.process.launch(ctx, d.emulator.options.Limit, request)
	if err != nil {
		return err
	}
	faults, err := c.faults(reports)
	if err != nil {
		return err
	}
	if len(faults) == 0 {
		return nil
	}
	found := &FaultError{Kernel: l.Kernel.Name, Seed: d.emulator.options.Seed, Faults: faults}
	if d.patient && !slices.ContainsFunc(faults, func(f Fault) bool { return f.Kind != Unwritten }) {
		d.deferred = cmp.Or(d.deferred, found)
		return nil
	}
	return found
}

// request returns a launch in the form that the process reads.
func (d *Device) request(m *module, c *reportContext, l *exec.Launch) (string, error) {
	o := d.emulator.options
	threads := int64(max(l.Variant.Schedule.Workgroup, 1))
	cooperative := l.Variant.Forward == plan.ForwardResident // the executor has checked that they fit
	inOrder := l.Variant.Forward == plan.ForwardStatic
	static := int64(0)
	for _, a := range c.shared {
		static += a.bytes
	}
	switch {
	case threads > threadsMost:
		return "", fmt.Errorf("%d threads a block; CUDA has at most %d", threads, threadsMost)
	case m.bounds[l.Variant.Entry] > 0 && threads > m.bounds[l.Variant.Entry]:
		return "", fmt.Errorf("%d threads a block; %s is declared for at most %d", threads, l.Variant.Entry, m.bounds[l.Variant.Entry])
	case l.Workgroups > math.MaxInt32:
		return "", fmt.Errorf("%d blocks; CUDA has at most %d", l.Workgroups, math.MaxInt32)
	case static > staticMost:
		return "", fmt.Errorf("%d bytes of shared variables; CUDA has at most %d beside extern __shared__", static, staticMost)
	case static+l.Local > sharedMost:
		return "", fmt.Errorf("%d bytes of shared memory; the device has %d", static+l.Local, sharedMost)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "launch %d %s %d %d %d %d %d %d %d %d %d %d %d", m.handle, l.Variant.Entry, l.Workgroups, threads, l.Local, o.Resident, bit(cooperative), bit(inOrder),
		bit(o.Check), bit(o.Check || o.Seed != 0), bit(o.AnyLane), o.Seed&math.MaxInt64, len(c.shared))
	for _, a := range c.shared {
		fmt.Fprintf(&b, " %d %d", a.offset, a.bytes)
	}
	fmt.Fprintf(&b, " %d 8 %d 8 %d", 2+len(l.Args), l.Row0, l.Rows)
	sizes := map[int64]int64{}
	for i, arg := range l.Args {
		if arg.Memory == nil {
			bytes := arg.Value.Bytes()
			fmt.Fprintf(&b, " %d %d", len(bytes), int64(word(bytes)))
			continue
		}
		memory := arg.Memory.(*buffer)
		memory.name = l.Variant.Args[i].Name
		c.buffers[memory.number], sizes[memory.number] = memory.name, memory.size
		fmt.Fprintf(&b, " 0 %d", memory.number)
	}
	c.memory = func(number int64) int64 { return sizes[number] }
	return b.String(), nil
}

func bit(set bool) int {
	if set {
		return 1
	}
	return 0
}

// word returns the number whose bytes in memory are those of an argument.
func word(data []byte) uint64 {
	var all [8]byte
	copy(all[:], data)
	return binary.NativeEndian.Uint64(all[:])
}

// module compiles and loads the text of a launch.
func (d *Device) module(ctx context.Context, l *exec.Launch) (*module, error) {
	text, ok := d.texts[l.Variant.File]
	if !ok {
		return nil, fmt.Errorf("the text %q of kernel %q was not given", l.Variant.File, l.Kernel.Name)
	}
	var constants []string
	for i, spec := range l.Variant.Spec {
		constants = append(constants, fmt.Sprintf("%s=%d", spec.Name, l.Spec[i]))
	}
	key := strings.Join(append([]string{l.Variant.File}, constants...), " ")
	if m := d.modules[key]; m != nil {
		return m, nil
	}
	m, err := d.kept.module(key, func() (*module, error) {
		return d.emulator.compiler.module(ctx, l.Kernel.Name, l.Variant.File, text, constants, d.emulator.options.Check)
	})
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("module%d.so", len(d.modules))
	path := filepath.Join(d.emulator.compiler.scratch.Path, name)
	if err := os.WriteFile(path, m.binary, 0o700); err != nil {
		return nil, err
	}
	defer os.Remove(path) // it remains loaded
	answer, err := d.process.ask(nil, "load ./%s", name)
	if err != nil {
		return nil, fmt.Errorf("the compiled text %s: %w", l.Variant.File, err)
	}
	if _, err := fmt.Sscan(answer, &m.handle); err != nil {
		return nil, d.process.broken(errors.New("an answer that is none"))
	}
	d.modules[key] = m
	return m, nil
}

// close frees all memory of the run.
func (d *Device) close() {
	for b := range d.buffers {
		d.Free(b)
	}
	for _, m := range d.modules {
		d.process.ask(nil, "unload %d", m.handle)
	}
}

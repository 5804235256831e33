package simttest

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"

	"github.com/kgen-go/kgen/internal/device/exec"
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
)

// Device runs the kernels of Programs.
type Device struct {
	Programs   map[string]*loop.Func // by Variant.Entry
	Random     *rand.Rand
	Workgroups int  // resident at a time; 0 is 3
	Steps      int  // maximum of statements of a launch; 0 is 100 million
	Starved    int  // the work-group that is so-many-th to do an atomic operation in a launch pauses until all others have ended; 0 is none
	BoundsOnly bool // neither races nor loads of what is not stored are reported: kernels that give up have both
	profile    plan.Machine
	kernels    map[*loop.Func]*kernel // compiled so far
}

// NewDevice returns a device for the kernels of programs. A kernel is the last
// function of its program.
func NewDevice(programs []*loop.Program, random *rand.Rand) *Device {
	d := &Device{Programs: map[string]*loop.Func{}, Random: random}
	for _, program := range programs {
		f := program.Funcs[len(program.Funcs)-1]
		d.Programs[f.Name] = f
	}
	d.profile = plan.Machine{Caps: map[plan.Cap]plan.Evidence{plan.CapTicket: plan.Declared, plan.CapStatic: plan.Declared}, Units: 1, MaxWorkgroup: 1024, LocalBytes: 1 << 20, Memory: 1 << 30, MaxAlloc: 1 << 30}
	return d
}

// buffer is global memory.
type buffer struct{ data []byte }

// Machine implements exec.Device.
func (d *Device) Machine() plan.Machine { return d.profile }

// Resident implements exec.Device.
func (d *Device) Resident(context.Context, *plan.Kernel, *plan.Variant) (int64, error) {
	return int64(max(d.Workgroups, 3)), nil
}

// Import implements exec.Device.
func (d *Device) Import(data []byte) (exec.Memory, error) { return &buffer{data}, nil }

// Alloc implements exec.Device.
func (d *Device) Alloc(bytes int64) (exec.Memory, error) {
	data := make([]byte, (bytes+7)&^7)
	for i := range data { // so that elements that no kernel stores do not look like results
		data[i] = byte(d.Random.Uint32())
	}
	return &buffer{data}, nil
}

// Free implements exec.Device.
func (d *Device) Free(exec.Memory) {}

// Fill implements exec.Device.
func (d *Device) Fill(m exec.Memory, element []byte, count int64) error {
	b := m.(*buffer)
	for i := range count {
		copy(b.data[int(i)*len(element):], element)
	}
	return nil
}

// Read implements exec.Device.
func (d *Device) Read(m exec.Memory, offset int64, to []byte) error {
	copy(to, m.(*buffer).data[offset:])
	return nil
}

// Sync implements exec.Device.
func (d *Device) Sync() error { return nil }

// Launch implements exec.Device.
func (d *Device) Launch(ctx context.Context, l *exec.Launch) error {
	f := d.Programs[l.Variant.Entry]
	if f == nil {
		return fmt.Errorf("simttest: no kernel %s", l.Variant.Entry)
	}
	if len(f.Params) != len(l.Args)+2 {
		return fmt.Errorf("simttest: %s has %d parameters, the plan passes %d", f.Name, len(f.Params), len(l.Args)+2)
	}
	launch := &launch{device: d, kernel: d.kernel(f), size: l.Variant.Schedule.Workgroup, count: int(l.Workgroups), steps: d.Steps, marks: map[*buffer]*marks{}}
	launch.arguments = []argument{{scalar: ir.Int(ir.I64, l.Row0)}, {scalar: ir.Int(ir.I64, l.Rows)}}
	if launch.steps == 0 {
		launch.steps = 100_000_000
	}
	for i, arg := range l.Args {
		if arg.Memory != nil {
			launch.arguments = append(launch.arguments, argument{buffer: arg.Memory.(*buffer)})
		} else {
			launch.arguments = append(launch.arguments, argument{scalar: ir.Scalar{Kind: f.Params[i+2].T.Kind, Bits: arg.Value.Bits}})
		}
	}
	return launch.run()
}

// kernel returns a compiled function.
func (d *Device) kernel(f *loop.Func) *kernel {
	k := d.kernels[f]
	if k == nil {
		if d.kernels == nil {
			d.kernels = map[*loop.Func]*kernel{}
		}
		k = compile(f)
		d.kernels[f] = k
	}
	return k
}

// encode writes an element to memory.
func encode(data []byte, x ir.Scalar) {
	var word [8]byte
	if x.Kind == ir.Char8 {
		binary.BigEndian.PutUint64(word[:], x.Bits)
	} else {
		binary.LittleEndian.PutUint64(word[:], x.Bits)
	}
	copy(data, word[:x.Kind.Size()])
}

// decode reads an element from memory.
func decode(k ir.Kind, data []byte) ir.Scalar {
	if k == ir.Char8 {
		return ir.Scalar{Kind: k, Bits: binary.BigEndian.Uint64(data)}
	}
	var word [8]byte
	copy(word[:], data[:k.Size()])
	bits := binary.LittleEndian.Uint64(word[:])
	switch {
	case k == ir.Bool: // emitted text takes any byte but 0 for true, even a random one
		return ir.BoolScalar(bits != 0)
	case k.IsInteger():
		return ir.Int(k, int64(bits))
	}
	return ir.Scalar{Kind: k, Bits: bits}
}

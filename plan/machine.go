package plan

// Machine is what decisions may know of a device.
type Machine struct {
	Device       string             `json:"device"`
	Driver       string             `json:"driver,omitempty"`
	Units        int                `json:"units"`             // cores or multiprocessors
	Subgroup     int                `json:"subgroup,omitzero"` // work-items in lock step
	MaxWorkgroup int                `json:"maxWorkgroup"`      // work-items a group at most
	LocalBytes   int64              `json:"localBytes,omitzero"`
	Memory       int64              `json:"memory"`   // bytes
	MaxAlloc     int64              `json:"maxAlloc"` // bytes of one buffer
	Caps         map[Cap]Evidence   `json:"caps,omitempty"`
	Rates        map[string]float64 `json:"rates,omitempty"`
}

// Evidence says how a capability is known.
type Evidence string

// The kinds of evidence.
const (
	Declared Evidence = "declared" // by a profile
	Queried  Evidence = "queried"  // the driver says so
	Probed   Evidence = "probed"   // a test kernel showed it
)

// The capabilities that devices are asked for.
const (
	CapAtomicsI64   Cap = "atomics.i64"       // add, minimum, maximum, exchange and compare-and-swap of 64 bits in global memory
	CapFP64         Cap = "fp64"              // f64 arithmetic
	CapTicket       Cap = "progress.ticket"   // a group that has started goes on while later ones wait for it
	CapStatic       Cap = "progress.static"   // groups start in the order of their numbers, so they may stand for tickets
	CapResident     Cap = "progress.resident" // a group a unit runs at once
	CapBulkCopy     Cap = "copy.bulk"         // copies of global to local memory that go on beside the work-items, and barriers that wait for them
	CapDivideF32    Cap = "f32.divide"        // f32 division and square root are correctly rounded
	CapDenormalsF32 Cap = "f32.denormals"     // f32 keeps denormal numbers
)

// Capabilities are all of them.
var Capabilities = []Cap{CapAtomicsI64, CapFP64, CapTicket, CapStatic, CapResident, CapBulkCopy, CapDivideF32, CapDenormalsF32}

// The rates that predictions of cost use.
const (
	RateMemory = "memory" // bytes a second that a streaming kernel moves
	RateLaunch = "launch" // seconds that a launch of an empty kernel takes
)

// Properties are the names that machine expressions know.
var Properties = []string{"units", "subgroup", "maxWorkgroup", "localBytes", "memory", "maxAlloc"}

// renamedProperties are former names of properties with their present ones.
var renamedProperties = map[string]string{"maxGroup": "maxWorkgroup"}

// Property returns the value of one of Properties.
func (m *Machine) Property(name string) (int64, bool) {
	switch name {
	case "units":
		return int64(m.Units), true
	case "subgroup":
		return int64(m.Subgroup), true
	case "maxWorkgroup":
		return int64(m.MaxWorkgroup), true
	case "localBytes":
		return m.LocalBytes, true
	case "memory":
		return m.Memory, true
	case "maxAlloc":
		return m.MaxAlloc, true
	}
	return 0, false
}

// Has reports whether the machine has c.
func (m *Machine) Has(c Cap) bool { return m.Caps[c] != "" }

// DefaultProfile is the machine that code for the cores of a CPU is emitted for.
const DefaultProfile = "cores"

// Profiles returns the declared machines by name. Emitting decides from these,
// never from probed rates, so that the same source gives the same bytes.
func Profiles() map[string]Machine {
	return map[string]Machine{
		DefaultProfile: {
			Device: "declared: 2 cores of a server CPU", Units: 2, Subgroup: 1, MaxWorkgroup: 1,
			LocalBytes: 1 << 20, Memory: 8 << 30, MaxAlloc: 8 << 30,
			Rates: map[string]float64{RateMemory: 40e9, RateLaunch: 5e-6},
		},
		"h200": {
			Device: "declared: NVIDIA H200", Units: 132, Subgroup: 32, MaxWorkgroup: 1024,
			LocalBytes: 227 << 10, Memory: 139 << 30, MaxAlloc: 139 << 30,
			Rates: map[string]float64{RateMemory: 4248e9, RateLaunch: 4e-6},
		},
	}
}

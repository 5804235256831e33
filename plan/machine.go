package plan

import "math"

// Machine describes a device: everything that decisions of the compiler and of a
// plan may depend on.
type Machine struct {
	Device       string             `json:"device"`              // its name
	Driver       string             `json:"driver,omitempty"`    // the driver and its version
	Units        int                `json:"units"`               // compute units: cores or multiprocessors
	Subgroup     int                `json:"subgroup,omitzero"`   // work-items of a subgroup
	MaxWorkgroup int                `json:"maxWorkgroup"`        // maximum of work-items per work-group
	LocalBytes   int64              `json:"localBytes,omitzero"` // local memory of a work-group, in bytes
	Memory       int64              `json:"memory"`              // in bytes
	MaxAlloc     int64              `json:"maxAlloc"`            // maximum size of a buffer in bytes; 0 is no limit
	Caps         map[Cap]Evidence   `json:"caps,omitempty"`      // what it can do, and how that is known
	Rates        map[string]float64 `json:"rates,omitempty"`     // RateMemory, RateLaunch and so on, for predictions of cost
	Curves       map[string]Curve   `json:"curves,omitempty"`    // CurveGather and so on, for the same
}

// Curve says how long something takes, by the size of the memory in which it happens.
type Curve []CurvePoint

// CurvePoint is a point of a curve.
type CurvePoint struct {
	Bytes   int64   `json:"bytes"` // ascending
	Seconds float64 `json:"seconds"`
}

// At returns the seconds at a size: between two points by the logarithm of the size, and
// beyond the ends those of the end. A curve without points has none.
func (c Curve) At(bytes float64) float64 {
	for i, p := range c {
		if bytes > float64(p.Bytes) {
			continue
		}
		if i == 0 {
			return p.Seconds
		}
		before := c[i-1]
		part := math.Log(bytes/float64(before.Bytes)) / math.Log(float64(p.Bytes)/float64(before.Bytes))
		return before.Seconds + part*(p.Seconds-before.Seconds)
	}
	if len(c) == 0 {
		return 0
	}
	return c[len(c)-1].Seconds
}

// Evidence says how a capability is known.
type Evidence string

// The kinds of evidence.
const (
	Declared Evidence = "declared" // a profile declares it
	Queried  Evidence = "queried"  // the driver reports it
	Probed   Evidence = "probed"   // a test kernel showed it
)

// The capabilities.
const (
	CapAtomicsI64   Cap = "atomics.i64"       // add, minimum, maximum, exchange and compare-and-swap of 64 bits in global memory
	CapFP64         Cap = "fp64"              // f64 arithmetic
	CapTicket       Cap = "progress.ticket"   // a work-group that has started makes progress while later ones wait for it
	CapStatic       Cap = "progress.static"   // work-groups start in the order of their index, which can replace a ticket
	CapResident     Cap = "progress.resident" // one work-group per compute unit runs at once
	CapChildLaunch  Cap = "launch.child"      // kernels launch kernels
	CapBulkCopy     Cap = "copy.bulk"         // asynchronous copies from global to local memory, and barriers that wait for them
	CapDivideF32    Cap = "f32.divide"        // f32 division and square root are correctly rounded
	CapDenormalsF32 Cap = "f32.denormals"     // f32 keeps denormal numbers
	CapInlinePTX    Cap = "inline.ptx"        // OpenCL C may contain PTX, which has subgroups of 32 work-items
)

// Capabilities lists all capabilities.
var Capabilities = []Cap{CapAtomicsI64, CapFP64, CapTicket, CapStatic, CapResident, CapChildLaunch, CapBulkCopy, CapDivideF32, CapDenormalsF32, CapInlinePTX}

// The rates that predictions of cost use. Declared machines have the first two. Others are
// measured, and a machine without one is one on which that costs nothing beyond its bytes.
const (
	RateMemory   = "memory"   // bytes per second that a streaming kernel moves
	RateLaunch   = "launch"   // seconds that each launch of a kernel takes, however few rows there are
	RateCall     = "call"     // seconds that a plan takes beyond its launches
	RateOperator = "operator" // seconds a row that an element-wise operator takes, such as an addition
	RateDear     = "dear"     // seconds a row that a dear one takes, such as a division
	RateQuotient = "quotient" // seconds a row that a quotient or root of floats takes, on devices that compute them in lanes
	RateLoop     = "loop"     // seconds a row that a kernel takes on a core, however little it does with the row
	RateScan     = "scan"     // seconds a row that a scan within a work-group takes, with its barriers
	RateLookback = "lookback" // seconds a row that a grid-wide prefix takes, with its scan
	RatePrefix   = "prefix"   // seconds that a launch with a grid-wide prefix takes more than one without, however few rows there are
	RateSelect   = "select"   // the same where the prefix only says where selected rows are stored
	RateBranch   = "branch"   // seconds a row that a branch takes which goes either way by chance, around what is done with selected rows
	RateBeside   = "beside"   // seconds a row that each further scan takes beside the first one of a grid-wide prefix
	RateWaiting  = "waiting"  // seconds a row that a grid-wide prefix takes more if it waits for another one of its kernel
	RateStoring  = "storing"  // seconds a row that such a prefix takes more if rows are stored before it, which has to be seen before the prefix is
	RateClosing  = "closing"  // the same of a prefix over segments that end in its kernel
)

// The curves that predictions of cost use, with the seconds that one row takes beyond its
// bytes.
const (
	CurveGather = "gather" // a load from anywhere in a table
	CurveAtomic = "atomic" // an atomic addition anywhere in a table in global memory
	CurveLocal  = "local"  // an addition anywhere in a table that local memory or a core's cache holds
	CurveTile   = "tile"   // the same in a kernel with a grid-wide prefix, where each tile begins a table and adds it to one in global memory
	CurveSearch = "search" // a search in a hash table of so many bytes on a core, from a slot that an earlier kernel has computed
	CurveHashed = "hashed" // what a search takes more if its kernel computes the slot: a wrong guess ends what a core does for later rows
)

// Properties lists the names that [Property] and Machine.Property take.
var Properties = []string{"units", "subgroup", "maxWorkgroup", "localBytes", "memory", "maxAlloc"}

// renamedProperties maps former names of properties to the present ones.
var renamedProperties = map[string]string{"maxGroup": "maxWorkgroup"}

// Property returns the value of one of [Properties].
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

// RunsInTurn reports whether the device runs the work-items of a work-group one after the other, as OpenCL does on the cores of a CPU.
func (m *Machine) RunsInTurn() bool { return m.Subgroup == 1 && m.MaxWorkgroup > 1 }

// DefaultProfile is the machine that code for the cores of a CPU is emitted for.
const DefaultProfile = "cores"

// Profiles returns the declared machines by name. Emitters decide from these,
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

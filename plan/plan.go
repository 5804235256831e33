package plan

// Version is the version of the JSON form that this package reads and writes.
const Version = 1

// MaxRows is the maximum of rows that one launch spans, so that positions within
// a launch fit 32 signed bits.
const MaxRows = 1<<31 - 1

// PartRows is the number of rows per launch that is best for an input of more
// than MaxRows rows.
const PartRows = 1 << 30

// Plan is a host program.
type Plan struct {
	Version  int      `json:"version"`            // [Version]
	Pipeline string   `json:"pipeline"`           // the name of the pipeline
	Level    string   `json:"level,omitempty"`    // the fusion level, or the plan as the user wrote it
	Ports    []Port   `json:"ports,omitempty"`    // parameters and results, in order
	Domains  []Domain `json:"domains,omitempty"`  // sets of rows; a domain may use the lengths of the domains before it
	Scalars  []Scalar `json:"scalars,omitempty"`  // variables of the host
	Buffers  []Buffer `json:"buffers,omitempty"`  // memory of the device
	Kernels  []Kernel `json:"kernels,omitempty"`  // what Launch steps run
	Steps    []Step   `json:"steps"`              // the program
	Sites    []Site   `json:"sites,omitempty"`    // the checks that data can fail, in source order
	Needs    []Cap    `json:"needs,omitempty"`    // capabilities of the machine, in addition to those of the kernels
	Fallback *Plan    `json:"fallback,omitempty"` // runs if this plan gives up; it has the same ports
}

// Direction says whether a port is a parameter or a result.
type Direction string

// The directions.
const (
	In  Direction = "in"  // a parameter
	Out Direction = "out" // a result
)

// Port is a parameter or a result: a column over Domain held in Buffer, or a
// scalar held in Scalar. Exactly one of Buffer and Scalar is set.
type Port struct {
	Name      string    `json:"name"`              // as the caller knows it
	Direction Direction `json:"direction"`         // parameter or result
	Kind      Kind      `json:"kind"`              // of the elements or the scalar
	Domain    string    `json:"domain,omitempty"`  // of a column; "" for a scalar
	Buffer    string    `json:"buffer,omitempty"`  // that holds a column
	Scalar    string    `json:"scalar,omitempty"`  // that holds a scalar
	Default   Literal   `json:"default,omitempty"` // the value of a scalar parameter that the caller omits; "" makes it required
	Text      Literal   `json:"text,omitempty"`    // of kind text: the string of a constant, or of a default, or of missing rows, in Go's double quotes
	Depth     Expr      `json:"depth,omitzero"`    // of a float sum, avg or scan: the longest chain of additions, for the bound on its error
}

// Domain is a set of rows. A domain without Len is an input domain: the input
// columns over it determine its length.
type Domain struct {
	Name    string   `json:"name"`              // unique among the domains
	Len     Expr     `json:"len,omitzero"`      // the length in rows
	Counter *Element `json:"counter,omitempty"` // holds the length on the device, before a Read copies it to the host
	Bound   Expr     `json:"bound,omitzero"`    // an upper bound of Len
	Ordered bool     `json:"ordered,omitzero"`  // the order of rows is part of the result
}

// Element is one element of a buffer.
type Element struct {
	Buffer string `json:"buffer"`         // the name of the buffer
	Index  int64  `json:"index,omitzero"` // the position of the element
}

// Scalar is a variable of the host. An Expr can use scalars of kind i64.
type Scalar struct {
	Name string  `json:"name"`           // unique among the scalars
	Kind Kind    `json:"kind"`           // of its value
	Init Literal `json:"init,omitempty"` // the first value; "" is zero
}

// Role says what a buffer is for.
type Role string

// The roles of a buffer.
const (
	Input     Role = "input"     // a column of the caller; never written
	Output    Role = "output"    // a column of the result
	Temporary Role = "temporary" // intermediate results, including state that passes from part to part
	Status    Role = "status"    // words in which the work-groups of a launch, or of all parts, publish their state to each other
	Counter   Role = "counter"   // lengths and flags that the host reads
	Errors    Role = "errors"    // a word per site: the smallest failing row, or the greatest value of its kind
	Abort     Role = "abort"     // one word; a kernel that gives up sets it, and Fallback runs
)

// Buffer is memory of the device. The caller binds input buffers; any other
// buffer exists after its Alloc step.
type Buffer struct {
	Name   string  `json:"name"`            // unique among the buffers
	Kind   Kind    `json:"kind"`            // of its elements
	Length Expr    `json:"length,omitzero"` // in elements, evaluated by Alloc; none for an input
	Role   Role    `json:"role"`            // what it is for
	Fill   Literal `json:"fill,omitempty"`  // what Init stores in every element; "" is zero
}

// Kernel is a kernel with its alternatives. The first variant that the device
// can run is launched.
type Kernel struct {
	Name     string    `json:"name"`             // unique among the kernels
	Stages   []string  `json:"stages,omitempty"` // the stages that it runs, for readers
	Variants []Variant `json:"variants"`         // at least one
}

// Variant is one way to run a kernel.
type Variant struct {
	Needs      []Cap    `json:"needs,omitempty"`     // capabilities of the machine
	Schedule   Schedule `json:"schedule,omitzero"`   // the shape of its work-groups
	Entry      string   `json:"entry"`               // the function's name in File
	File       string   `json:"file,omitempty"`      // the emitted text
	Args       []Arg    `json:"args,omitempty"`      // arguments after row0 and rows, which every kernel takes first
	Spec       []Spec   `json:"spec,omitempty"`      // constants of the build
	Grid       Expr     `json:"grid,omitzero"`       // number of work-groups; default ceildiv(rows, Schedule.Rows())
	GridLimit  int64    `json:"gridLimit,omitzero"`  // maximum of work-groups, for kernels whose work grows faster than their rows; a larger launch makes the plan give up
	LocalBytes Expr     `json:"localBytes,omitzero"` // local memory that the host passes to a work-group
	OwnBytes   int64    `json:"ownBytes,omitzero"`   // local memory that the kernel declares
	Forward    Forward  `json:"forward,omitempty"`   // the progress that it relies on
}

// Forward is the progress between work-groups that a variant relies on.
type Forward string

// The kinds of forward progress.
const (
	ForwardNone     Forward = ""         // work-groups never wait for each other
	ForwardTicket   Forward = "ticket"   // a work-group waits only for work-groups that have started
	ForwardStatic   Forward = "static"   // a work-group waits only for work-groups of lower index
	ForwardResident Forward = "resident" // all work-groups run at once; the grid must not exceed resident(kernel)
)

// Access is how a kernel uses a buffer.
type Access string

// The kinds of access.
const (
	Reads       Access = ""          // only reads
	Writes      Access = "write"     // only writes
	ReadsWrites Access = "readwrite" // reads and writes
)

// Arg is an argument of a kernel: a buffer, a scalar by value, or an
// expression as an i64. Exactly one of Buffer, Scalar and Value is set.
type Arg struct {
	Name   string `json:"name"`             // the parameter's name in the emitted text
	Buffer string `json:"buffer,omitempty"` // the name of a buffer
	Access Access `json:"access,omitempty"` // how the kernel uses Buffer
	Scalar string `json:"scalar,omitempty"` // the name of a scalar
	Value  Expr   `json:"value,omitzero"`   // an integer
}

// Spec is a constant that is known only when the kernel is built for a machine.
type Spec struct {
	Name  string `json:"name"`  // the macro or constant in the text
	Value Expr   `json:"value"` // of constants, machine and resident only
}

// Site is a place where run-time data can break a rule of the language.
type Site struct {
	Number   int    `json:"number"`           // its position in Plan.Sites and in the errors buffer
	Position string `json:"position"`         // file:line:column
	Kind     string `json:"kind"`             // what is checked, such as "division by zero"
	Message  string `json:"message"`          // what is wrong and what would be right
	Domain   string `json:"domain,omitempty"` // the domain in which rows are counted; "" for a check of scalars
	When     Expr   `json:"when,omitzero"`    // of a check of host scalars: it fails, at row 0, if this holds at a CheckErrors
}

// Cap is a capability that a machine may have, such as "atomics.i64".
type Cap string

// Bound returns what x never exceeds, if x is the length of a domain; else x.
func (p *Plan) Bound(x Expr) Expr {
	for _, d := range p.Domains {
		if x.Op == OpLen && d.Name == x.Name && !d.Bound.IsZero() {
			return d.Bound
		}
	}
	return x
}

// Constant returns the value of an expression that is known when the plan is made: a
// constant, or the length of a domain that has one.
func (p *Plan) Constant(x Expr) (value int64, ok bool) {
	if x.Op == OpLen {
		for _, d := range p.Domains {
			if d.Name == x.Name && !d.Len.IsZero() {
				return p.Constant(d.Len)
			}
		}
	}
	return x.Const, x.Op == OpConst
}

package plan

// Version is the version of the JSON form that this package reads and writes.
const Version = 1

// MaxRows is how many rows one launch may span: positions inside a launch
// always fit 32 signed bits.
const MaxRows = 1<<31 - 1

// PartRows is how many rows a launch takes at best where an input has more than
// MaxRows.
const PartRows = 1 << 30

// Plan is a host program.
type Plan struct {
	Version  int      `json:"version"`
	Pipeline string   `json:"pipeline"`
	Level    string   `json:"level,omitempty"` // the fusion level, or the plan as the user wrote it
	Ports    []Port   `json:"ports,omitempty"`
	Domains  []Domain `json:"domains,omitempty"`
	Scalars  []Scalar `json:"scalars,omitempty"`
	Buffers  []Buffer `json:"buffers,omitempty"`
	Kernels  []Kernel `json:"kernels,omitempty"`
	Steps    []Step   `json:"steps"`
	Sites    []Site   `json:"sites,omitempty"` // in source order
	Needs    []Cap    `json:"needs,omitempty"` // of the machine, beside what the kernels need
	Fallback *Plan    `json:"fallback,omitempty"`
}

// Direction says whether a port is a parameter or a result.
type Direction string

// The directions.
const (
	In  Direction = "in"
	Out Direction = "out"
)

// Port is a parameter or a result: a column over Domain held in Buffer, or a
// scalar held in Scalar. Exactly one of Buffer and Scalar is set.
type Port struct {
	Name      string    `json:"name"`
	Direction Direction `json:"direction"`
	Kind      Kind      `json:"kind"`
	Domain    string    `json:"domain,omitempty"` // "" for a scalar
	Buffer    string    `json:"buffer,omitempty"`
	Scalar    string    `json:"scalar,omitempty"`
	Default   Literal   `json:"default,omitempty"` // of a scalar parameter; "" makes the caller give it
	Depth     Expr      `json:"depth,omitzero"`    // of a float sum, avg or scan: the longest chain of additions, for the bound on its error
}

// Domain is a set of rows. Without Len it is an input domain: its length is
// that of the input columns over it.
type Domain struct {
	Name    string   `json:"name"`
	Len     Expr     `json:"len,omitzero"`
	Counter *Element `json:"counter,omitempty"` // holds the length on the device, before a Read has brought it to the host
	Bound   Expr     `json:"bound,omitzero"`    // Len never exceeds it
	Ordered bool     `json:"ordered,omitzero"`  // the order of rows is part of the meaning
}

// Element is one element of a buffer.
type Element struct {
	Buffer string `json:"buffer"`
	Index  int64  `json:"index,omitzero"`
}

// Scalar is a variable of the host. Those of kind i64 can stand in an Expr.
type Scalar struct {
	Name string  `json:"name"`
	Kind Kind    `json:"kind"`
	Init Literal `json:"init,omitempty"` // "" is zero
}

// Role says what a buffer is for.
type Role string

// The roles of a buffer.
const (
	Input     Role = "input"     // a column of the caller; never written
	Output    Role = "output"    // a column of the result
	Temporary Role = "temporary" // everything between, carries included
	Status    Role = "status"    // words by which the groups of one launch tell each other, or those of all parts
	Counter   Role = "counter"   // lengths and flags that the host reads
	Errors    Role = "errors"    // a word per site: the smallest failing row, or the greatest value of its kind
	Abort     Role = "abort"     // one word; a kernel that gives up sets it, and Fallback runs
)

// Buffer is memory of the device. An input buffer is bound by the caller; any
// other exists from its Alloc step on.
type Buffer struct {
	Name   string  `json:"name"`
	Kind   Kind    `json:"kind"`
	Length Expr    `json:"length,omitzero"` // elements, evaluated by Alloc; none for an input
	Role   Role    `json:"role"`
	Fill   Literal `json:"fill,omitempty"` // what Init stores in every element; "" is zero
}

// Kernel is a kernel with its alternatives: the first runnable variant wins.
type Kernel struct {
	Name     string    `json:"name"`
	Stages   []string  `json:"stages,omitempty"`
	Variants []Variant `json:"variants"`
}

// Variant is one way to run a kernel.
type Variant struct {
	Needs      []Cap    `json:"needs,omitempty"`
	Schedule   Schedule `json:"schedule,omitzero"`
	Entry      string   `json:"entry"`          // the function's name in File
	File       string   `json:"file,omitempty"` // the emitted text
	Args       []Arg    `json:"args,omitempty"` // after row0 and rows, which every kernel takes first
	Spec       []Spec   `json:"spec,omitempty"`
	Grid       Expr     `json:"grid,omitzero"`       // groups; default ceildiv(rows, Schedule.Rows())
	GridLimit  int64    `json:"gridLimit,omitzero"`  // groups at most, for kernels whose work grows faster than their rows; a launch of more makes the plan give up
	LocalBytes Expr     `json:"localBytes,omitzero"` // group-local memory that the host gives
	OwnBytes   int64    `json:"ownBytes,omitzero"`   // group-local memory that the kernel declares
	Forward    Forward  `json:"forward,omitempty"`
}

// Forward is the progress between groups that a variant relies on.
type Forward string

// The kinds of forward progress.
const (
	ForwardNone     Forward = ""         // groups never wait for each other
	ForwardTicket   Forward = "ticket"   // a group waits only for groups that have started
	ForwardStatic   Forward = "static"   // a group waits only for groups of lower numbers
	ForwardResident Forward = "resident" // all groups run at once; the grid must not exceed resident(kernel)
)

// Access is how a kernel uses a buffer.
type Access string

// The accesses.
const (
	Reads       Access = ""
	Writes      Access = "write"
	ReadsWrites Access = "readwrite"
)

// Arg is an argument of a kernel: a buffer, a scalar by value, or an
// expression as an i64. Exactly one of Buffer, Scalar and Value is set.
type Arg struct {
	Name   string `json:"name"` // the parameter's name in the emitted text
	Buffer string `json:"buffer,omitempty"`
	Access Access `json:"access,omitempty"` // of Buffer
	Scalar string `json:"scalar,omitempty"`
	Value  Expr   `json:"value,omitzero"`
}

// Spec is a constant that is known only when the kernel is built for a
// machine. Its value may use machine and resident, nothing else that varies.
type Spec struct {
	Name  string `json:"name"`
	Value Expr   `json:"value"`
}

// Site is a place where run-time data can break a rule of the language.
type Site struct {
	Number   int    `json:"number"`   // its position in Plan.Sites and in the errors buffer
	Position string `json:"position"` // file:line:column
	Kind     string `json:"kind"`
	Message  string `json:"message"`          // what is wrong and what would be right
	Domain   string `json:"domain,omitempty"` // rows are counted in it; "" for a scalar check
	When     Expr   `json:"when,omitzero"`    // a check of host scalars: it fails, at row 0, where this is true at a CheckErrors
}

// Cap is a capability that a machine may have, such as "atomics.i64".
type Cap string

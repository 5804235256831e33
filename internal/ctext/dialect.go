package ctext

import (
	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/templates"
)

// Dialect is a language of the C family, as data.
type Dialect struct {
	Name   string            // for messages: OpenCL C 1.2
	Leaves *templates.Leaves // its leaf intrinsics

	// IsReserved reports whether a name means something in the language, beside
	// the keywords of C.
	IsReserved func(name string) bool

	Types   map[ir.Kind]string // of values: bool, char ... ulong, float, double
	Suffix  map[ir.Kind]string // of literals of 32 and 64 bits and of f32
	Decimal bool               // not all compilers know hexadecimal literals of floats; they round decimal ones correctly
	Counter string             // the type of counters below 2^31, signed
	Byte    string             // the type of a bool in memory

	Space    map[loop.Space]string // the qualifier of memory that a pointer points to, with a space behind it, or ""
	Local    string                // before the declaration of an array that a group shares, likewise
	Launched string                // of one whose bytes the launch brings, aligned for all accesses; "" where the language has none
	Restrict string                // of read-only memory, likewise
	Function string                // before the result type of a function that kernels call, likewise
	// Kernel is what stands before the name of a kernel: its attributes and
	// "void". A groupSize of 0 is any, an occupancy of 0 what the compiler makes it.
	Kernel    func(groupSize, occupancy int) string
	Occupancy bool // whether that says for how many groups of a unit there are registers

	Align string // of local memory that is accessed loop.WideBytes at a time, with a space behind it
	// Wide returns the vector of loop.WideBytes of elements of kind k, and what
	// makes one of a list.
	Wide func(k ir.Kind) (vector, construct string)

	Subgroup int // work-items of one, which lie together in the group; 0 where the language has none

	IDs  map[loop.IDKind]string // the expression of a position, of type Counter
	Bits map[ir.Kind]string     // the function that reads bits as a value of another kind, perhaps with a cast before it
	// Floats are the functions that operators on floats are called by, where C
	// has no operator, or one that compilers of the language round otherwise.
	Floats map[ir.Op]map[ir.Kind]string

	// Barrier waits for the work-items of a group. It orders their accesses to
	// local memory, and to global memory if it is asked to.
	Barrier func(global bool) string
	// SubgroupBarrier waits for those of a subgroup, and orders their accesses to
	// both; "" where the language has none.
	SubgroupBarrier string
	// Fence orders the accesses of a work-item to local and global memory, as
	// its group sees them.
	Fence string
	// Unroll stands before a short loop that shall be unrolled; "" leaves it to
	// the compiler.
	Unroll string
	// Atomic is a call for integers of 32 or 64 bits; of a compare and exchange,
	// args begin with the expected value.
	Atomic func(op loop.AtomicOp, k ir.Kind, address string, args []string) string

	// Preamble is the lines before everything else that a program with these
	// needs begins with.
	Preamble func(needs func(plan.Cap) bool) []string
	// Options are what the compiler has to be told, always ("") and for a
	// capability.
	Options map[plan.Cap][]string
}

// Text is a printed program.
type Text struct {
	Source  []byte
	Kernels []Kernel   // in the order of the program
	Needs   []plan.Cap // what the device must have, sorted
	Options []string   // what its compiler must be told
}

// Kernel is a kernel as the host sees it.
type Kernel struct {
	Func       *loop.Func
	Entry      string   // its name in the text
	Params     []string // those of its parameters
	LocalBytes int64    // local memory of a group
}

package ctext

import (
	"slices"

	"github.com/kgen-go/kgen/internal/loop"
	"github.com/kgen-go/kgen/ir"
	"github.com/kgen-go/kgen/plan"
	"github.com/kgen-go/kgen/templates"
)

// Dialect describes a language of the C family as data. A qualifier is followed
// by a space in it; an empty one means that the language has none.
type Dialect struct {
	Name    string             // for messages: OpenCL C 1.2
	Helpers *templates.Helpers // the functions that emitted text may carry along

	// IsReserved reports whether the language reserves a name, beyond the
	// keywords of C.
	IsReserved func(name string) bool

	Types   map[ir.Kind]string // of values: bool, char ... ulong, float, double
	Suffix  map[ir.Kind]string // of literals of 32 and 64 bits and of f32
	Decimal bool               // floats are decimal literals, because not all compilers read hexadecimal ones
	Counter string             // the type of counters below 2^31, signed
	Byte    string             // the type of a bool in memory

	Space    map[loop.Space]string // qualifier of the memory that a pointer points to
	Local    string                // qualifier of an array that a work-group shares
	Launched string                // qualifier of an array whose size the launch decides, aligned for all accesses
	Declares bool                  // such an array is declared with its size all the same, because hosts bring less than devices have
	Restrict string                // qualifier of read-only memory
	Alone    string                // qualifier of memory that is only stored to, and has no other name
	Function string                // qualifier of a function that kernels call
	// Kernel returns the attributes and result type of a kernel, which precede its
	// name. A groupSize of 0 allows any size; an occupancy of 0 leaves the number
	// of registers to the compiler.
	Kernel    func(groupSize, occupancy int) string
	Occupancy bool // whether Kernel heeds occupancy: work-groups of a compute unit that registers must suffice for

	Atomics64     bool  // whether all devices have atomic operations of 64 bits
	MergesCounts  bool  // whether devices add up the ones that a subgroup adds to one address of local memory
	LanesInOrder  bool  // whether they change an address of local memory for one lane after the other, as a rule
	LaunchedLocal int64 // bytes of local memory that a launch may bring, on the devices that kernels are tuned for; 0 if it brings none

	BulkCopies bool // whether helpers copy to local memory asynchronously

	Align string // attribute of local memory that is accessed loop.WideBytes at a time
	// Wide returns the vector type of loop.WideBytes of elements of kind k, and
	// the operator or function that makes a vector of its elements.
	Wide func(k ir.Kind) (vector, construct string)
	// LoadOnce is the function for a load of such a vector that nothing else reads, or "".
	LoadOnce string

	Subgroup int // consecutive work-items of a subgroup; 0 if the language has no subgroups

	IDs  map[loop.IDKind]string // the expression of a position, of type Counter
	Bits map[ir.Kind]string     // the function that reinterprets bits as a value of the kind, perhaps with a cast before it
	// Floats has the functions for operators on floats that C lacks, or that
	// compilers of the language round otherwise.
	Floats map[ir.Op]map[ir.Kind]string

	// Barrier waits for the work-items of a work-group. It orders their accesses
	// to local memory and, if global is set, to global memory.
	Barrier func(global bool) string
	// SubgroupBarrier waits for the work-items of a subgroup, and orders their
	// accesses to local and global memory; "" if the language has none.
	SubgroupBarrier string
	// Fence orders the accesses of a work-item to local and global memory, as
	// seen by its work-group.
	Fence string
	// Child returns the statement by which a work-item launches a kernel, and the condition
	// that holds behind it if it could not; nil if kernels launch none.
	Child func(kernel string, workgroups string, workgroupSize int, args []string) (launch, failed string)
	// Unroll precedes a short loop that has to be unrolled; "" leaves unrolling
	// to the compiler.
	Unroll string
	// Atomic returns a call for integers of 32 or 64 bits. The args of a compare
	// and exchange begin with the expected value.
	Atomic func(op loop.AtomicOp, k ir.Kind, address string, args []string) string

	// Preamble returns the first lines of a program that needs some capabilities.
	Preamble func(needs func(plan.Cap) bool) []string
	// Options are the options of the compiler by the capability that needs them;
	// those of "" are always given.
	Options map[plan.Cap][]string
}

// Text is a printed program.
type Text struct {
	Source  []byte
	Kernels []Kernel   // in the order of the program
	Needs   []plan.Cap // what the device must have, sorted
}

// CompilerOptions returns the options of the compiler for a text with some needs.
func (d *Dialect) CompilerOptions(needs []plan.Cap) []string {
	options := slices.Clone(d.Options[""])
	for _, c := range needs {
		options = append(options, d.Options[c]...)
	}
	return options
}

// Kernel is a kernel as the host sees it.
type Kernel struct {
	Func       *loop.Func
	Entry      string   // its name in the text
	Params     []string // the names of its parameters in the text
	LocalBytes int64    // local memory of a work-group
}

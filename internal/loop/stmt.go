package loop

import "github.com/kgen-go/kgen/ir"

// Stmt is a statement.
type Stmt interface{ stmt() }

// The statements.
type (
	// Decl declares a variable that Assign may change: Init is its first
	// value (nil: zero; of a slice: another one, whose memory it has until Grow moves it), or it is storage. Storage of form Array is zeroed,
	// one of form Slice is made with Length zeros, or either holds anything if it is Kept. Storage in Local memory is
	// one per work-group, holds anything at first, and is declared in the
	// outermost body of a kernel.
	Decl struct {
		Var    *Var
		Init   Expr
		Length Expr // of form Slice without Init
		Kept   bool // storage of form Slice that may be what an earlier call of the pipeline has left (profile cores), or of form Array what was there before (profile simt)
		Over   *Var // storage in Local memory that Var shares its bytes with; what one stores the other does not load
		Launch bool // storage in Local memory that a launch brings: one at most a kernel
	}

	// Let names a value; the variable never changes.
	Let struct {
		Var *Var
		X   Expr
	}

	// Assign changes a declared variable.
	Assign struct {
		Var *Var
		X   Expr
	}

	// Store is Memory[Index] = X.
	Store struct {
		Memory *Var
		Index  Expr
		X      Expr
	}

	// LoadWide binds Vars to consecutive elements of Memory from Index on, in
	// one access of WideBytes. Memory begins at such a boundary, and Index is a
	// multiple of their number (profile simt). Once says that nothing else
	// reads them: caches keep others before them.
	LoadWide struct {
		Vars   []*Var
		Memory *Var
		Index  Expr
		Once   bool
	}

	// StoreWide stores X at Memory[Index] and behind, likewise.
	StoreWide struct {
		Memory *Var
		Index  Expr
		X      []Expr
	}

	// StoreLanes stores the lanes of X at Memory[Index] and behind (profile cores).
	StoreLanes struct {
		Memory *Var
		Index  Expr
		X      Expr
	}

	// Atomic changes Memory[Index] by X in one step and binds Old, unless it
	// is nil, to the value before. It orders no other memory access.
	Atomic struct {
		Op       AtomicOp
		Memory   *Var
		Index    Expr
		X        Expr
		Expected Expr // of AtomicCompareExchange, else nil
		Old      *Var
	}

	// If runs Then where Cond holds, else Else.
	If struct {
		Cond Expr
		Then []Stmt
		Else []Stmt
	}

	// For runs Body with Var = Lo, Lo+Step, ... below Hi. Hi is evaluated
	// once, Step is at least 1.
	For struct {
		Var    *Var
		Lo, Hi Expr
		Step   int64
		Body   []Stmt
	}

	// While runs Body as long as Cond holds.
	While struct {
		Cond Expr
		Body []Stmt
	}

	// Break leaves the innermost For or While.
	Break struct{}

	// Note is a comment, of one or more lines.
	Note struct{ Text string }

	// Do calls for effects or for several results, which it binds as Let
	// does, or assigns where they are variables that Decl declared: all of
	// them or none. A nil result is dropped.
	Do struct {
		Results []*Var
		Call    *Call
	}

	// Barrier waits for all work-items of Scope (profile simt).
	Barrier struct{ Scope Scope }

	// Fence orders the memory accesses of a work-item for Scope (profile simt).
	Fence struct{ Scope Scope }

	// Role runs Body on Count subgroups of each work-group, starting with First
	// (profile simt).
	Role struct {
		Name         string
		First, Count int
		Body         []Stmt
	}

	// Child launches Kernel, an earlier kernel of the program, for a grid of Workgroups,
	// at least one (profile simt). It begins at any time, and the launch of the kernel that
	// launches it ends after it. It sees what its work-item has stored before. Otherwise
	// runs instead where the device has no room for one launch more.
	Child struct {
		Kernel     *Func
		Workgroups Expr
		Args       []Expr
		Otherwise  []Stmt
	}

	// Parallel cuts the rows 0..Rows into at most Workers ranges Lo..Hi, runs
	// Body for each at the same time and waits for all (profile cores). Cuts
	// lie at multiples of Grain and depend only on Rows, Workers and Grain, so
	// two Parallels get the same ranges. Body assigns no variable from outside;
	// it may store to memory. Unless Fixed, a smaller grain is allowed.
	Parallel struct {
		Rows, Workers  Expr
		Grain          int64
		Fixed          bool
		Worker, Lo, Hi *Var
		Body           []Stmt
	}

	// Chain cuts the rows 0..Rows into blocks Lo..Hi of Block rows, which at
	// most Workers workers take in order (profile cores). Each worker runs
	// Setup once, then for each of its blocks Before, Turn and After. The Turns
	// run one at a time in the order of the blocks, and only they may change
	// variables from outside: they pass a prefix from block to block, while the
	// other parts run concurrently. Unless Fixed, smaller blocks are allowed. When a worker has
	// no block left, it runs Finish, which may change variables from outside, too: one worker after the other, in any order.
	// With Worker, the number of a worker, blocks are dealt: each worker has every so manieth one, and equal workers have equal rows.
	Chain struct {
		Rows, Workers       Expr
		Block               int64
		Fixed               bool
		Worker              *Var // or nil
		Setup               []Stmt
		Lo, Hi              *Var
		Before, Turn, After []Stmt
		More                []ChainTurn // between Turn and After
		Finish              []Stmt
	}

	// ChainTurn is a further turn of a [Chain], and what a block does before it.
	ChainTurn struct{ Before, Turn []Stmt }

	// Blocks cuts the rows 0..Rows into blocks Lo..Hi of Block rows and runs Body for each of
	// them, in their order (profile cores). Smaller blocks are allowed.
	Blocks struct {
		Rows   Expr
		Block  int64
		Lo, Hi *Var
		Body   []Stmt
	}

	// Grow makes sure that each slice of Columns has Need elements, and keeps the first Used
	// (profile cores). New memory is as long as Rows rows will need if Done of them have needed
	// Used elements. In the Turn of a Chain it begins when the earlier blocks have run After,
	// which may use the columns, as Before may not.
	Grow struct {
		Columns                []*Var
		Used, Need, Done, Rows Expr
	}

	// Copy stores the first Count elements of From at To[At] and after it
	// (profile cores).
	Copy struct {
		To, From  *Var
		At, Count Expr
	}
	// View binds Var to the values of Memory that begin at Start (profile
	// cores). If the type of Var is a Window, it has the length of that type,
	// and indexing needs no bounds check; otherwise it ends at End (nil: at the
	// end of Memory). If Var is Memory itself, Memory is narrowed.
	View struct {
		Var        *Var
		Memory     *Var
		Start, End Expr
	}
)

// AtomicOp is the operation of an Atomic.
type AtomicOp uint8

// The atomic operations.
const (
	AtomicAdd AtomicOp = iota
	AtomicMin
	AtomicMax
	AtomicAnd
	AtomicOr
	AtomicExchange
	AtomicCompareExchange // stores X if the value is Expected
)

var atomicNames = [...]string{"add", "min", "max", "and", "or", "exchange", "compare_exchange"}

func (o AtomicOp) String() string { return atomicNames[o] }

var atomicOps = map[ir.Op]AtomicOp{ir.OpAdd: AtomicAdd, ir.OpLeast: AtomicMin, ir.OpGreatest: AtomicMax, ir.OpAnd: AtomicAnd, ir.OpOr: AtomicOr}

// AtomicOf returns the atomic operation that combines by an operator, if there is one.
func AtomicOf(op ir.Op) (atomic AtomicOp, ok bool) {
	atomic, ok = atomicOps[op]
	return atomic, ok
}

// Scope is the set of work-items that a barrier or fence applies to.
type Scope uint8

// The scopes.
const (
	SubgroupScope Scope = iota
	WorkgroupScope
	DeviceScope // of a fence only
)

var scopeNames = [...]string{"subgroup", "workgroup", "device"}

func (s Scope) String() string { return scopeNames[s] }

func (*Decl) stmt()       {}
func (*Let) stmt()        {}
func (*Assign) stmt()     {}
func (*Store) stmt()      {}
func (*Atomic) stmt()     {}
func (*If) stmt()         {}
func (*For) stmt()        {}
func (*While) stmt()      {}
func (*Break) stmt()      {}
func (*Note) stmt()       {}
func (*Do) stmt()         {}
func (*Barrier) stmt()    {}
func (*Fence) stmt()      {}
func (*Role) stmt()       {}
func (*Child) stmt()      {}
func (*LoadWide) stmt()   {}
func (*StoreWide) stmt()  {}
func (*Parallel) stmt()   {}
func (*View) stmt()       {}
func (*Copy) stmt()       {}
func (*Chain) stmt()      {}
func (*Blocks) stmt()     {}
func (*Grow) stmt()       {}
func (*StoreLanes) stmt() {}

// Func is a function of a program.
type Func struct {
	Name    string
	Doc     string
	Params  []*Var
	Body    []Stmt
	Results []Expr // evaluated after Body

	// A kernel is launched by the host or, if it is a child, by kernels of the
	// program alone, for a grid of work-groups (profile simt). Its parameters are scalars and slices in Global memory.
	Kernel        bool
	IsChild       bool
	WorkgroupSize int // work-items in each work-group of a kernel; 0 is any number
	Occupancy     int // work-groups per compute unit that registers must leave room for, if WorkgroupSize is known; 0 leaves it to the compiler

	// Otherwise is what a function of vectors returns where the processor has none
	// (profile cores); nil for other functions. It is evaluated instead of Body.
	Otherwise []Expr

	sig *Signature
}

// Program is the functions of one kernel or pipeline, callees first.
type Program struct {
	Name  string
	Funcs []*Func
	Long  bool // counters reach 2^31 and more: they are i64 in every target
}

// Signature returns what calls of f refer to; it is one pointer for one Func.
func (f *Func) Signature() *Signature {
	if f.sig == nil {
		f.sig = &Signature{Effects: true}
	}
	f.sig.Name = f.Name
	f.sig.Params = f.sig.Params[:0]
	for _, p := range f.Params {
		f.sig.Params = append(f.sig.Params, p.T)
	}
	f.sig.Results = f.sig.Results[:0]
	for _, r := range f.Results {
		f.sig.Results = append(f.sig.Results, r.Type())
	}
	return f.sig
}

package loop

import "github.com/kgen-go/kgen/ir"

// Expr is an expression. Evaluation has no effects except those of a [Call].
// All operands are evaluated, except the right operand of a logical and or or
// that the left one decides.
type Expr interface{ Type() Type }

// The expressions.
type (
	// Const is a literal.
	Const struct {
		Value   ir.Scalar
		Counter bool
	}

	// Var is a parameter or variable, identified by its pointer and not by its
	// name. Printers rename variables whose names collide.
	Var struct {
		Name    string
		T       Type
		Changes bool // declared by Decl: Assign may change it
		Alone   bool // a parameter whose memory the function has by no other name, and only stores to
	}

	// Unary is Op X, for each element-wise operator with one operand except
	// casts.
	Unary struct {
		Op ir.Op
		X  Expr
	}

	// Binary is X Op Y, for each element-wise operator with two operands except
	// comparisons; both operands have the same type, except for the count of a
	// shift.
	Binary struct {
		Op   ir.Op
		X, Y Expr
	}

	// Compare is X Op Y for OpEq to OpGe. As keys, floats have one total
	// order: -0.0 equals 0.0, NaN equals NaN and follows +infinity.
	Compare struct {
		Op   ir.Op
		Key  bool
		X, Y Expr
	}

	// Select is Then if Cond holds, else Else; both are evaluated.
	Select struct{ Cond, Then, Else Expr }

	// Cast converts X; bool to a number gives 0 or 1. With Bits it keeps the
	// bits instead, between a float or char8 and the unsigned integer of its width.
	Cast struct {
		To   Type
		X    Expr
		Bits bool
	}

	// Load is Memory[Index]. A volatile load accesses memory each time it is
	// evaluated, because another work-item may have changed the value by an
	// [Atomic] (profile simt).
	Load struct {
		Memory   *Var
		Index    Expr
		Volatile bool
	}

	// Call is a use of a function of the program or of an intrinsic.
	Call struct {
		Callee *Signature
		Args   []Expr
	}

	// Len is the length of a slice (profile cores).
	Len struct{ Memory *Var }

	// ID is the position of a work-item (profile simt).
	ID struct{ Kind IDKind }
)

// Signature is the information about a function that a call needs.
type Signature struct {
	Name    string
	Params  []Type
	Results []Type
	Effects bool // it stores, or its result changes from call to call

	// A collective operation works among the work-items of Scope, which call it
	// together (a broadcast, a shuffle): Spread says how uniform its result is,
	// whatever the arguments. Other results are as uniform as the arguments.
	Collective bool
	Scope      Scope
	Spread     Spread
}

// IDKind is a position or size of the grid.
type IDKind uint8

// The ids.
const (
	LocalID        IDKind = iota // of the work-item in its work-group
	LocalSize                    // work-items in a work-group
	WorkgroupID                  // of the work-group in the grid
	WorkgroupCount               // work-groups in the grid
	SubgroupID                   // of the subgroup in its work-group
	SubgroupLane                 // of the work-item in its subgroup
	SubgroupSize                 // work-items in a subgroup
)

var idNames = [...]string{"local_id", "local_size", "workgroup_id", "workgroup_count", "subgroup_id", "subgroup_lane", "subgroup_size"}

func (k IDKind) String() string { return idNames[k] }

// Type returns the type of the literal.
func (x *Const) Type() Type { return Type{Kind: ScalarOf(x.Value.Kind).Kind, Counter: x.Counter} }

// Type returns the type of the variable.
func (x *Var) Type() Type { return x.T }

// Type returns the type of the result.
func (x *Unary) Type() Type {
	t := x.X.Type()
	if !x.Op.IsElementwise() { // which Verify refuses
		return t
	}
	if k := x.Op.Gives(t.Kind); k != t.Kind {
		return Type{Kind: k}.lanewise(t)
	}
	return t
}

// Type returns the type of the result, that of the left operand.
func (x *Binary) Type() Type { return x.X.Type() }

// Type returns bool, or a mask of the lanes.
func (x *Compare) Type() Type { return Bool.lanewise(x.X.Type()) }

// Type returns the type of both choices.
func (x *Select) Type() Type { return x.Then.Type() }

// Type returns the type converted to.
func (x *Cast) Type() Type { return x.To }

// Type returns the type of one value of the memory.
func (x *Load) Type() Type { return x.Memory.T.Elem() }

// Type returns the type of the only result.
func (x *Call) Type() Type {
	if len(x.Callee.Results) != 1 {
		return Type{}
	}
	return x.Callee.Results[0]
}

// Type returns the type of counters.
func (x *Len) Type() Type { return Counter }

// Type returns the type of counters.
func (x *ID) Type() Type { return Counter }

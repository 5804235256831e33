package plan

// Expr is an expression of the host over i64, or a condition. The zero Expr
// means that there is none. In JSON a constant is a number, a scalar is a string,
// and any other expression is an object with one key:
// {"ceildiv": [{"len": "n"}, 1024]}.
type Expr struct {
	Op    Op     // "" in the zero Expr
	Const int64  // of OpConst
	Name  string // of OpScalar, OpLen, OpMachine, OpResident
	Args  []Expr // the operands of the other operators
}

// Op is the operator of an Expr; its text is its key in JSON.
type Op string

// The operators.
const (
	OpConst    Op = "const"
	OpScalar   Op = "scalar"   // the i64 scalar Name
	OpLen      Op = "len"      // the length of the domain Name
	OpMachine  Op = "machine"  // the machine's property Name: units, subgroup, maxWorkgroup, localBytes, memory, maxAlloc
	OpResident Op = "resident" // work-groups of the kernel Name that the device runs at once
	OpRows     Op = "rows"     // the rows of the launch; in Variant.Grid and Arg.Value only
	OpAdd      Op = "add"
	OpSub      Op = "sub"
	OpMul      Op = "mul"
	OpCeilDiv  Op = "ceildiv" // rounds up; both operands not negative, the divisor positive
	OpMin      Op = "min"
	OpMax      Op = "max"
	OpPow2     Op = "pow2" // the smallest power of two that is at least the operand; 1 for 0
	OpShl      Op = "shl"
	OpLt       Op = "lt" // conditions from here on
	OpEq       Op = "eq"
	OpAnd      Op = "and" // of conditions
)

// IsZero reports whether e is the zero Expr.
func (e Expr) IsZero() bool { return e.Op == "" }

// IsCondition reports whether e yields true or false.
func (e Expr) IsCondition() bool { return e.Op == OpLt || e.Op == OpEq || e.Op == OpAnd }

// Const returns c as an expression.
func Const(c int64) Expr { return Expr{Op: OpConst, Const: c} }

// Var returns the value of an i64 scalar.
func Var(scalar string) Expr { return Expr{Op: OpScalar, Name: scalar} }

// Len returns the length of a domain.
func Len(domain string) Expr { return Expr{Op: OpLen, Name: domain} }

// Property returns a property of the machine.
func Property(name string) Expr { return Expr{Op: OpMachine, Name: name} }

// Resident returns the number of work-groups of a kernel that run at once.
func Resident(kernel string) Expr { return Expr{Op: OpResident, Name: kernel} }

// Rows returns the rows of the launch.
func Rows() Expr { return Expr{Op: OpRows} }

// Apply returns op of args.
func Apply(op Op, args ...Expr) Expr { return Expr{Op: op, Args: args} }

// Add returns a + b.
func Add(a, b Expr) Expr { return Apply(OpAdd, a, b) }

// Sub returns a - b.
func Sub(a, b Expr) Expr { return Apply(OpSub, a, b) }

// Mul returns a * b.
func Mul(a, b Expr) Expr { return Apply(OpMul, a, b) }

// CeilDiv returns a / b rounded up.
func CeilDiv(a, b Expr) Expr { return Apply(OpCeilDiv, a, b) }

// Min returns the smaller of a and b.
func Min(a, b Expr) Expr { return Apply(OpMin, a, b) }

// Max returns the greater of a and b.
func Max(a, b Expr) Expr { return Apply(OpMax, a, b) }

// Pow2 returns the smallest power of two that is at least a; 1 for 0.
func Pow2(a Expr) Expr { return Apply(OpPow2, a) }

// Shl returns a << b.
func Shl(a, b Expr) Expr { return Apply(OpShl, a, b) }

// Lt returns the condition a < b.
func Lt(a, b Expr) Expr { return Apply(OpLt, a, b) }

// Eq returns the condition a == b.
func Eq(a, b Expr) Expr { return Apply(OpEq, a, b) }

// And returns the condition that a and b hold.
func And(a, b Expr) Expr { return Apply(OpAnd, a, b) }

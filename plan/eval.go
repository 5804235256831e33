package plan

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// Env supplies the values that an Expr depends on. A method returns an error if
// the value is not known.
type Env interface {
	Scalar(name string) (int64, error)     // the value of an i64 scalar
	Len(domain string) (int64, error)      // the length of a domain
	Property(name string) (int64, error)   // a property of the machine
	Resident(kernel string) (int64, error) // work-groups of a kernel that run at once
	Rows() (int64, error)                  // the rows of the launch
}

// Eval returns the value of e; a condition yields 0 or 1. An operation without a
// value is an [EvalError]: nothing wraps. Errors of env are returned unchanged.
func (e Expr) Eval(env Env) (int64, error) {
	switch e.Op {
	case OpConst:
		return e.Const, nil
	case OpScalar:
		return env.Scalar(e.Name)
	case OpLen:
		return env.Len(e.Name)
	case OpMachine:
		return env.Property(e.Name)
	case OpResident:
		return env.Resident(e.Name)
	case OpRows:
		return env.Rows()
	}
	if n, ok := operands[e.Op]; !ok || n != len(e.Args) {
		return 0, fmt.Errorf("plan: %s takes %d operands, not %d", e.Op, n, len(e.Args))
	}
	var args [2]int64
	for i, arg := range e.Args {
		v, err := arg.Eval(env)
		if err != nil {
			return 0, err
		}
		args[i] = v
	}
	v, err := apply(e.Op, args[0], args[1])
	if err != nil {
		return 0, &EvalError{Expr: e, Args: slices.Clone(args[:len(e.Args)]), Err: err}
	}
	return v, nil
}

// operands is the number of operands of each operator that has some.
var operands = map[Op]int{
	OpAdd: 2, OpSub: 2, OpMul: 2, OpCeilDiv: 2, OpMin: 2, OpMax: 2, OpPow2: 1, OpShl: 2,
	OpLt: 2, OpEq: 2, OpAnd: 2,
}

// The reasons why an operation has no value.
var (
	ErrOverflow = errors.New("the result does not fit 64 bits")
	ErrNegative = errors.New("an operand is negative")
	ErrDivisor  = errors.New("the divisor is not positive")
)

// EvalError is the error of an operation that has no value for its operands.
type EvalError struct {
	Expr Expr    // the operation
	Args []int64 // the values of its operands
	Err  error   // ErrOverflow, ErrNegative or ErrDivisor
}

// Error shows the expression, the values of its operands and the reason.
func (e *EvalError) Error() string {
	values := make([]string, len(e.Args))
	for i, v := range e.Args {
		values[i] = strconv.FormatInt(v, 10)
	}
	return fmt.Sprintf("%s: %s(%s): %v", e.Expr, e.Expr.Op, strings.Join(values, ", "), e.Err)
}

// Unwrap returns the reason.
func (e *EvalError) Unwrap() error { return e.Err }

func apply(op Op, a, b int64) (int64, error) {
	switch op {
	case OpAdd:
		if sum := a + b; (sum > a) == (b > 0) {
			return sum, nil
		}
		return 0, ErrOverflow
	case OpSub:
		if difference := a - b; (difference < a) == (b > 0) {
			return difference, nil
		}
		return 0, ErrOverflow
	case OpMul:
		return multiply(a, b)
	case OpCeilDiv:
		if b <= 0 {
			return 0, ErrDivisor
		}
		if a < 0 {
			return 0, ErrNegative
		}
		quotient := a / b
		if a%b != 0 {
			quotient++
		}
		return quotient, nil
	case OpMin:
		return min(a, b), nil
	case OpMax:
		return max(a, b), nil
	case OpPow2:
		switch {
		case a < 0:
			return 0, ErrNegative
		case a <= 1:
			return 1, nil
		case a > 1<<62:
			return 0, ErrOverflow
		}
		return 1 << bits.Len64(uint64(a-1)), nil
	case OpShl:
		switch {
		case b < 0:
			return 0, ErrNegative
		case a == 0:
			return 0, nil
		case b >= 63:
			return 0, ErrOverflow
		}
		return multiply(a, 1<<b)
	case OpLt:
		return truth(a < b), nil
	case OpEq:
		return truth(a == b), nil
	case OpAnd:
		return truth(a != 0 && b != 0), nil
	}
	return 0, fmt.Errorf("plan: no operator %q", op)
}

func multiply(a, b int64) (int64, error) {
	product := a * b
	if a != 0 && (product/a != b || a == -1 && b == math.MinInt64) {
		return 0, ErrOverflow
	}
	return product, nil
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// String returns e in mathematical notation: ceildiv(len(n), 1024).
func (e Expr) String() string {
	switch e.Op {
	case "":
		return "none"
	case OpConst:
		return strconv.FormatInt(e.Const, 10)
	case OpScalar:
		return e.Name
	case OpMachine:
		return "machine." + e.Name
	case OpLen, OpResident:
		return string(e.Op) + "(" + e.Name + ")"
	case OpRows:
		return string(e.Op)
	}
	args := make([]string, len(e.Args))
	for i, arg := range e.Args {
		args[i] = arg.String()
	}
	if sign, ok := infix[e.Op]; ok && len(args) == 2 {
		return "(" + args[0] + " " + sign + " " + args[1] + ")"
	}
	return string(e.Op) + "(" + strings.Join(args, ", ") + ")"
}

var infix = map[Op]string{OpAdd: "+", OpSub: "-", OpMul: "*", OpShl: "<<", OpLt: "<", OpEq: "==", OpAnd: "&&"}

package loop

import "github.com/kgen-go/kgen/ir"

// Cost says how dear one evaluation of an operator is.
type Cost uint8

// The costs.
const (
	Cheap Cost = iota // a cycle or so, as a store
	Mild              // a few cycles
	Dear              // tens of cycles
)

// CostOf returns the cost of an element-wise operator.
func CostOf(op ir.Op) Cost {
	switch op {
	case ir.OpDiv, ir.OpRem, ir.OpSqrt, ir.OpYear, ir.OpMonth, ir.OpDay:
		return Dear
	case ir.OpMul, ir.OpSelect, ir.OpLeast, ir.OpGreatest:
		return Mild
	}
	return Cheap
}

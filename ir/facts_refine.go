package ir

// maxLiterals is how many parts of a condition are tried to prove something.
const maxLiterals = 100

// refined returns the range of v in rows where the condition is as told.
func (f *facts) refined(v, condition *Value, holds bool) valueRange {
	r := f.ranges[v.ID]
	tried := 0
	for l := range literals(condition, holds) {
		if tried++; tried > maxLiterals {
			break
		}
		c, op := l.condition, l.condition.Op
		if !op.IsComparison() {
			continue
		}
		if !l.holds {
			op = negated[op]
		}
		switch {
		case c.Args[0] == v:
			r = r.where(op, f.ranges[c.Args[1].ID])
		case c.Args[1] == v:
			r = r.where(mirrored[op], f.ranges[c.Args[0].ID])
		}
	}
	return r
}

var (
	negated  = map[Op]Op{OpEq: OpNe, OpNe: OpEq, OpLt: OpGe, OpGe: OpLt, OpGt: OpLe, OpLe: OpGt}
	mirrored = map[Op]Op{OpEq: OpEq, OpNe: OpNe, OpLt: OpGt, OpGt: OpLt, OpLe: OpGe, OpGe: OpLe}
)

// where narrows r to what compares with some value of y as told. Bounds that
// exclude each other, of rows that cannot exist, leave r as it is.
func (r valueRange) where(op Op, y valueRange) valueRange {
	if !y.bounded {
		return r
	}
	if op == OpNe {
		r.nonZero = r.nonZero || y.lo == 0 && y.hi == 0
		return r
	}
	n := r
	if !n.bounded { // a u64, or no integer, whose range nobody asks for
		if op == OpGt || op == OpGe {
			n.nonZero = n.nonZero || y.lo > 0 || op == OpGt && y.lo == 0
			return n
		}
		n = anyRow
	}
	switch op {
	case OpEq:
		n.lo, n.hi = max(n.lo, y.lo), min(n.hi, y.hi)
	case OpLt:
		if y.hi > n.lo {
			n.hi = min(n.hi, y.hi-1)
		}
	case OpLe:
		n.hi = min(n.hi, y.hi)
	case OpGt:
		if y.lo < n.hi {
			n.lo = max(n.lo, y.lo+1)
		}
	case OpGe:
		n.lo = max(n.lo, y.lo)
	}
	if n.lo > n.hi {
		return r
	}
	n.nonZero = r.nonZero
	return n
}

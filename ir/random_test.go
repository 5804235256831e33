package ir

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// randomPipeline builds a pipeline by trying random operators on random
// operands and keeping what the constructors accept. It returns every column
// and scalar that nothing else uses.
func randomPipeline(random *rand.Rand, size int) *Pipeline {
	b := NewBuilder("random")
	var pool []any
	for i, k := range []Kind{I32, I64, F64, Bool, Date, Char8, Timestamp, I64, F32, U64, U8, DecimalOf(2), DecimalOf(0), DecimalOf(5)} {
		domain := []string{"n", "m"}[i/7%2]
		pool = append(pool, b.Column(fmt.Sprintf("c%d", i), domain, k))
	}
	pool = append(pool, b.Scalar("s", I64), b.ScalarWithDefault("t", F64, 0.5), 0, 1, -3, 2.5, 7, true, "AIR", int32(4), b.Date("1994-01-01"), b.Timestamp("1994-01-01T12:00:00Z"),
		b.Cast(DecimalOf(2), 0.5), b.Cast(DecimalOf(1), 2.5))
	pick := func() any {
		if random.IntN(2) == 0 {
			return pool[len(pool)-1-random.IntN(min(len(pool), 12))]
		}
		return pool[random.IntN(len(pool))]
	}
	named := func() []Named {
		var n []Named
		if random.IntN(2) == 0 {
			n = append(n, By(pick()))
		}
		if random.IntN(3) == 0 {
			n = append(n, Else(pick()))
		}
		return n
	}
	units := UnitsOf(Timestamp)
	infixes := []string{"+", "-", "*", "/", "%", "&", "|", "^", "&^", "<<", ">>", "==", "!=", "<", "<=", ">", ">=", "&&", "||"}
	try := func() Operand {
		op := firstRowOp + Op(random.IntN(int(opEnd-firstRowOp)))
		reduce := ReduceAdd + ReduceOp(random.IntN(7))
		switch spellings[op].form {
		case formNone: // of the compiler alone
			return b.Len(pick())
		case formInfix:
			return b.Infix(pick(), infixes[random.IntN(len(infixes))], pick())
		case formPrefix:
			return b.Prefix(op.String(), pick())
		case formCast:
			if random.IntN(3) == 0 {
				return b.Cast(DecimalOf(random.IntN(MaxScale+1)), pick())
			}
			return b.Cast(Bool+Kind(random.IntN(int(Char8))), pick())
		case formIndex:
			return b.At(pick(), pick())
		case formField:
			return b.field(pick(), op.String())
		}
		switch op {
		case OpSelect:
			return b.Select(pick(), pick(), pick())
		case OpTruncate:
			return b.Truncate(pick(), units[random.IntN(len(units))])
		case OpPrev, OpNext:
			return b.call(op, pick(), random.IntN(3), pick())
		case OpScan, OpExscan:
			return b.call(op, reduce, pick(), named())
		case OpOrder:
			if random.IntN(2) == 0 {
				return b.Order(Desc(pick()), pick(), Limit(pick()))
			}
			return b.Order(pick())
		case OpFind:
			if random.IntN(2) == 0 {
				return b.Find(Keys(pick(), pick()), Keys(pick(), pick()))
			}
			return b.Find(pick(), pick())
		case OpLeast, OpGreatest, OpBins, OpJoin:
			return b.call(op, pick(), pick())
		case OpAlign:
			return b.Align(pick(), pick())
		case OpCount:
			if random.IntN(2) == 0 {
				return b.CountBy(pick())
			}
		}
		if op.IsAggregate() {
			return b.call(op, pick(), named())
		}
		return b.call(op, pick())
	}
	for made := 0; made < size; {
		x := try()
		if len(b.errs) > 0 || x.o.value == nil {
			b.errs = nil
			continue
		}
		made++
		if random.IntN(4) == 0 {
			x = b.Let(fmt.Sprintf("n%d", made), x)
		}
		pool = append(pool, x)
	}
	used := make([]bool, len(b.g.values))
	for _, v := range b.g.values {
		for _, o := range v.Operands() {
			used[o.ID] = true
		}
	}
	var results []any
	for _, v := range b.g.values {
		if used[v.ID] || v.Op == OpConst {
			continue
		}
		if v.Type.Kind == Pair {
			results = append(results, As(fmt.Sprintf("r%d", v.ID), b.Left(b.wrap(operand{value: v}))))
			continue
		}
		results = append(results, As(fmt.Sprintf("r%d", v.ID), b.wrap(operand{value: v})))
	}
	b.Return(results...)
	p, err := b.Pipeline()
	if err != nil {
		panic(err)
	}
	return p
}

func TestRandomPipelines(t *testing.T) {
	seen := map[Op]int{}
	for seed := range uint64(300) {
		p := randomPipeline(rand.New(rand.NewPCG(seed, 1)), 60)
		for _, v := range p.Values {
			seen[v.Op]++
		}
		if err := Verify(p); err != nil {
			t.Errorf("seed %d: %v\n%v", seed, err, p)
		}
		checkRoundTrip(t, p)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	for op := OpParam; op < opEnd; op++ {
		if seen[op] == 0 && op != OpBits && op != OpOfBits {
			t.Errorf("no %v was made", op)
		}
	}
}

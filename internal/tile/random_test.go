package tile_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/tile"
	"github.com/kgen-go/kgen/internal/tile/tiletest"
	"github.com/kgen-go/kgen/ir"
)

// Whatever is done to a kernel, Verify returns. What it accepts can be
// analysed and printed, and if it runs row by row, it runs in blocks and gives
// the same: the analysis holds for kernels that nobody thought of.
func TestCorruptedKernels(t *testing.T) {
	const kernels, rows = 8000, 30
	accepted, ran := 0, 0
	for seed := range uint64(kernels) {
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Fatalf("seed %d: %v", seed, p)
				}
			}()
			k, lawful := corrupted(seed)
			if tile.Verify(k) != nil {
				return
			}
			accepted++
			a := tile.Analyze(k)
			text := a.String()
			memory := func() *tiletest.Memory {
				memory := data(k, rows, rand.New(rand.NewPCG(seed, 1)))
				memory.ChunkRows = 2
				return memory
			}
			byRow, inBlocks := memory(), memory()
			if tiletest.Sequential(k, byRow, rows) != nil || !lawful {
				return
			}
			ran++
			if err := tiletest.Blocks(a, inBlocks, rows, rand.New(rand.NewPCG(seed, 2))); err != nil {
				t.Errorf("seed %d: it runs row by row, but not in blocks: %v\n%s", seed, err, text)
			} else if fmt.Sprint(byRow) != fmt.Sprint(inBlocks) {
				t.Errorf("seed %d: it gives other results in blocks than row by row\n%s", seed, text)
			}
		}()
	}
	t.Logf("of %d corrupted kernels, %d are accepted and %d run", kernels, accepted, ran)
	if accepted == 0 || accepted == kernels || ran < 500 {
		t.Errorf("of %d corrupted kernels, %d are accepted and %d run: that tests nothing", kernels, accepted, ran)
	}
}

// corrupted returns a kernel of which up to three things are changed, and
// whether its monoids are what they were.
func corrupted(seed uint64) (k *tile.Kernel, lawful bool) {
	r := rand.New(rand.NewPCG(seed, 0))
	programs := append(tiletest.Programs(), dependentScans(), chunks())
	k = programs[r.IntN(len(programs))]
	lawful = true
	for range 1 + r.IntN(3) {
		if r.IntN(20) == 0 {
			corruptMonoid(k.Ops[r.IntN(len(k.Ops))].Monoid, r)
			lawful = false
		} else {
			corrupt(k, r)
		}
	}
	return k, lawful
}

// corrupt changes one thing anywhere in a kernel.
func corrupt(k *tile.Kernel, r *rand.Rand) {
	number := func(limit int) int { return r.IntN(limit+4) - 2 }
	kind := func() ir.Kind { return ir.Kind(r.IntN(20)) }
	op, v := &k.Ops[r.IntN(len(k.Ops))], &k.Values[r.IntN(len(k.Values))]
	d, s := &k.Domains[r.IntN(len(k.Domains))], &k.Streams[r.IntN(len(k.Streams))]
	id := func() tile.ID { return tile.ID(number(len(k.Values))) }
	switch r.IntN(24) {
	case 0:
		op.Kind = tile.OpKind(r.IntN(20))
	case 1:
		op.Domain = number(len(k.Domains))
	case 2, 3:
		if len(op.Args) > 0 {
			op.Args[r.IntN(len(op.Args))] = id()
		}
	case 4:
		op.Args = append(op.Args, id())
	case 5:
		op.Args = nil
	case 6:
		op.Res = append(op.Res, id())
	case 7:
		op.Res = nil
	case 8:
		op.Operator = ir.Op(r.IntN(60))
	case 9:
		op.Stream = number(len(k.Streams))
	case 10:
		op.Totals = append(op.Totals, number(len(k.Streams)))
	case 11:
		op.Epilogue = !op.Epilogue
	case 12:
		op.Exclusive, op.Checked = !op.Exclusive, !op.Checked
	case 13:
		op.Distance = int64(number(1000))
	case 14:
		op.Monoid, op.Segment = nil, id()
	case 15, 16:
		op.Const = ir.Scalar{Kind: kind(), Bits: r.Uint64()}
	case 17:
		v.Kind = kind()
	case 18:
		v.Domain, v.Op = number(len(k.Domains)), number(len(k.Ops))
	case 19:
		*d = tile.Domain{Kind: tile.DomainKind(r.IntN(4)), Parent: number(len(k.Domains)), Guard: id(), Counter: id(), Open: id(), Position: id()}
	case 20:
		s.Kind, s.Write = kind(), !s.Write
	case 21:
		i := r.IntN(len(k.Ops))
		k.Ops = slices.Delete(k.Ops, i, i+1)
	case 22:
		k.Ops[r.IntN(len(k.Ops))] = *op
	default:
		i, j := r.IntN(len(k.Ops)), r.IntN(len(k.Ops))
		k.Ops[i], k.Ops[j] = k.Ops[j], k.Ops[i]
	}
}

func corruptMonoid(m *tile.Monoid, r *rand.Rand) {
	if m == nil || len(m.Fields) == 0 {
		return
	}
	i := r.IntN(len(m.Fields))
	switch r.IntN(7) {
	case 0:
		m.Fields = m.Fields[1:]
	case 1:
		m.Fields[i].Kind = ir.Kind(r.IntN(20))
	case 2:
		m.Identity = nil
	case 3:
		m.Combine = append(m.Combine, nil)
	case 4:
		m.Kind = tile.MonoidKind(r.IntN(5))
	default:
		e := m.Combine[i%max(len(m.Combine), 1)]
		for e != nil && len(e.Args) > 0 && r.IntN(2) == 0 {
			e = e.Args[r.IntN(len(e.Args))]
		}
		if e != nil {
			*e = tile.Expr{Operator: ir.Op(r.IntN(60)), Kind: ir.Kind(r.IntN(20)), Args: e.Args, Side: tile.Side(r.IntN(3)), Field: r.IntN(5) - 1}
		}
	}
}

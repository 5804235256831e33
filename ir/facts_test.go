package ir

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// evaluate computes x op y as the language defines it, on scalars of kind k; a
// failed check gives 0.
func evaluate(op Op, k Kind, x, y int64) int64 {
	width := int64(8 * k.Size())
	var r int64
	switch op {
	case OpAdd:
		r = x + y
	case OpSub:
		r = x - y
	case OpMul:
		r = x * y
	case OpDiv, OpRem:
		if y == 0 {
			return 0
		}
		if r = x / y; op == OpRem {
			r = x % y
		}
	case OpAnd:
		r = x & y
	case OpOr:
		r = x | y
	case OpXor:
		r = x ^ y
	case OpAndNot:
		r = x &^ y
	case OpShl:
		r = x << (uint64(y) % uint64(width))
	case OpShr:
		r = x >> (uint64(y) % uint64(width))
	case OpLeast:
		r = min(x, y)
	case OpGreatest:
		r = max(x, y)
	case OpNeg:
		r = -x
	case OpComplement:
		r = ^x
	case OpAbs:
		if r = x; k.IsSigned() {
			r = max(x, -x)
		}
	case OpPopcount:
		r = int64(bits.OnesCount64(uint64(x) << (64 - width)))
	case OpLeadingzeros:
		r = min(width, int64(bits.LeadingZeros64(uint64(x)<<(64-width))))
	case OpTrailingzeros:
		r = min(width, int64(bits.TrailingZeros64(uint64(x))))
	default:
		panic(fmt.Sprintf("no meaning of %v", op))
	}
	return int64(wrap(k, uint64(r)))
}

// randomRange returns a range within k that holds some value but 0.
func randomRange(random *rand.Rand, k Kind) valueRange {
	all := kindRange(k)
	for {
		a, b := all.lo+random.Int64N(all.hi-all.lo+1), all.lo+random.Int64N(all.hi-all.lo+1)
		if random.IntN(3) == 0 {
			b = a + random.Int64N(4)
		}
		if random.IntN(8) == 0 {
			a = all.lo
		}
		if random.IntN(8) == 0 {
			b = all.hi
		}
		r := between(min(a, b), min(max(a, b), all.hi))
		r.nonZero = random.IntN(3) == 0
		if r.lo != 0 || r.hi != 0 {
			return r
		}
	}
}

func (r valueRange) holds(x int64) bool {
	return (!r.bounded || r.lo <= x && x <= r.hi) && (x != 0 || !r.excludesZero())
}

// TestRangesHold computes every operator on all values of small ranges.
func TestRangesHold(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, k := range []Kind{I8, U8} {
		for _, op := range RowOps() {
			if op.row().bounds == nil || !op.Takes(k) {
				continue
			}
			for range 150 {
				x, y := randomRange(random, k), randomRange(random, k)
				if op.Arity() == 1 {
					y = between(0, 0)
				}
				r := op.row().bounds(op, k, x, y)
				for a := x.lo; a <= x.hi; a++ {
					for b := y.lo; b <= y.hi; b++ {
						if !x.holds(a) || op.Arity() == 2 && !y.holds(b) {
							continue
						}
						if got := evaluate(op, k, a, b); !r.holds(got) {
							t.Fatalf("%d %v %d is %d in %v, outside of %+v, for %+v and %+v", a, op, b, got, k, r, x, y)
						}
					}
				}
			}
		}
	}
}

// TestRangesOfWideIntegers samples the ends of 64-bit ranges, where int64
// arithmetic overflows.
func TestRangesOfWideIntegers(t *testing.T) {
	ends := []int64{-1 << 63, -1<<63 + 1, -1 << 62, -1 << 32, -3, -1, 0, 1, 2, 1 << 31, 1 << 62, 1<<63 - 2, 1<<63 - 1}
	for _, op := range RowOps() {
		if op.row().bounds == nil || !op.Takes(I64) {
			continue
		}
		for i := range ends {
			for j := i; j < len(ends); j++ {
				for _, y := range ends {
					r := op.row().bounds(op, I64, between(ends[i], ends[j]), between(y, y))
					for _, x := range ends[i : j+1] {
						if got := evaluate(op, I64, x, y); !r.holds(got) {
							t.Fatalf("%d %v %d is %d, outside of %+v", x, op, y, got, r)
						}
					}
				}
			}
		}
	}
}

func TestRefinementHolds(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	compare := map[Op]func(x, y int64) bool{
		OpEq: func(x, y int64) bool { return x == y }, OpNe: func(x, y int64) bool { return x != y },
		OpLt: func(x, y int64) bool { return x < y }, OpLe: func(x, y int64) bool { return x <= y },
		OpGt: func(x, y int64) bool { return x > y }, OpGe: func(x, y int64) bool { return x >= y },
	}
	for op, holds := range compare {
		for range 150 {
			x, y := randomRange(random, I8), randomRange(random, I8)
			r := x.where(op, y)
			for a := x.lo; a <= x.hi; a++ {
				for b := y.lo; b <= y.hi; b++ {
					if x.holds(a) && holds(a, b) && !r.holds(a) {
						t.Fatalf("%d %v %d, and %d is outside of %+v, for %+v and %+v", a, op, b, a, r, x, y)
					}
					if holds(a, b) == compare[negated[op]](a, b) || holds(a, b) != compare[mirrored[op]](b, a) {
						t.Fatalf("%v is not negated by %v, or mirrored by %v", op, negated[op], mirrored[op])
					}
				}
			}
		}
	}
}

func TestRangeOfPipeline(t *testing.T) {
	p := mustLoad(t, `pipeline p(a: [n]i16, u: [n]u64, d: [n]date, f: [n]f64, m: [n]i32) {
		return a, u, d, f, bits: a & 7, low: u % 10, high: u >> 1, days: d - date("1970-01-01"), month: month(d),
			flag: u8(f > 0), small: i8(a), found: find(a, in: i16(m)), ones: sum(u & 1), total: sum(m)
	}`)
	for label, want := range map[string]string{
		"a": "-32768..32767", "u": "?", "d": "-2147483648..2147483647", "f": "?", "bits": "0..7", "low": "0..9", "high": "0..9223372036854775807",
		"days": "-2147483648..2147483647", "month": "1..12", "flag": "0..1", "small": "-128..127", "found": "-1..9223372036854775807",
		"ones": "0..9223372036854775807", "total": "-9223372036854775808..9223372036854775807",
	} {
		for _, r := range p.Results {
			if r.Label != label {
				continue
			}
			got := "?"
			if lo, hi, ok := p.Range(r.Value); ok {
				got = fmtRange(lo, hi)
			}
			if got != want {
				t.Errorf("%s is in %s, want %s", label, got, want)
			}
		}
	}
}

// TestRangesAfterFailures: ranges hold the value that a failed check goes on
// with, on which memory safety rests.
func TestRangesAfterFailures(t *testing.T) {
	p := mustLoad(t, `pipeline p(x: [n]u8, i: [n]i64, y: [m]u8) {
		one = greatest(x, 1)
		e = repeat(x)
		low = argmin(x)
		return gathered: one[i], known: one[index(x)], lowest: one[low], chained: index(one)[i], far: one[index(one)[i]], quotient: 7 / (x + 1), filled: prev(one, 1, 0), kept: prev(one, 0, 0), aligned: align(greatest(y, 1), to: x),
			repeated: align(max(one, else: 1), to: x), bin: bins(i, 9), least: exscan(min, one), running: scan(min, one), and: exscan(and, one & 3), empty: max(one[e], by: e), else: max(one, else: 0), dropped: one[index(one)[i][i > 0]], all: max(one, by: runs(x)),
			twos: sum(x & 2), ones: sum(x & 1)
	}`)
	for label, want := range map[string]string{
		"gathered": "0..255", "known": "1..255", "lowest": "0..255", "far": "0..255", "quotient": "0..7", "filled": "0..255", "kept": "1..255", "aligned": "0..255", "repeated": "1..255",
		"bin": fmtRange(-1, 1<<63-1), "least": "0..255", "running": "1..255", "and": "0..255", "empty": "0..255", "else": "0..255", "dropped": "0..255", "all": "1..255",
		"twos": "?", "ones": fmtRange(0, 1<<63-1),
	} {
		for _, r := range p.Results {
			if r.Label != label {
				continue
			}
			got := "?"
			if lo, hi, ok := p.Range(r.Value); ok {
				got = fmtRange(lo, hi)
			}
			if got != want {
				t.Errorf("%s is in %s, want %s", label, got, want)
			}
		}
	}
}

func TestNonZero(t *testing.T) {
	p := mustLoad(t, `pipeline p(x: [n]i64, u: [n]u64) {
		y = select(x == 0, 1, x)
		return zero: x, one: y, neg: -y, kept: x[x != 0], big: greatest(u, 1), sum: y + y, narrow: i8(y), wide: select(u > 0, u, 5)
	}`)
	want := map[string]bool{"one": true, "neg": true, "kept": true, "big": true, "wide": true}
	for _, r := range p.Results {
		if got := p.NonZero(r.Value); got != want[r.Label] {
			t.Errorf("%s: non-zero %v", r.Label, got)
		}
	}
}

// TestFactsOfOtherGraphs: a pipeline that was not built here has facts too.
func TestFactsOfOtherGraphs(t *testing.T) {
	p := mustLoad(t, "pipeline p(x: [n]u8) {\nreturn x, y: f64(x), total: sum(f64(x))\n}")
	q := &Pipeline{Name: p.Name, Params: p.Params, Values: p.Values, Domains: p.Domains, Results: p.Results}
	if lo, hi, ok := q.Range(q.Results[0].Value); lo != 0 || hi != 255 || !ok {
		t.Errorf("x is in %d..%d", lo, hi)
	}
	if q.Inexact(q.Results[1].Value) || !q.Inexact(q.Results[2].Value) {
		t.Error("f64(x) is exact, its sum is not")
	}
}

func TestInexact(t *testing.T) {
	p := mustLoad(t, `pipeline p(x: [n]f64, k: [n]i64) {
		s = sum(x, by: runs(k))
		m = s > 0
		return s, m, mean: avg(x), whole: avg(k), most: max(x), running: scan(add, x), top: scan(max, x), product: exscan(mul, x), count: count(m), rows: len(s), kept: len(s[m]), row: index(s[m]), k
	}`)
	want := map[string]bool{"s": true, "m": true, "mean": true, "running": true, "product": true, "count": true, "kept": true, "row": true}
	for _, r := range p.Results {
		if got := p.Inexact(r.Value); got != want[r.Label] {
			t.Errorf("%s: inexact %v", r.Label, got)
		}
	}
}

// TestInexactAggregates: an aggregate that takes a mask or gives a row decides by
// what it aggregates, and is warned about once; the others carry its error on.
func TestInexactAggregates(t *testing.T) {
	for _, op := range Aggregates() {
		a := op.Aggregate()
		x, want := "s", 0
		if a.takes == bools {
			x = "s > 1"
		}
		if a.takes == bools || a.GivesRow() {
			want = 1
		}
		for _, by := range []string{"", ", by: runs(h)"} {
			p := mustLoad(t, fmt.Sprintf("pipeline p(x: [n]f64, k: [n]i64) {\n"+
				"g = runs(k)\ns = sum(x, by: g)\nh = first(k, by: g)\nreturn h, a: %s(%s%s)\n}", a.name, x, by))
			if len(p.Warnings) != want {
				t.Errorf("%s(%s%s): %d warnings, want %d: %v", a.name, x, by, len(p.Warnings), want, p.Warnings)
			}
			if e := p.known().exactness[p.Results[1].Value.ID]; want == 1 && e != settled {
				t.Errorf("%s(%s%s) is %v, want %v", a.name, x, by, e, settled)
			}
		}
	}
}

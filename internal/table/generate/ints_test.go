package generate

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/ir"
)

func intsOf(t testing.TB, o IntsOptions) []ir.Column {
	t.Helper()
	if o.Names == nil {
		o.Names = []string{"x"}
	}
	if o.Kind == ir.Invalid {
		o.Kind = ir.I64
	}
	g, err := Ints(o)
	return rowsOf(t, g, err)
}

// The sorted column has the values of the unsorted one, and the other columns
// stay as they are.
func TestSorted(t *testing.T) {
	for _, o := range []IntsOptions{
		{Rows: 70_000, Distribution: Uniform},
		{Rows: 70_000, Distribution: Uniform, Values: 5, Min: big.NewInt(-2)},
		{Rows: 70_000, Distribution: Uniform, Min: big.NewInt(math.MinInt64)},
		{Rows: 70_001, Distribution: Unique, Min: big.NewInt(-7)},
		{Rows: 70_001, Distribution: Repeated, MeanRun: 1},
		{Rows: 70_003, Distribution: Repeated, MeanRun: 4},
		{Rows: 70_003, Distribution: Repeated, MeanRun: 3000},
		{Rows: 70_003, Distribution: Repeated, MeanRun: 60_000},
		{Rows: 150_000, Distribution: Zipf, S: 1.1},
		{Rows: 70_000, Distribution: Zipf, S: 0.5, Values: 1 << 39},
		{Rows: 1, Distribution: Zipf, S: 2, Values: 1},
	} {
		o.Seed, o.Names = 3, []string{"key", "other"}
		plain := intsOf(t, o)
		o.Sorted = true
		sorted := intsOf(t, o)
		want := slices.Clone(ints64(plain[0]))
		if o.Rows > 4*o.MeanRun && o.Rows > 1 && slices.IsSorted(want) {
			t.Errorf("%+v: sorted by itself", o)
		}
		slices.Sort(want)
		if !slices.Equal(want, ints64(sorted[0])) {
			t.Errorf("%+v: not the sorted rows", o)
		}
		if !slices.Equal(ints64(plain[1]), ints64(sorted[1])) {
			t.Errorf("%+v: the other column changed", o)
		}
	}
	// Unsigned order, where it differs.
	u := intsOf(t, IntsOptions{Rows: 1000, Distribution: Uniform, Kind: ir.U64, Sorted: true})[0].Slice.([]uint64)
	if !slices.IsSorted(u) || u[999] < 1<<63 || u[0] > 1<<62 {
		t.Errorf("u64: %d to %d", u[0], u[999])
	}
}

// A sorter with little memory divides and collects in many passes.
func TestSorterPasses(t *testing.T) {
	random := newStream(5, "test")
	for _, c := range []struct {
		name   string
		last   uint64
		values func(row int64) uint64
	}{
		{"all 64 bits", math.MaxUint64, random.at},
		{"few values", 40, func(row int64) uint64 { return random.below(row, 41) }},
		{"one value is most", math.MaxUint64, func(row int64) uint64 { return (random.at(row) * (random.below(row+1<<40, 5) / 4)) }},
		{"near each other", 1 << 50, func(row int64) uint64 { return 1<<49 + random.below(row, 1000) }},
		{"the last", 1<<33 + 5, func(row int64) uint64 { return 1<<33 + random.below(row, 6) }},
		{"zeros", 0, func(int64) uint64 { return 0 }},
	} {
		const rows = 20_000
		var want, got []uint64
		for row := range int64(rows) {
			want = append(want, c.values(row))
		}
		slices.Sort(want)
		s := sorter{rows: rows, workers: 3, tableBits: 4, atOnce: 500, values: func(row int64, out []uint64) {
			for i := range out {
				out[i] = c.values(row + int64(i))
			}
		}}
		if err := s.sort(t.Context(), c.last, func(part []uint64) error { got = append(got, part...); return nil }); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %d values, not sorted ones", c.name, len(got))
		}
	}
}

// Ranks come as often as a Zipf distribution says: chi-square over ranks, the
// rare ones together.
func TestZipf(t *testing.T) {
	const rows = 150_000
	for _, s := range []float64{0.3, 0.99, 1, 1 + 1e-9, 1.1, 2, 5} {
		for _, n := range []int64{1, 2, 3, 50, 100_000} {
			counts := make([]float64, n+1)
			z := newZipf(n, s, newStream(11, "test"))
			for row := range int64(rows) {
				counts[z.rank(row)]++
			}
			sum := 0.0
			for r := n; r >= 1; r-- {
				sum += math.Pow(float64(r), -s)
			}
			chi, classes, expected, found := 0.0, 0, 0.0, 0.0
			for r := int64(1); r <= n; r++ {
				expected += rows * math.Pow(float64(r), -s) / sum
				found += counts[r]
				if expected >= 20 {
					chi += (found - expected) * (found - expected) / expected
					classes, expected, found = classes+1, 0, 0
				}
			}
			free := float64(classes - 1)
			if math.Abs(chi-free) > 4*math.Sqrt(2*free)+1 {
				t.Errorf("s %v of %d: chi-square %.1f of %v degrees of freedom", s, n, chi, free)
			}
		}
	}
	// The ranks behind the table, which are hardly rarer than those before.
	const last = firstRanks + 2
	z := newZipf(last, 0.01, newStream(11, "test"))
	var behind [last + 1]float64
	for row := range int64(1000 * last) {
		behind[z.rank(row)]++
	}
	for r := firstRanks - 1; r <= last; r++ {
		if math.Abs(behind[r]-1000) > 160 {
			t.Errorf("rank %d of %d is drawn %v times, not about 1000", r, last, behind[r])
		}
	}
	// A long tail: the ranks above half of 2^40 at s = 0.5 are 1 - sqrt(1/2).
	z = newZipf(1<<40, 0.5, newStream(11, "test"))
	above := 0.0
	for row := range int64(rows) {
		if r := z.rank(row); r > 1<<39 {
			above++
			if r > 1<<40 {
				t.Fatalf("rank %d", r)
			}
		}
	}
	if share := above / rows; math.Abs(share-(1-math.Sqrt(0.5))) > 0.005 {
		t.Errorf("%v of the ranks are in the upper half", share)
	}
}

// Runs have the mean length exactly, each length as often, and values that no
// other run has.
func TestRuns(t *testing.T) {
	const mean, pairs = 6, 20_000
	rows := int64(2 * mean * pairs)
	for _, sorted := range []bool{true, false} {
		x := ints64(intsOf(t, IntsOptions{Rows: rows, Distribution: Repeated, MeanRun: mean, Seed: 2, Sorted: sorted})[0])
		var lengths [2 * mean]int
		seen := map[int64]bool{}
		for i := 0; i < len(x); {
			end := i
			for end < len(x) && x[end] == x[i] {
				end++
			}
			if seen[x[i]] || end-i >= len(lengths) {
				t.Fatalf("value %d has two runs, or one of %d rows", x[i], end-i)
			}
			seen[x[i]] = true
			lengths[end-i]++
			i = end
		}
		if len(seen) != 2*pairs {
			t.Errorf("%d runs of %d rows", len(seen), rows)
		}
		for length, n := range lengths[1:] {
			if expected := 2.0 * pairs / (2*mean - 1); math.Abs(float64(n)-expected) > 6*math.Sqrt(expected) {
				t.Errorf("%d runs of length %d, expected %v", n, length+1, expected)
			}
		}
	}
	for rows := int64(1); rows < 60; rows++ {
		r, err := newRuns(rows, 7, "test", 1)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]uint64, rows)
		r.fill(0, got)
		if want := int64(got[rows-1] + 1); r.count() != want {
			t.Errorf("%d rows: %d runs, not %d", rows, r.count(), want)
		}
		part := make([]uint64, rows)
		for i := range part { // a row at a time
			r.fill(int64(i), part[i:i+1])
		}
		if !slices.Equal(part, got) {
			t.Errorf("%d rows: a row by itself is another", rows)
		}
	}
}

func TestRanges(t *testing.T) {
	for k := ir.I8; k <= ir.U64; k++ {
		least, most := limits(k)
		x := intsOf(t, IntsOptions{Rows: 4000, Distribution: Uniform, Kind: k, Min: least, Sorted: true})[0]
		width := uint(8 * k.Size())
		low, high := x.At(0), x.At(3999)
		if k.Size() == 1 && (big.NewInt(low.Int64()).Cmp(least) != 0 || big.NewInt(high.Int64()).Cmp(most) != 0) {
			t.Errorf("%v: %d to %d", k, low.Int64(), high.Int64())
		}
		if spread := (high.Bits - low.Bits) << (64 - width) >> (64 - width); float64(spread) < 0.99*math.Ldexp(1, int(width)) {
			t.Errorf("%v: %d to %d", k, low.Int64(), high.Int64())
		}
	}
	x := ints64(intsOf(t, IntsOptions{Rows: 1000, Distribution: Uniform, Min: big.NewInt(10), Max: big.NewInt(12)})[0])
	if slices.Min(x) != 10 || slices.Max(x) != 12 {
		t.Errorf("10 to 12: %d to %d", slices.Min(x), slices.Max(x))
	}
	u := intsOf(t, IntsOptions{Rows: 9, Distribution: Uniform, Kind: ir.U64, Min: new(big.Int).SetUint64(math.MaxUint64)})[0].Slice.([]uint64)
	if slices.Min(u) != math.MaxUint64 {
		t.Errorf("only the largest u64: %d", u)
	}
}

// As many values as the type has.
func TestFullRange(t *testing.T) {
	for _, o := range []IntsOptions{
		{Rows: 640, Distribution: Repeated, MeanRun: 5},
		{Rows: 128, Distribution: Unique},
		{Rows: 9000, Distribution: Zipf, S: 0.5, Values: 128},
	} {
		o.Kind = ir.I8
		x := intsOf(t, o)[0].Slice.([]int8)
		if slices.Min(x) != 0 || slices.Max(x) != 127 {
			t.Errorf("%s: %d to %d", o.Distribution, slices.Min(x), slices.Max(x))
		}
	}
}

func TestBadInts(t *testing.T) {
	good := IntsOptions{Rows: 1000, Names: []string{"x"}, Kind: ir.I8, Distribution: Uniform, MeanRun: 10, S: 1}
	for _, c := range []struct {
		change func(o *IntsOptions)
		want   string
	}{
		{func(o *IntsOptions) { o.Rows = 0 }, "rows 0: at least 1"},
		{func(o *IntsOptions) { o.Kind = ir.F64 }, "type f64: choose an integer type"},
		{func(o *IntsOptions) { o.Names = nil }, "columns: 0; there may be 1 to 64"},
		{func(o *IntsOptions) { o.Names = []string{"a", "a"} }, `columns: "a" is empty or named twice`},
		{func(o *IntsOptions) { o.Min = big.NewInt(128) }, "min 128: i8 holds -128 to 127"},
		{func(o *IntsOptions) { o.Max = big.NewInt(200) }, "max 200: from min, 0, to what i8 holds, 127"},
		{func(o *IntsOptions) { o.Max = big.NewInt(-1) }, "max -1: from min, 0"},
		{func(o *IntsOptions) { o.Values, o.Max = 5, big.NewInt(5) }, "max, --values: give one of them"},
		{func(o *IntsOptions) { o.Values = -5 }, "values -5: at least 1"},
		{func(o *IntsOptions) { o.Values = 129 }, "type i8: it holds numbers to 127, too few for 129 values from 0 on"},
		{func(o *IntsOptions) { o.Distribution = Unique }, "too few for 1000 rows from 0 on"},
		{func(o *IntsOptions) { o.Distribution, o.Values = Unique, 10 }, "max, --values: only of distribution uniform or zipf"},
		{func(o *IntsOptions) { o.Distribution, o.MeanRun = Repeated, 0 }, "mean-run 0: a number of rows"},
		{func(o *IntsOptions) { o.Distribution, o.MeanRun = Repeated, 2 }, "too few for 500 values, two in twice mean-run rows, from 0 on"},
		{func(o *IntsOptions) { o.Distribution, o.MeanRun, o.Rows = Repeated, 5, 641 }, "too few for 130 values"},
		{func(o *IntsOptions) { o.Distribution, o.S = Zipf, 0 }, "s 0: more than 0 and at most 20"},
		{func(o *IntsOptions) { o.Distribution, o.S = Zipf, math.NaN() }, "s NaN: more than 0"},
		{func(o *IntsOptions) { o.Distribution, o.Values, o.Kind = Zipf, 1<<40+1, ir.I64 }, "values: zipf takes at most 1099511627776"},
		{func(o *IntsOptions) { o.Distribution = "normal" }, "dist normal: choose uniform, unique, repeated, zipf"},
	} {
		o := good
		c.change(&o)
		if _, err := Ints(o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v\n want %s", err, c.want)
		}
	}
}

func BenchmarkGenerators(b *testing.B) {
	ints := func(distribution string, sorted bool) func() (Generator, error) {
		return func() (Generator, error) {
			return Ints(IntsOptions{Rows: 1e7, Names: []string{"x"}, Kind: ir.I64, Distribution: distribution, MeanRun: 10, S: 1.1, Sorted: sorted})
		}
	}
	for _, c := range []struct {
		name string
		make func() (Generator, error)
	}{
		{"lineitem", func() (Generator, error) { return Lineitem(1, 1) }},
		{"orders", func() (Generator, error) { return Orders(1, 1) }},
		{"wisconsin", func() (Generator, error) { return Wisconsin(1e6, Standard, 1) }},
		{"students", func() (Generator, error) { return Students(1e7, 100, 1) }},
		{"biker", func() (Generator, error) { return CubeFacts(Biker, 1e6, 1) }},
		{"uniform", ints(Uniform, false)},
		{"unique", ints(Unique, false)},
		{"repeated", ints(Repeated, false)},
		{"zipf", ints(Zipf, false)},
		{"uniform sorted", ints(Uniform, true)},
		{"zipf sorted", ints(Zipf, true)},
	} {
		b.Run(strings.ReplaceAll(c.name, " ", "-"), func(b *testing.B) {
			g, err := c.make()
			if err != nil {
				b.Fatal(err)
			}
			rows := 0
			for b.Loop() {
				if err := g.Stream(b.Context(), Workers(), func(batch []ir.Column) error { rows += batch[0].Len(); return nil }); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(rows)/b.Elapsed().Seconds()/1e6, "Mrows/s")
		})
	}
}

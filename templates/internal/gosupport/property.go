package support

//lint:file-ignore U1000 The tests of a pipeline use some of these.

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"
	"unsafe"
)

// kgenSubject is a function under test, with its arguments and results.
type kgenSubject interface {
	draw(d *kgenData)             // makes arguments, and computes the results of the reference
	call(options ...Option) error // calls the function with them
	differ(err error) string      // how the results of the call differ from the reference, or ""
	arguments() any               // for messages
	bytes() int                   // of the arguments
}

// kgenData makes arguments. Equal seeds and numbers of rows give equal arguments.
type kgenData struct {
	*rand.Rand
	rows       int
	careless   bool // arguments may fail a check of the pipeline
	repetition int  // index into kgenRepetitions, for the next column
}

func kgenSeeded(seed uint64, rows int) *kgenData {
	r := rand.New(rand.NewPCG(seed, 0x6b67656e))
	return &kgenData{r, rows, r.IntN(4) == 0, int(seed % uint64(len(kgenRepetitions)))}
}

// kgenTest requires that a function agrees with its reference, and that it
// allocates nothing if it can use the memory of an earlier call.
func kgenTest(t *testing.T, make func() kgenSubject) {
	t.Run("agrees", func(t *testing.T) { kgenTestAgreement(t, make) })
	t.Run("allocates nothing", func(t *testing.T) { kgenTestAllocation(t, make()) })
}

// kgenTestAgreement compares a function with its reference on random arguments:
// few and many rows, one worker and several, new memory and used memory.
func kgenTestAgreement(t *testing.T, make func() kgenSubject) {
	t.Helper()
	if !kgenTestSeeds(t, make, kgenCompare) || testing.Short() {
		return
	}
	for seed := range uint64(len(kgenRepetitions)) { // enough rows for several workers
		if kgenReport(t, make, kgenCompare, seed, 100_000+int(seed)) {
			return
		}
	}
}

// kgenTestSeeds compares on arguments of many seeds, or of the one seed that the
// environment names, and reports whether all agree.
func kgenTestSeeds(t *testing.T, make func() kgenSubject, compare func(kgenSubject, *kgenData) string) bool {
	t.Helper()
	if text, ok := os.LookupEnv("KGEN_SEED"); ok {
		seed, err := strconv.ParseUint(text, 10, 64)
		rows, errRows := strconv.Atoi(os.Getenv("KGEN_ROWS"))
		if err = errors.Join(err, errRows); err != nil {
			t.Fatal("KGEN_SEED and KGEN_ROWS are to be numbers:", err)
		}
		kgenReport(t, make, compare, seed, rows)
		return false
	}
	sizes := []int{0, 1, 2, 3, 5, 17, 40, 200, 1000, 2500}
	for seed := range uint64(180) {
		if kgenReport(t, make, compare, seed, sizes[seed%uint64(len(sizes))]) {
			return false
		}
	}
	return true
}

// kgenReport reports a difference with the fewest rows that show one.
func kgenReport(t *testing.T, make func() kgenSubject, compare func(kgenSubject, *kgenData) string, seed uint64, rows int) (failed bool) {
	t.Helper()
	difference, rows := kgenFewest(rows, func(rows int) string { return compare(make(), kgenSeeded(seed, rows)) })
	if difference == "" {
		return false
	}
	s := make()
	s.draw(kgenSeeded(seed, rows))
	t.Errorf("%s\nwith %d rows of seed %d: %.1000s\nagain: KGEN_SEED=%d KGEN_ROWS=%d go test -run '^%s$'",
		difference, rows, seed, fmt.Sprintf("%+v", s.arguments()), seed, rows, t.Name())
	return true
}

// kgenFewest returns a difference of so many rows, or "", with the fewest rows
// that show one.
func kgenFewest(rows int, compare func(rows int) string) (difference string, fewest int) {
	if difference = compare(rows); difference == "" {
		return "", rows
	}
	for fewer := 0; fewer < rows; fewer += 1 + fewer/8 {
		if shown := compare(fewer); shown != "" {
			return shown, fewer
		}
	}
	return difference, rows
}

// kgenCompare calls the function several times and describes a difference, or
// returns "". If there are few rows, blocks are small enough for several workers.
func kgenCompare(s kgenSubject, d *kgenData) string {
	s.draw(d)
	scratch := WithScratch(new(Scratch))
	small, first := Option{block: 1 + d.IntN(max(1, min(d.rows/2, 100)))}, 1+d.IntN(3)
	for i, call := range []struct {
		with    string
		options []Option
	}{
		{fmt.Sprintf("WithWorkers(%d), blocks of %d rows, new memory", first, small.block), []Option{WithWorkers(first), small}},
		{"WithWorkers(1)", []Option{WithWorkers(1)}},
		{"WithWorkers(3)", []Option{WithWorkers(3), scratch}},
		{fmt.Sprintf("WithWorkers(2), blocks of %d rows", small.block), []Option{WithWorkers(2), small, scratch}},
		{"WithWorkers(1)", []Option{WithWorkers(1), scratch}},
	} {
		if difference := s.differ(s.call(call.options...)); difference != "" {
			return fmt.Sprintf("call %d, %s: %s", i+1, call.with, difference)
		}
	}
	return ""
}

// kgenFuzz lets the fuzzer choose arguments.
func kgenFuzz(f *testing.F, make func() kgenSubject) {
	f.Add(uint8(0), []byte(nil))
	f.Add(uint8(7), []byte("0123456789abcdef"))
	f.Add(uint8(200), []byte{1})
	f.Fuzz(func(t *testing.T, rows uint8, choices []byte) {
		data := func(rows int) *kgenData {
			r := rand.New(&kgenChoices{choices, rand.NewPCG(1, uint64(len(choices)))})
			return &kgenData{r, rows, r.IntN(4) == 0, r.IntN(len(kgenRepetitions))}
		}
		difference, fewest := kgenFewest(int(rows), func(rows int) string { return kgenCompare(make(), data(rows)) })
		if difference != "" {
			s := make()
			s.draw(data(fewest))
			t.Errorf("%s\nwith %d rows: %.1000s", difference, fewest, fmt.Sprintf("%+v", s.arguments()))
		}
	})
}

// kgenChoices is a random source that begins with given bytes.
type kgenChoices struct {
	given []byte
	then  *rand.PCG // the source of all later numbers
}

func (c *kgenChoices) Uint64() uint64 {
	if len(c.given) == 0 {
		return c.then.Uint64()
	}
	x := uint64(c.given[0]) << 56 // the high bits decide small choices
	c.given = c.given[1:]
	return x
}

// kgenTestAllocation counts the allocations of a function on one worker.
func kgenTestAllocation(t *testing.T, s kgenSubject) {
	t.Helper()
	options := []Option{WithWorkers(1), WithScratch(new(Scratch))}
	if !kgenSucceeds(s, 1000, options) {
		t.Skip("the arguments fail a check of the pipeline")
	}
	if n := testing.AllocsPerRun(5, func() { _ = s.call(options...) }); n > 0 {
		t.Errorf("%v allocations a call", n)
	}
}

// kgenBenchmark measures a function on one worker and on one worker per
// processor.
func kgenBenchmark(b *testing.B, s kgenSubject) {
	const rows = 1 << 20
	for _, workers := range []int{1, 0} {
		name := "workers=" + strconv.Itoa(workers)
		if workers == 0 {
			name = "workers=all"
		}
		b.Run(name, func(b *testing.B) {
			options := []Option{WithWorkers(workers), WithScratch(new(Scratch))}
			if !kgenSucceeds(s, rows, options) {
				b.Skip("the arguments fail a check of the pipeline")
			}
			b.SetBytes(int64(s.bytes()))
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				_ = s.call(options...)
			}
		})
	}
}

// kgenSucceeds searches for arguments that fail no check, and calls s with them.
func kgenSucceeds(s kgenSubject, rows int, options []Option) bool {
	for seed := range uint64(20) {
		d := kgenSeeded(seed, rows)
		d.careless = false
		if s.draw(d); s.call(options...) == nil {
			return true
		}
	}
	return false
}

// length returns the number of rows of domain number i.
func (d *kgenData) length(i int) int {
	if i == 0 || d.IntN(2) == 0 {
		return d.rows
	}
	return min(d.rows, 1+d.IntN(d.rows/2+8))
}

// kgenRepetitions lists how many of 100000 rows repeat the value of the previous row.
// For each of them, some seeds use it for the first column; later columns use
// any of them.
var kgenRepetitions = [...]int{0, 99_999, 50_000, 100_000, 99_000, 0, 90_000, 99_990}

// kgenRepeated makes a column of drawn values, which are repeated according to
// the repetition of d.
func kgenRepeated[T any](d *kgenData, n int, draw func() T) []T {
	x := make([]T, n)
	again := kgenRepetitions[d.repetition]
	if n > 1 {
		d.repetition = d.IntN(len(kgenRepetitions))
	}
	for i := range x {
		if i > 0 && d.IntN(100_000) < again {
			x[i] = x[i-1]
		} else {
			x[i] = draw()
		}
	}
	return x
}

// kgenSorted sorts some columns.
func kgenSorted[T kgenInteger | float32 | float64](d *kgenData, x []T) []T {
	switch d.IntN(6) {
	case 0:
		slices.Sort(x)
	case 1:
		slices.Sort(x)
		slices.Reverse(x)
	}
	return x
}

// kgenIntegers makes a column of a few values, some of them near the constants
// of the pipeline, and perhaps of arbitrary values.
func kgenIntegers[T kgenInteger](d *kgenData, n int, near ...T) []T {
	few, wide := 1+d.IntN(9), d.IntN(4) == 0
	return kgenSorted(d, kgenRepeated(d, n, func() T {
		switch {
		case len(near) > 0 && d.IntN(2) == 0:
			return near[d.IntN(len(near))] + T(d.IntN(3)) - 1
		case wide && d.IntN(4) == 0:
			return T(d.Uint64())
		}
		return T(d.IntN(few)) - T(d.IntN(2))
	}))
}

// kgenTimestamps makes a column of times about some hours of 1994, of times near the
// constants of the pipeline, and perhaps of arbitrary ones.
func kgenTimestamps(d *kgenData, n int, near ...int64) []int64 {
	const hour = 60 * 60 * 1_000_000
	few, wide := 1+d.IntN(9), d.IntN(4) == 0
	return kgenSorted(d, kgenRepeated(d, n, func() int64 {
		switch {
		case len(near) > 0 && d.IntN(2) == 0:
			return near[d.IntN(len(near))] + int64(d.IntN(3)) - 1
		case wide && d.IntN(4) == 0:
			return int64(d.Uint64())
		}
		return (8766*24+7*int64(d.IntN(few)))*hour + int64(d.IntN(3)) - 1
	}))
}

// kgenIndices makes a column of n row numbers below of, perhaps with a few that are
// out of range.
func kgenIndices[T kgenInteger](d *kgenData, n, of int) []T {
	return kgenSorted(d, kgenRepeated(d, n, func() T {
		if d.careless && d.IntN(8) == 0 {
			return T(of) - T(d.IntN(2))*T(of+1)
		}
		return T(d.IntN(max(1, min(of, math.MaxInt8))))
	}))
}

// kgenDivisors makes a column of values other than 0, perhaps with a few zeros.
func kgenDivisors[T kgenInteger](d *kgenData, n int) []T {
	return kgenRepeated(d, n, func() T {
		if d.careless && d.IntN(8) == 0 {
			return 0
		}
		return max(1, T(d.IntN(9))) * (1 - 2*T(d.IntN(2)))
	})
}

// kgenSize makes a number of bins.
func kgenSize[T kgenInteger](d *kgenData) T {
	if d.careless && d.IntN(4) == 0 {
		return T(d.IntN(3)) - 1
	}
	return T(1 + d.IntN(40))
}

// kgenFloats makes a column of small multiples of a quarter, whose sums are
// exact, some values near the constants of the pipeline, and perhaps infinities
// and NaN.
func kgenFloats[T float32 | float64](d *kgenData, n int, near ...T) []T {
	few, wide := 1+d.IntN(30), d.IntN(4) == 0
	special := []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 1e30, math.SmallestNonzeroFloat32}
	return kgenSorted(d, kgenRepeated(d, n, func() T {
		switch {
		case len(near) > 0 && d.IntN(2) == 0:
			return near[d.IntN(len(near))] * []T{1, 1, 0.9, 1.1}[d.IntN(4)]
		case wide && d.IntN(8) == 0:
			return T(special[d.IntN(len(special))])
		}
		return T(d.IntN(few)) / 4
	}))
}

// kgenWholes makes a column of floats whose sums are exact in any order.
func kgenWholes[T float32 | float64](d *kgenData, n int) []T {
	few := 1 + d.IntN(9)
	return kgenSorted(d, kgenRepeated(d, n, func() T { return T(d.IntN(few) - 1) }))
}

// kgenSigns makes a column of floats whose products are exact in any order.
func kgenSigns[T float32 | float64](d *kgenData, n int) []T {
	return kgenRepeated(d, n, func() T { return 1 - 2*T(d.IntN(2)) })
}

func kgenBools(d *kgenData, n int) []bool {
	percent := []int{1, 10, 50, 90, 99}[d.IntN(5)]
	return kgenRepeated(d, n, func() bool { return d.IntN(100) < percent })
}

func kgenTexts(d *kgenData, n int, near ...string) [][8]byte {
	near = append(near, "", "A", "B", "AB", "abcdefgh", "\xff\xff\xff\xff\xff\xff\xff\xff")
	return kgenRepeated(d, n, func() (b [8]byte) {
		copy(b[:], near[d.IntN(len(near))])
		if d.IntN(4) == 0 {
			b[d.IntN(8)]++
		}
		return b
	})
}

// kgenBytes8 returns a text padded with NUL bytes.
func kgenBytes8(s string) (b [8]byte) {
	copy(b[:], s)
	return b
}

// kgenText returns a char8 as a string, which < compares.
func kgenText(b [8]byte) string { return string(b[:]) }

// kgenIf returns then if cond holds, and otherwise the other value.
func kgenIf[T any](cond bool, then, otherwise T) T {
	if cond {
		return then
	}
	return otherwise
}

// kgenNumber is 1 for true and 0 for false.
func kgenNumber[T kgenInteger | float32 | float64](b bool) T {
	if b {
		return 1
	}
	return 0
}

// kgenSaturated rounds x towards 0 to an integer between the limits.
func kgenSaturated[T kgenInteger](x float64, low, high T) T {
	if math.IsNaN(x) {
		return 0
	}
	if math.IsInf(x, 0) {
		return kgenIf(x < 0, low, high)
	}
	whole, _ := big.NewFloat(x).Int(nil)
	least, _ := new(big.Int).SetString(fmt.Sprint(low), 10)
	most, _ := new(big.Int).SetString(fmt.Sprint(high), 10)
	switch {
	case whole.Cmp(least) <= 0:
		return low
	case whole.Cmp(most) >= 0:
		return high
	case low == 0:
		return T(whole.Uint64())
	}
	return T(whole.Int64())
}

// kgenRescale gives an unscaled number of one scale the digits after the point that
// another has: it rounds to the nearest, half away from 0.
func kgenRescale(unscaled int64, from, to int) int64 {
	unit := int64(1)
	for range max(from-to, to-from) {
		unit *= 10
	}
	if from <= to {
		return unscaled * unit
	}
	far := uint64(unit / 2) // from 0
	if unscaled < 0 {
		return -int64((uint64(-unscaled) + far) / uint64(unit))
	}
	return int64((uint64(unscaled) + far) / uint64(unit))
}

// kgenDate returns the day that is the given number of days after 1970-01-01.
func kgenDate(days int32) time.Time { return time.Unix(int64(days)*86400, 0).UTC() }

// kgenDays returns the days from 1970-01-01 to the day of t.
func kgenDays(t time.Time) int64 {
	days := t.Unix() / 86400
	if t.Unix()%86400 < 0 {
		days--
	}
	return days
}

// kgenWeekday returns 1 on Monday to 7 on Sunday.
func kgenWeekday(t time.Time) int32 { return int32(t.Weekday()+6)%7 + 1 }

// kgenStartOf returns the beginning of a unit of t.
func kgenStartOf(t time.Time, unit string) time.Time {
	year, month, day := t.Date()
	hour, minute, second := t.Clock()
	switch unit {
	case "second":
	case "minute":
		second = 0
	case "hour":
		minute, second = 0, 0
	default:
		hour, minute, second = 0, 0, 0
	}
	switch unit {
	case "week":
		day -= int(kgenWeekday(t)) - 1
	case "month":
		day = 1
	case "quarter":
		month, day = month-(month-1)%3, 1
	case "year":
		month, day = 1, 1
	}
	return time.Date(year, month, day, hour, minute, second, 0, time.UTC)
}

// kgenCompareKeys orders keys: zeros of both signs are equal, and NaN is the
// greatest.
func kgenCompareKeys[T cmp.Ordered](x, y T) int {
	switch {
	case x != x && y != y:
		return 0
	case x != x:
		return 1
	case y != y:
		return -1
	}
	return cmp.Compare(x, y)
}

// kgenKey returns what two keys have equal if they are the same key: zeros of both signs
// are, and all NaNs.
func kgenKey[T comparable](x T) any {
	if x != x {
		return "NaN"
	}
	return x
}

// kgenSort sorts rows, and keeps the order of rows that are equal.
func kgenSort(rows []int64, compare func(i, j int64) int) { slices.SortStableFunc(rows, compare) }

// kgenText8 returns eight bytes as a string, which Go orders.
func kgenText8(x [8]byte) string { return string(x[:]) }

// kgenSameKey reports whether two floats are the same key, as all NaNs are.
func kgenSameKey[T float32 | float64](x, y T) bool { return x == y || x != x && y != y }

// kgenSizeOf returns the size of a column in bytes.
func kgenSizeOf[T any](x []T) int {
	var element T
	return len(x) * int(unsafe.Sizeof(element))
}

// kgenMagnitude is |x|, and 0 for infinities and NaN.
func kgenMagnitude[T float32 | float64](x T) float64 {
	if m := math.Abs(float64(x)); m <= math.MaxFloat64 {
		return m
	}
	return 0
}

// kgenDifferError compares failures: the number of the check and the row.
func kgenDifferError(err error, want *CheckError) string {
	var got *CheckError
	switch {
	case err == nil && want == nil:
		return ""
	case errors.As(err, &got) && want != nil && got.Site == want.Site && got.Row == want.Row:
		return ""
	case want == nil:
		return fmt.Sprintf("it fails with %v", err)
	}
	return fmt.Sprintf("it fails with %v, and not with check %d in row %d", err, want.Site, want.Row)
}

// kgenDiffer describes the first difference of a column, or returns "".
func kgenDiffer[T comparable](name string, got, want []T) string {
	if len(got) != len(want) {
		return fmt.Sprintf("%s has %d rows, not %d", name, len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			return fmt.Sprintf("%s[%d] is %v, not %v", name, i, got[i], want[i])
		}
	}
	return ""
}

// kgenDifferFloats is kgenDiffer for floats. They have to be equal in all bits,
// apart from NaNs, or are sums and values computed from sums, which may differ by
// the rounding error of that many additions relative to themselves and to scale.
func kgenDifferFloats[T float32 | float64](name string, got, want []T, additions int, scale float64) string {
	if len(got) != len(want) {
		return fmt.Sprintf("%s has %d rows, not %d", name, len(got), len(want))
	}
	epsilon := 0x1p-52
	if unsafe.Sizeof(T(0)) == 4 {
		epsilon = 0x1p-23
	}
	for i := range want {
		g, w := float64(got[i]), float64(want[i])
		switch {
		case g == w && (additions > 0 || math.Signbit(g) == math.Signbit(w)), g != g && w != w:
		case math.Abs(g-w) <= 2*epsilon*float64(additions)*(math.Abs(w)+scale) && !math.IsInf(w, 0):
		default:
			return fmt.Sprintf("%s[%d] is %v, not %v", name, i, got[i], want[i])
		}
	}
	return ""
}

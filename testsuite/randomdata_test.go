package testsuite

import (
	"errors"
	"testing"

	"github.com/kgen-go/kgen/internal/interp"
	"github.com/kgen-go/kgen/internal/irtest"
	"github.com/kgen-go/kgen/ir"
)

// Every pipeline of the corpus takes data of every shape, the same data for
// the same description; fitted data passes most checks, careless data few.
func TestRandomData(t *testing.T) {
	entries, err := Load("corpus")
	if err != nil {
		t.Fatal(err)
	}
	passed, failed := map[bool]int{}, map[bool]int{}
	for _, entry := range entries {
		for _, shape := range Shapes() {
			for i, rows := range []int{0, 1, 2, 70} {
				for _, careless := range []bool{false, true} {
					data := RandomData{Rows: rows, Shape: shape, Seed: uint64(i), Careless: careless}
					text := runText(t, entry, data)
					if again := runText(t, entry, data); again != text {
						t.Fatalf("%s, %+v: two runs differ", entry.Name, data)
					}
					if text == failedCheck {
						failed[careless]++
					} else {
						passed[careless]++
					}
				}
			}
		}
	}
	t.Logf("fitted data: %d pass, %d fail; careless: %d pass, %d fail", passed[false], failed[false], passed[true], failed[true])
	if passed[false] < 3*failed[false] {
		t.Errorf("of fitted data, only %d pass and %d fail", passed[false], failed[false])
	}
	if failed[true] <= failed[false] {
		t.Errorf("careless data fails %d times, fitted %d", failed[true], failed[false])
	}
}

const failedCheck = "a check failed"

// runText interprets an entry over random data: the results as text, or failedCheck.
func runText(t *testing.T, entry Entry, data RandomData) string {
	results, err := interp.Run(entry.Pipeline, data.Columns(entry.Pipeline))
	var check *ir.CheckError
	if errors.As(err, &check) {
		return failedCheck
	}
	text, err := Render(entry.Pipeline, results, err)
	if err != nil {
		t.Fatalf("%s, %+v: %v", entry.Name, data, err)
	}
	return text
}

// Runs of equal floats have zeros of both signs, next to each other.
func TestRandomDataZeros(t *testing.T) {
	p := irtest.Load(t, `pipeline p(x: [n]f64, y: [n]f32) {
	return x: count(by: runs(x)), y: count(by: runs(y))
}`)
	for i := range p.Params {
		changes := 0
		for seed := range uint64(50) {
			x := RandomData{Rows: 40, Shape: Runs, Seed: seed, Whole: true, Special: true}.Columns(p)[i]
			for row := 1; row < x.Len(); row++ {
				a, b := x.At(row-1), x.At(row)
				if a.Float64() == 0 && b.Float64() == 0 && a.Bits != b.Bits {
					changes++
				}
			}
		}
		if changes == 0 {
			t.Errorf("in no run of %s a zero changes its sign", p.Params[i].Name)
		}
	}
}

// Fitted index columns hold valid rows of the columns they index, and extreme
// columns hold extreme values.
func TestRandomDataFits(t *testing.T) {
	p := irtest.Load(t, `pipeline p(x: [m]f64, i: [n]i32, j: [n]u8, d: [n]i64) {
	return a: x[i], h: count(by: bins(j, 5)), q: 100 / d
}`)
	specials := 0
	for seed := range uint64(50) {
		in := RandomData{Rows: 40, Shape: Extreme, Seed: seed}.Columns(p)
		for row := range in[1].Len() {
			if i := in[1].At(row).Int64(); i < 0 || i >= int64(in[0].Len()) {
				t.Fatalf("seed %d: index %d of %d rows", seed, i, in[0].Len())
			}
			if j := in[2].At(row).Int64(); j >= 5 {
				t.Fatalf("seed %d: bin %d", seed, j)
			}
			if in[3].At(row).Int64() == 0 {
				t.Fatalf("seed %d: a divisor is 0", seed)
			}
		}
		for row := range in[0].Len() {
			if x := in[0].At(row).Float64(); x != x {
				specials++
			}
		}
	}
	if specials == 0 {
		t.Error("no NaN among extreme floats")
	}
}

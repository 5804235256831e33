package generate

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/ir"
)

// Every column is the function of unique1 or of the row that the benchmark
// says, at all sizes.
func TestWisconsin(t *testing.T) {
	const rows = 70_000
	of := map[string]func(unique1, row int64) float64{
		"tid":            func(_, row int64) float64 { return float64(row) },
		"unique1":        func(u, _ int64) float64 { return float64(u) },
		"unique2":        func(_, row int64) float64 { return float64(row) },
		"two":            func(u, _ int64) float64 { return float64(u % 2) },
		"four":           func(u, _ int64) float64 { return float64(u % 4) },
		"ten":            func(u, _ int64) float64 { return float64(u % 10) },
		"twenty":         func(u, _ int64) float64 { return float64(u % 20) },
		"onePercent":     func(u, _ int64) float64 { return float64(u % 100) },
		"tenPercent":     func(u, _ int64) float64 { return float64(u % 10) },
		"twentyPercent":  func(u, _ int64) float64 { return float64(u % 5) },
		"fiftyPercent":   func(u, _ int64) float64 { return float64(u % 2) },
		"unique3":        func(u, _ int64) float64 { return float64(u) },
		"evenOnePercent": func(u, _ int64) float64 { return float64(u % 100 * 2) },
		"oddOnePercent":  func(u, _ int64) float64 { return float64(u%100*2 + 1) },
	}
	for size, bytes := range map[string]int{Small: 24, Numbers: 52, Standard: 80, Large: 136} {
		g, err := Wisconsin(rows, size, 4)
		columns := named(t, g, err)
		seen := make([]bool, rows)
		width := 0
		for name, c := range columns {
			width += c.Kind.Size()
			for row := range rows {
				u := value(columns["unique1"], row)
				want, numeric := of[name]
				switch {
				case numeric:
					if got := value(c, row); got != want(int64(u), int64(row)) {
						t.Fatalf("%s: %s of unique1 %v in row %d is %v", size, name, u, row, got)
					}
				case name == "stringu1":
					if got := textAt(c, row); unletters(got) != int64(u) {
						t.Fatalf("stringu1 of %v is %s", u, got)
					}
				case name == "stringu2":
					if got := textAt(c, row); unletters(got) != int64(row) {
						t.Fatalf("stringu2 of row %d is %s", row, got)
					}
				default:
					if got := textAt(c, row); got != []string{"AAAA", "HHHH", "OOOO", "VVVV"}[row%4] {
						t.Fatalf("%s of row %d is %s", name, row, got)
					}
				}
			}
		}
		for row := range rows {
			u := int(value(columns["unique1"], row))
			if seen[u] {
				t.Fatalf("%s: unique1 %d twice", size, u)
			}
			seen[u] = true
		}
		if width != bytes {
			t.Errorf("%s: a row has %d bytes, not %d", size, width, bytes)
		}
	}
}

func value(c ir.Column, row int) float64 {
	if s := c.At(row); s.Kind.IsFloat() {
		return s.Float64()
	} else {
		return float64(s.Int64())
	}
}

func textAt(c ir.Column, row int) string {
	text := char8s(c)[row]
	return strings.TrimRight(string(text[:]), "\x00")
}

// unletters reads the digits A to Z.
func unletters(text string) (n int64) {
	if len(text) != 7 {
		return -1
	}
	for _, r := range text {
		n = n*26 + int64(r-'A')
	}
	return n
}

func TestStudents(t *testing.T) {
	const rows, mean = 100_000, 50
	g, err := Students(rows, mean, 9)
	columns := named(t, g, err)
	grades, students := ints32(columns["grade"]), slices.Sorted(slices.Values(ints64(columns["student"])))
	if !slices.IsSorted(grades) || grades[0] != 1 || grades[rows-1] != rows/mean {
		t.Errorf("grades from %d to %d", grades[0], grades[rows-1])
	}
	for i, s := range students {
		if s != int64(i+1) {
			t.Fatalf("student %d is missing", i+1)
		}
	}
	sum, square := 0.0, 0.0
	for _, score := range ints32(columns["score"]) {
		if score < 0 || score > 100 {
			t.Fatalf("score %d", score)
		}
		sum += float64(score) / rows
		square += (float64(score) - 50) * (float64(score) - 50) / rows
	}
	if math.Abs(sum-50) > 0.2 || math.Abs(math.Sqrt(square)-15) > 0.2 { // 2 x sqrt((26^2 - 1) / 12)
		t.Errorf("scores of mean %v and deviation %v", sum, math.Sqrt(square))
	}
	if _, err := Students(0, 5, 1); err == nil {
		t.Error("no rows are taken")
	}
}

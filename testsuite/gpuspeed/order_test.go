package main

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/internal/memory"
)

// The reference of order is that of a stable sort, for any number of equal keys.
func TestSortedRows(t *testing.T) {
	for _, from := range []string{"value", "16 uniform", "131072 uniform", "256 constant", "any double"} {
		for _, rows := range []int64{0, 1, 1 << 14} {
			space := memory.NewSpace(0)
			data := newColumns(space, rows)
			c, err := data.get(from)
			if err != nil {
				t.Fatal(err)
			}
			want := make([]int64, rows)
			for i := range want {
				want[i] = int64(i)
			}
			name := "order_i32"
			if from == "any double" {
				name = "order_f64"
				slices.SortStableFunc(want, func(a, b int64) int { x := elements[float64](c.Data); return cmp.Compare(x[a], x[b]) })
			} else {
				slices.SortStableFunc(want, func(a, b int64) int { x := elements[int32](c.Data); return cmp.Compare(x[a], x[b]) })
			}
			for _, w := range byOrder() {
				if w.columns[0].from != from || w.pipeline != name && w.pipeline != "least" {
					continue
				}
				list := want
				if w.pipeline == "least" {
					list = want[:min(w.set["limit"], rows)]
				}
				var d digest
				for _, row := range list {
					d.add(row)
				}
				a, err := w.arguments(data)
				if got := w.expect(a); err != nil || got.Columns[0] != d {
					t.Errorf("%s, %d rows: %v, not %v", w.name, rows, got.Columns[0], d)
				}
			}
			space.Close()
		}
	}
}

// Doubles are finite, and none is zero.
func TestAnyDouble(t *testing.T) {
	for i := range int64(1 << 16) {
		if x := anyDouble(i); x-x != 0 || x == 0 {
			t.Fatalf("row %d is %v", i, x)
		}
	}
	for _, pair := range [][2]float64{{math.Inf(-1), -2}, {-2, -1}, {-1, -5e-324}, {-5e-324, 0}, {0, 5e-324}, {1, 2}, {2, math.Inf(1)}} {
		if keyOfFloat(pair[0]) >= keyOfFloat(pair[1]) {
			t.Errorf("%v", pair)
		}
	}
}

// Groups without rows are none.
func TestGroupsOf(t *testing.T) {
	var keys, totals, rows digest
	for i, key := range []int64{1, 3} {
		keys.add(key)
		totals.add([]int64{-5, 7}[i])
		rows.add([]int64{2, 1}[i])
	}
	got := groupsOf([]bin{{}, {rows: 2, total: -5}, {}, {rows: 1, total: 7}})
	if want := several(keys, totals, rows); !slices.Equal(got.Columns, want.Columns) {
		t.Errorf("%v, not %v", got, want)
	}
}

// Only -run chooses what compiles for long.
func TestAsked(t *testing.T) {
	for _, c := range []struct {
		arguments []string
		workload  string
		want      bool
	}{
		{nil, "order of i32", false}, {nil, "sum, count by 16 groups", false}, {nil, "inclusive scan", true},
		{[]string{"-run", "order|groups"}, "order of i32", true}, {[]string{"-run", "order|groups"}, "sum, count by 16 groups", true},
		{[]string{"-run", "order|groups"}, "inclusive scan", false}, {[]string{"-run", "."}, "order of f64", true}, {[]string{"-curve"}, "order of i32", false},
	} {
		s, err := parse(c.arguments)
		if err != nil {
			t.Fatal(err)
		}
		list := workloads()
		i := slices.IndexFunc(list, func(w workload) bool { return w.name == c.workload })
		if i < 0 || s.chooses(&list[i]) != c.want {
			t.Errorf("%v, %s: %v", c.arguments, c.workload, !c.want)
		}
	}
}

// A goal in milliseconds is met by less.
func TestGoalInTime(t *testing.T) {
	for took, met := range map[int64]bool{2_600_000: true, 2_610_000: false, 100_000: true} {
		r := &report{Device: "cuda:0"}
		w := &workload{name: "w", within: 2.6}
		var out bytes.Buffer
		r.add(&out, w, []rate{{Workload: "w", Rows: goalRows, Device: "cuda:0", Form: "default", Time: took, Rate: 1}})
		r.markdown(&out)
		want := []goal{{"w", "ms", 2.6, float64(took) / 1e6, met}}
		text := map[bool]string{true: "ms 2.60 met", false: "ms 2.60 missed"}[met]
		cell := map[bool]string{true: "| 2.60 ms |", false: "| **2.60 ms** |"}[met]
		if !slices.Equal(r.Goals, want) || !strings.Contains(out.String(), text) || !strings.Contains(out.String(), cell) {
			t.Errorf("%v\n%s", r.Goals, &out)
		}
	}
}

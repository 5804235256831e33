package generate

import (
	"strings"
	"testing"

	"github.com/kgen-go/kgen/ir"
)

// Keys of lines are those of the dimensions; money follows from price and discount; places and brands nest.
func TestSSB(t *testing.T) {
	s, err := NewSSB(0.01, 3)
	if err != nil {
		t.Fatal(err)
	}
	lines, dates, customers := rowsOf(t, s.LineOrder, nil), rowsOf(t, s.Date, nil), rowsOf(t, s.Customer, nil)
	suppliers, parts := rowsOf(t, s.Supplier, nil), rowsOf(t, s.Part, nil)
	if n := [4]int{dates[0].Len(), customers[0].Len(), suppliers[0].Len(), parts[0].Len()}; n != [4]int{2557, 300, 20, 2000} {
		t.Errorf("dimensions have %v rows", n)
	}
	days := map[int32]bool{}
	for i, key := range ints32(dates[0]) {
		days[key] = true
		if week := ints32(dates[7])[i]; week != (ints32(dates[6])[i]-1)/7+1 || key/10_000 != ints32(dates[1])[i] || key/100 != ints32(dates[2])[i] {
			t.Fatalf("date %d", key)
		}
	}
	totals := map[int64]int32{}
	keys := lines[0].Slice.([]int64)
	for i := range keys {
		for column, most := range map[int]int32{2: 300, 3: 2000, 4: 20} {
			if key := ints32(lines[column])[i]; key < 1 || key > most {
				t.Fatalf("row %d: %s is %d", i, lineOrderColumns[column].Name, key)
			}
		}
		price, discount, quantity := ints32(lines[9])[i], ints32(lines[11])[i], ints32(lines[8])[i]
		if !days[ints32(lines[5])[i]] || !days[ints32(lines[15])[i]] || discount > 10 || quantity < 1 || quantity > 50 || price%quantity != 0 ||
			int64(ints32(lines[12])[i]) != int64(price)*int64(100-discount)/100 {
			t.Fatalf("row %d of lineorder", i)
		}
		totals[keys[i]] += price
	}
	for i, key := range keys {
		if ints32(lines[10])[i] != totals[key] {
			t.Fatalf("order %d has the total %d, not %d", key, ints32(lines[10])[i], totals[key])
		}
	}
	nations := map[string]string{}
	for i := range ints32(customers[0]) {
		city, nation, region := textOf(customers[1], i), textOf(customers[2], i), textOf(customers[3], i)
		if !strings.HasPrefix(nation+"         ", city[:9]) || len(city) != 10 || nations[nation] != "" && nations[nation] != region {
			t.Fatalf("customer of %s, %s, %s", city, nation, region)
		}
		nations[nation] = region
	}
	if len(nations) != 25 {
		t.Errorf("%d nations", len(nations))
	}
	for i := range ints32(parts[0]) {
		maker, category, brand := textOf(parts[1], i), textOf(parts[2], i), textOf(parts[3], i)
		if !strings.HasPrefix(category, maker) || !strings.HasPrefix(brand, category) || len(category) != 7 {
			t.Fatalf("part of %s, %s, %s", maker, category, brand)
		}
	}
	for scale, want := range map[float64]int64{0.5: 100_000, 1: 200_000, 2: 400_000, 20: 1_000_000} {
		if s, err := NewSSB(scale, 1); err != nil || s.Part.Rows() != want {
			t.Errorf("scale %v: %d parts, not %d; %v", scale, s.Part.Rows(), want, err)
		}
	}
	if _, err := NewSSB(0, 1); err == nil {
		t.Error("scale 0")
	}
}

func textOf(c ir.Column, row int) string { return c.Texts[ints32(c)[row]] }

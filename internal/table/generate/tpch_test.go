package generate

import (
	"fmt"
	"math"
	"testing"

	"github.com/kgen-go/kgen/ir"
)

// named returns the columns of g by name.
func named(t testing.TB, g Generator, err error) map[string]ir.Column {
	t.Helper()
	columns := map[string]ir.Column{}
	for i, c := range rowsOf(t, g, err) {
		columns[g.Columns()[i].Name] = c
	}
	return columns
}

func ints64(c ir.Column) []int64   { return c.Slice.([]int64) }
func ints32(c ir.Column) []int32   { return c.Slice.([]int32) }
func floats(c ir.Column) []float64 { return c.Slice.([]float64) }
func char8s(c ir.Column) [][8]byte { return c.Slice.([][8]byte) }
func cents(dollars float64) int64  { return int64(math.Round(dollars * 100)) }
func letterOf(text [8]byte) string { return string(text[:1]) }

// Each order is that of its lines: the same keys, dates, status and total.
func TestOrdersJoinLineitem(t *testing.T) {
	const scale, seed = 0.01, 7
	g, err := Lineitem(scale, seed)
	l := named(t, g, err)
	g, err = Orders(scale, seed)
	o := named(t, g, err)
	lineKey, orderKey := ints64(l["l_orderkey"]), ints64(o["o_orderkey"])
	if len(orderKey) != 15_000 {
		t.Fatalf("%d orders", len(orderKey))
	}
	row := 0
	for i, key := range orderKey {
		total, open, lines := int64(0), 0, 0
		date := ints32(o["o_orderdate"])[i]
		for ; row < len(lineKey) && lineKey[row] == key; row++ {
			lines++
			if ints32(l["l_linenumber"])[row] != int32(lines) {
				t.Fatalf("row %d is line %d of its order", row, lines)
			}
			price, discount, tax := cents(floats(l["l_extendedprice"])[row]), cents(floats(l["l_discount"])[row]), cents(floats(l["l_tax"])[row])
			total += price * (100 - discount) / 100 * (100 + tax) / 100
			part, quantity := ints64(l["l_partkey"])[row], ints64(l["l_quantity"])[row]
			if want := quantity * (90000 + (part/10)%20001 + 100*(part%1000)); price != want {
				t.Fatalf("row %d: price %d, not %d", row, price, want)
			}
			supplier, ofPart := ints64(l["l_suppkey"])[row], false
			for j := range int64(4) {
				ofPart = ofPart || supplier == (part+j*(100/4+(part-1)/100))%100+1
			}
			ship, commit, receipt := ints32(l["l_shipdate"])[row], ints32(l["l_commitdate"])[row], ints32(l["l_receiptdate"])[row]
			inTime := ship > date && ship <= date+121 && commit >= date+30 && commit <= date+90 && receipt > ship && receipt <= ship+30
			if !ofPart || !inTime || quantity < 1 || quantity > 50 || discount < 0 || discount > 10 || tax < 0 || tax > 8 || part < 1 || part > 2000 {
				t.Fatalf("row %d: part %d, supplier %d, quantity %d, dates %d %d %d %d, discount %d, tax %d", row, part, supplier, quantity, date, ship, commit, receipt, discount, tax)
			}
			status := "F"
			if ship > day(1995, 6, 17) {
				status = "O"
				open++
			}
			if got := letterOf(char8s(l["l_linestatus"])[row]); got != status {
				t.Fatalf("row %d: status %s, not %s", row, got, status)
			}
			if flag := letterOf(char8s(l["l_returnflag"])[row]); (flag == "N") != (receipt > day(1995, 6, 17)) {
				t.Fatalf("row %d: return flag %s", row, flag)
			}
		}
		status := map[int]string{0: "F", lines: "O"}[open]
		if status == "" {
			status = "P"
		}
		customer := ints64(o["o_custkey"])[i]
		if got := letterOf(char8s(o["o_orderstatus"])[i]); got != status || cents(floats(o["o_totalprice"])[i]) != total || lines < 1 || lines > 7 ||
			customer%3 == 0 || customer < 1 || customer > 1500 || date < day(1992, 1, 1) || date > day(1998, 8, 2) {
			t.Fatalf("order %d: status %s, not %s; total %v, not %d cents; %d lines; customer %d; date %d", key, got, status, floats(o["o_totalprice"])[i], total, lines, customer, date)
		}
	}
	if row != len(lineKey) {
		t.Errorf("%d lines of no order", len(lineKey)-row)
	}
	if got := fmt.Sprint(orderKey[:17]); got != "[1 2 3 4 5 6 7 32 33 34 35 36 37 38 39 64 65]" {
		t.Errorf("keys %s", got)
	}
	if last := orderKey[len(orderKey)-1]; last != 60_000 {
		t.Errorf("the last key is %d", last)
	}
}

// The shape of TPC-H's answers: Q1's four groups and Q6's selectivity, and as
// many lines as the four per order that are expected.
func TestLineitemShape(t *testing.T) {
	g, err := Lineitem(0.1, 1)
	l := named(t, g, err)
	n := l["l_orderkey"].Len()
	if math.Abs(float64(n)-600_000) > 3000 { // the standard deviation is 775
		t.Errorf("%d rows", n)
	}
	groups := map[string]int{}
	q6 := 0
	for i, ship := range ints32(l["l_shipdate"]) {
		if ship <= day(1998, 12, 1)-90 {
			groups[letterOf(char8s(l["l_returnflag"])[i])+letterOf(char8s(l["l_linestatus"])[i])]++
		}
		discount := floats(l["l_discount"])[i]
		if ship >= day(1994, 1, 1) && ship < day(1995, 1, 1) && discount >= 0.05 && discount <= 0.07 && ints64(l["l_quantity"])[i] < 24 {
			q6++
		}
	}
	// The groups of Q1 at scale 1, as its published answer counts them.
	for group, want := range map[string]float64{"AF": 1478493, "NF": 38854, "NO": 2920374, "RF": 1478870} {
		if got := float64(groups[group]); math.Abs(got-want/10) > 0.01*want/10+4*math.Sqrt(want/10) {
			t.Errorf("group %s has %v rows, a tenth of scale 1 is %v", group, got, want/10)
		}
	}
	if len(groups) != 4 {
		t.Errorf("groups %v", groups)
	}
	if share := float64(q6) / float64(n); math.Abs(share-0.01904) > 0.0008 { // 114160 of 6001215 rows
		t.Errorf("Q6 selects %.3f %%", share*100)
	}
}

// Texts are as frequent as each other, and all occur.
func TestTexts(t *testing.T) {
	l, err := Lineitem(0.02, 3)
	lines := named(t, l, err)
	o, err := Orders(0.02, 3)
	orders := named(t, o, err)
	for _, c := range []struct {
		column ir.Column
		want   int
	}{{lines["l_shipmode"], 7}, {lines["l_shipinstruct"], 4}, {orders["o_orderpriority"], 5}} {
		counts := map[[8]byte]int{}
		for _, text := range char8s(c.column) {
			counts[text]++
		}
		for text, n := range counts {
			mean := float64(c.column.Len()) / float64(c.want)
			if math.Abs(float64(n)-mean) > 5*math.Sqrt(mean) {
				t.Errorf("%q: %d rows, the mean is %v", text, n, mean)
			}
		}
		if len(counts) != c.want {
			t.Errorf("%d texts, not %d", len(counts), c.want)
		}
	}
}

// Scale 1000 has 6e9 rows; its last batch is right without those before it.
func TestLargeScale(t *testing.T) {
	p, err := newTPCH(1000, 1)
	if err != nil {
		t.Fatal(err)
	}
	lines, orders := newBatch(lineitemColumns), newBatch(ordersColumns)
	p.fillLines(p.batches()-1, lines)
	p.fillOrders(p.batches()-1, orders)
	keys := ints64(lines[0])
	if got := keys[len(keys)-1]; got != 6_000_000_000 {
		t.Errorf("the last key is %d", got)
	}
	largest := int64(0)
	for i := range keys {
		largest = max(largest, ints64(lines[1])[i])
		if s := ints64(lines[2])[i]; s < 1 || s > 10_000_000 {
			t.Fatalf("supplier %d", s)
		}
		if p := floats(lines[5])[i]; p < 900 || p > 110_000 {
			t.Fatalf("price %v", p)
		}
	}
	if largest < 190_000_000 || largest > 200_000_000 {
		t.Errorf("the largest part is %d", largest)
	}
	for _, scale := range []float64{0, -1, math.NaN(), math.Inf(1), 1e6} {
		if _, err := Lineitem(scale, 1); err == nil {
			t.Errorf("scale %v is taken", scale)
		}
	}
	g, err := Orders(1e-9, 1)
	if rows := rowsOf(t, g, err); rows[0].Len() != 1 {
		t.Errorf("%d orders of the smallest scale", rows[0].Len())
	}
}

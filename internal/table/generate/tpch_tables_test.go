package generate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen/ir"
)

// textsOf returns the strings of a text column.
func textsOf(c ir.Column) []string {
	out := make([]string, c.Len())
	for i, code := range ints32(c) {
		out[i] = c.Texts[code]
	}
	return out
}

// The tables of TPC-H belong together: keys are there, lines and orders are those of Lineitem and Orders, and texts are as
// section 4.2.3 of the specification says.
func TestTPCHTables(t *testing.T) {
	const scale = 0.02
	all, err := NewTPCH(scale, 1)
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string]map[string]ir.Column{}
	for name, g := range map[string]Generator{"l": all.Lineitem, "o": all.Orders, "c": all.Customer, "p": all.Part, "ps": all.PartSupp, "s": all.Supplier, "n": all.Nation, "r": all.Region} {
		tables[name] = named(t, g, nil)
		for column, data := range tables[name] {
			if data.Kind == ir.Text && !slices.IsSorted(data.Texts) {
				t.Errorf("the dictionary of %s is not sorted", column)
			}
		}
	}
	for column, want := range map[string]int{"c c_custkey": 3000, "p p_partkey": 4000, "ps ps_partkey": 16000, "s s_suppkey": 200, "n n_name": 25, "r r_name": 5, "o o_comment": 30000} {
		table, name, _ := strings.Cut(column, " ")
		if got := tables[table][name].Len(); got != want {
			t.Errorf("%s has %d rows, not %d", name, got, want)
		}
	}
	plain, err := Lineitem(scale, 1)
	lines := named(t, plain, err)
	for _, name := range []string{"l_orderkey", "l_partkey", "l_suppkey", "l_shipdate"} {
		if fmt.Sprint(lines[name].Slice) != fmt.Sprint(tables["l"][name].Slice) {
			t.Errorf("%s is not that of Lineitem", name)
		}
	}
	pairs := map[[2]int64]bool{}
	for i, part := range ints64(tables["ps"]["ps_partkey"]) {
		pairs[[2]int64{part, ints64(tables["ps"]["ps_suppkey"])[i]}] = true
	}
	if len(pairs) != 16000 {
		t.Errorf("%d pairs of part and supplier", len(pairs))
	}
	for i, part := range ints64(tables["l"]["l_partkey"]) {
		if !pairs[[2]int64{part, ints64(tables["l"]["l_suppkey"])[i]}] {
			t.Fatalf("line %d has a part and a supplier that do not belong together", i)
		}
		if price, quantity := ints64(tables["l"]["l_extendedprice"])[i], ints64(tables["l"]["l_quantity"])[i]; price*100 != quantity*ints64(tables["p"]["p_retailprice"])[part-1] {
			t.Fatalf("line %d costs %d cents for %d hundredths", i, price, quantity)
		}
	}
	for _, c := range []struct {
		column ir.Column
		want   int // different texts
		begins string
	}{
		{tables["c"]["c_name"], 3000, "Customer#0000"}, {tables["s"]["s_name"], 200, "Supplier#0000"}, {tables["p"]["p_brand"], 25, "Brand#"}, {tables["p"]["p_type"], 150, ""},
		{tables["p"]["p_container"], 40, ""}, {tables["c"]["c_mktsegment"], 5, ""}, {tables["l"]["l_shipinstruct"], 4, ""}, {tables["l"]["l_returnflag"], 3, ""}, {tables["o"]["o_orderpriority"], 5, ""},
		{tables["o"]["o_clerk"], 20, "Clerk#0000000"}, {tables["n"]["n_name"], 25, ""},
	} {
		texts := textsOf(c.column)
		slices.Sort(texts)
		if got := len(slices.Compact(texts)); got != c.want || !strings.HasPrefix(texts[0], c.begins) {
			t.Errorf("%d texts, not %d, the first %q", got, c.want, texts[0])
		}
	}
	for i, phone := range textsOf(tables["c"]["c_phone"]) {
		if want := fmt.Sprint(10+ints32(tables["c"]["c_nationkey"])[i], "-"); !strings.HasPrefix(phone, want) || len(phone) != len("11-222-333-4444") {
			t.Fatalf("customer %d of nation %s has %s", i, want, phone)
		}
	}
	special := 0
	for _, text := range textsOf(tables["o"]["o_comment"]) {
		if at := strings.Index(text, "special"); at >= 0 && strings.Contains(text[at:], "requests") {
			special++
		}
	}
	if special < 200 || special > 400 {
		t.Errorf("%d of 30000 orders have special requests", special)
	}
	for i, name := range textsOf(tables["p"]["p_name"]) {
		words := strings.Fields(name)
		if slices.Sort(words); len(slices.Compact(words)) != 5 {
			t.Fatalf("part %d is %s", i, name)
		}
	}
}
